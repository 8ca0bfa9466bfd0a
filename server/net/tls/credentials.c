/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <stdio.h>

#include "../../base/files/private_file.h"
#include "../../base/log.h"
#include "policy.h"

/* The reason of the last failure. */
static const char *reason(void)
{
    const unsigned long error = ERR_peek_error();
    const char *text = ERR_SYSTEM_ERROR(error) ? strerror((int)ERR_GET_REASON(error)) : ERR_reason_error_string(error);

    return text != NULL ? text : "unknown reason";
}

static bool read_cert(SSL_CTX *context, const char *path, char *error, size_t error_size)
{
    if (SSL_CTX_use_certificate_chain_file(context, path) != 1) {
        snprintf(error, error_size,
                 "%s cannot be read: %s; must have a certificate in PEM, and then those that lead to its CA", path,
                 reason());
        return false;
    }
    const X509 *cert = SSL_CTX_get0_certificate(context);
    if (X509_cmp_current_time(X509_get0_notBefore(cert)) > 0 || X509_cmp_current_time(X509_get0_notAfter(cert)) < 0) {
        qd_log(QD_LOG_WARN, "the certificate is not valid at this time, so clients refuse it. Renew it and send SIGHUP",
               QD_LOG_STRING("file", path));
    }
    return true;
}

/* The server has no terminal to ask for a passphrase. */
static int no_passphrase(char *text, int text_size, int writing, void *asked)
{
    (void)text, (void)text_size, (void)writing;
    *(bool *)asked = true;
    return -1;
}

static bool read_key(SSL_CTX *context, const qd_tls_files *files, char *error, size_t error_size)
{
    bool asked = false;
    FILE *file = qd_private_file_open(files->key, error, error_size);

    if (file == NULL) {
        return false;
    }
    EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, no_passphrase, &asked);
    fclose(file);
    if (key == NULL) {
        snprintf(error, error_size, "%s cannot be read: %s; must have a private key in PEM without a passphrase",
                 files->key, asked ? "the key has a passphrase" : reason());
        return false;
    }
    const bool fits = SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
    EVP_PKEY_free(key);
    if (!fits) {
        snprintf(error, error_size, "%s is not the key of the certificate in %s: %s. Give the pair", files->key,
                 files->cert, reason());
    }
    return fits;
}

static bool read_client_ca(SSL_CTX *context, const char *path, char *error, size_t error_size)
{
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(path);

    if (names == NULL || SSL_CTX_load_verify_file(context, path) != 1) {
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        snprintf(error, error_size, "%s cannot be read: %s; must have the certificate of a CA in PEM", path, reason());
        return false;
    }
    SSL_CTX_set_client_CA_list(context, names);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return true;
}

SSL_CTX *qd_tls_credentials_read(const qd_tls_files *files, char *error, size_t error_size)
{
    ERR_clear_error();
    SSL_CTX *context = qd_tls_policy_context();

    if (context == NULL) {
        snprintf(error, error_size, "OpenSSL refused to start: %s", reason());
        return NULL;
    }
    if (read_cert(context, files->cert, error, error_size) && read_key(context, files, error, error_size) &&
        (files->client_ca == NULL || read_client_ca(context, files->client_ca, error, error_size))) {
        return context;
    }
    SSL_CTX_free(context);
    return NULL;
}
