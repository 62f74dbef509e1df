"""The published recipes of TCL and PCL as eager PyTorch loops, on data drawn beforehand.

As released: PCA whitening, hidden layers of twice as many maxout units as there are latents, SGD
with momentum and weight decay on batches of 512. Left out are TCL's first stage, which trains the
regression alone, and averages of the weights, which only delay a first score.
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
BATCH, EVERY = 512, 500


class Maxout(nn.Module):
    """The larger of two linear maps, for each unit."""

    def __init__(self, columns: int, units: int) -> None:
        super().__init__()
        self.linear = nn.Linear(columns, 2 * units)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x).unflatten(1, (-1, 2)).amax(2)


class Tcl(nn.Module):
    """Maxout layers, absolute codes, multinomial logistic regression of segments."""

    def __init__(self, d: int, segments: int, layers: int) -> None:
        super().__init__()
        hidden = [Maxout(d if k == 0 else 2 * d, 2 * d) for k in range(layers - 1)]
        self.body = nn.Sequential(*hidden, nn.Linear(2 * d, d))
        self.head = nn.Linear(d, segments)

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x).abs()

    def value(self, x: Tensor, segment: Tensor) -> Tensor:
        return nn.functional.cross_entropy(self.head(self(x)), segment)


class Pcl(nn.Module):
    """Maxout layers, normalised codes, logistic regression of pairs against shuffled ones."""

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

    def ratio(self, now: Tensor, before: Tensor) -> Tensor:
        apart = self.weight[0] * now + self.weight[1] * before + self.shift
        return self.square.clamp(min=0) * (now**2).sum(1) - apart.abs().sum(1) + self.constant


def whitening(x: NDArray) -> Callable[[NDArray], Tensor]:
    """PCA whitening by the training rows."""
    mean = x.mean(0)
    sizes, turns = np.linalg.eigh(np.cov(x, rowvar=False))

    def white(rows: NDArray) -> Tensor:
        return torch.tensor((rows - mean) @ turns / np.sqrt(sizes), dtype=torch.float32)

    return white


def learning_curve(
    model: Tcl | Pcl,
    rate: float,
    decay: float,
    rows: tuple[Tensor, Tensor],
    held_out: Tensor,
    score: Score,
    budget: float,
) -> Iterator[tuple[int, float, float]]:
    """Steps, seconds of training and score, again and again until the budget is spent."""
    optimiser = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9, weight_decay=decay)
    spent, done = 0.0, 0
    while spent < budget:
        began = time.perf_counter()
        model.train()
        for _ in range(EVERY):
            chosen = torch.randint(len(rows[0]), (BATCH,))
            value = model.value(rows[0][chosen], rows[1][chosen])
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
        done += EVERY
        spent += time.perf_counter() - began
        model.eval()
        with torch.no_grad():
            yield done, spent, score(model(held_out).double().numpy())
