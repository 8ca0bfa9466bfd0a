// SPDX-License-Identifier: Apache-2.0
//! How a session connects.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::{pem::PemObject, CertificateDer};

/// How the connection is encrypted. The server's certificate must name the host.
#[derive(Clone, Debug)]
pub enum Tls {
    /// Trusts the system's CAs.
    System,
    /// Trusts the CAs of this PEM file only.
    CaFile(PathBuf),
    /// A configuration of your own, with its ALPN protocols: the server speaks `quadrille/1`.
    Config(Arc<ClientConfig>),
}

impl Tls {
    pub(crate) fn config(&self) -> io::Result<Arc<ClientConfig>> {
        let mut roots = RootCertStore::empty();
        match self {
            Tls::Config(config) => return Ok(config.clone()),
            Tls::System => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
            Tls::CaFile(path) => {
                let certificates = CertificateDer::pem_file_iter(path)
                    .and_then(|found| found.collect::<Result<Vec<_>, _>>())
                    .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
                roots.add_parsable_certificates(certificates);
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"quadrille/1".to_vec()];
        Ok(Arc::new(config))
    }
}

/// The options of [`connect`](crate::connect).
#[derive(Clone, Debug)]
pub struct Options {
    /// Proves who you are, if the server lists tokens.
    pub token: String,
    /// The name of your program, for the server's log.
    pub name: String,
    /// None: the connection is not encrypted.
    pub tls: Option<Tls>,
    /// Take over the entities that earlier sessions of this token have left in a room, when it is first opened.
    pub adopt: bool,
    /// For the first connection. None: forever.
    pub timeout: Option<Duration>,
    /// For one attempt, Hello included.
    pub connect: Duration,
    /// Ping a server that has been silent for so long.
    pub ping: Duration,
    /// Give up the connection to a server that has been silent for so long.
    pub dead: Duration,
    /// The longest random wait before the first attempt to connect again. It doubles up to `backoff_max`.
    pub backoff: Duration,
    /// The longest random wait before an attempt to connect again.
    pub backoff_max: Duration,
    /// Bytes of requests that wait for a connection. Above it they are merged into the state that is restored.
    pub backlog_bytes_max: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            token: String::new(),
            name: String::new(),
            tls: None,
            adopt: false,
            timeout: Some(Duration::from_secs(5)),
            connect: Duration::from_secs(5),
            ping: Duration::from_secs(2),
            dead: Duration::from_secs(6),
            backoff: Duration::from_millis(100),
            backoff_max: Duration::from_secs(5),
            backlog_bytes_max: 64 << 20,
        }
    }
}
