"""Reads games.h5, hbs.h5, shards and the virtual file of test_store_readers with h5py, as users would, and prints what it finds.

Usage: read_stores.py FOLDER all|no-plugin. Exits 77 when h5py is absent.
"""

import json
import sys

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def games(path):
    with h5py.File(path, "r") as f:
        assert text(f.attrs["format"]) == "kifumill games" and f.attrs["format_version"] == 1
        assert text(f.attrs["command"]).endswith("Ä")

        def string(name, i):
            k = f["games/" + name][i]
            at = f["text/offset"][k : k + 2]
            return None if k == 0 else f["text/heap"][at[0] : at[1]].tobytes().decode()

        offset = f["moves/offset"][:]
        point = f["moves/point"][:]
        assert (np.diff(offset.astype(np.int64)) == f["games/n_moves"][:]).all()
        for dataset in f["games"].values():
            assert dataset.shape[0] == len(offset) - 1 and text(dataset.attrs["description"])
        n = len(offset) - 1
        return {
            "n": n,
            "moves": int(offset[-1]),
            "points": int((point & 0x3FFF).astype(np.uint64).sum()),
            "white": int((point >> 15).sum()),
            "black": [string("black", i) for i in range(n)],
            "komi": float(np.nansum(f["games/komi"][:])),
        }


def hbs(path):
    with h5py.File(path, "r") as f:
        s = f["trajectory/s"][:]
        big = [int(low) + (int(high) << 64) for low, high in s[:3]]
        return {"n": int(f["trajectory/offset"][-1]), "first": [str(b) for b in big], "xor": str(np.bitwise_xor.reduce(s.reshape(-1)))}


def shard(path):
    with h5py.File(path, "r") as f:
        planes = f["planes"][:]
        assert planes.shape[1:] == (3, 11) and planes.dtype == np.uint8
        assert [p.decode() for p in f.attrs["planes"]] == ["own 0", "opponent 0", "colour"]
        return {"n": len(planes), "bits": int(np.unpackbits(planes).sum()), "policy": int(f["policy"][:].sum()), "score": float(f["score"][:].sum())}


def main():
    folder, what = sys.argv[1:]
    if what == "no-plugin":
        with h5py.File(folder + "/zstd.h5", "r") as f:
            try:
                f["planes"][:]
            except OSError as error:
                print(error)
                return
        sys.exit("read without its filter")
    found = {"games": games(folder + "/games.h5"), "hbs": hbs(folder + "/hbs.h5")}
    for name in "zstd", "gzip", "none", "virtual":
        found[name] = shard(folder + "/" + name + ".h5")
    print(json.dumps(found))


main()
