"""The same inputs and the same quantities as the tools in use, at sizes that they can hold.

Each peer is called as its documentation says. A ratio above 1 means that coset is faster.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
from _harness import interleaved, ratio, report, table, tell
from numpy.typing import NDArray

from coset import metrics

Arrays = tuple[NDArray, NDArray]


@dataclass(frozen=True)
class Contest:
    """One quantity of one pair of arrays, by a peer and by coset."""

    key: str
    what: str
    peer: str
    arrays: Arrays
    theirs: Callable[[NDArray, NDArray], float]
    ours: Callable[[NDArray, NDArray], float]
    tolerance: float | None
    """How far apart the values may be; None where the peer means something else."""
    remark: str


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--scale", type=float, default=1.0, help="of the numbers of rows")
    given = options.parse_args()
    ratios: dict[str, float] = {}
    bound: dict[str, tuple[str, float]] = {}
    rows = []
    for contest in contests(given.scale):
        tell(f"{contest.what}: {contest.peer}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, ours = contest.theirs(*contest.arrays), contest.ours(*contest.arrays)
            taken = interleaved(
                {
                    contest.peer: lambda c=contest: c.theirs(*c.arrays),
                    "coset": lambda c=contest: c.ours(*c.arrays),
                },
                given.repeats,
            )
        peer, coset = taken.values()
        apart = abs(theirs - ours)
        ratios |= {contest.key: ratio(peer, coset), f"{contest.key}_apart": apart}
        bound[contest.key] = ("at_least", 1.0)
        if contest.tolerance is not None:
            bound[f"{contest.key}_apart"] = ("at_most", contest.tolerance)
        shape = " x ".join(f"{size:,}" for size in contest.arrays[0].shape)
        rows.append((
            contest.what, f"{shape}, {contest.arrays[1].shape[1]}", contest.peer,
            f"{median(peer):.3g}", f"{median(coset):.3g}", f"{ratios[contest.key]:.1f}",
            f"{apart:.0e}", contest.remark,
        ))  # fmt: skip
    print(
        f"Arrays in memory; b is a linear map of a with noise. Medians of {given.repeats} "
        f"interleaved repetitions; the ratio is the peer's time over that of coset. Beside its one "
        f"number coset also decides ranks and refuses what is not finite.\n"
    )
    header = ("quantity", "n x p, q", "peer", "peer s", "coset s", "ratio", "apart", "remark")
    table(header, rows)
    report("peers_similarity", ratios, bound)


def contests(scale: float) -> list[Contest]:
    """What is compared with what."""

    def arrays(n: int, p: int, q: int) -> Arrays:
        return pair(int(n * scale), p, q)

    return [
        Contest(
            "sklearn_cca", "mean CCA", "scikit-learn `CCA` (NIPALS)", arrays(5_000, 16, 12),
            sklearn_cca, lambda a, b: metrics.cca(a, b).value, 1e-6,
            "the same definition; NIPALS stops at its tolerance (1e-10 here)",
        ),
        Contest(
            "cca_zoo", "mean CCA", "cca-zoo `CCA`", arrays(50_000, 64, 48),
            zoo_cca, lambda a, b: metrics.cca(a, b).value, 1e-6, "the same definition",
        ),
        Contest(
            "ckatorch", "debiased linear CKA", "ckatorch `cka_batch`", arrays(4_000, 128, 96),
            torch_cka, lambda a, b: metrics.cka(a, b).value, 1e-9,
            "the same definition with one batch of all rows; it holds n x n matrices",
        ),
        Contest(
            "ckatorch_batches",
            "debiased linear CKA",
            "ckatorch `cka_batch`, batches of 64",
            arrays(64_000, 64, 48),
            torch_minibatch_cka,
            lambda a, b: metrics.cka(a, b).value,
            None,
            "another quantity: a ratio of sums over batches, whose value depends on their size",
        ),
        Contest(
            "svcca", "SVCCA, 99 % of variance", "NumPy, from the definition",
            arrays(50_000, 128, 96), textbook_svcca, lambda a, b: metrics.svcca(a, b).value, 1e-9,
            "the same definition, by SVDs of the rows themselves",
        ),
        Contest(
            "rsatoolbox", "RSA, Euclidean, Spearman", "rsatoolbox `calc_rdm`, `compare`",
            arrays(2_000, 128, 96), toolbox_rsa, lambda a, b: metrics.rsa(a, b).value, 1e-9,
            "it squares the distances, which leaves ranks as they are",
        ),
    ]  # fmt: skip


def pair(n: int, p: int, q: int) -> Arrays:
    """Columns of unequal scale, and a linear map of them with as much noise as signal."""
    generator = np.random.default_rng(0)
    a = generator.standard_normal((n, p)) / np.sqrt(1 + np.arange(p)) + generator.normal(size=p)
    noise = generator.standard_normal((n, q))
    return a, a @ generator.standard_normal((p, q)) + noise


def sklearn_cca(a: NDArray, b: NDArray) -> float:
    from sklearn.cross_decomposition import CCA

    size = min(a.shape[1], b.shape[1])
    left, right = CCA(size, max_iter=20_000, tol=1e-10).fit(a, b).transform(a, b)
    return float(np.mean([np.corrcoef(x, y)[0, 1] for x, y in zip(left.T, right.T, strict=True)]))


def zoo_cca(a: NDArray, b: NDArray) -> float:
    from cca_zoo.linear import CCA

    size = min(a.shape[1], b.shape[1])
    left, right = CCA(n_components=size).fit([a, b]).transform([a, b])
    return float(np.mean([np.corrcoef(x, y)[0, 1] for x, y in zip(left.T, right.T, strict=True)]))


def torch_cka(a: NDArray, b: NDArray) -> float:
    import torch
    from ckatorch import cka_batch

    return float(cka_batch(torch.from_numpy(a)[None], torch.from_numpy(b)[None]))


def torch_minibatch_cka(a: NDArray, b: NDArray) -> float:
    import torch
    from ckatorch import cka_batch

    whole = len(a) // 64 * 64
    left, right = (torch.from_numpy(x[:whole].reshape(-1, 64, x.shape[1])) for x in (a, b))
    return float(cka_batch(left, right))


def textbook_svcca(a: NDArray, b: NDArray) -> float:
    """Centre; keep leading singular directions; correlations between what is left."""

    def kept(x: NDArray) -> NDArray:
        left, sizes, _ = np.linalg.svd(x - x.mean(0), full_matrices=False)
        share = np.cumsum(sizes**2) / (sizes**2).sum()
        return left[:, : int(np.searchsorted(share, 0.99)) + 1]

    return float(np.linalg.svd(kept(a).T @ kept(b), compute_uv=False).mean())


def toolbox_rsa(a: NDArray, b: NDArray) -> float:
    from rsatoolbox.data import Dataset
    from rsatoolbox.rdm import calc_rdm, compare

    left, right = (calc_rdm(Dataset(x), method="euclidean") for x in (a, b))
    return float(compare(left, right, method="spearman").item())


if __name__ == "__main__":
    main()
