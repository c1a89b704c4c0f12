"""Rows straight from games.h5, through libkifumill.so (its interface is described in kifumill/feed.h)."""

import contextlib
import ctypes
import os
import sys
import threading

import numpy as np

from . import locate, source
from .shards import read_manifest

_ABI = 1
_SYSTEM = (-1, -2, -3)  # out of memory, refused by the system, no such file format
_P = ctypes.c_void_p


class _Shape(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint64) for n in ("n_rows", "n_games", "row_bytes")] + [
        (n, ctypes.c_uint32) for n in ("rows", "cols", "n_planes", "plane_bytes", "is_packed", "n_ways")
    ]


class _Buffers(ctypes.Structure):
    _fields_ = [(name, _P) for name in source.FIELDS]


_library = None


def _load():
    """The library, loaded once a process. PyDLL: HDF5, which opening a file uses, must not run beside h5py's."""
    global _library
    if _library is not None:
        return _library
    path = locate.find_library()
    if path is None:
        raise OSError("libkifumill.so not found: build or install kifumill, or set KIFUMILL_LIBRARY to the file")
    try:
        holding, free = ctypes.PyDLL(path), ctypes.CDLL(path)
    except OSError as error:
        raise OSError(f"libkifumill.so cannot be loaded: {error}") from None
    if free.km_feed_abi() < _ABI:
        raise OSError(f"{path} is older than this package")
    u64, u64_p = ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)
    holding.km_feed_open.argtypes = [ctypes.POINTER(_P), ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_char_p,
                                     ctypes.c_size_t]
    holding.km_feed_close.argtypes = [_P]
    holding.km_feed_describe.argtypes = [_P, ctypes.POINTER(_Shape)]
    holding.km_feed_plane_name.argtypes = [_P, ctypes.c_uint32]
    holding.km_feed_plane_name.restype = ctypes.c_char_p
    holding.km_feed_message.argtypes = [_P]
    holding.km_feed_message.restype = ctypes.c_char_p
    free.km_feed_read.argtypes = [_P, u64, u64, u64, ctypes.POINTER(_Buffers)]
    free.km_feed_take.argtypes = [_P, u64, u64_p, u64, ctypes.POINTER(_Buffers)]
    _library = (holding, free)
    return _library


def _setting(name, value):
    if isinstance(value, bool):
        value = "true" if value else "false"
    elif isinstance(value, (tuple, list)):
        value = ",".join(repr(v) if isinstance(v, float) else str(v) for v in value)
    return f"{name.replace('_', '-')}={value}"


class _Feed:
    """An open feed; closed when it is no longer used."""

    def __init__(self, path, settings):
        holding, _ = _load()
        self._close = holding.km_feed_close
        self.handle = _P()
        texts = (ctypes.c_char_p * (len(settings) + 1))(*[s.encode() for s in settings], None)
        message = ctypes.create_string_buffer(320)
        h5py = sys.modules.get("h5py")
        with h5py._objects.phil if h5py else contextlib.nullcontext():
            status = holding.km_feed_open(ctypes.byref(self.handle), os.fsencode(path), texts, message, len(message))
        if status:
            raise (OSError if status in _SYSTEM else ValueError)(message.value.decode(errors="replace"))

    def __del__(self):
        if self.handle:
            self._close(self.handle)
            self.handle = None


