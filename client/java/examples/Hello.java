// SPDX-License-Identifier: Apache-2.0

import java.util.Arrays;
import quadrille.Entities;
import quadrille.Observers;
import quadrille.Room;
import quadrille.RoomOptions;
import quadrille.Session;
import quadrille.Tick;

/** Two boxes meet in a room, and an observer sees it. Usage: Hello.java [HOST:PORT] */
public final class Hello {
    public static void main(String[] arguments) {
        String address = arguments.length > 0 ? arguments[0] : "127.0.0.1:7400";
        try (Session session = Session.connect(address).join()) {
            Room room = session.open("hello", RoomOptions.bounds(0, 0, 100, 100).step()).join();
            room.subscribe();
            room.onBegin((a, b) -> System.out.println(a + " touches " + b));
            room.spawn(Entities.of(1, 2).at(new float[] {10, 30}, new float[] {10, 10}).half(1)).await();
            room.observe(Observers.of(7).anchor(1).range(10).margin(2)).await();
            for (float x : new float[] {25, 18, 11}) {
                room.move(2, x, 10);
                Tick tick = room.step().join();
                System.out.println("tick " + tick.number() + ": " + room.pairs().size() + " pairs, 7 sees "
                        + Arrays.toString(room.view(7).ids()));
            }
        }
    }
}
