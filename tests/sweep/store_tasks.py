"""A writer of runs: importable by name, because writers are other processes."""

from coset.sweep import Store

CELLS = [f"cell{number:02d}" for number in range(12)]
LENGTH = 20_000


def write_all(folder, writer):
    store = Store(folder)
    for name in CELLS:
        store.put(name, {"writer": writer, "values": [writer] * LENGTH})
        assert store.get(name) is not None
