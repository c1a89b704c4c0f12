#!/usr/bin/env python3
"""Golden vectors through kifu-show, as another program would see them: tests/show/golden_show.py KIFU_SHOW [EVERY].

Every golden game: the trajectory as CSV against the golden CSV, the classes of its moves in both modes, captures and
repetitions, the last board, and of one of its positions the board, the ko point, legal points, the policy and a digest of
planes. Layouts, variants and symmetries go round over the games (the tests of the library have them all). features.json and
a part of changepoint.json, which also has series from golden games. EVERY N: only one in N of all these.
"""
import csv
import glob
import io
import itertools
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SHOW = sys.argv[1]
EVERY = int(sys.argv[2]) if len(sys.argv) > 2 else 1
LAYOUTS = itertools.cycle(
    [("alphago-zero", "planes17_sha256", "agz"), ("black-white-literal", "planes17_sha256", "seed"),
     ("black-white", "planes17_sha256", "seedr"), ("alphago-48", "planes48", "sha256_by_sym"),
     ("alphago-48:capture1", "planes48", "sha256_capture1"), ("alphago-48:setup-old", "planes48", "sha256_setup_old"),
     ("alphago-48:colour", "planes48", "sha256_49")])
SYMMETRIES = itertools.cycle([0, 1, 2, 3, 4, 5, 6, 7, 3, 6, 1])
VARIANTS = itertools.cycle(["cw-desc-edge", "cw-asc-value", "fixed-asc-edge", "canon-desc-value", "white", "centre15"])


def show(*words, text=None, code=0):
    done = subprocess.run([SHOW, *words], input=text, capture_output=True, text=True)
    assert done.returncode == code, (words, done)
    return done.stdout


def same(name, what, found, wanted):
    assert found == wanted, f"{name}: {what}: {found}, not {wanted}"


def stopped(game):
    return [game["illegal"][1]] if game["illegal"] else []


def check_trajectory(name, path, game):
    found = list(csv.reader(io.StringIO(show("hbs", path))))
    with open(path[:-4] + ".csv") as file:
        wanted = list(csv.reader(file))
    layers = [column for column in wanted[0][5:] if column]
    same(name, "header", found[0], ["t", "S", "log2"] + layers)
    same(name, "positions", len(found), len(wanted))
    for a, b in zip(found[1:], wanted[1:]):
        same(name, "t, S, L", [a[0], a[1], *a[3:]], [b[0], b[3], *b[5:5 + len(layers)]])
        assert abs(float(a[2]) - float(b[4])) <= 1e-12 * max(1, float(b[4])), (name, a, b)


def check_moves(name, path, game):
    moves = json.loads(show("moves", path, "--json"))["moves"]
    same(name, "classes", [m["class"] for m in moves], game["classes"] + stopped(game))
    same(name, "positional", [m["move"] for m in moves if m["repeats"]], game["superko_moves"])
    same(name, "situational", [m["move"] for m in moves if m["repeats"] == "situational"],
         game["situational_superko_moves"])
    same(name, "captures", [len(m["captured"]) for m in moves[:game["T"]]],
         [sum(pair) for pair in game["captured_suicided"]])
    for m, (colour, point) in zip(moves, game["moves"]):
        same(name, "move", [m["colour"], m["sgf"]], [colour, point or "pass"])
    loose = game["sgf_mode"]
    if loose["classes"] != "same":
        moves = json.loads(show("moves", path, "--mode", "sgf", "--json"))["moves"]
        same(name, "classes in sgf mode", [m["class"] for m in moves], loose["classes"] + stopped(loose))
        board = json.loads(show("board", path, "--mode", "sgf", "--json"))["board"]
        same(name, "board in sgf mode", board, loose["final_board"])


