"""The name of an engine → the engine; the only place that knows the cluster's library."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from .._core import BadInput, Engine, State, Task
from .._threads import usable_cpus, with_one_blas_thread
from ._local import Serial, Threads, refuse_empty
from ._processes import Processes, WorkerDied

PATIENCE = 8
"""Seconds to wait for a scheduler to answer, and for its first worker."""
POSSIBLE = "serial, threads, threads:N, processes, processes:N or dask://HOST:PORT"


def engine(text: str | None = None) -> Engine:
    """The engine of that name; every one of them gives the same bits.

    States are merged along a tree that depends on the number of tasks only, and BLAS keeps to one
    thread, so neither the engine nor the number of workers shows in the result. (Machines of
    different kinds may still differ in the last digits of a product.)

    Args:
        text: `threads` (the default: as many as there are usable CPUs), `threads:4`, `serial`,
            `processes`, `processes:4`, or `dask://HOST:PORT` of a running scheduler.

    Example:
        >>> import operator
        >>> engine("threads:2").map_reduce(abs, [-1, 2, -3], operator.add)
        6
    """
    name = "threads" if text is None else text
    if name.startswith("dask://"):
        return Dask(_address(name))
    kind, colon, number = name.partition(":")
    if kind == "serial" and not colon:
        return Serial()
    if kind in ("threads", "processes") and (not colon or _is_count(number)):
        workers = int(number) if colon else usable_cpus()
        return Threads(workers) if kind == "threads" else Processes(workers)
    raise BadInput(f"no engine is called {name!r}: possible are {POSSIBLE}")


@dataclass(frozen=True)
class Dask:
    """Workers of a running Dask scheduler; only the final state travels here.

    A worker that dies costs its tasks a retry (as many as the scheduler allows: three, unless its
    configuration says otherwise), and what it alone held is computed again.

    Args:
        address: `HOST:PORT`.
    """

    address: str

    def __post_init__(self) -> None:
        _library()

    def map_reduce(
        self,
        work: Callable[[Task], State],
        tasks: Sequence[Task],
        merge: Callable[[State, State], State],
        progress: Callable[[int], None] | None = None,
    ) -> State:
        """The merged state of all tasks; merging happens on the cluster."""
        refuse_empty(tasks)
        with _connected(self.address) as client:
            nodes = _graph(work, tasks, merge)
            places = {node.key: place for place, node in enumerate(nodes[:-1])}
            try:
                _await_a_worker(client, self.address)
                merged: State = self._run(client, nodes, progress)
                return merged
            except CancelledError:
                raise BadInput(
                    f"the scheduler at {self.address} went away before the end: start it again, "
                    f"and then this"
                ) from None
            except (ModuleNotFoundError, RuntimeError) as error:
                if isinstance(error, RuntimeError) and "deserializ" not in str(error):
                    raise
                raise BadInput(
                    f"the cluster at {self.address} cannot load the work ({_reason(error)}): "
                    f"install there what is installed here, in the same versions"
                ) from None
            except _library().KilledWorker as error:
                died = WorkerDied(
                    f"a task was lost with its worker again and again ({error.task}): its workers "
                    f"run out of memory or are killed; give them more memory, or use smaller blocks"
                )
                died.task = places.get(error.task)
                raise died from None

    def _run(self, client: Any, nodes: list[Any], progress: Callable[[int], None] | None) -> Any:
        *leaves, root = client.compute(nodes)
        arriving = _library().as_completed(leaves, loop=client.loop)
        del leaves  # a state that nobody here holds is freed as soon as it is merged
        for done, leaf in enumerate(arriving, 1):
            if leaf.status != "finished":
                leaf.result()  # raises what the task raised, without moving a state
            if progress:
                progress(done)
        return root.result()


def _graph(
    work: Callable[[Task], State],
    tasks: Sequence[Task],
    merge: Callable[[State, State], State],
) -> list[Any]:
    """Every leaf, then the root, of the same tree as `_tree.Tree`."""
    from dask import delayed

    def node(function: Callable[..., Any], *inputs: Any) -> Any:
        return delayed(function, pure=False, traverse=False)(*inputs)

    leaves = [node(partial(with_one_blas_thread, work, task)) for task in tasks]
    level = leaves
    join = partial(with_one_blas_thread, merge)
    while len(level) > 1:
        pairs = [node(join, *level[i : i + 2]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[2 * len(pairs) :]
    return [*leaves, *level]


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client of the scheduler, with at least one worker behind it, that keeps its log quiet."""
    with ThreadPoolExecutor(1) as aside:  # a notebook already runs an event loop in this thread
        if not aside.submit(asyncio.run, _answers(address)).result():
            raise BadInput(
                f"no Dask scheduler answers at {address}: start one (`dask scheduler`) or correct "
                f"the address dask://HOST:PORT"
            )
    log = logging.getLogger("distributed.client")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with _library().Client(f"tcp://{address}", set_as_default=False, name="coset") as client:
            yield client
    finally:
        log.setLevel(level)


def _reason(error: BaseException) -> str:
    """What went wrong first, on one line."""
    while error.__cause__:
        error = error.__cause__
    return str(error).partition("\n")[0]


def _await_a_worker(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise BadInput(
            f"the Dask scheduler at {address} has no workers: start some (`dask worker {address}`)"
        ) from None


async def _answers(address: str) -> bool:
    """Whether a scheduler is there; a client has no limit for one that accepts and says nothing."""
    from distributed.comm import connect

    try:
        comm = await asyncio.wait_for(connect(f"tcp://{address}", timeout=PATIENCE), PATIENCE)
    except Exception:  # whatever talks there, it is no scheduler
        return False
    comm.abort()
    return True


def _library() -> Any:
    try:
        import distributed
    except ImportError:
        raise BadInput(
            "the engine dask:// needs Dask, which is not installed: pip install 'coset[dask]'"
        ) from None
    return distributed


def _address(name: str) -> str:
    address = name.removeprefix("dask://")
    host, _, port = address.rpartition(":")
    if not host or not _is_count(port) or int(port) > 65535:
        raise BadInput(f"{name!r} is no address of a scheduler: dask://HOST:PORT is needed")
    return address


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and int(text) > 0
