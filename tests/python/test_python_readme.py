"""The examples of tools/python/README.md run as they stand; those for frameworks that are absent are passed over."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest

from python_fixture import PACKAGE, Scratch, make_games, make_shards

FRAMEWORKS = "torch", "tensorflow", "jax"


class ReadmeTest(unittest.TestCase):
    def test_examples(self):
        with open(os.path.join(PACKAGE, "README.md"), encoding="utf-8") as file:
            examples = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
        self.assertGreater(len(examples), 8)
        make_games()
        shutil.move(make_shards("whole", "--symmetries", "random", "--split", "0.9,0.05,0.05", board=19), Scratch.path("shards"))
        n_run = 0
        for number, example in enumerate(examples):
            wanted = [name for name in FRAMEWORKS if re.search(rf"^import {name}\b", example, re.MULTILINE)]
            if not all(importlib.util.find_spec(name) for name in wanted):
                continue
            done = subprocess.run([sys.executable, "-c", example], cwd=Scratch.path(), capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": PACKAGE})
            self.assertEqual(done.returncode, 0, f"example {number}:\n{example}\n{done.stderr}")
            n_run += 1
        self.assertGreaterEqual(n_run, 6)


if __name__ == "__main__":
    unittest.main()
