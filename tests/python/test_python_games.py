"""Games against Shards: the same rows in the same places; orders, readers, processes, errors. And GamesFile."""

import os
import pickle
import subprocess
import sys
import threading
import unittest

from python_fixture import Scratch, identities, make_games, make_shards, np, read_by_workers, run, same

import kifumill as km
from kifumill.source import FIELDS

ALL = ("game", "ply", "symmetry")


def setUpModule():
    make_shards("random", "--symmetries", "random")


def games(split="train", **settings):
    return km.Games(make_games(), split, like=make_shards("random"), **settings)


class SameRowsTest(unittest.TestCase):
    def test_rows_of_shards(self):
        """Row by row, for all kinds of settings, with nothing said but the folder."""
        for name, options in (
            ("random", ["--symmetries", "random"]),
            ("all", ["--symmetries", "all", "--sample", "every:4", "--pack", "bytes", "--final-value"]),
            ("rules", ["--players", "winner", "--ply", "3..40", "--layout", "black-white", "--last", "drop", "--skip-handicap-moves"]),
            ("features", ["--layout", "alphago-48:colour", "--sample", "per-game:2", "--symmetries", "random"]),
            ("unshuffled", ["--shuffle", "off", "--unknown-result", "drop"]),
        ):
            folder = make_shards(name, *options)
            for split in "train", "val", "test":
                shards, rows = km.Shards(folder, split), km.Games(make_games(), split, like=folder)
                self.assertEqual(len(shards), len(rows), (name, split))
                self.assertEqual((rows.plane_names, rows.is_packed, rows.rows, rows.cols),
                                 (shards.plane_names, shards.is_packed, shards.rows, shards.cols))
                self.assertGreater(len(rows), 0)
                fields = tuple(FIELDS)
                self.assertTrue(same(shards.take(range(len(shards)), fields), rows.read(0, len(rows), fields)), (name, split))

    def test_settings_by_name(self):
        named = km.Games(make_games(), board=9, split_shares=(0.6, 0.2, 0.2), seed=7, symmetries="random")
        self.assertTrue(same(named.read(0, 100), games().read(0, 100)))
        self.assertEqual(len(games(sample="every:2")), len(games(sample="every:2", final_value=False)))
        self.assertLess(len(games(sample="every:2")), len(games()))

    def test_epochs_are_the_same_set(self):
        everything = np.sort(identities(games().read(0, len(games()), ALL)))
        for settings in {}, {"order": "pool"}, {"order": "pool", "pool_games": 11}:
            source, orders = games(**settings), []
            for epoch in 0, 1, 5:
                order = identities(source.read(0, len(source), ALL, epoch))
                self.assertTrue(np.array_equal(np.sort(order), everything))
                self.assertFalse(any(np.array_equal(order, other) for other in orders))
                orders.append(order)

    def test_fresh_symmetries(self):
        fresh, usual = games(fresh_symmetries=True), games()
        self.assertTrue(same(fresh.read(0, 200, ALL), usual.read(0, 200, ALL)))
        a, b = (source.read(0, 200, ALL, epoch=1) for source in (fresh, usual))
        self.assertTrue(np.array_equal(a["ply"], b["ply"]))
        self.assertGreater((a["symmetry"] != b["symmetry"]).mean(), 0.7)

    def test_triple(self):
        a, b = games()[17], km.Shards(make_shards("random"))[17]
        self.assertTrue(np.array_equal(a[0], b[0]))
        self.assertEqual(a[1:], b[1:])
        self.assertEqual((a[0].dtype, a[0].shape, type(a[1])), (np.uint8, (17, 9, 9), int))


