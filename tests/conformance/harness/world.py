# SPDX-License-Identifier: Apache-2.0
"""What a scenario has requested, and what a client must see of it, by brute force over all entities."""
import math
from itertools import combinations

from shapes import BOX, Body, f32, filters_agree, overlap, passed, squared

REGION_CIRCLE, REGION_BOX = 1, 2
AXES = "xyz"


def numbers(fields, name, kind=float):
    return [kind(value) for value in fields[name].split(",")] if fields.get(name) else []


class Observer:
    def __init__(self):
        self.region, self.entity, self.at = REGION_CIRCLE, None, [0.0] * 3
        self.range, self.half, self.margin = 0.0, [0.0] * 3, 0.0
        self.mask, self.team, self.sees_self = 0xFFFFFFFF, 0, 0
        self.relays = False  # every position, at every tick
        self.show, self.hide = set(), set()
        self.view = {}  # id -> what the last enter said


class Room:
    def __init__(self, fields):
        self.tick, self.bodies, self.observers = 0, {}, {}  # observers by (session, id)
        self.dimensions = int(fields.get("dimensions", 2) or 2)
        self.swept = fields.get("swept") == "1"
        self.subscribed = {}  # session -> scope
        self.step_of_relay = {}  # session -> how exact a relayed position is; 0: exact
        self.pairs, self.passes = set(), set()

    # ---- requests ----

    def apply(self, session, command, fields):
        action = getattr(self, "do_" + command, None)
        if action:
            action(session, fields)

    def rows(self, session, fields, changes=True):
        """(position in the batch, body) of each entity of the batch that this session may change."""
        for i, id in enumerate(numbers(fields, "id", int)):
            body = self.bodies.get(id)
            if body and (body.owner in (session, None) or not changes):
                yield i, body

    def do_spawn(self, session, fields):
        for i, id in enumerate(numbers(fields, "id", int)):
            body = Body()
            self.set_place(body, fields, i)
            self.set_shape(body, fields, i)
            sizes = body.at + body.half + [body.radius]
            if id in self.bodies or not all(map(math.isfinite, sizes)) or min(body.half + [body.radius]) < 0:
                continue
            body.owner = None if fields.get("room_owned") == "1" else session
            self.bodies[id] = body

    def set_place(self, body, fields, i):
        for axis, name in enumerate(AXES):
            column = numbers(fields, name)
            if column:
                body.at[axis] = f32(column[i])

    def set_shape(self, body, fields, i):
        if "shape" in fields:
            body.shape = numbers(fields, "shape", int)[i]
            body.radius, body.half = (0.0, body.half) if body.shape == BOX else (body.radius, [0.0] * 3)
        for axis, name in enumerate(AXES):
            column = numbers(fields, "half_" + name)
            if column:
                body.half[axis] = f32(column[i])
        for name, kind in (("radius", float), ("category", int), ("mask", int)):
            column = numbers(fields, name, kind)
            if column:
                setattr(body, name, column[i])

    def do_move(self, session, fields):
        for i, body in self.rows(session, fields):
            columns = [numbers(fields, name)[i] for name in AXES if name in fields]
            if all(map(math.isfinite, columns)):
                self.set_place(body, fields, i)

    def do_teleport(self, session, fields):
        self.do_move(session, fields)
        for _, body in self.rows(session, fields):
            body.was = None

    def do_reshape(self, session, fields):
        for i, body in self.rows(session, fields):
            self.set_shape(body, fields, i)

    def do_despawn(self, session, fields):
        for i, _ in list(self.rows(session, fields)):
            id = numbers(fields, "id", int)[i]
            del self.bodies[id]
            for key in [key for key, is_at in self.observers.items() if is_at.entity == id]:
                del self.observers[key]

    def do_describe(self, session, fields):
        payload, sizes = fields.get("payload", ""), numbers(fields, "payload_size", int)
        starts = [2 * sum(sizes[:i]) for i in range(len(sizes))]
        for i, body in self.rows(session, fields):
            for name, kind in (("tag", int), ("team", int), ("hidden", int), ("visible_range", float)):
                if name in fields:
                    setattr(body, name, numbers(fields, name, kind)[i])
            if sizes:
                body.payload = payload[starts[i]:starts[i] + 2 * sizes[i]]

    def do_hand_over(self, session, fields):
        for _, body in self.rows(session, fields):
            body.owner = fields.get("session", "0")
            body.owner = None if body.owner == "0" else body.owner

    def do_observe(self, session, fields):
        anchored = numbers(fields, "anchored", int)
        for i, id in enumerate(numbers(fields, "id", int)):
            old = self.observers.get((session, id))
            is_at = Observer()
            if old:
                is_at.view, is_at.show, is_at.hide = old.view, old.show, old.hide
            if anchored[i] if anchored else "entity" in fields:
                is_at.entity = numbers(fields, "entity", int)[i]
                body = self.bodies.get(is_at.entity)
                if not body or body.owner not in (session, None):
                    continue
            self.set_observer(is_at, fields, i)
            self.observers[session, id] = is_at

    def set_observer(self, is_at, fields, i):
        for name, attribute, kind in (("region", "region", int), ("range", "range", float), ("mask", "mask", int),
                                      ("leave_margin", "margin", float), ("team", "team", int),
                                      ("sees_self", "sees_self", int)):
            if name in fields:
                setattr(is_at, attribute, numbers(fields, name, kind)[i])
        for axis, name in enumerate(AXES):
            if name in fields:
                is_at.at[axis] = f32(numbers(fields, name)[i])
            if "half_" + name in fields:
                is_at.half[axis] = f32(numbers(fields, "half_" + name)[i])
        is_at.relays = is_at.relays or "relay_range" in fields

    def do_move_observers(self, session, fields):
        for i, id in enumerate(numbers(fields, "id", int)):
            if (session, id) in self.observers:
                self.set_observer(self.observers[session, id], fields, i)

    def do_unobserve(self, session, fields):
        for id in numbers(fields, "id", int):
            self.observers.pop((session, id), None)

    def do_except(self, session, fields):
        is_at = self.observers.get((session, int(fields["observer"])))
        if is_at:
            is_at.show, is_at.hide = (set(numbers(fields, name, int)) for name in ("show", "hide"))

    def do_view_options(self, session, fields):
        self.step_of_relay[session] = 2.0 ** -int(fields["relay_k"]) if "relay_k" in fields else 0.0

    def do_subscribe(self, session, fields):
        self.subscribed[session] = int(fields.get("scope", 1))

    def do_unsubscribe(self, session, fields):
        self.subscribed.pop(session, None)

    # ---- ticks ----

    def make_tick(self):
        self.tick += 1
        both = [(a, b) for a, b in combinations(sorted(self.bodies), 2)]
        self.pairs = {(a, b) for a, b in both if filters_agree(self.bodies[a], self.bodies[b])
                      and overlap(self.bodies[a], self.bodies[b])}
        self.passes = {(a, b) for a, b in both if passed(self.bodies[a], self.bodies[b])} if self.swept else set()
        for (session, _), is_at in self.observers.items():
            is_at.view = {id: self.entry(is_at, id, body) for id, body in self.bodies.items()
                          if self.is_wanted(is_at, id, body)}
        for body in self.bodies.values():
            body.was = body.corners()

    def entry(self, is_at, id, body):
        """What the view has of an entity: as it was at its enter, with the position of the last relay."""
        old = is_at.view.get(id)
        fresh = {"body": body, "at": tuple(body.at), "half": tuple(body.half), "radius": body.radius,
                 "category": body.category, "tag": body.tag, "payload": body.payload or "-"}
        if not old or old["body"] is not body:
            return fresh
        return {**old, "at": fresh["at"] if is_at.relays else old["at"]}

    def is_wanted(self, is_at, id, body):
        center = self.bodies[is_at.entity].at if is_at.entity is not None else is_at.at
        if id in is_at.show:
            return True
        if id in is_at.hide or body.hidden or (id == is_at.entity and not is_at.sees_self):
            return False
        if not body.category & is_at.mask or (is_at.team and body.team and is_at.team != body.team):
            return False
        seen = is_at.view.get(id)
        return self.is_near(is_at, center, body, is_at.margin if seen and seen["body"] is body else 0.0)

    def is_near(self, is_at, center, body, margin):
        distance = squared(body.at, center)
        if body.visible_range and distance <= (body.visible_range + margin) ** 2:
            return True
        if is_at.region == REGION_BOX:
            axes = range(self.dimensions)
            return all(f32(center[k] - f32(is_at.half[k] + margin)) <= body.at[k]
                       <= f32(center[k] + f32(is_at.half[k] + margin)) for k in axes)
        return distance <= f32(is_at.range + margin) ** 2

    # ---- what a session must see ----

    def pairs_of(self, session):
        scope = self.subscribed.get(session)
        if scope == 2:
            return {pair for pair in self.pairs if session in [self.bodies[id].owner for id in pair]}
        return set(self.pairs) if scope else set()

    def views_of(self, session):
        return {(observer, id): entry for (owner, observer), is_at in self.observers.items() if owner == session
                for id, entry in is_at.view.items()}

    def watchers_of(self, id):
        return {(id, session, observer) for (session, observer), is_at in self.observers.items() if id in is_at.view}


def view_problem(line, entry, step):
    """Why a line of `view` is not what the view has; None: it is."""
    words = line.split(" ")
    values = [f32(float(word)) for word in words[3:10]]
    if any(abs(value - is_at) > step / 2 for value, is_at in zip(values[:3], entry["at"])):
        return f"the entity is at {entry['at']}"
    if tuple(values[3:6]) != entry["half"] or values[6] != f32(entry["radius"]):
        return f"the entity's size is {entry['half']}, {entry['radius']}"
    if [int(words[10]), int(words[11]), words[12]] != [entry["category"], entry["tag"], entry["payload"]]:
        return f"category, tag and payload are {entry['category']}, {entry['tag']}, {entry['payload']}"
    return None
