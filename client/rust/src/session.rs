// SPDX-License-Identifier: Apache-2.0
//! A session that outlives its connections.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::core::{Answer, Core, Inner};
use crate::error::{code_name, Error, Refusal};
use crate::events::{SessionEvent, State};
use crate::link;
use crate::log::RoomState;
use crate::options::Options;
use crate::proto::{
    self, client_frame::Message as Request, server_frame::Message, ErrorCode, GetStats, Hello, LeaveRoom, ListRooms,
    ListSessions, Ping, RoomConfig, RoomList, SessionList, Stats, Welcome,
};
use crate::room::Room;
use crate::wire;

/// For the last bytes of a session that is closed.
const CLOSE: Duration = Duration::from_secs(1);
const VERSION: u32 = 1;

/// Connects to "host:port" or "[::1]:port", and waits for the server's Welcome. From then on the session connects again
/// by itself, on this tokio runtime.
pub async fn connect(address: &str, options: Options) -> Result<Session, Error> {
    let timeout = options.timeout;
    let session = Session { owner: Arc::new(Owner(Inner::new(address, options))) };
    let inner = session.inner().clone();
    inner.runtime.spawn(run(inner.clone()));
    let ready = inner.until(|core| match (&core.shared.refused_hello, &core.shared.ended) {
        (Some(refusal), _) => Some(Err(Error::Refused(Box::new(refusal.clone())))),
        (None, Some(ended)) => Some(Err(Error::SessionEnded(ended.clone()))),
        (None, None) => core.shared.is_ready().then_some(Ok(())),
    });
    match timeout {
        None => ready.await?,
        Some(timeout) => match tokio::time::timeout(timeout, ready).await {
            Ok(result) => result?,
            Err(_) => {
                let problem = inner.lock().shared.problem.clone();
                let problem = if problem.is_empty() { "no answer" } else { &problem };
                let seconds = timeout.as_secs_f64();
                return Err(Error::Timeout(format!(
                    "{address}: no session within {seconds} s: {problem}. Check the address, and that the server runs"
                )));
            }
        },
    }
    Ok(session)
}

/// Ends the session when the last `Session` is gone.
struct Owner(Arc<Inner>);

impl Drop for Owner {
    fn drop(&mut self) {
        end(&self.0, "the session is closed");
    }
}

/// Made by [`connect`]. Clones are the same session. It ends with `close`, or when the last clone is dropped.
#[derive(Clone)]
pub struct Session {
    owner: Arc<Owner>,
}

impl Session {
    fn inner(&self) -> &Arc<Inner> {
        &self.owner.0
    }

    /// Calls the handler for each change of the session's state, and for each refusal.
    pub fn on(&self, handler: impl FnMut(&SessionEvent) + Send + 'static) -> &Session {
        self.inner().lock().shared.handlers.add(Box::new(handler));
        self
    }

    /// Opens a room now and on each connection, and waits for it. With `None` it only joins. A second call returns the
    /// same room.
    pub async fn open(&self, name: &str, config: impl Into<Option<RoomConfig>>) -> Result<Room, Error> {
        let config = config.into();
        let key = self.inner().with(|core| {
            if let Some(ended) = &core.shared.ended {
                return Err(Error::SessionEnded(ended.clone()));
            }
            let open = core.rooms.values_mut().find(|room| room.name == name && room.closed.is_none());
            if let Some(room) = open {
                room.is_orphan = false;
                return Ok(room.key);
            }
            let mut room = RoomState::new(core.shared.next_room(), name, config);
            let key = room.key;
            if core.shared.is_ready() {
                room.start_restore(&mut core.shared);
            }
            core.rooms.insert(key, room);
            Ok(key)
        })?;
        let room = Room::new(self.inner().clone(), key);
        self.inner()
            .until(|core| match core.rooms.get(&key) {
                None => Some(Err(Error::Lost)),
                Some(room) => match &room.closed {
                    Some(error) => Some(Err(error.clone())),
                    None => room.is_ready.then_some(Ok(())),
                },
            })
            .await?;
        Ok(room)
    }

