"""Datasets for PyTorch over Shards and Games."""

import numpy as np
import torch
import torch.utils.data as data

# What PyTorch wants policies as, and what stands for types that it has no arithmetic on.
_TYPES = {np.dtype(np.int16): np.int64, np.dtype(np.uint16): np.int32, np.dtype(np.uint32): np.int64}


def to_tensors(arrays):
    """Arrays of a batch as tensors. Policies become int64, as the loss functions want them."""
    return tuple(torch.from_numpy(np.ascontiguousarray(a, dtype=_TYPES.get(a.dtype, a.dtype))) for a in arrays)


class MapDataset(data.Dataset):
    """Rows by place: (planes, policy, value) as tensors. With Shards use OrderSampler instead of shuffle=True, which would
    decompress a chunk for nearly every row; with Games any order costs the same.

        DataLoader(MapDataset(shards), batch_size=256, sampler=OrderSampler(shards), num_workers=4)
    """

    def __init__(self, source, dtype=np.float32, channels_last=False):
        self.source, self.dtype, self.channels_last = source, dtype, channels_last

    def __len__(self):
        return len(self.source)

    def __getitem__(self, place):
        return self.__getitems__([place])[0]

    def __getitems__(self, places):
        rows = self.source.take([self.source._place(p) for p in places])
        planes = torch.from_numpy(self.source.form(rows["planes"], self.dtype, self.channels_last))
        return list(zip(planes, rows["policy"].tolist(), rows["value"].tolist()))


class OrderSampler(data.Sampler):
    """Places of shards in an order that is random and yet has the rows of a chunk close together."""

    def __init__(self, shards, seed=0):
        self.shards, self.seed, self.epoch = shards, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.shards)

    def __iter__(self):
        return self.shards.order(self.epoch, self.seed)


class BatchStream(data.IterableDataset):
    """Batches of an epoch, made where they are wanted: each worker of the loader makes its own, and so does each process of
    a distributed run (rank and world are those of torch.distributed where it is running).

        stream = BatchStream(source, 256)
        loader = DataLoader(stream, batch_size=None, num_workers=4)
        for epoch in range(10):
            stream.set_epoch(epoch)
            for planes, policy, value in loader: …

    source may be Shards or Games; options are those of its batches(). start: so many batches of the first epoch that this
    process has had already (before a restart, with the same number of workers) are passed over.
    """

    def __init__(self, source, batch_size, epoch=0, start=0, rank=None, world=None, dtype=np.float32, **options):
        super().__init__()
        if rank is None:
            running = torch.distributed.is_available() and torch.distributed.is_initialized()
            rank = torch.distributed.get_rank() if running else 0
            world = torch.distributed.get_world_size() if running else 1
        self.source, self.batch_size, self.rank, self.world = source, batch_size, rank, world or 1
        self.options = dict(options, dtype=dtype)
        self._at = torch.tensor([epoch, start]).share_memory_()  # workers that live on see it change

    def set_epoch(self, epoch, start=0):
        self._at[0], self._at[1] = epoch, start

    def __iter__(self):
        info = data.get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        epoch, start = self._at.tolist()
        worker = (worker + start) % workers  # the loader asks its first worker first: it is to have batch `start`
        mine = max(0, -(-(start - worker) // workers))
        for batch in self.source.batches(self.batch_size, epoch, rank=self.rank, world=self.world, worker=worker,
                                         workers=workers, start=mine, **self.options):
            yield to_tensors(batch)
