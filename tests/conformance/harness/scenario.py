# SPDX-License-Identifier: Apache-2.0
"""Plays a scenario file with the drivers of one SDK. ../README.md has the format."""
import os
import re
import signal
import tempfile
import time

from play import Play
from processes import Driver, Problem, Server
from proxy import Proxy
from world import Observer, Room, view_problem

# Commands whose answers depend on nothing but the scenario, so that all SDKs give the same.
COMPARED = ("pairs", "view", "step", "query", "refusals", "events", "watchers")
SETTLE_STEPS = 200


class Session:
    def __init__(self, driver):
        self.driver, self.number = driver, 0
        self.folded = {}  # room -> (pairs, seen) by the events
        self.resets = {}  # room -> number of resets by the events


class Scenario:
    def __init__(self, path, program, command):
        self.path, self.program, self.command = path, program, command
        self.options, self.server, self.proxy, self.sessions, self.rooms, self.plays = [], None, None, {}, {}, {}
        self.transcript, self.token_file, self.line = [], None, 0
        self.compares = True  # with the transcript of another SDK

    # ---- the file ----

    def run(self):
        """The transcript. Problem: what went wrong, with the line."""
        with open(self.path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        try:
            while self.line < len(lines):
                self.line += 1
                text = lines[self.line - 1]
                if text and not text.startswith((" ", "#")):
                    wanted = []
                    while self.line < len(lines) and lines[self.line].startswith(" "):
                        wanted.append(lines[self.line].strip())
                        self.line += 1
                    self.do(text, wanted)
            self.finish()
        except Problem as problem:
            raise Problem(f"{os.path.basename(self.path)}:{self.line}: {problem}") from None
        finally:
            self.clean_up()
        return self.transcript

    def do(self, text, wanted):
        word, _, rest = text.partition(" ")
        directive = getattr(self, "do_" + word, None)
        if directive:
            directive(rest.split(" ") if rest else [], wanted)
        elif word in self.sessions:
            self.command_of(word, rest)
        else:
            raise Problem(f"'{word}' is neither a directive nor a session")

    def finish(self):
        for session in self.sessions.values():
            session.driver.quit()
        if self.server:
            server, self.server = self.server, None
            server.stop()

    def clean_up(self):
        for session in self.sessions.values():
            session.driver.kill()
        if self.server:
            self.server.stop(signal.SIGKILL)
        if self.proxy:
            self.proxy.stop()
        if self.token_file:
            os.unlink(self.token_file)

    # ---- commands ----

    def ask(self, name, command):
        """The answer to a command, which must be ok. Keeps what must be the same for all SDKs."""
        lines, answer = self.sessions[name].driver.ask(command)
        if not answer.startswith("ok"):
            raise Problem(f"{name} {command[:200]}: {answer}")
        self.note(name, command, lines, answer)
        return lines, answer

    def note(self, name, command, lines, answer):
        if command.split(" ")[0] in COMPARED:
            plain = sorted(self.plain(line) for line in lines)
            self.transcript.append((f"{self.line}: {name} {command}", plain, answer))

    def plain(self, line):
        """A line in which numbers look the same for all SDKs, and sessions have their names."""
        words = line.split(" ")
        if words[0] == "watcher":
            names = {str(session.number): name for name, session in self.sessions.items()}
            words[2] = names.get(words[2], words[2])
        numbers = {"seen": slice(3, 10), "found": slice(2, 3)}.get(words[0])
        if numbers:
            words[numbers] = [repr(float(word)) for word in words[numbers]]
        return " ".join(words)

    def split(self, command):
        """Command, room and fields."""
        words = command.split(" ")
        return words[0], words[1] if len(words) > 1 else "", dict(word.split("=", 1) for word in words[2:])

    def command_of(self, name, command):
        command = re.sub(r"session=@(\w+)", lambda found: f"session={self.sessions[found.group(1)].number}", command)
        self.model(name, command)
        return self.ask(name, command)

    def model(self, name, command):
        verb, room, fields = self.split(command)
        if verb == "open" and room not in self.rooms:
            self.rooms[room] = Room(fields)
        elif verb == "step":
            self.rooms[room].make_tick()
        elif room in self.rooms:
            number = fields.get("session")
            if number:
                names = {str(session.number): other for other, session in self.sessions.items()}
                fields["session"] = names.get(number, number)
            self.rooms[room].apply(name, verb, fields)

    # ---- directives ----

    def do_server(self, options, _):
        self.options += options

    def do_token(self, words, _):
        self.token_file = self.token_file or tempfile.mkstemp(prefix="quadrille-tokens-")[1]
        with open(self.token_file, "a", encoding="utf-8") as file:
            file.write(" ".join(words) + "\n")

    def start(self):
        if not self.server:
            tokens = ["--token-file", self.token_file] if self.token_file else []
            self.server = Server(self.program, self.options + tokens)

    def do_session(self, words, _):
        """session NAME [proxy] [FIELD=VALUE...]"""
        self.start()
        name, fields = words[0], words[1:]
        address = self.server.address
        if fields[:1] == ["proxy"]:
            fields = fields[1:]
            self.proxy = self.proxy or Proxy(self.server.address)
            self.compares, address = False, self.proxy.address
        self.sessions[name] = Session(Driver(name, self.command))
        self.ask(name, " ".join(["connect", address, *fields]))
        self.learn_number(name)

    def do_refuse_session(self, words, _):
        """refuse_session CODE [FIELD=VALUE...]: a session that the server must not accept."""
        self.start()
        driver = Driver("refused", self.command)
        _, answer = driver.ask(" ".join(["connect", self.server.address, *words[1:]]))
        driver.kill()
        if answer != f"error refused {words[0]}":
            raise Problem(f"connect: {answer}; must be refused with {words[0]}")

    def learn_number(self, name):
        status = self.status(name)
        self.sessions[name].number = int(status["session"])

    def status(self, name):
        _, answer = self.ask(name, "status")
        return dict(word.split("=") for word in answer.split(" ")[1:])

    def do_refuse(self, words, _):
        """refuse CODE NAME COMMAND: the command's own answer is that the server refuses it."""
        code, name, command = words[0], words[1], " ".join(words[2:])
        _, answer = self.sessions[name].driver.ask(command)
        if answer != f"error refused {code}":
            raise Problem(f"{name} {command}: {answer}; must be refused with {code}")

    def do_fail(self, words, _):
        """fail NAME COMMAND: the command's answer is any error."""
        _, answer = self.sessions[words[0]].driver.ask(" ".join(words[1:]))
        if not answer.startswith("error"):
            raise Problem(f"{' '.join(words)}: {answer}; must be an error")

    def do_expect(self, words, wanted):
        """expect NAME COMMAND, and the lines of its answer below, in any order."""
        name, command = words[0], " ".join(words[1:])
        lines, _ = self.ask(name, command)
        if command.startswith("events "):
            self.fold(name, words[2], lines)
        plain = sorted(self.plain(line) for line in lines)
        if plain != sorted(self.plain(line) for line in wanted):
            raise Problem(f"{name} {command}: the answer is {plain}; must be {sorted(wanted)}")

    def do_together(self, words, _):
        """together NAME,NAME step ROOM: all send before the first answer is read."""
        names, command = words[0].split(","), " ".join(words[1:])
        self.model(names[0], command)
        for name in names:
            self.sessions[name].driver.send(command)
        answers = {}
        for name in names:
            lines, answers[name] = self.sessions[name].driver.receive(command)
            if not answers[name].startswith("ok"):
                raise Problem(f"{name} {command}: {answers[name]}")
            self.note(name, command, lines, answers[name])
        if len(set(answers.values())) != 1:
            raise Problem(f"{command}: the answers differ: {answers}")

    def do_check(self, words, _):
        """check NAME ROOM: pairs, views and events against brute force."""
        self.check(*words)

    def do_tick(self, words, _):
        """tick ROOM: the brute force makes a tick, for a room on its own clock."""
        self.rooms[words[0]].make_tick()

    def do_settle(self, words, _):
        """settle NAME ROOM: steps until the views are those of the last tick."""
        self.settle(*words)

    def settle(self, name, room):
        for _ in range(SETTLE_STEPS):
            if self.sessions[name].driver.ask(f"settled {room}")[1] == "ok 1":
                return
            self.model(name, f"step {room}")
            self.sessions[name].driver.ask(f"step {room}")
        raise Problem(f"'{room}' has not settled after {SETTLE_STEPS} steps")

    def do_kill(self, words, _):
        """kill NAME: ends the driver as a crash would. Its entities stay until their grace time is over."""
        self.sessions.pop(words[0]).driver.kill()

    def do_inherit(self, words, _):
        """inherit ROOM FROM TO: in the brute force, entities that one session had belong to another."""
        room, before, after = self.rooms[words[0]], words[1], words[2]
        for body in room.bodies.values():
            body.owner = after if body.owner == before else body.owner
        room.observers = {key: is_at for key, is_at in room.observers.items() if key[0] != before}

    def do_part(self, words, _):
        """part ROOM NAME: in the brute force, what a session owns is gone."""
        room = self.rooms[words[0]]
        own = [str(id) for id, body in room.bodies.items() if body.owner == words[1]]
        room.do_despawn(words[1], {"id": ",".join(own)})
        room.observers = {key: is_at for key, is_at in room.observers.items() if key[0] != words[1]}
        room.subscribed.pop(words[1], None)
        self.sessions[words[1]].folded.pop(words[0], None)

    def do_pause(self, words, _):
        time.sleep(int(words[0]) / 1000)

    def do_cut(self, words, _):
        """cut up|down BYTES: cuts the connection after that many bytes from now."""
        self.proxy.cut_after(words[0], int(words[1]))

    def do_hold(self, _words, _):
        self.proxy.hold(True)

    def do_release(self, _words, _):
        self.proxy.hold(False)

    def do_sever(self, _words, _):
        self.proxy.sever(True)

    def do_mend(self, _words, _):
        self.proxy.sever(False)

    def do_restart(self, _words, _):
        """restart: another server takes the place of this one, which knows nothing."""
        old, self.server = self.server, None
        self.start()
        self.proxy.aim(self.server.address)
        old.stop(signal.SIGKILL)
        for room in self.rooms.values():
            room.tick = 0

    def do_at_least(self, words, _):
        """at_least NAME FIELD NUMBER: a number of the driver's status."""
        number = int(self.status(words[0])[words[1]])
        if number < int(words[2]):
            raise Problem(f"{words[1]} of {words[0]} is {number}; must be at least {words[2]}")

    def do_play(self, words, _):
        """play NAME ROOM FIELD=VALUE...: random changes, with a check after each tick. See play.py."""
        play = self.plays[words[0], words[1]] = Play(self, words[0], words[1],
                                                     dict(word.split("=") for word in words[2:]))
        play.run()

    def do_play_on(self, words, _):
        """play_on NAME ROOM ROUNDS: more of the same, without checks."""
        self.plays[words[0], words[1]].go_on(int(words[2]))

    def do_resets(self, words, _):
        """resets NAME ROOM NUMBER: the events up to the last check had at least so many resets of pairs."""
        found = self.sessions[words[0]].resets.get(words[1], 0)
        if found < int(words[2]):
            raise Problem(f"{words[0]} has got {found} resets; must be at least {words[2]}")

    # ---- checks ----

    def fold(self, name, room, lines):
        """Folds events into sets, which must make sense."""
        pairs, seen = self.sessions[name].folded.setdefault(room, (set(), set()))
        groups = {"begin": (pairs, True), "end": (pairs, False), "enter": (seen, True), "leave": (seen, False)}
        for line in lines:
            words = line.split(" ")
            if words[0] == "reset":
                self.sessions[name].resets[room] = self.sessions[name].resets.get(room, 0) + 1
            if words[0] not in groups:
                continue
            group, adds = groups[words[0]]
            key = (int(words[1]), int(words[2]))
            if (key in group) == adds:
                raise Problem(f"the event '{line}' contradicts those before it")
            group ^= {key}
        return pairs, seen

    def check(self, name, room, views=True):
        """`views`: also those. Without it they may wait for another tick."""
        model = self.rooms[room]
        lines, _ = self.ask(name, f"pairs {room}")
        pairs = {tuple(map(int, line.split(" ")[1:])) for line in lines}
        events, _ = self.sessions[name].driver.ask(f"events {room}")
        passes = sorted(tuple(map(int, line.split(" ")[1:])) for line in events if line.startswith("passed "))
        if passes != (sorted(model.passes) if name in model.subscribed else []):
            raise Problem(f"tick {model.tick}: passed are {passes}; must be {sorted(model.passes)}")
        reported, seen = self.fold(name, room, events)
        self.equal(f"tick {model.tick}: the pairs", pairs, model.pairs_of(name))
        self.equal(f"tick {model.tick}: the pairs by events", reported, pairs)
        if views:
            self.check_views(name, room, seen)

    def check_views(self, name, room, reported):
        model, step = self.rooms[room], self.rooms[room].step_of_relay.get(name, 0.0)
        lines, _ = self.ask(name, f"view {room}")
        wanted = model.views_of(name)
        seen = {tuple(map(int, line.split(" ")[1:3])): line for line in lines}
        self.equal(f"tick {model.tick}: the views", set(seen), set(wanted))
        self.equal(f"tick {model.tick}: the views by events", reported, set(seen))
        for key, line in seen.items():
            problem = view_problem(line, wanted[key], step)
            if problem and not self.compares:  # a reset may have brought the entity's sizes as they are now
                problem = view_problem(line, model.entry(Observer(), key[1], wanted[key]["body"]), step)
            if problem:
                raise Problem(f"tick {model.tick}: '{line}', but {problem}")

    def do_check_watchers(self, words, _):
        """check_watchers NAME ROOM ID,ID...: the reverse view of those entities."""
        name, room, ids = words
        lines, _ = self.ask(name, f"watchers {room} id={ids}")
        seen = {tuple(self.plain(line).split(" ")[1:]) for line in lines}
        wanted = set().union(*(self.rooms[room].watchers_of(int(id)) for id in ids.split(",")))
        self.equal("the watchers", seen, {tuple(map(str, entry)) for entry in wanted})

    def equal(self, what, found, wanted):
        if found != wanted:
            raise Problem(f"{what}: missing {sorted(wanted - found)[:10]}, too many {sorted(found - wanted)[:10]}")