    /// Waits until the connection takes more data: the server may be slow, or away.
    pub async fn drain(&self) -> Result<(), Error> {
        self.inner()
            .until(|core| match &core.shared.ended {
                Some(ended) => Some(Err(Error::SessionEnded(ended.clone()))),
                None => (core.shared.is_ready() && !core.shared.out.is_full).then_some(Ok(())),
            })
            .await
    }

    /// Whether `drain` would wait.
    pub fn is_full(&self) -> bool {
        let core = self.inner().lock();
        !core.shared.is_ready() || core.shared.out.is_full
    }

    /// The time of one round trip.
    pub async fn ping(&self) -> Result<Duration, Error> {
        let before = Instant::now();
        self.call(Request::Ping(Ping { data: 1 })).await?;
        Ok(before.elapsed())
    }

    /// The open rooms that this session may open, by name, after a name. A limit of 0 is 1,000.
    pub async fn list_rooms(&self, after: &str, limit: u32) -> Result<RoomList, Error> {
        match self.call(Request::ListRooms(ListRooms { after: after.to_string(), limit })).await?.pop() {
            Some(Message::RoomList(list)) => Ok(list),
            _ => Err(Error::Lost),
        }
    }

    /// Sessions of this token, or all for an admin, with numbers after one. A limit of 0 is 1,000.
    pub async fn list_sessions(&self, room: Option<&Room>, after: u64, limit: u32) -> Result<SessionList, Error> {
        let room = room.map_or(0, Room::handle);
        match self.call(Request::ListSessions(ListSessions { room, after, limit })).await?.pop() {
            Some(Message::SessionList(list)) => Ok(list),
            _ => Err(Error::Lost),
        }
    }

    /// Statistics of the server, or of a room.
    pub async fn stats(&self, room: Option<&Room>) -> Result<Stats, Error> {
        match self.call(Request::GetStats(GetStats { room: room.map_or(0, Room::handle) })).await?.pop() {
            Some(Message::Stats(stats)) => Ok(stats),
            _ => Err(Error::Lost),
        }
    }

    async fn call(&self, message: Request) -> Result<Answer, Error> {
        self.inner().call(None, message, false).await
    }

    /// The server's number of this session. It changes when the server's session is new.
    pub fn number(&self) -> u64 {
        self.inner().lock().shared.number
    }

    /// The server's limits.
    pub fn limits(&self) -> proto::Limits {
        self.inner().lock().shared.limits
    }

    /// How often it has connected.
    pub fn connects(&self) -> u64 {
        self.inner().lock().shared.connects
    }

    /// How many of these times it has resumed.
    pub fn resumes(&self) -> u64 {
        self.inner().lock().shared.resumes
    }

    /// The state of the session.
    pub fn state(&self) -> State {
        self.inner().lock().shared.state
    }

    /// Leaves all rooms and ends the session. Waits until the last bytes are sent, for at most a second.
    pub async fn close(&self) {
        end(self.inner(), "the session is closed");
        let done = self.inner().until(|core| core.shared.runner_is_done.then_some(()));
        let _ = tokio::time::timeout(CLOSE, done).await;
    }
}

/// Leaves all rooms and ends the session.
fn end(inner: &Arc<Inner>, reason: &str) {
    inner.with(|core| {
        let Core { shared, rooms, .. } = core;
        if shared.ended.is_some() {
            return;
        }
        let is_ready = shared.is_ready();
        for room in rooms.values().filter(|room| is_ready && room.handle > 0 && room.closed.is_none()) {
            shared.send(wire::encode(0, &Request::LeaveRoom(LeaveRoom { room: room.handle }), false));
        }
        core.end(reason);
    });
    inner.writable.notify_one();
    inner.interrupt.notify_one();
}

// ---- the life of connections ----