class Games(source.Rows):
    """Rows of one split of a games.h5, made from the moves when they are asked for.

    path      games.h5
    split     "train", "val" or "test"
    like      a folder of shards: its settings are taken, so that the rows are those of the shards, in the same order
    order     "global": every row anywhere, the order of the shards; "pool": the games are taken up in a random order,
              pool_games (4096) at a time, which suits files larger than memory
    settings  as of kifu-planes, with _ for -: board, layout, symmetries, pack, sample, ply, players, final_value, seed …;
              split_shares for its --split. And fresh_symmetries=True: other random symmetries in each epoch but the first.

    An object opens the file by itself in each process that uses it: hand it to DataLoader workers, forked or spawned.
    Safe to use from several threads.
    """

    def __init__(self, path, split="train", like=None, order="global", fresh_symmetries=False, **settings):
        self.path = os.fspath(path)
        self.split = split
        given = self._settings_of(like) if like is not None else {}
        given.update({name.replace("_", "-"): value for name, value in settings.items() if value is not None})
        if "split-shares" in given:
            given["split"] = given.pop("split-shares")
        given.update({"of": split, "order": order, "symmetry": "fresh" if fresh_symmetries else "same"})
        self.settings = [_setting(name, value) for name, value in given.items()]
        self.fields = list(source.FIELDS)
        self._reset()
        self._describe()

    @staticmethod
    def _settings_of(folder):
        """The settings that a folder of shards was made with, under the names of kifu-planes's options."""
        manifest = read_manifest(folder)
        given = {name.replace("_", "-"): value for name, value in manifest["settings"].items()}
        return dict(given, seed=manifest["seed"])

    def _describe(self):
        holding, _ = _load()
        shape = _Shape()
        handle = self._feed().handle
        holding.km_feed_describe(handle, ctypes.byref(shape))
        self._n, self.n_games = shape.n_rows, shape.n_games
        self.rows, self.cols, self.is_packed = shape.rows, shape.cols, bool(shape.is_packed)
        self.plane_names = [holding.km_feed_plane_name(handle, i).decode() for i in range(shape.n_planes)]
        plane = (shape.plane_bytes,) if self.is_packed else (self.rows, self.cols)
        self._planes_shape = (shape.n_planes,) + plane

    def _reset(self):
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._own_feed = None

    def _feed(self):
        if self._own_feed is None:
            self._own_feed = _Feed(self.path, self.settings)
        return self._own_feed

    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if k not in ("_pid", "_lock", "_own_feed")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._reset()

    def close(self):
        """Lets go of memory and file; they come back when rows are asked for."""
        self._own_feed = None

    def __len__(self):
        return self._n

    # ---- rows

    def _make(self, n, fields, ask):
        """ask(library, handle, buffers) fills the arrays."""
        rows = {}
        buffers = _Buffers()
        for field in fields:
            shape = (n,) + (self._planes_shape if field == "planes" else ())
            rows[field] = np.empty(shape, source.FIELDS[field])
            setattr(buffers, field, rows[field].ctypes.data)
        if self._pid != os.getpid():
            self._reset()
        with self._lock:
            handle = self._feed().handle
            holding, free = _load()
            if ask(free, handle, ctypes.byref(buffers)):
                raise OSError(holding.km_feed_message(handle).decode(errors="replace"))
        return rows

    def take(self, places, fields=source.TRIPLE, epoch=0):
        """Dict of arrays of the rows at places of an epoch, in that order; planes as pack says."""
        source.check_fields(fields, self.fields)
        places = np.asarray(places, dtype=np.int64).reshape(-1)
        if len(places) and (places.min() < 0 or places.max() >= self._n):
            raise IndexError(f"places from {places.min()} to {places.max()}: there are {self._n} rows")
        places = np.ascontiguousarray(places, dtype=np.uint64)
        pointer = places.ctypes.data_as(ctypes.POINTER(ctypes.c_uint64))
        return self._make(len(places), fields,
                          lambda library, handle, buffers: library.km_feed_take(handle, epoch, pointer, len(places), buffers))

    def read(self, first, n, fields=source.TRIPLE, epoch=0):
        """The same of the places first … first+n-1."""
        source.check_fields(fields, self.fields)
        if not (0 <= first and 0 <= n and first + n <= self._n):
            raise IndexError(f"places from {first} to {first + n - 1}: there are {self._n} rows")
        return self._make(n, fields, lambda library, handle, buffers: library.km_feed_read(handle, epoch, first, n, buffers))

    # ---- batches

    def n_batches(self, batch_size, rank=0, world=1, worker=0, workers=1, even=False, drop_last=False):
        """How many batches a reader gets from batches() with the same arguments."""
        n = self._n // batch_size if drop_last or even else -(-self._n // batch_size)
        if even:
            n -= n % world
        rank_has = max(0, -(-(n - rank) // world))
        return max(0, -(-(rank_has - worker) // workers))

    def batches(self, batch_size, epoch=0, *, fields=source.TRIPLE, dtype=np.uint8, channels_last=False, rank=0, world=1,
                worker=0, workers=1, start=0, even=False, drop_last=False):
        """Yields tuples of arrays of batch_size rows (the last may be short), in the order of fields.

        The batches of an epoch are dealt out one by one to the world processes, and in each to its workers: no two readers
        have a row in common, together they have all, and what step number s of a training run gets does not depend on the
        number of workers. even=True leaves out the last batches that not all processes can have in full.
        start: that many batches are passed over, at no cost.
        """
        source.check_fields(fields, self.fields)
        source.check_reader(rank, world, worker, workers, batch_size)
        for i in range(start, self.n_batches(batch_size, rank, world, worker, workers, even, drop_last)):
            first = ((i * workers + worker) * world + rank) * batch_size
            rows = self.read(first, min(batch_size, self._n - first), fields, epoch)
            yield self._shape(rows, fields, dtype, channels_last)
