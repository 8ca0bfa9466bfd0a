# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy on a thread, which cuts connections after a chosen byte, holds what the server sends, or is away."""
import selectors
import socket
import struct
import threading

PIECE = 65536
BUFFER = 4096  # of the socket to the server while it may be held, so that the server's queue fills soon
RESET = struct.pack("ii", 1, 0)


class Proxy:
    def __init__(self, target):
        self.target, self.lock = target, threading.Lock()
        self.left = {"up": None, "down": None}  # bytes to let through before the cut; None: no cut is due
        self.next_left = None  # the same for the next connection
        self.carried = {"up": 0, "down": 0}
        self.cuts, self.held, self.severed, self.stopped = 0, False, False, False
        self.peers = {}  # socket -> (the other one, direction)
        self.waiting = {}  # socket -> bytes that it does not take yet
        self.selector = selectors.DefaultSelector()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.wake_read, self.wake_write = socket.socketpair()
        for each in (self.listener, self.wake_read):
            self.selector.register(each, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    # ---- for the scenario's thread ----

    def cut_after(self, direction, count, again=None):
        """Cuts the connection `count` bytes of that direction from now, and the next one after `again` bytes."""
        with self.lock:
            self.left[direction] = count
            self.next_left = {"up": None, "down": None, direction: again}
            if count == 0:
                self.wake_write.send(b"c")

    def hold(self, held):
        with self.lock:
            self.held = held
        self.wake_write.send(b"h")

    def sever(self, severed):
        """Cuts the connections, and accepts no others until it is called again."""
        with self.lock:
            self.severed = severed
        self.wake_write.send(b"v")

    def aim(self, target):
        with self.lock:
            self.target = target

    def stop(self):
        self.stopped = True
        self.wake_write.send(b"s")
        self.thread.join()

    # ---- the proxy's thread ----

    def run(self):
        while not self.stopped:
            for key, events in self.selector.select():
                if key.fileobj is self.listener:
                    self.accept()
                elif key.fileobj is self.wake_read:
                    self.wake_read.recv(PIECE)
                    self.obey()
                elif key.fileobj in self.peers:
                    if events & selectors.EVENT_WRITE:
                        self.flush(key.fileobj)
                    if events & selectors.EVENT_READ and key.fileobj in self.peers:
                        self.carry(key.fileobj)
        for each in list(self.peers) + [self.listener, self.wake_read, self.wake_write]:
            each.close()

    def accept(self):
        client, _ = self.listener.accept()
        if self.severed:
            client.close()
            return
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        host, _, port = self.target.rpartition(":")
        try:
            server.connect((host, int(port)))
        except OSError:
            client.close()
            return
        for each in (client, server):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            each.setblocking(False)
            self.waiting[each] = b""
        self.peers[client], self.peers[server] = (server, "up"), (client, "down")
        for each in (client, server):
            self.watch(each)

    def watch(self, each):
        """Reads from a socket unless its bytes are held or the other side does not take them."""
        other, direction = self.peers[each]
        events = selectors.EVENT_WRITE if self.waiting[each] else 0
        if not self.waiting[other] and not (self.held and direction == "down"):
            events |= selectors.EVENT_READ
        known = each in self.selector.get_map()
        if events and known:
            self.selector.modify(each, events)
        elif events:
            self.selector.register(each, events)
        elif known:
            self.selector.unregister(each)

    def obey(self):
        with self.lock:
            due = 0 in self.left.values() or self.severed
        for each in list(self.peers):
            if due and each in self.peers:
                self.cut(each)
            elif each in self.peers:
                self.watch(each)

    def carry(self, each):
        other, direction = self.peers[each]
        try:
            data = each.recv(PIECE)
        except OSError:
            data = b""
        if not data:
            self.close(each)
            return
        with self.lock:
            left = self.left[direction]
            data = data if left is None else data[:left]
            self.carried[direction] += len(data)
            if left is not None:
                self.left[direction] = left - len(data)
            ends = left is not None and left == len(data)
        self.waiting[other] += data
        self.flush(other)
        if ends and each in self.peers:
            self.cut(each)

    def flush(self, each):
        try:
            self.waiting[each] = self.waiting[each][each.send(self.waiting[each]):]
        except BlockingIOError:
            pass
        except OSError:
            self.close(each)
            return
        self.watch(each)
        self.watch(self.peers[each][0])

    def cut(self, each):
        """Alternates between an end and a reset."""
        with self.lock:
            self.left, self.next_left = self.next_left or {"up": None, "down": None}, None
            self.cuts += 1
        if self.cuts % 2:
            for end in (each, self.peers[each][0]):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.close(each)

    def close(self, each):
        for end in (each, self.peers[each][0]):
            if end in self.selector.get_map():
                self.selector.unregister(end)
            del self.peers[end], self.waiting[end]
            end.close()