class BatchesTest(unittest.TestCase):
    def test_readers(self):
        source = games(order="pool", pool_games=9)
        everything = np.sort(identities(source.read(0, len(source), ALL)))
        steps = [identities(b) for b in source.batches(64, 2, fields=ALL)]
        for world, workers in (1, 1), (1, 3), (3, 2), (90, 1):
            parts = {}
            for rank in range(world):
                for worker in range(workers):
                    got = [identities(b) for b in source.batches(64, 2, fields=ALL, rank=rank, world=world, worker=worker, workers=workers)]
                    self.assertEqual(len(got), source.n_batches(64, rank, world, worker, workers))
                    for i, batch in enumerate(got):
                        parts[(i * workers + worker) * world + rank] = batch
            self.assertEqual(sorted(parts), list(range(len(steps))))
            for number, batch in parts.items():
                self.assertTrue(np.array_equal(batch, steps[number]))
            self.assertTrue(np.array_equal(np.sort(np.concatenate(list(parts.values()))), everything))

    def test_even_and_drop_last(self):
        source = games()
        for world in 1, 2, 7:
            for workers in 1, 3:
                counts = []
                for rank in range(world):
                    n = 0
                    for worker in range(workers):
                        for batch in source.batches(64, rank=rank, world=world, worker=worker, workers=workers, even=True, fields=("policy",)):
                            self.assertEqual(len(batch[0]), 64)
                            n += 1
                    counts.append(n)
                self.assertEqual(set(counts), {len(source) // 64 // world})
        self.assertEqual(sum(1 for _ in source.batches(64, drop_last=True)), len(source) // 64)
        self.assertEqual(sum(1 for _ in source.batches(64)), -(-len(source) // 64))

    def test_going_on(self):
        source = games(order="pool", pool_games=9)
        whole = [identities(b) for b in source.batches(64, 1, fields=ALL, rank=1, world=2)]
        for start in 0, 3, len(whole), len(whole) + 1:
            rest = [identities(b) for b in games(order="pool", pool_games=9).batches(64, 1, fields=ALL, rank=1, world=2, start=start)]
            self.assertEqual(len(rest), max(0, len(whole) - start))
            self.assertTrue(all(np.array_equal(a, b) for a, b in zip(whole[start:], rest)))

    def test_forms(self):
        planes, policy, value = next(games().batches(8, dtype=np.float32, channels_last=True))
        self.assertEqual((planes.dtype, planes.shape, policy.dtype, value.dtype), (np.float32, (8, 9, 9, 17), np.int16, np.int8))


class ProcessesTest(unittest.TestCase):
    def test_workers(self):
        source = games("val")
        alone = read_by_workers(source, 0, "fork")
        self.assertEqual(alone, read_by_workers(km.Shards(make_shards("random"), "val"), 0, "fork"))
        for method in "fork", "spawn":
            for n in 2, 4:
                self.assertEqual(read_by_workers(source, n, method), alone, (method, n))

    def test_pickle(self):
        source = games()
        source[3]
        self.assertTrue(same(pickle.loads(pickle.dumps(source)).read(0, 50), source.read(0, 50)))
        source.close()
        self.assertTrue(same(games().read(0, 50), source.read(0, 50)))

    def test_threads(self):
        """Games and Shards, which share HDF5, at once."""
        source, shards = games(), km.Shards(make_shards("random"))
        expected = source.read(0, 1000)
        found = []

        def work(i):
            for _ in range(5):
                found.append((games() if i % 2 else shards).take(range(1000)))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 20)
        self.assertTrue(all(same(rows, expected) for rows in found))


class FaultsTest(unittest.TestCase):
    def test_settings(self):
        for settings, why in (
            ({"layout": "alphago"}, "layout"),
            ({"colour": "red"}, "colour"),
            ({"split_shares": "0.5,0.6"}, "sum to 1.1"),
            ({"order": "sorted"}, "order"),
            ({"split": "dev"}, "train.val.test"),
            ({"sample": "every:0"}, "sample"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                km.Games(make_games(), **settings)

    def test_files(self):
        with self.assertRaisesRegex(OSError, "absent.h5"):
            km.Games(Scratch.path("absent.h5"))
        shard = os.path.join(make_shards("random"), "train-00000.h5")
        with self.assertRaisesRegex(OSError, "train-00000.h5"):
            km.Games(shard)
        with self.assertRaisesRegex(FileNotFoundError, "manifest.json"):
            km.Games(make_games(), like=Scratch.path())

    def test_places(self):
        source = games()
        for call in lambda: source[len(source)], lambda: source.take([-1]), lambda: source.read(5, len(source)), lambda: source.take([1 << 60]):
            with self.assertRaises(IndexError):
                call()
        with self.assertRaisesRegex(KeyError, "no field 'plane'"):
            source.take([0], ("plane",))
        with self.assertRaises(ValueError):
            next(source.batches(0))
        with self.assertRaises(ValueError):
            next(source.batches(5, rank=1))

    def test_no_rows(self):
        source = km.Games(make_games(), board=17)
        self.assertEqual((len(source), list(source.batches(8)), source.take([])["planes"].shape), (0, [], (0, 17, 37)))
        with self.assertRaises(IndexError):
            source[0]

    def test_no_library(self):
        code = "import sys; sys.path.insert(0, sys.argv[2]); import kifumill\ntry: kifumill.Games(sys.argv[1])\nexcept OSError as e: print(e)"
        package = os.path.dirname(os.path.dirname(km.__file__))
        done = subprocess.run([sys.executable, "-c", code, make_games(), package], env={**os.environ, "KIFUMILL_LIBRARY": "/absent.so"},
                              capture_output=True, text=True)
        self.assertIn("libkifumill.so cannot be loaded", done.stdout)


_RECORDS = """(;GM[1]FF[4]CA[UTF-8]SZ[9]PB[申真谞]PW[Ke Jie]KM[7.5]RE[B+R]DT[2024-03-01];B[ee];W[cc];B[gg];W[])
(;SZ[13]AB[dd][jj]PL[W]HA[2]RE[W+3.5];W[gg]C[x];B[cc])
(;SZ[9];B[aa];W[bb];B[ab])
"""


class GamesFileTest(unittest.TestCase):
    def setUp(self):
        self.path = Scratch.path("records.h5")
        if not os.path.exists(self.path):
            with open(Scratch.path("records.sgf"), "w", encoding="utf-8") as file:
                file.write(_RECORDS)
            run("kifu-ingest", "-o", self.path, Scratch.path("records.sgf"))

    def test_columns(self):
        with km.GamesFile(self.path) as file:
            self.assertEqual(len(file), 3)
            self.assertEqual(file["rows"].tolist(), [9, 13, 9])
            self.assertEqual(file["winner"].tolist(), [1, -1, -128])
            self.assertEqual(file["black"].tolist(), ["申真谞", None, None])
            self.assertEqual(file["white"].tolist(), ["Ke Jie", None, None])
            self.assertEqual(file["year"].tolist(), [2024, 0, 0])
            self.assertEqual(file["komi"][0], 7.5)
            self.assertTrue(np.isnan(file["komi"][2]))
            self.assertEqual(file.column("n_moves", 1, 3).tolist(), [2, 3])
            self.assertIn("Black", file.describe("winner"))
            self.assertIn("black_rank_number", file.fields)
            with self.assertRaisesRegex(KeyError, "no column 'player'"):
                file["player"]

    def test_moves_and_setup(self):
        with km.GamesFile(self.path) as file:
            points, colours = file.moves(0)
            self.assertEqual([km.sgf_name(p, 9) for p in points.tolist()], ["ee", "cc", "gg", ""])
            self.assertEqual(colours.tolist(), [1, 2, 1, 2])
            plies, points, colours = file.setup(1)
            self.assertEqual((plies.tolist(), points.tolist(), colours.tolist()), ([0, 0], [42, 126], [1, 1]))
            self.assertEqual(len(file.setup(0)[0]), 0)
            self.assertEqual(len(file.evals(0)["ply"]), 0)
            for bad in -1, 3:
                with self.assertRaises(IndexError):
                    file.moves(bad)

    def test_iteration(self):
        for block in 1, 2, 100:
            found = list(km.iterate_games(self.path, ("rows", "black"), moves=True, block=block))
            self.assertEqual([g["rows"] for g in found], [9, 13, 9])
            self.assertEqual([g["black"] for g in found], ["申真谞", None, None])
            self.assertEqual([g["points"].tolist() for g in found], [[40, 20, 60, 81], [84, 28], [0, 10, 9]])
            self.assertEqual([g["colours"].tolist() for g in found], [[1, 2, 1, 2], [2, 1], [1, 2, 1]])
        names = [g["black"] for g in km.iterate_games(make_games())]
        self.assertGreater(len(names), 300)
        self.assertEqual(names, km.GamesFile(make_games())["black"].tolist())

    def test_other_files(self):
        with self.assertRaises(FileNotFoundError):
            km.GamesFile(Scratch.path("absent.h5"))
        with self.assertRaisesRegex(OSError, "records.sgf cannot be read"):
            km.GamesFile(Scratch.path("records.sgf"))
        with self.assertRaisesRegex(ValueError, "holds no games"):
            km.GamesFile(os.path.join(make_shards("random"), "train-00000.h5"))


if __name__ == "__main__":
    unittest.main()
