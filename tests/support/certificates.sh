# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Certificates for the scripts that test TLS, made at run time with openssl in the folder $certs. Source it after tools.sh.
#
#   make_ca NAME                       $certs/NAME.pem and its key
#   make_certificate NAME CA EXTENSIONS [DAYS]
#                                      $certs/NAME.pem and $certs/NAME.key, signed by that CA; EXTENSIONS are lines of
#                                      openssl's configuration, such as "subjectAltName=IP:127.0.0.1". With -1 DAYS it has ended
certs=$scratch/certs
mkdir "$certs"

make_ca() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$certs/$1.key" -out "$certs/$1.pem" \
        -days 2 -subj "/CN=$1" 2>"$scratch/openssl" || fail "openssl: $(cat "$scratch/openssl")"
}

make_certificate() {
    local name=$1 ca=$2 extensions=$3 days=${4:-2}
    {
        (umask 077 && openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$certs/$name.key") &&
            openssl req -new -key "$certs/$name.key" -subj "/CN=$name" -out "$certs/$name.csr" &&
            openssl x509 -req -in "$certs/$name.csr" -CA "$certs/$ca.pem" -CAkey "$certs/$ca.key" -CAcreateserial \
                -out "$certs/$name.pem" -extfile <(echo "$extensions") -days "$days"
    } 2>"$scratch/openssl" || fail "openssl: $(cat "$scratch/openssl")"
}
