"""Makes rows of games.h5 in plain Python, from SPEC §1, §2, §5 and §6 alone, and compares them with shards read by h5py.

Usage: read_shards.py GAMES_H5 SHARD_FOLDER. Exits 77 when h5py is absent.
"""

import json
import os
import sys

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)

TURNS = [
    lambda a: a,
    lambda a: np.rot90(a, 1),
    lambda a: np.rot90(a, 2),
    lambda a: np.rot90(a, 3),
    np.fliplr,
    np.flipud,
    np.transpose,
    lambda a: np.rot90(np.transpose(a), 2),
]


def group(board, r, c):
    """Stones and liberties of the chain at (r, c)."""
    stones, liberties, todo = {(r, c)}, set(), [(r, c)]
    while todo:
        r, c = todo.pop()
        for p in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            if not (0 <= p[0] < board.shape[0] and 0 <= p[1] < board.shape[1]) or p in stones:
                continue
            if board[p] == 0:
                liberties.add(p)
            elif board[p] == board[r, c]:
                stones.add(p)
                todo.append(p)
    return stones, liberties


def play(board, colour, r, c):
    board[r, c] = colour
    for p in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
        if 0 <= p[0] < board.shape[0] and 0 <= p[1] < board.shape[1] and board[p] == 3 - colour:
            stones, liberties = group(board, *p)
            if not liberties:
                for q in stones:
                    board[q] = 0
    stones, liberties = group(board, r, c)
    if not liberties:
        for q in stones:
            board[q] = 0


def positions(games, i):
    """The boards of game i after 0, 1, … moves, and its moves as (colour, point)."""
    rows, cols = int(games["games/rows"][i]), int(games["games/cols"][i])
    a, b = games["moves/offset"][i : i + 2]
    moves = [(1 + int(m >> 15), int(m & 0x3FFF)) for m in games["moves/point"][a:b]]
    a, b = games["setup/offset"][i : i + 2]
    setup = list(zip(games["setup/ply"][a:b], games["setup/point"][a:b], games["setup/colour"][a:b]))
    board, boards = np.zeros((rows, cols), np.uint8), []
    for t in range(len(moves) + 1):
        if t:
            colour, point = moves[t - 1]
            if point < rows * cols:
                play(board, colour, point // cols, point % cols)
        for ply, point, colour in setup:
            if ply == t:
                board[point // cols, point % cols] = colour
        boards.append(board.copy())
    return boards, moves


def agz(boards, ply, to_play, k):
    """The 17 planes of SPEC §5, turned."""
    planes = []
    for ago in range(8):
        for colour in (to_play, 3 - to_play):
            planes.append(boards[ply - ago] == colour if ply >= ago else np.zeros_like(boards[0]))
    planes.append(np.full_like(boards[0], to_play == 1))
    return np.stack([TURNS[k](p) for p in planes]).astype(np.uint8)


def check_shard(games, path, seen):
    with h5py.File(path, "r") as f:
        n = f.attrs["n_rows"]
        names = [p.decode() if isinstance(p, bytes) else p for p in f.attrs["planes"]]
        assert len(names) == 17 and names[0] == "own_0" and names[16] == "black_to_play"
        rows, cols = int(f.attrs["board_rows"]), int(f.attrs["board_cols"])
        data = {name: d[:] for name, d in f.items() if isinstance(d, h5py.Dataset)}
        assert all(len(d) == n for d in data.values()) and all(f[name].attrs["description"] for name in data)
        planes = data["planes"]
        if f.attrs["pack"] in ("bits", b"bits"):
            planes = np.unpackbits(planes, axis=2)[:, :, : rows * cols].reshape(n, 17, rows, cols)
        cache = {}
        for i in range(n):
            game, ply, k, to_play = (int(data[c][i]) for c in ("game", "ply", "symmetry", "to_play"))
            assert (game, ply, k) not in seen
            seen.add((game, ply, k))
            if i % 4:
                continue
            if game not in cache:
                cache[game] = positions(games, game)
            boards, moves = cache[game]
            assert moves[ply][0] == to_play
            assert (planes[i] == agz(boards, ply, to_play, k)).all(), (path, i)
            point = moves[ply][1]
            if point < rows * cols:
                where = np.zeros((rows, cols), np.uint8)
                where[point // cols, point % cols] = 1
                point = int(TURNS[k](where).argmax())
            assert data["policy"][i] == point
            winner = int(games["games/winner"][game])
            value = winner if winner == -128 or to_play == 1 else -winner
            assert data["value"][i] == value
            margin = float(games["games/margin"][game])
            if value == -128 or np.isnan(margin):
                assert np.isnan(data["score"][i])
            else:
                assert data["score"][i] == value * margin
        return int(n)


def main(games_path, folder):
    with open(os.path.join(folder, "manifest.json")) as f:
        manifest = json.load(f)
    seen, rows = set(), {}
    with h5py.File(games_path, "r") as games:
        for entry in manifest["files"]:
            path = os.path.join(folder, entry["name"])
            if entry["kind"] == "shard":
                rows[entry["split"]] = rows.get(entry["split"], 0) + check_shard(games, path, seen)
    for entry in manifest["files"]:
        if entry["kind"] == "virtual":
            with h5py.File(os.path.join(folder, entry["name"]), "r") as f:
                assert len(f["policy"]) == rows[entry["split"]] == f.attrs["n_rows"]
                assert (f["policy"][:] >= 0).all() and (f["ply"][:] < 65535).all()
    assert sum(rows.values()) == manifest["counts"]["rows"] == len(seen)
    for split in ("train", "val", "test"):
        assert rows.get(split, 0) == manifest["counts"]["rows_" + split]


main(*sys.argv[1:])
