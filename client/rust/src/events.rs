// SPDX-License-Identifier: Apache-2.0
//! What a session reports to the handlers of the program.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Refusal};
use crate::fold::tick::{Relayed, Tick};
use crate::proto::{EndReason, LeaveReason};

/// A change in a room.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The set of pairs was replaced. Its differences follow as ends and begins.
    Reset,
    /// A pair touches no longer. `Unspecified`: by a reset.
    End(u32, u32, EndReason),
    /// A pair touches.
    Begin(u32, u32),
    /// A pair touched only between two ticks.
    Passed(u32, u32),
    /// A pair goes on, if the subscription asked for stays.
    Stay(u32, u32),
    /// An observer no longer sees an entity. `Unspecified`: by a reset.
    Leave(u32, u32, LeaveReason),
    /// An observer sees an entity.
    Enter(u32, u32),
    /// A position of an entity in a view.
    Relay(Relayed),
    /// All changes of a frame, after their events.
    Tick(&'a Tick),
    /// Entities were handed over to this session.
    Gained(&'a [u32]),
    /// Entities were taken from this session.
    Lost(&'a [u32]),
    /// The room is of no use any more.
    Closed(&'a Error),
}

/// The state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It tries to connect.
    Connecting,
    /// It is connected.
    Ready,
    /// The connection is lost. It will connect again.
    Lost,
    /// It is closed, or the server refuses it.
    Ended,
}

/// A change of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SessionEvent {
    /// It has another state, for this reason.
    State(State, String),
    /// The server refused a request, or entries of it, whether it is awaited or not.
    Refused(Refusal),
}

type RoomHandler = Box<dyn FnMut(&Event<'_>) + Send>;
type SessionHandler = Box<dyn FnMut(&SessionEvent) + Send>;

/// The handlers of a room or session, in the order of `on`.
pub(crate) struct Handlers<H>(Arc<Mutex<Vec<H>>>);

impl<H> Clone for Handlers<H> {
    fn clone(&self) -> Self {
        Handlers(self.0.clone())
    }
}

impl<H> Default for Handlers<H> {
    fn default() -> Self {
        Handlers(Arc::default())
    }
}

impl<H> Handlers<H> {
    pub fn add(&self, handler: H) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(handler);
    }

    fn clear(&self) {
        drop(std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)));
    }

    /// Calls `visit` with the handlers. They may add others meanwhile.
    fn visit(&self, visit: impl FnOnce(&mut [H])) {
        let mut handlers = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        visit(&mut handlers);
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        handlers.append(&mut place);
        *place = handlers;
    }
}

pub(crate) type RoomHandlers = Handlers<RoomHandler>;
pub(crate) type SessionHandlers = Handlers<SessionHandler>;

/// A report of a room that its handlers have not seen.
pub(crate) enum Report {
    Tick(Arc<Tick>),
    Gained(Vec<u32>),
    Lost(Vec<u32>),
    Closed(Error),
}

pub(crate) enum Queued {
    Room(RoomHandlers, Report),
    Session(SessionHandlers, SessionEvent),
}

impl Queued {
    /// Calls the handlers. A panic in one is reported by the panic hook, and does not end the session.
    pub fn dispatch(self) {
        match self {
            Queued::Session(handlers, event) => handlers.visit(|handlers| {
                for handler in handlers {
                    let _ = catch_unwind(AssertUnwindSafe(|| handler(&event)));
                }
            }),
            Queued::Room(handlers, report) => {
                handlers.visit(|handlers| {
                    report.each(|event| {
                        for handler in handlers.iter_mut() {
                            let _ = catch_unwind(AssertUnwindSafe(|| handler(&event)));
                        }
                    })
                });
                if let Report::Closed(_) = report {
                    handlers.clear(); // they may hold the room
                }
            }
        }
    }
}

impl Report {
    fn each(&self, mut call: impl FnMut(Event<'_>)) {
        match self {
            Report::Tick(tick) => each_change(tick, call),
            Report::Gained(ids) => call(Event::Gained(ids)),
            Report::Lost(ids) => call(Event::Lost(ids)),
            Report::Closed(error) => call(Event::Closed(error)),
        }
    }
}

fn each_change(tick: &Tick, mut call: impl FnMut(Event<'_>)) {
    if tick.reset {
        call(Event::Reset);
    }
    for ((a, b), reason) in tick.ends.iter().zip(&tick.end_reasons) {
        call(Event::End(*a, *b, *reason));
    }
    tick.begins.iter().for_each(|(a, b)| call(Event::Begin(*a, *b)));
    tick.passed.iter().for_each(|(a, b)| call(Event::Passed(*a, *b)));
    tick.stays.iter().for_each(|(a, b)| call(Event::Stay(*a, *b)));
    for ((observer, id), reason) in tick.leaves.iter().zip(&tick.leave_reasons) {
        call(Event::Leave(*observer, *id, *reason));
    }
    tick.enters.iter().for_each(|(observer, id)| call(Event::Enter(*observer, *id)));
    tick.relays.iter().for_each(|relayed| call(Event::Relay(*relayed)));
    call(Event::Tick(tick));
}
