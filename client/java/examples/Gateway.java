// SPDX-License-Identifier: Apache-2.0

import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import quadrille.*;

/**
 * A gateway that replicates to each player what the player sees. Usage: Gateway.java [HOST:PORT [ROOM [LISTEN_PORT]]]
 * (127.0.0.1:7400, demo-2, 7500). A player connects to the port, sends lines "X Y" to move, and gets lines: "you ID",
 * "spawn ID X Y", "move ID X Y" and "remove ID". Try it with `nc 127.0.0.1 7500` beside client/demo.
 */
public final class Gateway {
    static final float RANGE = 8, MARGIN = 1, RADIUS = 0.5f;
    static final int BEHIND_LINES = 4096; // a player who reads so slowly is disconnected

    record Player(Socket socket, BlockingQueue<String> lines) { }
    static final ConcurrentMap<Integer, Player> players = new ConcurrentHashMap<>();
    static final AtomicInteger ids = new AtomicInteger(1_000_000);

    static void tell(int id, String format, Object... values) {
        Player player = players.get(id);
        if (player != null && !player.lines.offer(String.format(Locale.ROOT, format + "%n", values))) {
            player.lines.clear();
            player.lines.offer(""); // the end
        }
    }

    static void write(Player player) {
        try (PrintStream out = new PrintStream(player.socket.getOutputStream())) {
            for (String line = player.lines.take(); !line.isEmpty(); line = player.lines.take()) {
                out.print(line);
            }
        } catch (IOException | InterruptedException error) {
            player.lines.clear(); // the player has gone
        }
    }

    static void serve(Session session, Room room, int id, Player player) {
        players.put(id, player);
        tell(id, "you %d", id);
        try (Scanner in = new Scanner(player.socket.getInputStream()).useLocale(Locale.ROOT)) {
            room.spawn(Entities.of(id).at(5, 5).radius(RADIUS)).await();
            room.observe(Observers.of(id).anchor(id).range(RANGE).margin(MARGIN).relay(RANGE, 1).relay(2 * RANGE, 5));
            while (in.hasNextFloat()) {
                room.move(id, in.nextFloat(), in.nextFloat());
                session.drain().join();
            }
        } catch (IOException | RuntimeException error) {
            System.err.println("player " + id + ": " + error.getMessage());
        }
        players.remove(id);
        player.lines.offer(""); // the end
        room.despawn(id);
    }

    public static void main(String[] arguments) throws IOException {
        String[] at = {"127.0.0.1:7400", "demo-2", "7500"};
        System.arraycopy(arguments, 0, at, 0, arguments.length);
        try (Session session = Session.connect(at[0], new Options().name("gateway")).join();
                ServerSocket server = new ServerSocket(Integer.parseInt(at[2]), 0, InetAddress.getLoopbackAddress())) {
            session.onRefused(refusal -> System.err.println(refusal.text()));
            Room room = session.open(at[1]).join();
            room.viewOptions(new ViewOptions().relayOnce(9)); // each position once for all players, in a byte or two
            room.onEnter((who, id) ->
                    tell(who, "spawn %d %.3f %.3f", id, room.view(who).get(id).x(), room.view(who).get(id).y()));
            room.onLeave((player, id, why) -> tell(player, "remove %d", id));
            room.onRelay((player, id, x, y, z) -> tell(player, "move %d %.3f %.3f", id, x, y));
            System.out.println("players connect to 127.0.0.1:" + server.getLocalPort());
            while (true) {
                Player player = new Player(server.accept(), new ArrayBlockingQueue<>(BEHIND_LINES));
                new Thread(() -> write(player)).start();
                new Thread(() -> serve(session, room, ids.getAndIncrement(), player)).start();
            }
        }
    }
}
