// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real server for the tests. The environment variable QD_SERVER names its program. */
final class Servers implements AutoCloseable {
    private static final int STOP_SECONDS = 60;

    final Process process;
    final String address;

    Servers(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(System.getenv("QD_SERVER"), "--listen", "127.0.0.1:0",
                "--log-level", "error"));
        command.addAll(List.of(options));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String line = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
        address = line.substring(line.lastIndexOf(' ') + 1);
    }

    /** Sends a signal, such as "STOP". */
    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    }

    /** The server must end with status 0. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError("the server did not end with status 0");
            }
        } catch (InterruptedException error) {
            throw new AssertionError(error);
        }
    }
}
