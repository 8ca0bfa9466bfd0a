# SPDX-License-Identifier: Apache-2.0
"""Random changes of a room, with a check after each tick.

Fields of the directive `play`:
  rounds=N      ticks
  seed=N        of the random numbers (1)
  ids=N         entities 0 to N - 1 (48); the first half moves in every round, the others come and go
  side=N        positions are below it on each axis (60)
  observers=N   the first half is anchored (0)
  relay=1       each observer gets each position
  fixed=1       the room ticks on its own clock
  cut=DIRECTION up, down or both: cuts the connection after 0 bytes, then after 1, 2 and so on, round by round; and the
                next connection after as many bytes, up to the end of its handshake
  restart=N     restarts the server every N rounds
"""
import random

from shapes import BOX, CIRCLE

HANDSHAKE_BYTES = 250  # of Hello, or of Welcome, and of what follows
QUARTERS = 4  # positions and sizes are multiples of a quarter, which float32 has exactly


class Play:
    def __init__(self, scenario, name, room, fields):
        number = {key: int(value) for key, value in fields.items() if key != "cut"}
        self.scenario, self.name, self.room = scenario, name, room
        self.rounds, self.ids, self.side = number["rounds"], number.get("ids", 48), number.get("side", 60)
        self.observers, self.relay = number.get("observers", 0), number.get("relay", 0)
        self.clock, self.cut, self.restart = number.get("fixed", 0), fields.get("cut"), number.get("restart", 0)
        self.rng = random.Random(number.get("seed", 1))
        self.model = scenario.rooms[room]
        self.tags = 0

    def run(self):
        for id in range(self.ids):
            if id < self.ids // 2 or id % 2 == 0:
                self.spawn(id)
        for id in range(self.observers):
            self.observe(id)
        for i in range(self.rounds):
            if self.cut and i > 0:
                count = i // 2 if self.cut == "both" else i
                self.scenario.proxy.cut_after(self.direction(i), count, count % HANDSHAKE_BYTES)
            self.change()
            if self.restart and i % self.restart == self.restart - 1:
                self.scenario.do_restart([], [])
            self.tick()
            settled = self.scenario.sessions[self.name].driver.ask(f"settled {self.room}")[1] == "ok 1"
            self.scenario.check(self.name, self.room, settled)
        if not self.clock:
            self.tick()
            self.scenario.settle(self.name, self.room)
            self.scenario.check(self.name, self.room)

    def go_on(self, rounds):
        for _ in range(rounds):
            self.change()
            self.tick()

    def direction(self, i):
        return ("up", "down")[i % 2] if self.cut == "both" else self.cut

    def tick(self):
        if self.clock:
            self.model.make_tick()
            self.scenario.ask(self.name, f"sync {self.room}")
        else:
            self.ask("step", "")

    # ---- changes ----

    def ask(self, command, fields):
        self.scenario.command_of(self.name, " ".join(filter(None, [command, self.room, fields])))

    def place(self):
        return self.rng.randrange(self.side * QUARTERS) / QUARTERS

    def columns(self, ids):
        axes = "xyz"[:self.model.dimensions]
        columns = [f"{axis}={','.join(str(self.place()) for _ in ids)}" for axis in axes]
        return f"id={','.join(map(str, ids))} {' '.join(columns)}"

    def spawn(self, id):
        shape = BOX if self.model.swept else self.rng.choice((BOX, CIRCLE))
        size = self.rng.randrange(1, 13) / QUARTERS
        halves = [f"half_{axis}={size}" for axis in "xyz"[:self.model.dimensions]]
        sizes = f"radius={size}" if shape == CIRCLE else " ".join(halves)
        self.ask("spawn", f"{self.columns([id])} shape={shape} {sizes} category={self.rng.choice((1, 2, 3))}")
        if self.observers and not self.clock:  # with a clock, an entity may enter before its description comes
            self.tags += 1
            hidden = int(self.rng.random() < 0.1)
            self.ask("describe", f"id={id} tag={self.tags} hidden={hidden} payload_size=2 payload={self.tags:04x}")

    def observe(self, id):
        where = f"entity={id}" if id < self.observers // 2 else self.columns([id])[len(f"id={id} "):]
        relay = f" relay_range={4 * self.side} relay_every=1" if self.relay else ""
        self.ask("observe", f"id={id} {where} range={self.rng.randrange(5, 25)}{relay}")

    def change(self):
        self.ask("move", self.columns(range(self.ids // 2)))
        others = [id for id in range(self.ids // 2, self.ids) if id in self.model.bodies and self.rng.random() < 0.5]
        if others:
            self.ask(self.rng.choice(("move", "move", "move", "teleport")), self.columns(others))
        id = self.rng.randrange(self.ids // 2, self.ids)
        body = self.model.bodies.get(id)
        if body is None:
            self.spawn(id)
        elif self.rng.random() < 0.5:
            self.ask("despawn", f"id={id}")
        elif body.shape == CIRCLE and not self.clock:  # with a clock, it may enter with the size before or after
            self.ask("reshape", f"id={id} radius={self.rng.randrange(1, 13) / QUARTERS}")
        if self.observers:
            self.change_observer(self.rng.randrange(self.observers))

    def change_observer(self, id):
        if (self.name, id) not in self.model.observers or self.rng.random() < 0.3:
            self.observe(id)
        elif id >= self.observers // 2:
            self.ask("move_observers", self.columns([id]))
        elif self.rng.random() < 0.3:
            self.ask("unobserve", f"id={id}")