def check_position(name, path, ply, wanted, how):
    (layout, group, key), symmetry, variant = how
    at = [path, "--ply", ply]
    board = json.loads(show("board", *at, "--json"))
    same(name, "board", board["board"], wanted["board"])
    same(name, "to play", board["to_play"], wanted["to_play"])
    ko = board["ko"]
    same(name, "ko", ko and [ko["sgf"], ko["colour"]], wanted["ko"])
    digests = wanted.get(group, {}).get(key)
    by_symmetry = isinstance(digests, list)
    symmetry = symmetry if by_symmetry else 0
    planes = json.loads(show("planes", *at, "--layout", layout, "--symmetry", str(symmetry), "--json"))
    if digests:
        same(name, f"{layout} under {symmetry}", planes["sha256"], digests[symmetry] if by_symmetry else digests)
    if "policy_index_by_sym" in wanted:
        same(name, "policy", planes["policy"], wanted["policy_index_by_sym"][symmetry])
        same(name, "value", planes["value"], wanted["value_target"])
    if variant in wanted["variants"]:
        rows = show("hbs", path, "--variant", variant).splitlines()
        same(name, variant, rows[int(ply) + 1].split(",")[1], wanted["variants"][variant])
    if "legal" in wanted and wanted["board"]:
        players = json.loads(show("features", *at, "--json"))
        for me in "BW":
            legal = [p for p, f in players[me]["features"].items() if f["class"] == "legal"]
            same(name, f"legal for {me}", legal, wanted["legal"][me])


def check_game(job):
    path, how, at_end = job
    name = os.path.basename(path)[:-4]
    with open(path[:-4] + ".json") as file:
        game = json.load(file)
    check_trajectory(name, path, game)
    check_moves(name, path, game)
    same(name, "last board", json.loads(show("board", path, "--json"))["board"], game["final_board"])
    plies = sorted(game["selected"], key=int)
    ply = plies[-1] if at_end else plies[len(plies) // 2]
    check_position(f"{name} ply {ply}", path, ply, game["selected"][ply], how)


def check_features(job):
    name, wanted = job
    game, ply = name.rsplit("_t", 1)
    found = json.loads(show("features", f"tests/golden/games/{game}.sgf", "--ply", ply, "--json"))
    same(name, "board", found["board"], wanted["board"])
    same(name, "chains", found["chains"], wanted["chains"])
    for me in "BW":
        for key in ("ladder_capture", "ladder_escape", "true_eyes"):
            same(name, key, sorted(found[me][key]), sorted(wanted[me][key]))
        for point, features in wanted[me]["features"].items():
            of_point = dict(found[me]["features"][point])
            if of_point.pop("class") != "ko":  # the golden ones have no ko ban
                same(name, point, of_point, features)


def check_changepoints(job):
    case, series = job
    words = ["changepoints", "-", "--json", "--cost", case["model"], "--min-size", str(case["min_size"])]
    words += ["--changes", str(case["K"])] if "K" in case else ["--penalty", repr(case["beta"])]
    text = "".join(f"{value!r}\n" for value in series)
    if case["breakpoints"] is None:
        show(*words, text=text, code=1)
        return
    found = json.loads(show(*words, text=text))
    same(case, "breakpoints", found["breakpoints"], case["breakpoints"])
    assert abs(found["cost"] - case["cost"]) <= 1e-9 * max(1, abs(case["cost"])), (case, found)


def check_text(path):
    """planes_text: what `--format text` prints, to the byte."""
    game, ply, key = os.path.basename(path)[:-4].rsplit("_", 2)
    layout = {"agz": "alphago-zero", "seed": "black-white-literal", "seedr": "black-white", "planes48": "alphago-48"}[key]
    record = glob.glob(f"tests/golden/games/{game}*.sgf")[0]
    with open(path) as file:
        same(path, "text", show("planes", record, "--ply", ply[1:], "--layout", layout), file.read())


def main():
    with open("tests/golden/features.json") as file:
        features = list(json.load(file).items())
    with open("tests/golden/changepoint.json") as file:
        golden = json.load(file)
    cases = [(case, golden["series"][case["series"]]) for case in golden["cases"][::17]]
    games = [(path, (next(LAYOUTS), next(SYMMETRIES), next(VARIANTS)), i % 3 == 0)
             for i, path in enumerate(sorted(glob.glob("tests/golden/games/*.sgf")))]
    texts = sorted(glob.glob("tests/golden/planes_text/*.txt"))
    assert games and features and cases and texts
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for check, jobs in ((check_game, games), (check_features, features), (check_changepoints, cases),
                            (check_text, texts)):
            for _ in pool.map(check, jobs[::EVERY]):
                pass
    print(f"{len(games)} games, {len(features)} positions, {len(cases)} series, {len(texts)} texts; every {EVERY}")


main()
