"""Rows for training, from the files that kifumill writes.

    Shards         rows of the shards of kifu-planes
    Games          the same rows straight from games.h5, made when they are asked for (needs libkifumill.so)
    GamesFile      columns, texts and moves of games.h5 as numpy arrays; iterate_games goes through them
    torch_data     datasets for PyTorch (imports torch when it is imported)

Both sources of rows have source[i], source.take(places) and source.batches(size); README.md has examples.
Beside them: unpack, symmetries (turn_planes, policy_map, symmetry_ensemble) and names of points (gtp_name, sgf_name).
"""

from .games import Games
from .games_file import GamesFile, iterate_games
from .planes import unpack
from .points import gtp_name, gtp_point, sgf_name, sgf_point
from .shards import Shards
from .symmetry import fitting_symmetries, inverse_symmetry, policy_map, symmetry_ensemble, turn_planes, turn_policy

__version__ = "1.0.0"
__all__ = [
    "Games",
    "GamesFile",
    "Shards",
    "fitting_symmetries",
    "gtp_name",
    "gtp_point",
    "inverse_symmetry",
    "iterate_games",
    "policy_map",
    "sgf_name",
    "sgf_point",
    "symmetry_ensemble",
    "turn_planes",
    "turn_policy",
    "unpack",
]
