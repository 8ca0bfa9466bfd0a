// SPDX-License-Identifier: Apache-2.0
//! The state of a session, behind one lock, and how tasks wait for its changes.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, Notify};

use crate::error::{Error, Refusal};
use crate::events::{Queued, Report, RoomHandlers, SessionEvent, SessionHandlers, State};
use crate::link::Out;
use crate::log::{Entry, RoomState};
use crate::options::Options;
use crate::proto::{client_frame, server_frame, Limits};
use crate::restore;

/// The answer to a request: one message, or several frames of it.
pub type Answer = Vec<server_frame::Message>;

pub struct Inner {
    pub address: String,
    pub options: Options,
    pub runtime: Handle,
    core: Mutex<Core>,
    changed: Notify,
    /// Frames wait for the socket.
    pub writable: Notify,
    /// The connection is to be given up, or the session to end.
    pub interrupt: Notify,
}

pub struct Core {
    pub shared: Shared,
    pub rooms: HashMap<u64, RoomState>,
    /// Requests without a room, in order.
    pub lobby: Vec<Entry>,
}

/// A task that starts when the lock is free.
pub enum Job {
    Restore { room: u64, generation: u64 },
    Probe { room: u64, generation: u64, steps: Vec<u64> },
}

/// What rooms share.
pub struct Shared {
    pub state: State,
    /// Why the connection was lost.
    pub problem: String,
    /// Why there is no further attempt.
    pub ended: Option<String>,
    pub refused_hello: Option<Refusal>,
    pub number: u64,
    pub limits: Limits,
    pub resume_ms: u32,
    pub resume_key: Vec<u8>,
    pub ready_at: Instant,
    pub connects: u64,
    pub resumes: u64,
    /// The log lacks requests that the server may not have: it cannot resume.
    pub merged: bool,
    pub backlog_bytes_max: usize,
    pub out: Out,
    /// Why the connection is to be given up.
    pub lost: Option<String>,
    pub runner_is_done: bool,
    pub handlers: SessionHandlers,
    /// The room of a request that waits for an answer, or None for the lobby.
    pub by_seq: HashMap<u64, Option<u64>>,
    pub by_handle: HashMap<u64, u64>,
    pub jobs: Vec<Job>,
    pub changed: bool,
    events: VecDeque<Queued>,
    is_dispatching: bool,
    seq: u64,
    requests: u64,
    entries: u64,
    rooms: u64,
}

impl Shared {
    fn new(options: &Options) -> Shared {
        Shared {
            state: State::Connecting,
            problem: String::new(),
            ended: None,
            refused_hello: None,
            number: 0,
            limits: Limits::default(),
            resume_ms: 0,
            resume_key: Vec::new(),
            ready_at: Instant::now(),
            connects: 0,
            resumes: 0,
            merged: false,
            backlog_bytes_max: options.backlog_bytes_max,
            out: Out::default(),
            lost: None,
            runner_is_done: false,
            handlers: SessionHandlers::default(),
            by_seq: HashMap::new(),
            by_handle: HashMap::new(),
            jobs: Vec::new(),
            changed: false,
            events: VecDeque::new(),
            is_dispatching: false,
            seq: 0,
            requests: 0,
            entries: 0,
            rooms: 0,
        }
    }

    pub fn is_ready(&self) -> bool {
        self.state == State::Ready
    }

    pub fn next_request(&mut self) -> u64 {
        self.requests += 1;
        self.requests
    }

    pub fn next_entry(&mut self) -> u64 {
        self.entries += 1;
        self.entries
    }

    pub fn next_room(&mut self) -> u64 {
        self.rooms += 1;
        self.rooms
    }

    pub fn next_seq(&mut self, room: Option<u64>) -> u64 {
        self.seq += 1;
        self.by_seq.insert(self.seq, room);
        self.seq
    }

    pub fn forget_seqs(&mut self) {
        self.seq = 0;
        self.by_seq.clear();
        self.by_handle.clear();
    }

    /// Queues a frame for the socket.
    pub fn send(&mut self, frame: Bytes) {
        self.out.push(frame);
    }

    /// Sends an entry for the first time in this session of the server, or again under a new number.
    pub fn transmit(&mut self, entry: &mut Entry, room: Option<u64>, handle: u64) {
        self.by_seq.remove(&entry.seq);
        entry.collected.clear();
        entry.seq = self.next_seq(room);
        self.send(entry.frame(handle));
    }

    pub fn report_room(&mut self, handlers: &RoomHandlers, report: Report) {
        self.events.push_back(Queued::Room(handlers.clone(), report));
    }

    pub fn report(&mut self, event: SessionEvent) {
        self.events.push_back(Queued::Session(self.handlers.clone(), event));
        self.changed = true;
    }

