# What stores and manifests say of themselves: counts, attributes and columns. Whole texts are a matter of the formats.
cat >pick <<'SCRIPT'
#!/usr/bin/env python3
# pick FILE COLUMN…: from `kifu-show info FILE --json` what does not change with every word of a description.
import json, subprocess, sys
done = subprocess.run(["kifu-show", "info", sys.argv[1], "--json"], capture_output=True, text=True)
sys.stderr.write(done.stderr)
if done.returncode:
    sys.exit(done.returncode)
info = json.loads(done.stdout)
counts = {k: v for k, v in info["counts"].items() if k in ("games", "moves", "positions", "rows", "draws", "boards")}
print(info["format"], json.dumps(counts))
for name in ("command", "layout", "variant", "pack", "split"):
    if name in info["attributes"]:
        print(name, info["attributes"][name])
columns = info.get("columns", {})
assert all(column["description"] for column in columns.values()) and list(columns) == sorted(columns)
for name in sys.argv[2:]:
    print(name, columns[name]["type"], columns[name]["shape"], columns[name]["storage"].split(" ")[0])
for file in info.get("files", []):
    print(file["name"], file["split"], file["rows"], file["virtual"])
SCRIPT
chmod +x pick
kifu-ingest --quiet -o games.h5 "$ROOT"/tests/golden/games/r*.sgf
kifu-hbs --quiet --codec zstd:1 -o hbs.h5 games.h5
kifu-planes --quiet --board 9 -o shards games.h5
run ./pick games.h5 /games/rows /games/komi /games/hash /moves/offset /moves/point
run ./pick hbs.h5 /trajectory/offset /trajectory/s
run ./pick shards
run ./pick shards/train-00000.h5 /planes /policy /value
run bash -c 'kifu-show info shards/manifest.json | head -4'
run kifu-show info games.summary.json
# games by their number
run bash -c 'kifu-show info games.h5 --game 2 | head -3'
run kifu-show info games.h5 --game 100
run kifu-show board games.h5 --game 3 --ply 5
run kifu-show board hbs.h5
head -c 2000 games.h5 >cut.h5
run bash -c 'kifu-show info cut.h5 2>&1 | cut -c1-60'
