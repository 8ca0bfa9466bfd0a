/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates for tests, made by the openssl program: a test's own process may not use OpenSSL before the server's
 * code has prepared it.
 */
#ifndef QD_TESTS_CERTIFICATE_H
#define QD_TESTS_CERTIFICATE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder with cert.pem and key.pem: a certificate that signs itself, with P-256, for 127.0.0.1 and localhost. */
typedef struct certificate {
    char folder[64], cert[80], key[80];
} certificate;

static inline bool certificate_run(const char *command)
{
    return system(command) == 0;
}

/* Makes another certificate in the folder. */
static inline bool certificate_renew(const certificate *made)
{
    char command[600];

    snprintf(
        command, sizeof command,
        "umask 077; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout %s -out %s -days 2 "
        "-subj /CN=test -addext subjectAltName=IP:127.0.0.1,DNS:localhost 2>/dev/null",
        made->key, made->cert);
    return certificate_run(command);
}

static inline bool certificate_make(certificate *made)
{
    strcpy(made->folder, "/tmp/quadrille-tls-XXXXXX");
    if (mkdtemp(made->folder) == NULL) {
        return false;
    }
    snprintf(made->cert, sizeof made->cert, "%s/cert.pem", made->folder);
    snprintf(made->key, sizeof made->key, "%s/key.pem", made->folder);
    return certificate_renew(made);
}

static inline void certificate_remove(const certificate *made)
{
    (void)unlink(made->cert);
    (void)unlink(made->key);
    (void)rmdir(made->folder);
}

#endif
