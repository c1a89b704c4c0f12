"""The datasets for PyTorch under its loader, and the example; skipped where PyTorch is absent."""

import os
import sys
import unittest
import warnings

from python_fixture import SOURCE, identities, make_games, make_shards, np

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from torch.utils.data import DataLoader

import kifumill as km
from kifumill.torch_data import BatchStream, MapDataset, OrderSampler, to_tensors

ALL = ("game", "ply", "symmetry")
RANDOM = ("random", "--symmetries", "random")


def setUpModule():
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", "This DataLoader will create")
    make_shards(*RANDOM)


def sources(split="val"):
    yield km.Shards(make_shards(*RANDOM), split)
    yield km.Games(make_games(), split, like=make_shards(*RANDOM))


def fingerprints(loader):
    """A number a row of (planes, policy, value) batches, sorted."""
    found = []
    for planes, policy, value in loader:
        flat = planes.reshape(len(planes), -1).double()
        found += ((flat @ torch.arange(1, flat.shape[1] + 1).double()) * 1000 + policy * 3 + value).tolist()
    return sorted(found)


class LoaderTest(unittest.TestCase):
    def test_workers(self):
        """With 0, 2 and 4 workers, forked and spawned, the rows are the same; policies lie in 0…n²."""
        reference = None
        for source in sources():
            streams = {"batch_size": None}, BatchStream(source, 64)
            for n, method, (options, dataset) in (
                (0, None, streams),
                (0, None, ({"batch_size": 64}, source)),
                (2, "fork", streams),
                (4, "fork", streams),
                (2, "fork", ({"batch_size": 64}, source)),
                (4, "fork", ({"batch_size": 64, "shuffle": True}, MapDataset(source))),
                (2, "spawn", streams),
                (4, "spawn", ({"batch_size": 64, "shuffle": True}, MapDataset(source))),
            ):
                found = fingerprints(DataLoader(dataset, num_workers=n, multiprocessing_context=method, **options))
                reference = reference or found
                self.assertEqual(found, reference, (type(source), n, method))
        self.assertEqual(len(reference), len(source))
        policy = np.concatenate([b[0] for b in source.batches(500, fields=("policy",))])
        self.assertTrue(((policy >= 0) & (policy <= 81)).all())

    def test_types(self):
        for source in sources():
            for loader in DataLoader(BatchStream(source, 16), batch_size=None), DataLoader(MapDataset(source), batch_size=16):
                planes, policy, value = next(iter(loader))
                self.assertEqual((planes.dtype, tuple(planes.shape)), (torch.float32, (16, 17, 9, 9)))
                self.assertEqual(policy.dtype, torch.int64)
                self.assertFalse(value.dtype.is_floating_point)
            planes, = next(iter(BatchStream(source, 16, fields=("planes",), dtype=np.uint8, channels_last=True)))
            self.assertEqual((planes.dtype, tuple(planes.shape)), (torch.uint8, (16, 9, 9, 17)))
        game, ply = to_tensors((np.arange(3, dtype=np.uint32), np.arange(3, dtype=np.uint16)))
        self.assertEqual((game.dtype, ply.dtype), (torch.int64, torch.int32))

    def test_sampler(self):
        shards = km.Shards(make_shards(*RANDOM))
        sampler = OrderSampler(shards)
        first = list(sampler)
        sampler.set_epoch(1)
        self.assertEqual(sorted(first), list(range(len(shards))))
        self.assertEqual(sorted(sampler), sorted(first))
        self.assertNotEqual(list(sampler), first)
        self.assertEqual(len(sampler), len(first))
        loader = DataLoader(MapDataset(shards), batch_size=100, sampler=OrderSampler(shards), num_workers=2)
        self.assertEqual(fingerprints(loader), fingerprints(DataLoader(MapDataset(shards), batch_size=100)))


class StreamTest(unittest.TestCase):
    def read(self, stream, workers=0, **options):
        return [identities(tuple(b)) for b in DataLoader(stream, batch_size=None, num_workers=workers, **options)]

    def test_epochs_reach_workers_that_live_on(self):
        for source in sources():
            stream = BatchStream(source, 50, fields=ALL)
            loader = DataLoader(stream, batch_size=None, num_workers=2, persistent_workers=True)
            epochs = []
            for epoch in 0, 1:
                stream.set_epoch(epoch)
                epochs.append(np.concatenate([identities(tuple(b)) for b in loader]))
            self.assertFalse(np.array_equal(*epochs))
            self.assertTrue(np.array_equal(*map(np.sort, epochs)))

    def test_ranks_and_restart(self):
        for source in sources("train"):
            everything = np.sort(identities(source.take(range(len(source)), ALL)))
            batches = [batch for r in range(3) for batch in self.read(BatchStream(source, 50, rank=r, world=3, fields=ALL), 2)]
            self.assertTrue(np.array_equal(np.sort(np.concatenate(batches)), everything))
            # a stream goes on at any batch as long as all workers still have some
            whole = self.read(BatchStream(source, 16, fields=ALL, even=True), 2)
            for start in 1, 4, 5:
                rest = self.read(BatchStream(source, 16, start=start, fields=ALL, even=True), 2)
                self.assertEqual(len(rest), len(whole) - start)
                self.assertTrue(all(np.array_equal(a, b) for a, b in zip(whole[start:], rest)))

    def test_games_do_not_depend_on_workers(self):
        source = km.Games(make_games(), "val", like=make_shards(*RANDOM))
        alone = self.read(BatchStream(source, 50, fields=ALL))
        for n in 2, 3:
            several = self.read(BatchStream(source, 50, fields=ALL), n)
            self.assertTrue(len(several) == len(alone) and all(np.array_equal(a, b) for a, b in zip(alone, several)))


class EnsembleTest(unittest.TestCase):
    def test_tensors(self):
        torch.manual_seed(1)
        policy, value = torch.randn(50, 26), torch.randn(50)
        planes = torch.rand(3, 2, 5, 5)

        def model(p):
            return (p.flatten(1) @ policy).softmax(1), p.flatten(1) @ value

        mean, _ = km.symmetry_ensemble(model, planes)
        for k in range(8):
            turned, _ = km.symmetry_ensemble(model, km.turn_planes(planes, k))
            self.assertTrue(torch.allclose(turned, km.turn_policy(mean, k, 5), atol=1e-6))


class ExampleTest(unittest.TestCase):
    def test_training(self):
        """From shards and from games.h5: the same rows give the same losses, and they fall."""
        sys.path.insert(0, os.path.join(SOURCE, "tools", "python", "examples"))
        import train_policy

        common = ["--steps", "60", "--batch", "64", "--channels", "16", "--blocks", "1", "--report", "1000", "--examine", "300",
                  "--threads", "1"]
        shards = make_shards("example", "--symmetries", "random", "--seed", "1", "--split", "0.9,0.05,0.05")
        from_shards = train_policy.main([shards, "--no-reshuffle", *common])
        from_games = train_policy.main([make_games(), "--board", "9", *common])
        n = min(len(km.Shards(shards)) // 64, 60)
        self.assertEqual(from_shards["losses"][:n], from_games["losses"][:n])
        for result in from_shards, from_games:
            self.assertLess(np.mean(result["losses"][-10:]), 0.93 * np.mean(result["losses"][:5]))
            self.assertTrue(0 <= result["top1"] <= 1 and 0 <= result["averaged"] <= 1 and result["rows"] > 100)


if __name__ == "__main__":
    unittest.main()