    pub fn refuse(&mut self, refusal: Refusal) {
        self.report(SessionEvent::Refused(refusal));
    }

    pub fn set_state(&mut self, state: State, reason: &str) {
        self.state = state;
        self.report(SessionEvent::State(state, reason.to_string()));
    }
}

impl Inner {
    pub fn new(address: &str, options: Options) -> Arc<Inner> {
        let core = Core { shared: Shared::new(&options), rooms: HashMap::new(), lobby: Vec::new() };
        Arc::new(Inner {
            address: address.to_string(),
            options,
            runtime: Handle::current(),
            core: Mutex::new(core),
            changed: Notify::new(),
            writable: Notify::new(),
            interrupt: Notify::new(),
        })
    }

    pub fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, then does what follows: starts tasks, wakes those that wait, and calls handlers.
    pub fn with<T>(self: &Arc<Self>, change: impl FnOnce(&mut Core) -> T) -> T {
        let mut core = self.lock();
        let result = change(&mut core);
        let shared = &mut core.shared;
        let jobs = std::mem::take(&mut shared.jobs);
        let has_events = !shared.events.is_empty();
        let changed = std::mem::take(&mut shared.changed);
        let (has_bytes, interrupted) = (!shared.out.is_empty(), shared.lost.is_some());
        drop(core);
        for job in jobs {
            self.runtime.spawn(restore::start(self.clone(), job));
        }
        if has_bytes {
            self.writable.notify_one();
        }
        if interrupted {
            self.interrupt.notify_one();
        }
        if has_events {
            self.dispatch();
        }
        if changed || has_events {
            self.changed.notify_waiters();
        }
        result
    }

    /// Calls handlers, one report after the other. If another thread does that now, it goes on with these.
    fn dispatch(&self) {
        if std::mem::replace(&mut self.lock().shared.is_dispatching, true) {
            return;
        }
        loop {
            let mut core = self.lock();
            let Some(queued) = core.shared.events.pop_front() else {
                core.shared.is_dispatching = false;
                drop(core);
                break self.changed.notify_waiters();
            };
            drop(core);
            queued.dispatch();
        }
    }

    /// Waits until `check` has a value. It is asked after each change, when the handlers have seen it.
    pub async fn until<T>(&self, mut check: impl FnMut(&mut Core) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let mut core = self.lock();
                if core.shared.events.is_empty() && !core.shared.is_dispatching {
                    if let Some(value) = check(&mut core) {
                        return value;
                    }
                }
            }
            changed.await;
        }
    }

    /// Sends a request with an answer of its own, and waits for the answer. `restores`: the session's own.
    pub async fn call(
        self: &Arc<Self>,
        room: Option<u64>,
        message: client_frame::Message,
        restores: bool,
    ) -> Result<Answer, Error> {
        let (answered, answer) = oneshot::channel();
        let number = self.with(|core| {
            if let Some(ended) = &core.shared.ended {
                return Err(Error::SessionEnded(ended.clone()));
            }
            let mut entry = Entry::new(&mut core.shared, message, None, 0);
            let number = entry.number;
            entry.restores = restores;
            entry.answer = Some(answered);
            match room {
                None => {
                    if core.shared.is_ready() {
                        core.shared.transmit(&mut entry, None, 0);
                    }
                    core.lobby.push(entry);
                }
                Some(key) => {
                    let Some(room) = core.rooms.get_mut(&key) else { return Err(Error::Lost) };
                    if let Some(closed) = &room.closed {
                        return Err(closed.clone());
                    }
                    if core.shared.is_ready() && (restores || room.is_ready) {
                        core.shared.transmit(&mut entry, Some(key), room.handle);
                    }
                    room.log.push_back(entry);
                }
            }
            Ok(number)
        })?;
        let _guard = CallGuard { inner: self, room, number };
        answer.await.unwrap_or(Err(Error::Lost))
    }
}

/// Removes the entry of a call that has ended, or was canceled.
struct CallGuard<'a> {
    inner: &'a Arc<Inner>,
    room: Option<u64>,
    number: u64,
}

impl Drop for CallGuard<'_> {
    fn drop(&mut self) {
        let mut core = self.inner.lock();
        let core = &mut *core;
        let removed = match self.room {
            None => {
                let place = core.lobby.iter().position(|entry| entry.number == self.number);
                place.map(|i| core.lobby.remove(i))
            }
            Some(key) => core.rooms.get_mut(&key).and_then(|room| {
                let place = room.log.iter().position(|entry| entry.number == self.number);
                place.and_then(|i| room.log.remove(i))
            }),
        };
        if let Some(entry) = removed {
            core.shared.by_seq.remove(&entry.seq);
        }
    }
}
