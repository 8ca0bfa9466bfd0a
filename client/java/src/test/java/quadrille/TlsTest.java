// SPDX-License-Identifier: Apache-2.0
package quadrille;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static quadrille.SessionTest.floats;
import static quadrille.SessionTest.get;
import static quadrille.SessionTest.ids;
import static quadrille.SessionTest.yard;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import quadrille.v1.ErrorCode;

/** Encrypted sessions against a real server. */
@Timeout(60)
final class TlsTest {
    private static final String TOKEN = "the-token-of-the-test";

    /** The first handshake loads classes, and may take longer than a busy machine's server waits. */
    private static Options patient(SSLContext context, String token) {
        return new Options().tls(context).token(token).timeout(Duration.ofSeconds(25));
    }

    private static void secret(Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    private static Servers start(Path folder) throws Exception {
        Path key = folder.resolve("key.pem");
        Path certificate = folder.resolve("cert.pem");
        Path tokens = folder.resolve("tokens");
        Process openssl = new ProcessBuilder("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-keyout", key.toString(), "-out", certificate.toString(), "-days",
                "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        assertEquals(0, openssl.waitFor());
        secret(key);
        Files.writeString(tokens, TOKEN + " writer\n");
        secret(tokens);
        return new Servers("--tls-cert", certificate.toString(), "--tls-key", key.toString(), "--token-file",
                tokens.toString());
    }

    private static SSLContext trust(Path certificate) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            store.setCertificateEntry("server", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    @Test
    void certificate_and_token_are_checked(@TempDir Path folder) throws Exception {
        try (Servers server = start(folder)) {
            SSLContext context = trust(folder.resolve("cert.pem"));
            try (Session session = get(Session.connect(server.address, patient(context, TOKEN)))) {
                assertEquals(1, get(get(session.open("yard", yard())).step()).number());
            }
            ExecutionException refused = assertThrows(ExecutionException.class,
                    () -> get(Session.connect(server.address, patient(context, "wrong"))));
            assertEquals(ErrorCode.ERROR_CODE_UNAUTHENTICATED, ((RefusedException) refused.getCause()).code());
            Options stranger = new Options().tls(SSLContext.getDefault()).timeout(Duration.ofSeconds(5));
            ExecutionException untrusted = assertThrows(ExecutionException.class,
                    () -> get(Session.connect(server.address, stranger)));
            assertTrue(untrusted.getCause().getMessage().contains("PKIX path building failed"), untrusted::toString);
        }
    }

    @Test
    void large_frames_pass_in_both_directions(@TempDir Path folder) throws Exception {
        try (Servers server = start(folder)) {
            Options options = patient(trust(folder.resolve("cert.pem")), TOKEN);
            try (Session session = get(Session.connect(server.address, options))) {
                Room room = get(session.open("large", yard()));
                int[] ids = ids(0, 50000);
                room.spawn(Entities.of(ids).at(floats(50000, 0, 1), new float[50000]).half(0.25f)).await();
                for (int turn = 1; turn <= 20; turn++) {
                    room.move(ids, floats(50000, turn, 1), new float[50000]);
                    get(session.drain());
                }
                get(room.step());
                assertArrayEquals(floats(50000, 20, 1), get(room.snapshot(true, 0)).floats("x"));
                assertInstanceOf(Tick.class, get(room.step()));
            }
        }
    }
}
