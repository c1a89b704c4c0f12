"""Rows of the shards that kifu-planes writes."""

import collections
import json
import os
import threading

import numpy as np

from . import locate, source

_MANIFEST = "manifest.json"
_MISSING = -32768  # policy of rows of a virtual file whose shard is absent

_File = collections.namedtuple("_File", "path first n_rows chunk_rows")


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def read_manifest(folder):
    """manifest.json of a folder of shards, as it is."""
    path = os.path.join(folder, _MANIFEST)
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{folder} has no {_MANIFEST}: kifu-planes has not finished there (name the shards themselves to read them anyway)"
        ) from None
    except ValueError as error:
        raise ValueError(f"{path} is no manifest: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != "kifumill manifest":
        raise ValueError(f"{path} is not a manifest of kifumill")
    if manifest.get("format_version") != 1:
        raise ValueError(f"{path} is of format version {manifest.get('format_version')}, this package reads version 1")
    return manifest


class Shards(source.Rows):
    """Rows of one split of a folder of shards, in the order in which the shards hold them.

    path     the folder; or one .h5 file, or a list of them (then split is not looked at)
    split    "train", "val" or "test"
    cache    decompressed chunks that are kept for access at random

    Files are opened when a row is asked for, anew in each process, so that an object may be handed to DataLoader workers,
    forked or spawned. Safe to use from several threads.
    """

    def __init__(self, path, split="train", cache=64):
        self.split = split
        self.manifest = None
        self._cache_chunks = cache
        paths, n_rows = self._name_files(path)
        self._reset()
        self._describe(paths, n_rows)

    # ---- files

    def _name_files(self, path):
        """The paths, and how many rows the manifest says each has (None: it is not known)."""
        if isinstance(path, (list, tuple)):
            return [os.fspath(p) for p in path], [None] * len(path)
        path = os.fspath(path)
        if not os.path.isdir(path):
            return [path], [None]
        self.manifest = read_manifest(path)
        shards = [f for f in self.manifest["files"] if f["kind"] == "shard"]
        files = sorted((f for f in shards if f["split"] == self.split), key=lambda f: f["index"])
        if not files and self.split not in ("train", "val", "test"):
            raise ValueError(f"{path} has no split {self.split!r}: train, val or test")
        if not files:  # an empty split: described by any other one
            return [os.path.join(path, f["name"]) for f in shards[:1]], [0] * len(shards[:1])
        return [os.path.join(path, f["name"]) for f in files], [f["rows"] for f in files]

    def _describe(self, paths, n_rows):
        """Reads what all shards have in common from the first, and the number of rows from the manifest or from each."""
        if not paths:
            raise ValueError("no shards")
        self._files = []
        first = 0
        for path, n in zip(paths, n_rows):
            if n is None or not self._files:
                with self._open_file(path) as file:
                    if not self._files:
                        self._read_attributes(file)
                    if list(self._attributes(file)) != [self.rows, self.cols, self.plane_names, self.is_packed]:
                        raise ValueError(f"{path} has other planes than {paths[0]}")
                    n = file["planes"].shape[0] if n is None else n
                    chunk_rows = (file["planes"].chunks or (256,))[0]
            self._files.append(_File(path, first, n, chunk_rows))
            first += n
        self._firsts = np.array([f.first for f in self._files])
        self._n = first

    @staticmethod
    def _attributes(file):
        attributes = file.attrs
        yield int(attributes["board_rows"])
        yield int(attributes["board_cols"])
        yield [_text(name) for name in attributes["planes"]]
        yield _text(attributes["pack"]) == "bits"

    def _read_attributes(self, file):
        self.rows, self.cols, self.plane_names, self.is_packed = self._attributes(file)
        self.layout = _text(file.attrs["layout"])
        self.fields = [name for name in file if name != "checksums"]

    @staticmethod
    def _open_file(path):
        import h5py

        if not os.path.exists(path):
            raise FileNotFoundError(f"{path}: no such shard")
        try:
            file = h5py.File(path, "r")
        except OSError as error:
            raise OSError(f"{path} cannot be read, it is no shard or damaged ({error})") from None
        if _text(file.attrs.get("format", "")) not in ("kifumill shard", "kifumill virtual"):
            raise ValueError(f"{path} is no shard of kifumill")
        if file.attrs["format_version"] != 1:
            raise ValueError(f"{path} is of format version {file.attrs['format_version']}, this package reads version 1")
        if _text(file.attrs.get("codec", "")).startswith("zstd"):
            locate.ensure_zstd(path)
        return file

    def _reset(self):
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._open = collections.OrderedDict()
        self._chunks = collections.OrderedDict()

    def _own(self):
        """What was opened before a fork belongs to the other process."""
        if self._pid != os.getpid():
            self._reset()

    def __getstate__(self):
        state = self.__dict__.copy()
        for name in "_pid", "_lock", "_open", "_chunks":
            del state[name]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._reset()

    def close(self):
        """Closes files; they are opened again when rows are asked for."""
        self._own()
        with self._lock:
            for file in self._open.values():
                file.close()
            self._open.clear()
            self._chunks.clear()

    def _file(self, number):
        if number in self._open:
            self._open.move_to_end(number)
            return self._open[number]
        entry = self._files[number]
        file = self._open_file(entry.path)
        if file["planes"].shape[0] != entry.n_rows:
            n = file["planes"].shape[0]
            file.close()
            raise ValueError(f"{entry.path} has {n} rows, not the {entry.n_rows} that are to be in it: another run's shard")
        self._open[number] = file
        if len(self._open) > 64:
            self._open.popitem(last=False)[1].close()
        return file

    # ---- rows

    def __len__(self):
        return self._n

    def _read(self, number, begin, end, fields):
        """Rows begin … end-1 of a file."""
        file = self._file(number)
        rows = {field: file[field][begin:end] for field in fields}
        if "policy" in rows and (rows["policy"] == _MISSING).any():
            raise OSError(f"{self._files[number].path}: a shard that it joins is missing")
        return rows

    def _chunk(self, number, chunk, fields):
        """A chunk of a file, kept for the next time."""
        key = (number, chunk, tuple(fields))
        if key in self._chunks:
            self._chunks.move_to_end(key)
            return self._chunks[key]
        size = self._files[number].chunk_rows
        rows = self._read(number, chunk * size, (chunk + 1) * size, fields)
        self._chunks[key] = rows
        if len(self._chunks) > self._cache_chunks:
            self._chunks.popitem(last=False)
        return rows

    def take(self, places, fields=source.TRIPLE):
        """Dict of arrays of the rows at places, in that order; planes as they are stored."""
        source.check_fields(fields, self.fields)
        places = np.asarray(places, dtype=np.int64).reshape(-1)
        if len(places) and (places.min() < 0 or places.max() >= self._n):
            raise IndexError(f"places from {places.min()} to {places.max()}: there are {self._n} rows")
        numbers = np.searchsorted(self._firsts, places, side="right") - 1
        inside = places - self._firsts[numbers]
        chunk_rows = np.array([f.chunk_rows for f in self._files])[numbers]
        chunks = inside // chunk_rows
        order = np.lexsort((chunks, numbers))
        out = {}
        self._own()
        with self._lock:
            cuts = np.flatnonzero(np.diff(numbers[order]) | np.diff(chunks[order])) + 1
            for group in np.split(order, cuts) if len(order) else []:
                number, chunk = int(numbers[group[0]]), int(chunks[group[0]])
                rows = self._chunk(number, chunk, fields)
                for field in fields:
                    if field not in out:
                        out[field] = np.empty((len(places),) + rows[field].shape[1:], rows[field].dtype)
                    out[field][group] = rows[field][inside[group] - chunk * chunk_rows[group[0]]]
        return out if len(order) else self._nothing(fields)

    def _nothing(self, fields):
        with self._open_file(self._files[0].path) as file:
            return {field: file[field][:0] for field in fields}

    # ---- batches

    def _units(self, run_chunks):
        """Runs of whole chunks, in order: (file, begin, end)."""
        return [
            (number, begin, min(begin + run_chunks * f.chunk_rows, f.n_rows))
            for number, f in enumerate(self._files)
            for begin in range(0, f.n_rows, run_chunks * f.chunk_rows)
        ]

    def _pools(self, epoch, seed, shuffle, pool_runs, run_chunks):
        """The runs of an epoch in their order, cut into pools."""
        units = self._units(run_chunks)
        if shuffle:
            order = np.random.Generator(np.random.Philox(key=[seed, 2 * epoch])).permutation(len(units))
            units = [units[i] for i in order]
        return [units[i : i + pool_runs] for i in range(0, len(units), pool_runs)]

    @staticmethod
    def _mixed(n, epoch, seed, pool):
        return np.random.Generator(np.random.Philox(key=[seed, 2 * epoch + 1], counter=[0, 0, 0, pool])).permutation(n)

    def order(self, epoch=0, seed=0, pool_runs=8, run_chunks=4):
        """All places in the order in which batches(shuffle=True) has them: for samplers, which see to it that access at
        random stays within a few chunks at a time."""
        for number, pool in enumerate(self._pools(epoch, seed, True, pool_runs, run_chunks)):
            places = np.concatenate([np.arange(b, e) + self._files[f].first for f, b, e in pool])
            yield from places[self._mixed(len(places), epoch, seed, number)].tolist()

    def n_batches(self, batch_size, rank=0, world=1, worker=0, workers=1, even=False, drop_last=False, shuffle=True, epoch=0,
                  seed=0, pool_runs=8, run_chunks=4):
        """How many batches a reader gets from batches() with the same arguments."""
        pools = self._pools(epoch, seed, shuffle, pool_runs, run_chunks)
        sizes = [sum(e - b for _, b, e in pool) for pool in pools]

        def of(part):
            n = sum(sizes[part :: world * workers])
            return n // batch_size if drop_last or even else -(-n // batch_size)

        return min(map(of, range(world * workers))) if even else of(worker * world + rank)

    def batches(self, batch_size, epoch=0, *, fields=source.TRIPLE, dtype=np.uint8, channels_last=False, shuffle=True, seed=0,
                rank=0, world=1, worker=0, workers=1, start=0, even=False, drop_last=False, pool_runs=8, run_chunks=4):
        """Yields tuples of arrays of batch_size rows (the last may be short), in the order of fields.

        Shards are in a random order already. With shuffle, each epoch has another one: runs of run_chunks chunks are taken
        up at random, pool_runs of them at a time, and the rows of those are mixed. A chunk is read and decompressed once.

        The pools of an epoch are dealt out to world * workers readers (process `rank`, in it worker `worker`): no two have a
        row in common, together they have all. The readers' numbers of rows differ by up to a pool; even=True cuts all to
        the same number of whole batches, as training on several GPUs in step needs.
        start: that many batches are passed over, to go on where one has left off.
        """
        source.check_fields(fields, self.fields)
        source.check_reader(rank, world, worker, workers, batch_size)
        most = None
        if even:
            most = self.n_batches(batch_size, rank, world, worker, workers, True, True, shuffle, epoch, seed, pool_runs,
                                  run_chunks)
        pools = self._pools(epoch, seed, shuffle, pool_runs, run_chunks)
        mine = list(enumerate(pools))[worker * world + rank :: world * workers]
        made = 0
        for rows in self._cut(mine, batch_size, start, fields, (epoch, seed) if shuffle else None):
            n = len(rows[fields[0]])
            if (most is not None and start + made >= most) or (n < batch_size and (drop_last or even)):
                return
            made += 1
            yield self._shape(rows, fields, dtype, channels_last)

    def _cut(self, pools, batch_size, start, fields, mix):
        """Batches of the rows of pools one behind the other. Pools that start passes over are not read."""
        skip, rest = start * batch_size, None
        for number, pool in pools:
            n = sum(e - b for _, b, e in pool)
            if skip >= n:
                skip -= n
                continue
            rows = self._read_pool(pool, fields)
            if mix:
                chosen = self._mixed(n, *mix, number)
                rows = {field: rows[field][chosen[skip:]] for field in fields}
            else:
                rows = {field: rows[field][skip:] for field in fields}
            skip = 0
            if rest is not None:
                rows = {field: np.concatenate([rest[field], rows[field]]) for field in fields}
            n = len(rows[fields[0]])
            for at in range(0, n - batch_size + 1, batch_size):
                yield {field: rows[field][at : at + batch_size] for field in fields}
            rest = {field: rows[field][n - n % batch_size :] for field in fields} if n % batch_size else None
        if rest is not None:
            yield rest

    def _read_pool(self, pool, fields):
        self._own()
        with self._lock:
            parts = [self._read(number, begin, end, fields) for number, begin, end in pool]
        return {field: np.concatenate([part[field] for part in parts]) for field in fields}
