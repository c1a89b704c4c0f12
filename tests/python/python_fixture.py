"""What the tests of the Python package share: the package on the path, data made by the programs, exit code 77 where numpy
or h5py are absent.

KM_BIN is the folder of the programs, KIFUMILL_LIBRARY the library, KM_PLUGIN the folder of the zstd filter, KM_SOURCE the
source folder; tests/python/CMakeLists.txt sets them.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["KM_SOURCE"]
PACKAGE = os.path.join(SOURCE, "tools", "python")
BIN = os.environ["KM_BIN"]
sys.path.insert(0, PACKAGE)

try:
    import h5py  # noqa: F401
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


class Scratch:
    """A folder that is removed at the end; made once a process, not again in those that it starts."""

    folder = None

    @classmethod
    def path(cls, *names):
        if cls.folder is None:
            cls.folder = tempfile.mkdtemp(prefix="kifumill-python-")
            unittest.addModuleCleanup(shutil.rmtree, cls.folder)
        return os.path.join(cls.folder, *names)


def run(program, *arguments):
    done = subprocess.run([os.path.join(BIN, program), "--quiet", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{program}: {done.stderr}")


def make_games(name="games.h5"):
    """games.h5 of the bundled games."""
    path = Scratch.path(name)
    if not os.path.exists(path):
        run("kifu-ingest", "-o", path, *sorted(glob.glob(os.path.join(SOURCE, "tools", "games", "selfplay-*"))))
    return path


def make_shards(name, *options, board=9):
    """A folder of shards of the bundled games."""
    folder = Scratch.path(name)
    if not os.path.exists(folder):
        run("kifu-planes", "-o", folder, "--board", board, "--split", "0.6,0.2,0.2", "--seed", 7, "--rows-per-shard", 700,
            "--chunk-rows", 64, *options, make_games())
    return folder


def identities(rows):
    """One number a row that says which it is, from a dict or tuple of game, ply, symmetry."""
    if isinstance(rows, dict):
        rows = rows["game"], rows["ply"], rows["symmetry"]
    game, ply, symmetry = (np.asarray(column).astype(np.int64) for column in rows)
    return game << 24 | ply << 8 | symmetry


def same(a, b):
    """Whether two dicts of arrays are the same, NaN being NaN."""
    return a.keys() == b.keys() and all(
        np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f") and a[name].dtype == b[name].dtype for name in a
    )


def read_places(source, places, queue):
    """For a process of its own: puts the sum of the bytes of each row, sorted."""
    rows = source.take(places)
    sums = rows["planes"].reshape(len(places), -1).astype(np.int64) @ np.arange(1, rows["planes"][0].size + 1)
    queue.put((sums * 1000 + rows["policy"]).tolist())


def read_by_workers(source, n_workers, method):
    """All rows of a source, read by so many processes started by method (0: in this one), as a sorted list of numbers."""
    import multiprocessing

    context = multiprocessing.get_context(method)
    queue = context.Queue()
    n = len(source)
    if n_workers == 0:
        read_places(source, list(range(n)), queue)
        return sorted(queue.get(timeout=120))
    workers = [
        context.Process(target=read_places, args=(source, list(range(i, n, n_workers)), queue)) for i in range(n_workers)
    ]
    for worker in workers:
        worker.start()
    read = sorted(number for _ in workers for number in queue.get(timeout=120))
    for worker in workers:
        worker.join(60)
        if worker.exitcode:
            raise AssertionError(f"a worker ended with {worker.exitcode}")
    return read
