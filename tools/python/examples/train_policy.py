"""Trains a small policy-value network, from shards or straight from games.h5, on the CPU.

    train_policy.py shards/             a folder of kifu-planes (--symmetries random)
    train_policy.py games.h5            the same rows, without shards

Prints the loss as it goes, and at the end, on games that were not trained on: how often the network's first choice is the
move played, the same with its answers averaged over the symmetries of the board, and what naming always the most frequent
move would get.
"""

import argparse
import os
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import kifumill
from kifumill.torch_data import BatchStream


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(2))

    def forward(self, x):
        y = F.relu(self.norms[0](self.first(x)))
        return F.relu(x + self.norms[1](self.second(y)))


class Network(nn.Module):
    """Convolutions; logits of the points and the pass, and the value in -1…1. The size of the board is not built in."""

    def __init__(self, n_planes, channels=32, blocks=3):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(n_planes, channels, 3, padding=1), nn.ReLU())
        self.blocks = nn.Sequential(*(Block(channels) for _ in range(blocks)))
        self.points = nn.Conv2d(channels, 1, 1)
        self.whole = nn.Sequential(nn.Linear(2 * channels, channels), nn.ReLU(), nn.Linear(channels, 2))

    def forward(self, planes):
        x = self.blocks(self.stem(planes))
        passing, value = self.whole(torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)).unbind(1)
        return torch.cat([self.points(x).flatten(1), passing[:, None]], 1), torch.tanh(value)


def open_source(path, split, **settings):
    """Rows from a folder of shards or from games.h5."""
    if os.path.isdir(path):
        return kifumill.Shards(path, split)
    return kifumill.Games(path, split, **settings)


def losses(network, planes, policy, value):
    """Of the policy, and of the value where the result is known."""
    logits, expected = network(planes)
    known = value != -128
    return F.cross_entropy(logits, policy, ignore_index=-1), F.mse_loss(expected[known], value[known].float())


def train(network, source, options):
    """Returns the loss of each step."""
    as_stored = {"shuffle": False} if isinstance(source, kifumill.Shards) and not options.reshuffle else {}
    stream = BatchStream(source, options.batch, drop_last=True, **as_stored)
    loader = torch.utils.data.DataLoader(stream, batch_size=None, num_workers=options.workers)
    optimiser = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, total_steps=options.steps + 1, pct_start=0.1)
    seen, epoch, began = [], 0, time.monotonic()
    while len(seen) < options.steps:
        stream.set_epoch(epoch)
        n_before = len(seen)
        for planes, policy, value in loader:
            policy_loss, value_loss = losses(network, planes, policy, value)
            optimiser.zero_grad(set_to_none=True)
            (policy_loss + value_loss).backward()
            optimiser.step()
            schedule.step()
            seen.append(policy_loss.item())
            if len(seen) % options.report == 0:
                rate = len(seen) * options.batch / (time.monotonic() - began)
                print(f"step {len(seen)}: policy loss {np.mean(seen[-options.report:]):.3f}, value loss {value_loss.item():.3f}, "
                      f"{rate:.0f} rows/s", flush=True)
            if len(seen) == options.steps:
                break
        if len(seen) == n_before:
            raise SystemExit(f"{options.data}: fewer than {options.batch} rows to train on")
        epoch += 1
    return seen


def most_frequent_move(source, n):
    """The move most often played among the first n rows."""
    policy = source.take(range(min(n, len(source))), ("policy",))["policy"]
    return np.bincount(policy[policy >= 0], minlength=source.n_moves).argmax()


def examine(network, source, favourite, n):
    """Shares of right first choices on the first n rows: alone, averaged over symmetries, of the favourite; and of right
    winners."""

    def answer(planes):
        logits, value = network(planes)
        return F.softmax(logits, 1), value

    network.eval()
    right = np.zeros(4)
    n_moves = n_known = done = 0
    with torch.no_grad():
        for planes, policy, value in source.batches(min(512, n)):
            planes = torch.from_numpy(planes).float()
            alone, outcome = answer(planes)
            averaged, _ = kifumill.symmetry_ensemble(answer, planes)
            moves, known = policy >= 0, value > -128
            right[0] += (alone.argmax(1).numpy() == policy)[moves].sum()
            right[1] += (averaged.argmax(1).numpy() == policy)[moves].sum()
            right[2] += (policy == favourite)[moves].sum()
            right[3] += (np.sign(outcome.numpy()) == value)[known].sum()
            n_moves, n_known, done = n_moves + moves.sum(), n_known + known.sum(), done + len(policy)
            if done >= n:
                break
    network.train()
    return dict(zip(("top1", "averaged", "favourite"), right[:3] / max(1, n_moves)), winner=right[3] / max(1, n_known), rows=done)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", help="folder of shards, or games.h5")
    parser.add_argument("--board", default="19", help="of games.h5 (%(default)s)")
    parser.add_argument("--steps", type=int, default=1500, help="(%(default)s)")
    parser.add_argument("--batch", type=int, default=128, help="(%(default)s)")
    parser.add_argument("--rate", type=float, default=4e-3, help="highest learning rate (%(default)s)")
    parser.add_argument("--channels", type=int, default=32, help="(%(default)s)")
    parser.add_argument("--blocks", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--workers", type=int, default=0, help="processes that make batches (%(default)s)")
    parser.add_argument("--threads", type=int, default=0, help="of PyTorch (all)")
    parser.add_argument("--seed", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--examine", type=int, default=4096, help="rows to be examined on (%(default)s)")
    parser.add_argument("--report", type=int, default=100, help="steps between reports (%(default)s)")
    parser.add_argument("--reshuffle", action=argparse.BooleanOptionalAction, default=True,
                        help="read shards in another order in each epoch, not as they are")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    torch.manual_seed(options.seed)
    if options.threads:
        torch.set_num_threads(options.threads)
    settings = {"board": options.board, "seed": options.seed}
    rows = open_source(options.data, "train", symmetries="random", **settings)
    held_out = open_source(options.data, "test", **settings)
    print(f"{len(rows)} rows to train on, {len(held_out)} held out")
    network = Network(rows.n_planes, options.channels, options.blocks)
    seen = train(network, rows, options)
    result = examine(network, held_out, most_frequent_move(rows, 100000), options.examine)
    print(f"held out, {result['rows']} rows: first choice right {result['top1']:.1%}, averaged over symmetries {result['averaged']:.1%}, "
          f"most frequent move {result['favourite']:.1%}; winner right {result['winner']:.1%}")
    return dict(result, losses=seen)


if __name__ == "__main__":
    main()
