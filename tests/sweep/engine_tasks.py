"""What the engines are given to do: importable by name, because workers are other processes."""

import os
import signal
import sys
import threading
import time

import numpy as np
from threadpoolctl import threadpool_info

from coset._core import BadInput


def gram(task):
    """A product whose sum over tasks depends on the order of adding."""
    rng = np.random.default_rng(task)
    rows = rng.normal(size=(400, 60)) * 10.0 ** rng.integers(-6, 6)
    return rows.T @ rows


def plus(left, right):
    return left + right


def uneven(task):
    """The same, finished out of order."""
    time.sleep(0.02 * (task % 3))
    return gram(task)


def slow(task):
    time.sleep(0.15)
    return gram(task)


def picky(task):
    if task in (5, 11):
        time.sleep(0.1 if task == 5 else 0)
        raise BadInput(f"task {task} holds nan at row 3, column 1")
    return task


def broken(task):
    raise ZeroDivisionError("a mistake of ours")


def blas_threads(task):
    np.ones((64, 64)) @ np.ones((64, 64))
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def dies(task):
    os.kill(os.getpid(), signal.SIGKILL)


def dies_once(task):
    """Kills its process where the marker is not there yet; others take their time."""
    marker, number = task
    time.sleep(0.05)
    if number in (1, 5) and not marker.with_name(str(number)).exists():
        marker.with_name(str(number)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return gram(number)


def one_dies_always(task):
    folder, number = task
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    (folder / f"{number}-{time.time_ns()}").touch()
    return number


class Alive:
    """Counts the states that exist at a time."""

    now = most = 0
    lock = threading.Lock()

    @classmethod
    def change(cls, by):
        with cls.lock:
            cls.now += by
            cls.most = max(cls.most, cls.now)


def counted(task):
    time.sleep(0.5 if task == 0 else 0.001)
    Alive.change(+1)
    return task


def counted_plus(left, right):
    Alive.change(-1)
    return left + right


def sleepy(task):
    time.sleep(0.3)
    return task


def main(name):
    """Say when work has begun; end on Ctrl-C with one word."""
    from coset.sweep import engine

    try:
        engine(name).map_reduce(sleepy, range(1000), plus, lambda n: print(n, flush=True))
    except KeyboardInterrupt:
        print("stopped", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