async fn run(inner: Arc<Inner>) {
    let mut attempts = 0;
    while inner.lock().shared.ended.is_none() {
        inner.with(|core| core.shared.set_state(State::Connecting, ""));
        let hello_by = Instant::now() + inner.options.connect;
        let opening = tokio::time::timeout_at(hello_by.into(), link::open(&inner.address, inner.options.tls.as_ref()));
        let reason = match opening.await {
            Err(_) => format!("{}: no answer in time", inner.address),
            Ok(Err(error)) => format!("{}: {error}", inner.address),
            Ok(Ok(streams)) => {
                inner.with(say_hello(&inner.options));
                link::serve(&inner, streams, hello_by).await
            }
        };
        let backoff = inner.options.backoff.saturating_mul(1 << attempts.min(20)).min(inner.options.backoff_max);
        let goes_on = inner.with(|core| {
            if core.shared.ended.is_some() {
                return false;
            }
            if core.shared.is_ready() && core.shared.ready_at.elapsed() >= backoff {
                attempts = 0;
            }
            core.give_up(&reason)
        });
        if !goes_on {
            break;
        }
        let random = RandomState::new().hash_one(attempts) % 1000;
        tokio::select! {
            _ = tokio::time::sleep(backoff.mul_f64(random as f64 / 1000.0)) => {}
            _ = until_ended(&inner) => {}
        }
        attempts += 1;
    }
    inner.with(|core| {
        core.shared.runner_is_done = true;
        core.shared.changed = true;
    });
}

async fn until_ended(inner: &Arc<Inner>) {
    inner.until(|core| core.shared.ended.is_some().then_some(())).await
}

fn say_hello(options: &Options) -> impl FnOnce(&mut Core) + '_ {
    move |core| {
        let shared = &mut core.shared;
        shared.out = link::Out::default();
        shared.out.is_closing = shared.ended.is_some();
        shared.lost = None;
        let hello = Hello {
            version: VERSION,
            token: options.token.clone(),
            client: options.name.clone(),
            resumable: true,
            resume: if shared.merged { Vec::new() } else { shared.resume_key.clone() },
            features: vec!["pings".to_string()],
        };
        shared.send(wire::encode(0, &Request::Hello(hello), false));
    }
}

impl Core {
    fn end(&mut self, reason: &str) {
        let Core { shared, rooms, lobby } = self;
        shared.ended = Some(reason.to_string());
        for room in rooms.values_mut() {
            room.end(shared, Error::SessionEnded(reason.to_string()));
        }
        rooms.retain(|_, room| !room.is_orphan);
        for mut entry in lobby.drain(..) {
            entry.resolve(Err(Error::SessionEnded(reason.to_string())));
        }
        shared.out.is_closing = true;
        shared.set_state(State::Ended, reason);
    }

    /// The connection is lost. Returns whether there is another attempt.
    fn give_up(&mut self, reason: &str) -> bool {
        let Core { shared, rooms, .. } = self;
        shared.out = link::Out::default();
        shared.problem = reason.to_string();
        shared.set_state(State::Lost, reason);
        for room in rooms.values_mut() {
            room.connection_lost(shared);
        }
        if let Some(text) = shared.refused_hello.as_ref().map(|refusal| refusal.text.clone()) {
            self.end(&text);
            return false;
        }
        true
    }

    // ---- incoming ----

    /// A frame of the server.
    pub fn take(&mut self, seq: u64, message: Message) {
        self.shared.changed = true;
        match message {
            Message::Welcome(welcome) => self.take_welcome(welcome),
            Message::Ping(ping) => {
                let pong = proto::Pong { data: ping.data };
                self.shared.send(wire::encode(0, &Request::Pong(pong), false));
            }
            Message::GoAway(away) => self.shared.problem = away.text,
            Message::Error(error) => self.take_error(seq, error),
            message => self.take_answer(seq, message),
        }
    }

    fn take_answer(&mut self, seq: u64, message: Message) {
        let Core { shared, rooms, lobby } = self;
        let handle = match &message {
            Message::Tick(tick) => tick.room,
            Message::View(view) => view.room,
            Message::Applied(applied) => applied.room,
            Message::HandedOver(handed) => handed.room,
            Message::RoomClosed(closed) => closed.room,
            Message::Accepted(accepted) => accepted.room,
            _ => 0,
        };
        let asked = shared.by_seq.get(&seq).copied();
        let key = shared.by_handle.get(&handle).copied().or(asked.flatten());
        if let Some(room) = key.and_then(|key| rooms.get_mut(&key)) {
            if let Err(contradiction) = room.take(shared, seq, message) {
                shared.lost = Some(format!("a frame contradicts what was folded: {}", contradiction.0));
            }
            if room.closed.is_some() && room.is_orphan {
                let key = room.key;
                rooms.remove(&key);
            }
        } else if let Some(entry) = lobby.iter_mut().find(|entry| seq > 0 && entry.seq == seq) {
            entry.resolve(Ok(vec![message]));
        }
    }

