"""programs.py: what the benchmarks of whole programs share: children with their times and memory, inputs, reports.

A report has the form of bench.c's, so that benchmarks/run reads all of them alike. Standard library only."""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time


class Child:
    """A finished child: seconds of processor and clock, peak memory in MB."""

    def __init__(self, processor, wall, peak_mb):
        self.processor, self.wall, self.peak_mb = processor, wall, peak_mb


def die(message):
    sys.exit("benchmark: " + message)


def run(command, log=None):
    """Runs command without its output; ends the program when it fails."""
    with open(log or os.devnull, "wb") as messages:
        begin = time.perf_counter()
        child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=messages)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        die("%s: exit code %d" % (" ".join(map(str, command)), child.returncode))
    return Child(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def together(children):
    """Several children one after the other, as one."""
    return Child(sum(c.processor for c in children), sum(c.wall for c in children), max(c.peak_mb for c in children))


def arguments(description, rounds):
    """The command line of every benchmark, and the folder of the programs."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--digests", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a small input and one round")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build"),
                        help="the build folder (default: build beside benchmarks)")
    parser.add_argument("archive", nargs="*", help="default: made-up games")
    given = parser.parse_args()
    given.rounds = given.rounds or (1 if given.quick else rounds)
    if not os.path.exists(os.path.join(given.build, "bin", "kifu-ingest")):
        die("%s has no bin/kifu-ingest" % given.build)
    if not shutil.which("bsdtar"):
        die("bsdtar is not there (Debian: libarchive-tools)")
    return given


def program(given, name):
    return os.path.join(given.build, "bench-bin" if name == "make_corpus" else "bin", name)


def scratch():
    """A folder for the duration, in memory where there is such a folder."""
    return tempfile.TemporaryDirectory(prefix="kifumill-bench-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def made_archive(given, folder, n_games):
    path = os.path.join(folder, "made-up.tar.zst")
    run([program(given, "make_corpus"), n_games, path])
    return path


def count_entries(archive):
    """Entries that are no folders."""
    names = subprocess.run(["bsdtar", "-tf", archive], capture_output=True, check=True).stdout.splitlines()
    return sum(not name.endswith(b"/") for name in names)


def bsdtar(archives):
    """Reading the archives and nothing else."""
    return together([run(["bsdtar", "-xOf", archive]) for archive in archives])


def digest_of_summary(games_path):
    """Of what the ingest counted, and of every line of its ledger."""
    base = games_path[: -len(".h5")]
    digest = hashlib.sha256()
    for suffix in (".summary.json", ".ledger.tsv"):
        with open(base + suffix, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


class Row:
    """One line of the report: the seconds of every round for n units of work."""

    def __init__(self, name, unit, units, floor=None, reach_ratio=None, reach_seconds=None, digest=None):
        self.name, self.unit, self.units, self.floor = name, unit, units, floor
        self.reach_ratio, self.reach_seconds, self.digest = reach_ratio, reach_seconds, digest
        self.seconds, self.peak_mb = [], 0

    def add(self, seconds, peak_mb=0):
        self.seconds.append(seconds)
        self.peak_mb = max(self.peak_mb, peak_mb)

    def as_dict(self, rows):
        ordered = sorted(self.seconds)
        median = ordered[len(ordered) // 2]
        out = {"name": self.name, "unit": self.unit, "units": self.units, "seconds": median,
               "seconds_least": ordered[0], "seconds_most": ordered[-1], "per_second": self.units / median,
               "digest": self.digest or "0" * 16}
        if self.peak_mb:
            out["peak_mb"] = round(self.peak_mb)
        if self.floor:
            floor = next(row for row in rows if row.name == self.floor)
            ratios = sorted(a / b for a, b in zip(self.seconds, floor.seconds))  # of the same round
            out["floor"], out["ratio"] = self.floor, ratios[len(ratios) // 2]
        if self.reach_ratio:
            out["reach"] = "x%.2f: %s" % (self.reach_ratio, "yes" if out["ratio"] <= self.reach_ratio else "no")
        elif self.reach_seconds:
            out["reach"] = "%.0f ms: %s" % (1e3 * self.reach_seconds, "yes" if median <= self.reach_seconds else "no")
        return out


def report(given, name, what, source, rows):
    lines = [row.as_dict(rows) for row in rows]
    if given.json:
        print(json.dumps({"program": name, "what": what, "input": source, "rounds": given.rounds, "rows": lines}, indent=1))
        return
    if given.digests:
        for line in lines:
            print("%s\t%s\t%s" % (name, line["name"], line["digest"]))
        return
    print("%s: %s\n%s; %d rounds" % (name, what, source, given.rounds))
    print("%-36s %10s %19s %12s %8s %8s  %-16s %s" % ("", "seconds", "least … most", "a second", "x floor", "peak MB", "digest", "to reach"))
    for line in lines:
        ratio = "%.2f" % line["ratio"] if "ratio" in line else ""
        print("%-36s %10.3f %8.3f … %8.3f %12.0f %8s %8s  %s %s" % (
            line["name"], line["seconds"], line["seconds_least"], line["seconds_most"], line["per_second"], ratio,
            line.get("peak_mb", ""), line["digest"], line.get("reach", "")))
