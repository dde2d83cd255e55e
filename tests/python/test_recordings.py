# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Recordings from Python: files, replay pages, images."""
import os
import tempfile
import unittest
from unittest import mock

import numpy as np

import moreau


class Recordings(unittest.TestCase):
    def test_files_replays_and_images(self):
        world = moreau.World(floor=0)
        ball = world.add_body(moreau.ball(0.1), position=(0, 0, 0.5))
        recording = moreau.record(world, 0.01, 50, every=10, title="fall")
        self.assertEqual((len(recording), recording.title), (6, "fall"))
        np.testing.assert_allclose(recording.poses[-1, 1, :3], ball.position)
        np.testing.assert_allclose(recording.frames["time"], np.arange(6) * 0.1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fall.hdf5")
            recording.write(path)
            again = moreau.Recording.read(path)
            np.testing.assert_array_equal(again.poses, recording.poses)
            page = os.path.join(folder, "fall.html")
            recording.write_replay(page)
            with open(page, encoding="utf-8") as file:
                self.assertIn("<html", file.read(2000).lower())
            with self.assertRaises(moreau.Error):
                recording.write_replay(os.path.join(folder, "no", "where.html"))
            with mock.patch("webbrowser.open") as opened, \
                    mock.patch("tempfile.tempdir", folder):
                shown = recording.show()
            opened.assert_called_once_with("file://" + shown)
            self.assertTrue(os.path.samefile(os.path.dirname(os.path.dirname(shown)), folder))
        first, last = recording.render(0, size=(160, 90)), recording.render(size=(160, 90))
        self.assertEqual(first.shape, (90, 160, 3))
        self.assertGreater(np.abs(first.astype(int) - last).sum(), 1000)  # the ball fell
        self.assertTrue(recording._repr_html_().startswith("<iframe src="))
        with self.assertRaises(IndexError):
            recording.render(99)
        with self.assertRaises(moreau.Error):
            moreau.Recording().write_replay("nothing.html")

    def test_arrays_outlive_frames_that_are_added(self):
        world = moreau.World(floor=0)
        world.add_body(moreau.ball(0.1), position=(0, 0, 0.5))
        recording = moreau.Recording(world)
        for name in ("poses", "velocities", "frames"):
            kept = getattr(recording, name)
            before = kept.tolist()
            self.assertFalse(np.shares_memory(kept, getattr(recording, name)), name)
            for _ in range(100):
                world.step(0.01)
                recording.add()
            self.assertEqual(kept.tolist(), before, name)


if __name__ == "__main__":
    unittest.main()
