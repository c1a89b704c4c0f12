"""games.h5 as numpy arrays: a column a field, texts, moves, set-up, win-rates."""

import os

import numpy as np

from .shards import _text

_TEXTS = frozenset(
    "black white black_rank white_rank date event round place rules result komi_text handicap_text time overtime application "
    "encoding source entry".split()
)
_COLOURS = np.array([1, 2], np.uint8)


class GamesFile:
    """Columns of games.h5.

        with GamesFile("games.h5") as games:
            years = games["year"]                      # numpy array, one value a game
            names = games["black"]                     # texts: array of str, None where the record has none
            points, colours = games.moves(17)          # points row * cols + col (rows * cols: pass), 1 Black, 2 White
    """

    def __init__(self, path):
        import h5py

        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"{self.path}: no such file")
        try:
            self._file = h5py.File(self.path, "r")
        except OSError as error:
            raise OSError(f"{self.path} cannot be read, it is no games.h5 or damaged ({error})") from None
        if _text(self._file.attrs.get("format", "")) != "kifumill games":
            raise ValueError(f"{self.path} holds no games of kifumill")
        if self._file.attrs["format_version"] != 1:
            raise ValueError(f"{self.path} is of format version {self._file.attrs['format_version']}, this package reads version 1")
        self._offsets = {}

    def close(self):
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __len__(self):
        return self._file["games/rows"].shape[0]

    @property
    def fields(self):
        """Names of the columns."""
        return list(self._file["games"])

    def describe(self, field):
        """What a column holds."""
        return _text(self._file["games"][field].attrs["description"])

    def column(self, field, begin=0, end=None):
        """Values of the games begin … end-1; texts as str, None where the record has none."""
        if field not in self._file["games"]:
            raise KeyError(f"no column {field!r}: there are {', '.join(self.fields)}")
        values = self._file["games"][field][begin:end]
        return self._texts(values) if field in _TEXTS else values

    __getitem__ = column

    def _texts(self, numbers):
        """Each distinct string is read and decoded once."""
        distinct, where = np.unique(numbers, return_inverse=True)
        offset, heap = self._file["text/offset"], self._file["text/heap"]
        texts = np.empty(len(distinct), object)
        at = offset[:] if len(distinct) > 64 else None
        for i, k in enumerate(distinct.tolist()):
            begin, end = (at[k : k + 2] if at is not None else offset[k : k + 2]).tolist()
            texts[i] = heap[begin:end].tobytes().decode() if k else None
        return texts[where]

    def _range(self, group, i):
        if group not in self._offsets:
            self._offsets[group] = self._file[group]["offset"][:]
        return self._offsets[group][i : i + 2].tolist()

    def _check(self, i):
        if not 0 <= i < len(self):
            raise IndexError(f"game {i}: there are {len(self)}")

    def moves(self, i):
        """Points and colours of the moves of game i."""
        self._check(i)
        begin, end = self._range("moves", i)
        stored = self._file["moves/point"][begin:end]
        return stored & 0x3FFF, _COLOURS[stored >> 15]

    def setup(self, i):
        """Set-up stones of game i: plies, points, colours (0: the point is emptied)."""
        self._check(i)
        begin, end = self._range("setup", i)
        return tuple(self._file["setup"][name][begin:end] for name in ("ply", "point", "colour"))

    def evals(self, i):
        """Win-rates that the record of game i holds: dict of arrays ply, black_win, black_score, visits, source."""
        self._check(i)
        begin, end = self._range("evals", i)
        return {name: self._file["evals"][name][begin:end] for name in ("ply", "black_win", "black_score", "visits", "source")}


def iterate_games(path, fields=("rows", "cols", "komi", "winner", "n_moves", "black", "white"), moves=False, block=4096):
    """Yields a dict of the fields a game, in order; with moves=True also "points" and "colours". Reads block games at a
    time, so that it may run over files of any size."""
    with GamesFile(path) as games:
        for begin in range(0, len(games), block):
            end = min(begin + block, len(games))
            columns = {field: games.column(field, begin, end) for field in fields}
            if moves:
                (first, _), (_, last) = games._range("moves", begin), games._range("moves", end - 1)
                stored = games._file["moves/point"][first:last]
            for i in range(end - begin):
                game = {field: column[i] for field, column in columns.items()}
                if moves:
                    a, b = (x - first for x in games._range("moves", begin + i))
                    game["points"], game["colours"] = stored[a:b] & 0x3FFF, _COLOURS[stored[a:b] >> 15]
                yield game
