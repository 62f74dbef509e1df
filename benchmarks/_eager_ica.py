"""The published recipes of TCL, PCL and iVAE as eager PyTorch loops, on data drawn beforehand.

TCL and PCL as released: PCA whitening, hidden layers of twice as many maxout units as there are
latents, SGD with momentum and weight decay on batches of 512. Left out are TCL's first stage, which
trains the regression alone, and averages of the weights, which only delay a first score. iVAE as
released: three networks of 100 units, a variance of each coordinate, a bound whose parts are
weighed 100, 1, 0 and 10, Adam on batches of 64.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

Score = Callable[[NDArray], float]
"""Codes of the held-out rows → score."""
EVERY = 500


class Maxout(nn.Module):
    """The larger of two linear maps, for each unit."""

    def __init__(self, columns: int, units: int) -> None:
        super().__init__()
        self.linear = nn.Linear(columns, 2 * units)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x).unflatten(1, (-1, 2)).amax(2)


class Tcl(nn.Module):
    """Maxout layers, absolute codes, multinomial logistic regression of segments."""

    batch = 512

    def __init__(self, d: int, segments: int, layers: int) -> None:
        super().__init__()
        hidden = [Maxout(d if k == 0 else 2 * d, 2 * d) for k in range(layers - 1)]
        self.body = nn.Sequential(*hidden, nn.Linear(2 * d, d))
        self.head = nn.Linear(d, segments)

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x).abs()

    def value(self, x: Tensor, segment: Tensor) -> Tensor:
        return nn.functional.cross_entropy(self.head(self(x)), segment)

    def optimiser(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)


class Pcl(nn.Module):
    """Maxout layers, normalised codes, logistic regression of pairs against shuffled ones."""

    batch = 512

    def __init__(self, d: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            Maxout(d, 2 * d), Maxout(2 * d, 2 * d), nn.Linear(2 * d, d, bias=False)
        )
        self.norm = nn.BatchNorm1d(d)
        self.weight = nn.Parameter(torch.tensor([1.0, -1.0])[:, None].repeat(1, d))
        self.shift = nn.Parameter(torch.zeros(d))
        self.square = nn.Parameter(torch.ones(()))
        self.constant = nn.Parameter(torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.body(x))

    def value(self, earlier: Tensor, later: Tensor) -> Tensor:
        now, before = self(torch.cat([later, earlier])).chunk(2)
        logits = torch.cat([
            self.ratio(now, before), self.ratio(now, before[torch.randperm(len(before))])
        ])  # fmt: skip
        real = (torch.arange(len(logits)) < len(before)).float()
        return nn.functional.binary_cross_entropy_with_logits(logits, real)

    def optimiser(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-5)

    def ratio(self, now: Tensor, before: Tensor) -> Tensor:
        apart = self.weight[0] * now + self.weight[1] * before + self.shift
        return self.square.clamp(min=0) * (now**2).sum(1) - apart.abs().sum(1) + self.constant


class Xtanh(nn.Module):
    """tanh x + x / 10."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(x) + 0.1 * x


def mlp(columns: int, out: int) -> nn.Sequential:
    """Three linear layers of 100 units."""
    return nn.Sequential(
        nn.Linear(columns, 100), Xtanh(), nn.Linear(100, 100), Xtanh(), nn.Linear(100, out)
    )


class Ivae(nn.Module):
    """Rows are observations with their label, one-hot, behind them."""

    batch, noise = 64, 0.1

    def __init__(self, d: int, segments: int, rows: int) -> None:
        super().__init__()
        self.segments, self.rows = segments, rows
        self.mean, self.log_variance = (mlp(d + segments, d) for _ in range(2))
        self.decoder, self.prior = mlp(d, d), mlp(segments, d)

    def forward(self, x: Tensor) -> Tensor:
        return self.mean(x)

    def value(self, x: Tensor, _: Tensor) -> Tensor:
        mean, spread = self.mean(x), self.log_variance(x)
        z = mean + torch.exp(spread / 2) * torch.randn_like(mean)
        x, label = x[:, : -self.segments], x[:, -self.segments :]
        noise = torch.tensor(self.noise).log()
        seen = normal(x, self.decoder(z), noise).sum(1)
        own = normal(z, mean, spread).sum(1)
        wanted = normal(z, torch.zeros_like(z), self.prior(label)).sum(1)
        of_all = normal(z[:, None], mean[None], spread[None])  # every draw under every posterior
        count = torch.tensor(float(self.rows * len(z))).log()
        joint = torch.logsumexp(of_all.sum(2), 1) - count
        apart = (torch.logsumexp(of_all, 1) - count).sum(1)
        return -(100 * seen - (own - joint) - 10 * (apart - wanted)).mean()

    def optimiser(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=0.01)


def normal(x: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Log-density, entry by entry."""
    return -(log_variance + (x - mean) ** 2 / log_variance.exp() + np.log(2 * np.pi)) / 2


Model = Tcl | Pcl | Ivae


def whitening(x: NDArray) -> Callable[[NDArray], Tensor]:
    """PCA whitening by the training rows."""
    mean = x.mean(0)
    sizes, turns = np.linalg.eigh(np.cov(x, rowvar=False))

    def white(rows: NDArray) -> Tensor:
        return torch.tensor((rows - mean) @ turns / np.sqrt(sizes), dtype=torch.float32)

    return white


def learning_curve(
    model: Model,
    rows: tuple[Tensor, Tensor],
    held_out: Tensor,
    score: Score,
    budget: float,
) -> Iterator[tuple[int, float, float]]:
    """Steps, seconds of training and score, again and again until the budget is spent."""
    optimiser = model.optimiser()
    spent, done = 0.0, 0
    while spent < budget:
        began = time.perf_counter()
        model.train()
        for _ in range(EVERY):
            chosen = torch.randint(len(rows[0]), (model.batch,))
            value = model.value(rows[0][chosen], rows[1][chosen])
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
        done += EVERY
        spent += time.perf_counter() - began
        model.eval()
        with torch.no_grad():
            yield done, spent, score(model(held_out).double().numpy())
