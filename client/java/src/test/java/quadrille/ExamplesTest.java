// SPDX-License-Identifier: Apache-2.0
package quadrille;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static quadrille.SessionTest.get;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The programs of examples/, as the README starts them. */
@Timeout(60)
final class ExamplesTest {
    private static Process run(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(), "-cp",
                System.getProperty("java.class.path")));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).directory(new File("."))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    @Test
    void hello_prints_what_the_page_says() throws Exception {
        try (Servers server = new Servers()) {
            Process hello = run("examples/Hello.java", server.address);
            String text = new String(hello.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(List.of("tick 1: 0 pairs, 7 sees []", "tick 2: 0 pairs, 7 sees [2]", "1 touches 2",
                    "tick 3: 1 pairs, 7 sees [2]"), text.lines().toList());
            assertEquals(0, hello.waitFor());
        }
    }

    @Test
    void gateway_replicates_views_to_players() throws Exception {
        try (Servers server = new Servers(); Session session = get(Session.connect(server.address))) {
            Room room = get(session.open("demo-2", RoomOptions.bounds(0, 0, 100, 100).hz(50)));
            room.spawn(Entities.of(1, 2).at(new float[] {7, 60}, new float[] {5, 60}).half(1)).await();
            Process gateway = run("examples/Gateway.java", server.address, "demo-2", "0");
            String first = new BufferedReader(new InputStreamReader(gateway.getInputStream())).readLine();
            int port = Integer.parseInt(first.substring(first.lastIndexOf(':') + 1));
            try (Socket player = new Socket("127.0.0.1", port)) {
                BufferedReader in = new BufferedReader(new InputStreamReader(player.getInputStream()));
                assertEquals("you 1000000", in.readLine());
                assertEquals("spawn 1 7.000 5.000", in.readLine());
                room.move(1, 8, 5.5f);
                assertEquals("move 1 8.000 5.500", in.readLine());
                player.getOutputStream().write("61 61\n".getBytes(StandardCharsets.UTF_8));
                String[] lines = {in.readLine(), in.readLine()};
                Arrays.sort(lines);
                assertEquals(List.of("remove 1", "spawn 2 60.000 60.000"), List.of(lines));
            } finally {
                gateway.destroy();
                gateway.waitFor();
            }
        }
    }

    @Test
    void gateway_has_less_than_80_lines() throws IOException {
        try (Stream<String> lines = java.nio.file.Files.lines(java.nio.file.Path.of("examples/Gateway.java"))) {
            assertTrue(lines.count() < 80);
        }
    }
}
