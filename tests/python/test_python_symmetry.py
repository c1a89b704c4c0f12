"""Symmetries, names of points, unpacking and the ensemble, against the golden vectors."""

import json
import os
import unittest

from python_fixture import SOURCE, np

import kifumill as km


def golden(name):
    with open(os.path.join(SOURCE, "tests", "golden", name), encoding="utf-8") as file:
        return json.load(file)


class Maps(unittest.TestCase):
    def test_golden_maps(self):
        symmetry = golden("symmetry.json")
        for size, maps in symmetry["maps"].items():
            for k, points in enumerate(maps):
                n = int(size)
                self.assertEqual(km.policy_map(k, n)[: n * n].tolist(), points[: n * n])
                self.assertEqual(km.policy_map(k, n)[n * n], n * n)
        self.assertEqual([km.inverse_symmetry(k) for k in range(8)], symmetry["inverse"])

    def test_planes_and_policy_move_alike(self):
        for rows, cols in (9, 9), (5, 7):
            for k in km.fitting_symmetries(rows, cols):
                for point in range(rows * cols):
                    planes = np.zeros((1, 2, rows, cols), np.uint8)
                    planes.reshape(1, 2, -1)[0, 1, point] = 1
                    turned = km.turn_planes(planes, k)
                    self.assertEqual(turned.reshape(2, -1).argmax(axis=1).tolist(), [0, km.policy_map(k, rows, cols)[point]])
                    last = km.turn_planes(np.moveaxis(planes, 1, -1), k, channels_last=True)
                    self.assertTrue(np.array_equal(np.moveaxis(last, -1, 1), turned))
                policy = np.arange(rows * cols + 1)
                there = km.turn_policy(policy, k, rows, cols)
                self.assertEqual(there[-1], rows * cols)
                self.assertTrue(np.array_equal(km.turn_policy(there, km.inverse_symmetry(k), rows, cols), policy))

    def test_target_of_a_turned_row(self):
        """Black at ab, White to play db, on 9×9: where both stand under each symmetry."""
        black, move = km.sgf_point("ab", 9), km.sgf_point("db", 9)
        expected = {0: ("ab", 12), 3: ("ha", 34), 2: ("ih", 68), 1: ("bi", 46), 4: ("ib", 14), 5: ("ah", 66), 6: ("ba", 28), 7: ("hi", 52)}
        for k, (stone, target) in expected.items():
            self.assertEqual(km.sgf_name(int(km.policy_map(k, 9)[black]), 9), stone)
            self.assertEqual(km.policy_map(k, 9)[move], target)

    def test_rectangles(self):
        self.assertEqual(km.fitting_symmetries(5, 7), [0, 2, 4, 5])
        with self.assertRaisesRegex(ValueError, "symmetry 6 does not fit"):
            km.policy_map(6, 5, 7)


class Ensemble(unittest.TestCase):
    def lopsided(self, seed=3):
        """A model with weights of no symmetry whatever."""
        random = np.random.default_rng(seed)
        policy, value = random.normal(size=(2 * 25, 26)), random.normal(size=2 * 25)

        def model(planes):
            flat = planes.reshape(len(planes), -1)
            return np.abs(flat @ policy), np.tanh(flat @ value)

        return model

    def test_average_commutes(self):
        model = self.lopsided()
        planes = np.random.default_rng(5).normal(size=(4, 2, 5, 5))
        policy, value = km.symmetry_ensemble(model, planes)
        self.assertEqual((policy.shape, value.shape), ((4, 26), (4,)))
        alone = model(planes)[0]
        self.assertGreater(np.abs(alone - policy).max(), 0.1)
        for k in range(8):
            turned_policy, turned_value = km.symmetry_ensemble(model, km.turn_planes(planes, k))
            np.testing.assert_allclose(turned_policy, km.turn_policy(policy, k, 5), rtol=1e-12)
            np.testing.assert_allclose(turned_value, value, rtol=1e-12)

    def test_channels_last(self):
        model = self.lopsided()
        planes = np.random.default_rng(6).normal(size=(3, 2, 5, 5))
        first = km.symmetry_ensemble(model, planes)
        last = km.symmetry_ensemble(lambda p: model(np.moveaxis(p, -1, 1)), np.moveaxis(planes, 1, -1), channels_last=True)
        np.testing.assert_allclose(first[0], last[0])
        np.testing.assert_allclose(first[1], last[1])

    def test_one_symmetry_is_the_model(self):
        model = self.lopsided()
        planes = np.random.default_rng(7).normal(size=(3, 2, 5, 5))
        np.testing.assert_array_equal(km.symmetry_ensemble(model, planes, symmetries=[0])[0], model(planes)[0])


class Points(unittest.TestCase):
    def test_golden_names(self):
        cases = golden("coords.json")
        self.assertGreater(len(cases), 10)
        for case in cases:
            n, index = case["n"], case["index"]
            self.assertEqual(km.sgf_point(case["sgf"], n), index)
            self.assertEqual(km.sgf_name(index, n), case["sgf"])
            if case.get("gtp"):
                self.assertEqual(km.gtp_name(index, n), case["gtp"])
                self.assertEqual(km.gtp_point(case["gtp"].lower(), n), index)

    def test_all_points(self):
        for rows, cols in (19, 19), (13, 9), (25, 25), (2, 3):
            for point in range(rows * cols + 1):
                self.assertEqual(km.gtp_point(km.gtp_name(point, rows, cols), rows, cols), point)
                self.assertEqual(km.sgf_point(km.sgf_name(point, rows, cols), rows, cols), point)

    def test_passes(self):
        self.assertEqual((km.gtp_name(361), km.sgf_name(361), km.sgf_point("tt"), km.gtp_point("Pass")), ("pass", "", 361, 361))
        self.assertEqual(km.sgf_point("tt", 20), 19 * 20 + 19)

    def test_what_is_no_point(self):
        for name in "I5", "Z1", "A0", "A20", "5A", "", "D", "D4x", "Dé":
            with self.assertRaises(ValueError):
                km.gtp_point(name)
        for name in "a", "aaa", "zz", "1a":
            with self.assertRaises(ValueError):
                km.sgf_point(name)
        for point in -1, 362:
            with self.assertRaises(ValueError):
                km.gtp_name(point)
        with self.assertRaises(ValueError):
            km.gtp_name(0, 26)


class Unpacking(unittest.TestCase):
    def test_bits(self):
        planes = np.random.default_rng(1).integers(0, 2, size=(3, 4, 5, 7), dtype=np.uint8)
        packed = np.packbits(planes.reshape(3, 4, 35), axis=-1)
        self.assertTrue(np.array_equal(km.unpack(packed, 5, 7), planes))
        floats = km.unpack(packed, 5, 7, np.float32, channels_last=True)
        self.assertEqual((floats.dtype, floats.shape, floats.flags.c_contiguous), (np.float32, (3, 5, 7, 4), True))
        self.assertTrue(np.array_equal(np.moveaxis(floats, -1, 1), planes))
        self.assertEqual(km.unpack(packed[0], 5, 7).shape, (4, 5, 7))
        with self.assertRaisesRegex(ValueError, "planes of 5 bytes"):
            km.unpack(packed, 9)


if __name__ == "__main__":
    unittest.main()
