"""Shards: rows, codecs, batches and readers, several processes and threads, and what may be wrong with a folder."""

import json
import os
import shutil
import subprocess
import sys
import threading
import unittest

from python_fixture import PACKAGE, Scratch, identities, make_games, make_shards, np, read_by_workers, same

import h5py
import kifumill as km

ALL = ("game", "ply", "symmetry")


def setUpModule():
    make_shards("random", "--symmetries", "random")


def random_shards(split="train"):
    return km.Shards(make_shards("random"), split)


class RowsTest(unittest.TestCase):
    def test_triple(self):
        shards = random_shards()
        self.assertEqual((shards.rows, shards.cols, shards.n_planes, shards.n_moves, shards.layout), (9, 9, 17, 82, "alphago-zero"))
        self.assertGreater(len(shards), 2000)
        planes, policy, value = shards[5]
        self.assertEqual((planes.dtype, planes.shape), (np.uint8, (17, 9, 9)))
        self.assertIs(type(policy), int)
        self.assertIs(type(value), int)
        self.assertTrue(0 <= policy <= 81 and value in (-1, 0, 1, -128))
        self.assertLessEqual(planes.max(), 1)
        last = shards[-1]
        self.assertTrue(np.array_equal(last[0], shards[len(shards) - 1][0]))
        for bad in len(shards), -len(shards) - 1:
            with self.assertRaises(IndexError):
                shards[bad]

    def test_rows_are_those_of_the_files(self):
        """Against the files, read one behind the other without the package."""
        folder = make_shards("random")
        names = sorted(n for n in os.listdir(folder) if n.startswith("train-"))
        self.assertGreater(len(names), 3)
        km.locate.ensure_zstd(folder)
        expected = {field: [] for field in random_shards().fields}
        for name in names:
            with h5py.File(os.path.join(folder, name), "r") as file:
                for field in expected:
                    expected[field].append(file[field][:])
        expected = {field: np.concatenate(parts) for field, parts in expected.items()}
        shards = random_shards()
        self.assertTrue(same(shards.take(range(len(shards)), shards.fields), expected))
        places = np.random.default_rng(3).integers(0, len(shards), 500)
        chosen = {field: column[places] for field, column in expected.items()}
        self.assertTrue(same(shards.take(places, shards.fields), chosen))
        self.assertEqual([row[1:] for row in shards.__getitems__(places[:9].tolist())],
                         list(zip(chosen["policy"][:9].tolist(), chosen["value"][:9].tolist())))
        self.assertTrue(np.array_equal(shards[7][0], km.unpack(expected["planes"][7], 9)))

    def test_a_legal_move_is_on_an_empty_point(self):
        shards = random_shards()
        rows = shards.take(range(len(shards)))
        planes = shards.form(rows["planes"]).reshape(len(shards), 17, -1)
        moves = np.flatnonzero(rows["policy"] < 81)
        self.assertFalse(planes[moves, :2, :][np.arange(len(moves)), :, rows["policy"][moves]].any())

    def test_codecs_and_packings_hold_the_same(self):
        reference = random_shards()
        rows = reference.take(range(len(reference)))
        for name, options in ("gzip", ["--codec", "gzip"]), ("none", ["--codec", "none"]), ("bytes", ["--pack", "bytes"]):
            other = km.Shards(make_shards(name, "--symmetries", "random", *options))
            theirs = other.take(range(len(other)))
            self.assertTrue(np.array_equal(other.form(theirs["planes"]), reference.form(rows["planes"])))
            self.assertTrue(np.array_equal(theirs["policy"], rows["policy"]))
            self.assertEqual(other.is_packed, name != "bytes")

    def test_files_by_name(self):
        folder = make_shards("random")
        first = os.path.join(folder, "train-00000.h5")
        self.assertEqual(len(km.Shards(first)), 700)
        self.assertEqual(len(km.Shards([first, first])), 1400)
        self.assertTrue(np.array_equal(km.Shards([first, first])[703][0], random_shards()[3][0]))
        virtual = km.Shards(os.path.join(folder, "train.h5"))
        self.assertTrue(np.array_equal(virtual[900][0], random_shards()[900][0]))
        self.assertEqual(len(virtual), len(random_shards()))

    def test_splits(self):
        seen = [set(random_shards(split).take(range(len(random_shards(split))), ("game",))["game"]) for split in ("train", "val", "test")]
        self.assertFalse(seen[0] & seen[1] or seen[0] & seen[2] or seen[1] & seen[2])
        empty = km.Shards(make_shards("whole", "--split", "1"), "val")
        self.assertEqual(len(empty), 0)
        self.assertEqual(list(empty.batches(8)), [])
        self.assertEqual(empty.take([])["planes"].shape, (0, 17, 11))


