# SPDX-License-Identifier: Apache-2.0
"""What a session restores, against a dict of dicts."""
import random
import unittest

import numpy as np
import support  # noqa: F401
from quadrille.kept import Kept


def batch(ids, **columns):
    return {"id": np.array(ids, "<u4"), **{name: np.array(values, "<f4") for name, values in columns.items()}}


class KeptTest(unittest.TestCase):
    def test_random_changes_keep_what_a_dict_keeps(self):
        rng, kept, model = random.Random(3), Kept(), {}
        for _ in range(2000):
            ids = rng.sample(range(300), rng.randrange(1, 40))
            refused = {i for i in range(len(ids)) if rng.random() < 0.2}
            values = [rng.randrange(1000) / 4 for _ in ids]
            counts = [(id, value) for i, (id, value) in enumerate(zip(ids, values)) if i not in refused]
            kind = rng.choice(("spawn", "move", "despawn"))
            kept.apply(kind, batch(ids) if kind == "despawn" else batch(ids, x=values, y=values), refused, 1)
            for id, value in counts:
                if kind == "despawn":
                    model.pop(id, None)
                elif kind == "move" and id in model or kind == "spawn" and id not in model:
                    model[id] = value
            self.assertEqual({id: float(kept.columns["x"][row]) for id, row in kept.rows.items()}, model)
            self.assertEqual(int(kept.flags["there"].sum()), len(model))
            self.assertEqual(sorted(kept.rows.values()), list(range(len(model))))

    def test_requests_bring_a_room_to_the_state(self):
        kept = Kept()
        kept.apply("spawn", batch([1, 2, 3], x=[1, 2, 3], y=[0, 0, 0], half_x=[1, 1, 1]), set(), 1)
        kept.apply("set_description", {"id": np.array([2, 3], "<u4"), "payload": b"abc",
                                       "payload_size": np.array([1, 2], np.uint8)}, {0}, 1)
        kept.apply("observe", {"id": np.array([7], "<u4"), "entity": np.array([3], "<u4"),
                               "range": np.array([5], "<f4"), "relay_range": np.array([9], "<f4"),
                               "relay_every": np.array([1], "<u4")}, set(), 1)
        kept.apply("hand_over", {"id": np.array([1], "<u4"), "session": 5}, set(), 1)
        requests = [(kind, fields) for kind, fields in kept.requests({9}, True, False)
                    if "id" not in fields or len(fields["id"])]
        self.assertEqual([kind for kind, _ in requests], ["spawn", "despawn", "set_description", "observe"])
        self.assertEqual(sorted(requests[0][1]["id"].tolist()), [2, 3])
        self.assertNotIn("z", requests[0][1])
        self.assertEqual(requests[1][1]["id"].tolist(), [9])
        self.assertEqual((requests[2][1]["id"].tolist(), requests[2][1]["payload"]), ([3], b"bc"))
        self.assertEqual(requests[3][1]["anchored"].tolist(), [1])
        kept.apply("despawn", batch([3]), set(), 1)
        self.assertEqual(kept.observers, {})


if __name__ == "__main__":
    unittest.main()
