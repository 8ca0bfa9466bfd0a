// SPDX-License-Identifier: Apache-2.0
//! One connection: bytes in and out, with backpressure.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::core::{Core, Inner};
use crate::options::Tls;
use crate::proto::{client_frame::Message, Ping};
use crate::wire;

/// Bytes that wait for the socket: above the first, `drain` waits until they are below the second.
const HIGH_BYTES: usize = 1 << 20;
const LOW_BYTES: usize = 1 << 18;
/// Frames below that are gathered.
const GATHER_BYTES: usize = 1 << 15;
const READ_BYTES: usize = 1 << 18;

/// Frames that wait for the socket.
#[derive(Default)]
pub struct Out {
    frames: VecDeque<Bytes>,
    bytes: usize,
    /// The program is to wait.
    pub is_full: bool,
    /// No more frames come.
    pub is_closing: bool,
}

impl Out {
    pub fn push(&mut self, frame: Bytes) {
        self.bytes += frame.len();
        self.is_full |= self.bytes > HIGH_BYTES;
        self.frames.push_back(frame);
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// What to write next: one long frame, or many short ones.
    fn take(&mut self) -> Option<Bytes> {
        let first = self.frames.pop_front()?;
        let fits = |frame: &Bytes, size: usize| size + frame.len() <= GATHER_BYTES;
        if !self.frames.front().is_some_and(|next| fits(next, first.len())) {
            return Some(first);
        }
        let mut gathered = BytesMut::with_capacity(GATHER_BYTES);
        gathered.extend_from_slice(&first);
        while let Some(next) = self.frames.front().filter(|next| fits(next, gathered.len())) {
            gathered.extend_from_slice(next);
            self.frames.pop_front();
        }
        Some(gathered.freeze())
    }

    /// So many bytes are in the socket. Returns whether the program need not wait any more.
    fn written(&mut self, bytes: usize) -> bool {
        self.bytes -= bytes;
        let drained = self.is_full && self.bytes <= LOW_BYTES;
        self.is_full &= !drained;
        drained
    }
}

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// Connects to "host:port" or "[::1]:port".
pub async fn open(address: &str, tls: Option<&Tls>) -> io::Result<(Reader, Writer)> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let Some(tls) = tls else {
        let (reader, writer) = stream.into_split();
        return Ok((Box::new(reader), Box::new(writer)));
    };
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']').to_string();
    let name = ServerName::try_from(host).map_err(io::Error::other)?;
    let stream = TlsConnector::from(tls.config()?).connect(name, stream).await?;
    let (reader, writer) = tokio::io::split(stream);
    Ok((Box::new(reader), Box::new(writer)))
}

/// Serves a connection until it is lost. Returns why.
pub async fn serve(inner: &Arc<Inner>, (reader, writer): (Reader, Writer), hello_by: Instant) -> String {
    tokio::select! {
        reason = read(inner, reader, hello_by) => reason,
        result = write(inner, writer) => match result {
            Ok(()) => "the session is closed".to_string(),
            Err(error) => error.to_string(),
        },
    }
}

async fn write(inner: &Arc<Inner>, mut writer: Writer) -> io::Result<()> {
    loop {
        let (next, is_closing) = {
            let mut core = inner.lock();
            (core.shared.out.take(), core.shared.out.is_closing)
        };
        match next {
            Some(bytes) => {
                writer.write_all(&bytes).await?;
                let drained = inner.lock().shared.out.written(bytes.len());
                if drained {
                    inner.with(|core| core.shared.changed = true);
                }
            }
            None if is_closing => {
                writer.flush().await?;
                return writer.shutdown().await;
            }
            None => {
                writer.flush().await?;
                inner.writable.notified().await;
            }
        }
    }
}

async fn read(inner: &Arc<Inner>, mut reader: Reader, hello_by: Instant) -> String {
    let silence = Silence { ping: inner.options.ping, dead: inner.options.dead, hello_by };
    let mut bytes = BytesMut::with_capacity(READ_BYTES);
    let (mut heard, mut pinged) = (Instant::now(), None);
    loop {
        let is_ready = inner.lock().shared.is_ready();
        let due = silence.due(heard, pinged, is_ready);
        bytes.reserve(READ_BYTES / 2);
        tokio::select! {
            result = reader.read_buf(&mut bytes) => {
                match result {
                    Ok(0) => return "the server closed the connection".to_string(),
                    Err(error) => return error.to_string(),
                    Ok(_) => heard = Instant::now(),
                }
                if let Err(wire::Malformed(text)) = take_frames(inner, &mut bytes) {
                    return format!("the server sent bytes that are no frame: {text}");
                }
            }
            _ = tokio::time::sleep_until(due.into()) => {
                if !is_ready {
                    return "no answer in time".to_string();
                }
                if pinged.is_some_and(|pinged| pinged >= heard) {
                    return format!("the server was silent for {:.1} s", heard.elapsed().as_secs_f64());
                }
                pinged = Some(Instant::now());
                inner.with(|core| core.shared.send(wire::encode(0, &Message::Ping(Ping { data: 0 }), false)));
            }
            _ = inner.interrupt.notified() => {}
        }
        if let Some(reason) = inner.lock().shared.lost.take() {
            return reason;
        }
    }
}

struct Silence {
    ping: Duration,
    dead: Duration,
    hello_by: Instant,
}

impl Silence {
    /// When a silent server is pinged, or given up.
    fn due(&self, heard: Instant, pinged: Option<Instant>, is_ready: bool) -> Instant {
        match pinged {
            _ if !is_ready => self.hello_by,
            Some(pinged) if pinged >= heard => {
                pinged + self.dead.saturating_sub(self.ping).max(Duration::from_millis(1))
            }
            _ => heard + self.ping,
        }
    }
}

fn take_frames(inner: &Arc<Inner>, bytes: &mut BytesMut) -> Result<(), wire::Malformed> {
    while let Some(frame) = wire::split_frame(bytes)? {
        let frame = wire::decode(&frame)?;
        let seq = frame.seq;
        if let Some(message) = frame.message {
            inner.with(|core: &mut Core| core.take(seq, message));
        }
    }
    Ok(())
}