    fn take_error(&mut self, seq: u64, error: proto::Error) {
        let Core { shared, rooms, lobby } = self;
        if let Some(room) = shared.by_seq.get(&seq).copied().flatten().and_then(|key| rooms.get_mut(&key)) {
            if let Some(i) = room.find(seq) {
                return room.take_error(shared, i, error);
            }
        }
        let entry = lobby.iter_mut().find(|entry| seq > 0 && entry.seq == seq);
        let command = entry.as_ref().map_or("session", |entry| entry.command());
        let refusal = Refusal { room: String::new(), command, code: error.code, text: error.text, entries: Vec::new() };
        if let Some(entry) = entry {
            entry.resolve(Err(Error::Refused(Box::new(refusal.clone()))));
        }
        if refusal.is(ErrorCode::Unauthenticated) || refusal.is(ErrorCode::Version) {
            shared.refused_hello = Some(refusal.clone());
        }
        shared.problem = format!("{}: {}", code_name(refusal.code), refusal.text);
        shared.refuse(refusal);
    }

    fn take_welcome(&mut self, welcome: Welcome) {
        let shared = &mut self.shared;
        let resumed = welcome.resumed && !shared.resume_key.is_empty();
        shared.connects += 1;
        shared.resumes += u64::from(resumed);
        shared.number = welcome.session;
        shared.limits = welcome.limits.unwrap_or_default();
        shared.resume_ms = welcome.resume_ms;
        shared.resume_key = welcome.resume_key;
        shared.ready_at = Instant::now();
        shared.state = State::Ready;
        if resumed {
            self.resume(welcome.last_seq);
        } else {
            self.restart();
        }
        self.shared.set_state(State::Ready, "");
    }

    /// The server's session goes on: sends what it has not received.
    fn resume(&mut self, last_seq: u64) {
        let Core { shared, rooms, lobby } = self;
        let mut sent: Vec<(u64, Option<u64>)> = lobby.iter().map(|entry| (entry.seq, None)).collect();
        for room in rooms.values() {
            sent.extend(room.log.iter().map(|entry| (entry.seq, Some(room.key))));
        }
        sent.retain(|(seq, _)| *seq > 0);
        sent.sort_unstable();
        let (received, lost): (Vec<_>, Vec<_>) = sent.into_iter().partition(|(seq, _)| *seq <= last_seq);
        for (seq, key) in lost {
            if let Some(room) = key.and_then(|key| rooms.get_mut(&key)) {
                room.repeat(shared, seq);
            } else if let Some(entry) = lobby.iter_mut().find(|entry| entry.seq == seq) {
                let frame = entry.frame(0);
                shared.send(frame);
            }
        }
        for (seq, key) in received {
            if let Some(room) = key.and_then(|key| rooms.get_mut(&key)) {
                room.ask_again(shared, seq);
            } else if let Some(entry) = lobby.iter_mut().find(|entry| entry.seq == seq) {
                shared.transmit(entry, None, 0);
            }
        }
        for room in rooms.values_mut().filter(|room| room.closed.is_none()) {
            room.resumed(shared);
        }
        for entry in lobby.iter_mut().filter(|entry| entry.seq == 0) {
            shared.transmit(entry, None, 0);
        }
    }

    /// The server's session is new.
    fn restart(&mut self) {
        let Core { shared, rooms, lobby } = self;
        shared.merged = false;
        shared.forget_seqs();
        for room in rooms.values_mut().filter(|room| room.closed.is_none()) {
            room.restarted(shared);
        }
        for entry in lobby {
            shared.transmit(entry, None, 0);
        }
    }
}