class BatchesTest(unittest.TestCase):
    def setUp(self):
        self.shards = random_shards()
        self.everything = np.sort(identities(self.shards.take(range(len(self.shards)), ALL)))

    def read(self, **options):
        options.setdefault("run_chunks", 2)
        options.setdefault("pool_runs", 3)
        batches = [identities(b) for b in self.shards.batches(50, fields=ALL, **options)]
        return batches

    def test_every_row_once(self):
        for options in {}, {"epoch": 3}, {"seed": 9}, {"shuffle": False}, {"pool_runs": 1000}, {"run_chunks": 1, "pool_runs": 1}:
            batches = self.read(**options)
            self.assertTrue(np.array_equal(np.sort(np.concatenate(batches)), self.everything))
            self.assertEqual({len(b) for b in batches[:-1]}, {50})
            self.assertEqual(len(batches), self.shards.n_batches(50, run_chunks=2, pool_runs=3))

    def test_orders(self):
        self.assertTrue(np.array_equal(np.concatenate(self.read(shuffle=False)), identities(self.shards.take(range(len(self.shards)), ALL))))
        first = np.concatenate(self.read())
        self.assertTrue(np.array_equal(first, np.concatenate(self.read())))
        for other in {"epoch": 1}, {"seed": 1}, {"shuffle": False}:
            self.assertLess((first == np.concatenate(self.read(**other))).mean(), 0.1)
        places = list(self.shards.order(run_chunks=2, pool_runs=3))
        self.assertTrue(np.array_equal(first, identities(self.shards.take(places, ALL))))

    def test_readers(self):
        for world, workers in (1, 2), (2, 1), (3, 4), (50, 1):
            parts = [np.concatenate(self.read(rank=rank, world=world, worker=worker, workers=workers) or [np.empty(0, np.int64)])
                     for rank in range(world) for worker in range(workers)]
            self.assertTrue(np.array_equal(np.sort(np.concatenate(parts)), self.everything))
            even = [self.read(rank=rank, world=world, worker=worker, workers=workers, even=True)
                    for rank in range(world) for worker in range(workers)]
            self.assertEqual(len({len(part) for part in even}), 1)
            self.assertTrue(all(len(batch) == 50 for part in even for batch in part))

    def test_going_on(self):
        whole = self.read(rank=1, world=2)
        for start in 0, 1, 7, len(whole), len(whole) + 5:
            rest = self.read(rank=1, world=2, start=start)
            self.assertEqual(len(rest), max(0, len(whole) - start))
            for a, b in zip(whole[start:], rest):
                self.assertTrue(np.array_equal(a, b))

    def test_drop_last(self):
        batches = self.read(drop_last=True)
        self.assertEqual({len(b) for b in batches}, {50})
        self.assertEqual(len(batches), len(self.shards) // 50)
        self.assertEqual(len(batches), self.shards.n_batches(50, drop_last=True))

    def test_forms(self):
        planes, policy, value = next(self.shards.batches(8))
        self.assertEqual((planes.dtype, planes.shape, policy.dtype, value.dtype), (np.uint8, (8, 17, 9, 9), np.int16, np.int8))
        floats, = next(self.shards.batches(8, fields=("planes",), dtype=np.float32, channels_last=True))
        self.assertEqual((floats.dtype, floats.shape), (np.float32, (8, 9, 9, 17)))
        self.assertTrue(np.array_equal(np.moveaxis(floats, -1, 1), planes))
        packed, = next(self.shards.batches(8, fields=("planes",), dtype=None))
        self.assertTrue(np.array_equal(km.unpack(packed, 9), planes))

    def test_bad_arguments(self):
        for options, error in (({"rank": 2, "world": 2}, ValueError), ({"worker": -1}, ValueError), ({"fields": ("plane",)}, KeyError)):
            with self.assertRaises(error):
                next(self.shards.batches(8, **options))
        with self.assertRaises(ValueError):
            next(self.shards.batches(0))


class ProcessesTest(unittest.TestCase):
    def test_workers(self):
        """Rows read by several processes are those read by one, also when the files had been opened before the fork."""
        shards = random_shards("val")
        alone = read_by_workers(shards, 0, "fork")
        shards[0]
        for method in "fork", "spawn":
            for n in 2, 4:
                self.assertEqual(read_by_workers(shards, n, method), alone, (method, n))
        self.assertTrue(np.array_equal(shards[0][0], random_shards("val")[0][0]))

    def test_threads(self):
        shards = random_shards()
        expected = shards.take(range(1000))
        found = [None] * 4

        def work(i):
            found[i] = shards.take(range(1000))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(all(same(rows, expected) for rows in found))


class FaultsTest(unittest.TestCase):
    def copy(self, name):
        folder = Scratch.path(name)
        shutil.copytree(make_shards("random"), folder)
        return folder

    def edit_manifest(self, folder, change):
        path = os.path.join(folder, "manifest.json")
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
        change(manifest)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(manifest, file)

    def test_no_folder(self):
        with self.assertRaisesRegex(FileNotFoundError, "nowhere: no such shard"):
            km.Shards(Scratch.path("nowhere"))

    def test_unfinished(self):
        folder = self.copy("unfinished")
        os.remove(os.path.join(folder, "manifest.json"))
        with self.assertRaisesRegex(FileNotFoundError, "has no manifest.json: kifu-planes has not finished there"):
            km.Shards(folder)

    def test_bad_manifests(self):
        folder = self.copy("manifests")
        path = os.path.join(folder, "manifest.json")
        for change, error in (
            (lambda m: m.update(format_version=2), "format version 2"),
            (lambda m: m.update(format="another"), "not a manifest of kifumill"),
        ):
            self.edit_manifest(folder, change)
            with self.assertRaisesRegex(ValueError, error):
                km.Shards(folder)
            shutil.copy(os.path.join(make_shards("random"), "manifest.json"), path)
        for text in "{", "[]", "":
            with open(path, "w") as file:
                file.write(text)
            with self.assertRaisesRegex(ValueError, "manifest"):
                km.Shards(folder)
        with self.assertRaisesRegex(ValueError, "no split 'dev'"):
            km.Shards(make_shards("random"), "dev")

    def test_missing_cut_foreign(self):
        folder = self.copy("broken")
        victim = os.path.join(folder, "train-00001.h5")
        with open(victim, "rb") as file:
            intact = file.read()
        os.remove(victim)
        shards = km.Shards(folder)
        self.assertEqual(len(shards), len(random_shards()))
        shards[0]
        with self.assertRaisesRegex(FileNotFoundError, "train-00001.h5: no such shard"):
            shards[700]
        with self.assertRaisesRegex(OSError, "a shard that it joins is missing"):
            km.Shards(os.path.join(folder, "train.h5"))[700]
        with open(victim, "wb") as file:
            file.write(intact[: len(intact) // 2])
        with self.assertRaisesRegex(OSError, "train-00001.h5 cannot be read, it is no shard or damaged"):
            shards[700]
        with open(victim, "wb") as file:
            file.write(b"no HDF5 at all")
        with self.assertRaisesRegex(OSError, "train-00001.h5 cannot be read"):
            shards[700]
        shutil.copy(make_games(), victim)
        with self.assertRaisesRegex(ValueError, "train-00001.h5 is no shard of kifumill"):
            shards[700]
        shutil.copy(os.path.join(folder, sorted(n for n in os.listdir(folder) if n.startswith("val-"))[-1]), victim)
        with self.assertRaisesRegex(ValueError, "train-00001.h5 has .* rows, not the 700"):
            shards[700]

    def test_other_planes(self):
        other = os.path.join(make_shards("literal", "--layout", "leela-zero"), "train-00000.h5")
        with self.assertRaisesRegex(ValueError, "other planes"):
            km.Shards([os.path.join(make_shards("random"), "train-00000.h5"), other])
        with self.assertRaisesRegex(ValueError, "no shards"):
            km.Shards([])

    def test_bad_fields(self):
        with self.assertRaisesRegex(KeyError, "no field 'black_win': there are"):
            random_shards().take([0], ("black_win",))
        with self.assertRaises(IndexError):
            random_shards().take([-1])


# Reads a zstd shard in a process that has the package alone, without the library and its plugin.
_ALONE = """
import sys
sys.path[:0] = sys.argv[2:]
import kifumill
try:
    print(int(kifumill.Shards(sys.argv[1])[0][0].sum()))
except OSError as error:
    print(error)
"""


class ZstdTest(unittest.TestCase):
    def alone(self, *folders, **environment):
        package = Scratch.path("alone")
        if not os.path.exists(package):
            shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
        clean = {k: v for k, v in os.environ.items() if k not in ("KIFUMILL_LIBRARY", "HDF5_PLUGIN_PATH", "PYTHONPATH")}
        done = subprocess.run([sys.executable, "-c", _ALONE, os.path.join(make_shards("random"), "train-00000.h5"), package, *folders],
                              env={**clean, **environment}, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.strip()

    def setUp(self):
        self.expected = str(int(random_shards()[0][0].sum()))

    def test_without_plugin(self):
        text = self.alone(KIFUMILL_LIBRARY=Scratch.path("absent", "libkifumill.so"))
        self.assertIn("is compressed with zstd, which h5py cannot read by itself: install hdf5plugin", text)
        self.assertIn("HDF5_PLUGIN_PATH", text)
        self.assertNotIn("\n", text)

    def test_our_plugin(self):
        self.assertEqual(self.alone(KIFUMILL_LIBRARY=os.environ["KIFUMILL_LIBRARY"]), self.expected)

    def test_plugin_path(self):
        self.assertEqual(self.alone(KIFUMILL_LIBRARY="/absent", HDF5_PLUGIN_PATH=os.environ["KM_PLUGIN"]), self.expected)

    def test_hdf5plugin(self):
        """A module of that name, which does what the real one does: its filters are there once it is imported."""
        folder = Scratch.path("stand-in")
        os.makedirs(folder)
        with open(os.path.join(folder, "hdf5plugin.py"), "w") as file:
            file.write(f"import h5py\nh5py.h5pl.prepend({os.environ['KM_PLUGIN'].encode()!r})\n")
        self.assertEqual(self.alone(folder, KIFUMILL_LIBRARY="/absent"), self.expected)

    def test_gzip_needs_nothing(self):
        done = subprocess.run(
            [sys.executable, "-c", "import h5py, sys; print(h5py.File(sys.argv[1])['planes'][:].sum())",
             os.path.join(make_shards("gzip", "--symmetries", "random", "--codec", "gzip"), "train-00000.h5")],
            env={k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(int(done.stdout), 0)


if __name__ == "__main__":
    unittest.main()
