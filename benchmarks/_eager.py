"""The published recipe of the sphere, and others of its shape, as an eager PyTorch loop.

python benchmarks/_eager.py --steps 60000 --device cuda    its learning curve, as JSON
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

D, KAPPA = 10, 20.0
PUBLISHED = (100, 500, 500, 500, 500, 100)
BATCH, RATE, SLOPE = 6144, 1e-4, 0.01
EVERY = 250


class World:
    """Uniform latents on the sphere, von Mises-Fisher positives, three leaky layers."""

    def __init__(self, seed: int, device: str) -> None:
        drawn = np.random.default_rng(seed)
        pool = drawn.uniform(-1, 1, (25_000, D, D))
        pool /= np.linalg.norm(pool, axis=1, keepdims=True)
        best = np.argsort(np.linalg.cond(pool))[:3]
        self.weights = [torch.tensor(pool[i], dtype=torch.float32, device=device) for i in best]
        self.device = device
        # the component along the mean has density e^{κt} (1 - t²)^{(d-3)/2}: inverted on a grid
        t = np.linspace(-1, 1, 200_001)
        log = KAPPA * t + (D - 3) / 2 * np.log(np.maximum(1 - t**2, 1e-300))
        law = np.cumsum(np.exp(log - log.max()))
        self.grid = torch.tensor(t, dtype=torch.float32, device=device)
        self.law = torch.tensor(law / law[-1], dtype=torch.float64, device=device)

    def draw(self, n: int) -> tuple[Tensor, Tensor, Tensor]:
        """Latents, observations, observations of positives."""
        z = nn.functional.normalize(torch.randn(n, D, device=self.device))
        uniform = torch.rand(n, device=self.device, dtype=torch.float64)
        place = torch.searchsorted(self.law, uniform).clamp(max=len(self.grid) - 1)
        along = self.grid[place][:, None]
        aside = torch.randn(n, D, device=self.device)
        aside = nn.functional.normalize(aside - (aside * z).sum(1, keepdim=True) * z)
        near = along * z + torch.sqrt(1 - along**2) * aside
        return z, self.mix(z), self.mix(near)

    def mix(self, z: Tensor) -> Tensor:
        """What latents look like."""
        for weight in self.weights[:-1]:
            z = nn.functional.leaky_relu(z @ weight, 0.2)
        return z @ self.weights[-1]


def encoder(widths: Sequence[int], slope: float, device: str) -> nn.Module:
    """Linear layers with leaky ReLU between them."""
    layers: list[nn.Module] = []
    sizes = [D, *widths]
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), nn.LeakyReLU(slope)]
    return nn.Sequential(*layers, nn.Linear(sizes[-1], D)).to(device)


def steps(
    world: World,
    model: nn.Module,
    batch: int = BATCH,
    rate: float = RATE,
    temperature: float = 1 / KAPPA,
) -> Iterator[float]:
    """One update of Adam after another; yields the objective, still on its device."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    own = torch.eye(batch, dtype=torch.bool, device=world.device)
    while True:
        _, x, positive = world.draw(batch)
        u = nn.functional.normalize(model(x))
        v = nn.functional.normalize(model(positive))
        near = (u * v).sum(1) / temperature
        logits = (u @ u.T / temperature).masked_fill(own, -torch.inf)
        value = (torch.logaddexp(torch.logsumexp(logits, 1), near) - near).mean()
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        yield value.detach()  # type: ignore[misc]


@torch.no_grad()
def held_out_r2(world: World, model: nn.Module, n: int = 8192) -> float:
    """Latents from codes by least squares: fitted on half of the rows, scored on the other."""
    z, x, _ = world.draw(n)
    codes = nn.functional.normalize(model(x)).double().cpu().numpy()
    latents: NDArray = z.double().cpu().numpy()
    given = np.hstack([codes, np.ones((n, 1))])
    half = n // 2
    found = np.linalg.lstsq(given[:half], latents[:half], rcond=None)[0]
    error = ((latents[half:] - given[half:] @ found) ** 2).sum(0)
    return float(np.mean(1 - error / ((latents[half:] - latents[half:].mean(0)) ** 2).sum(0)))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=60_000)
    options.add_argument("--device", default="cpu")
    options.add_argument("--seconds", type=float, default=1e9)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    torch.manual_seed(given.seed)
    world = World(given.seed, given.device)
    model = encoder(PUBLISHED, SLOPE, given.device)
    curve: list[tuple[int, float]] = []
    began = time.perf_counter()
    for done, _ in enumerate(steps(world, model), 1):
        if done % EVERY == 0:
            curve.append((done, round(held_out_r2(world, model), 6)))
            if done % (20 * EVERY) == 0:
                print(
                    curve[-1], f"{time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True
                )
            enough = len(curve) > 2 and min(score for _, score in curve[-3:]) >= 0.9995
            if done >= given.steps or time.perf_counter() - began > given.seconds or enough:
                break
    name = torch.cuda.get_device_name() if given.device == "cuda" else "CPU"
    print(
        json.dumps({
            "batch": BATCH, "widths": PUBLISHED, "rate": RATE, "kappa": KAPPA, "seed": given.seed,
            "device": name, "torch": torch.__version__,
            "seconds": round(time.perf_counter() - began, 1), "curve": curve,
        })
    )  # fmt: skip


if __name__ == "__main__":
    main()
