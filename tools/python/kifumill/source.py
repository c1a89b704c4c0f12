"""What Shards and Games have in common: rows by place, batches, the forms that planes come in."""

import numpy as np

from . import planes as _planes

# Field → type of a row's value. Planes are uint8 and have a shape besides.
FIELDS = {
    "planes": np.uint8,
    "policy": np.int16,
    "value": np.int8,
    "score": np.float32,
    "komi": np.float32,
    "to_play": np.uint8,
    "game": np.uint32,
    "ply": np.uint16,
    "symmetry": np.uint8,
}
TRIPLE = ("planes", "policy", "value")


class Rows:
    """Base of the sources. Has rows, cols (of the board), plane_names, is_packed, and:

    source[i]            (planes uint8 (C, rows, cols), policy int, value int) of the row at place i
    source.take(places)  dict of arrays of the rows at places, planes as they are stored
    source.batches(n)    batches of n rows of an epoch, for one of any number of readers

    policy is the index of the move, rows * cols for a pass, -1 where there is none; value is the result for the player to
    move: 1, -1, 0 for a draw, -128 unknown.
    """

    def __len__(self):
        raise NotImplementedError

    def take(self, places, fields=TRIPLE):
        raise NotImplementedError

    @property
    def n_planes(self):
        return len(self.plane_names)

    @property
    def n_moves(self):
        """Policy indices: the points of the board and the pass."""
        return self.rows * self.cols + 1

    def form(self, planes, dtype=np.uint8, channels_last=False):
        """Planes as stored (N, C, …) in the type and order asked for: (N, C, rows, cols) or (N, rows, cols, C).
        dtype None leaves them as they are."""
        if dtype is None:
            return planes
        if self.is_packed:
            return _planes.unpack(planes, self.rows, self.cols, dtype, channels_last)
        return _planes.finish(planes, dtype, channels_last)

    def _place(self, place):
        n = len(self)
        place = int(place)
        if not -n <= place < n:
            raise IndexError(f"row {place}: there are {n}")
        return place % n if n else place

    def __getitem__(self, place):
        row = self.take([self._place(place)])
        return self.form(row["planes"])[0], int(row["policy"][0]), int(row["value"][0])

    def __getitems__(self, places):
        """Several at a time, for PyTorch's loaders."""
        rows = self.take([self._place(place) for place in places])
        return list(zip(self.form(rows["planes"]), rows["policy"].tolist(), rows["value"].tolist()))

    def _shape(self, rows, fields, dtype, channels_last):
        """The tuple of a batch."""
        return tuple(self.form(rows[f], dtype, channels_last) if f == "planes" else rows[f] for f in fields)


def check_reader(rank, world, worker, workers, batch_size):
    if batch_size < 1:
        raise ValueError(f"batches of {batch_size} rows")
    if not (0 <= rank < world and 0 <= worker < workers):
        raise ValueError(f"no reader {rank} of {world}, worker {worker} of {workers}")


def check_fields(fields, there):
    for field in fields:
        if field not in there:
            raise KeyError(f"no field {field!r}: there are {', '.join(there)}")
