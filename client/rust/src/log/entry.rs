// SPDX-License-Identifier: Apache-2.0
//! One frame of a request in a log.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::core::{Answer, Shared};
use crate::error::{Error, RefusedEntry};
use crate::kept::Refused;
use crate::proto::{client_frame::Message, Move};
use crate::request::RequestState;
use crate::wire;

/// A move by a roster: the log shares its columns with the frame that was sent.
pub struct Moved {
    pub roster: u32,
    pub ids: Arc<[u32]>,
    pub frame: Bytes,
    /// The columns of the axes, in the frame.
    pub columns: Vec<Range<usize>>,
}

impl Moved {
    pub fn to_move(&self) -> Move {
        let column = |axis: usize| match self.columns.get(axis) {
            Some(column) => wire::read_floats(&self.frame[column.clone()]).collect(),
            None => Vec::new(),
        };
        Move { room: 0, id: self.ids.to_vec(), x: column(0), y: column(1), z: column(2) }
    }
}

pub enum Body {
    Message(Message),
    Moved(Moved),
}

pub struct Entry {
    /// Identifies the entry in this session.
    pub number: u64,
    pub body: Body,
    pub request: Option<Arc<RequestState>>,
    /// The index of its first entry in the columns of the call.
    pub first: usize,
    /// 0: not sent in this session of the server.
    pub seq: u64,
    pub confirm: bool,
    /// The session's own.
    pub restores: bool,
    /// It was sent in an earlier session of the server.
    pub retried: bool,
    pub accepted: bool,
    pub refused: Refused,
    /// Of a Step: the tick that it makes.
    pub step: u64,
    pub answer: Option<oneshot::Sender<Result<Answer, Error>>>,
    /// The frames of an answer that has several.
    pub collected: Answer,
    /// The refused entries of a batch, and why.
    pub entries: Vec<RefusedEntry>,
    pub text: String,
}

impl Entry {
    pub fn new(shared: &mut Shared, message: Message, request: Option<Arc<RequestState>>, first: usize) -> Entry {
        let is_answered = is_answered(&message);
        let confirm = request.is_some() && !is_answered && !matches!(message, Message::Move(_) | Message::Step(_));
        let restores = request.is_none();
        if let Some(request) = &request {
            request.with(|progress| {
                progress.parts += 1;
                progress.unaccepted += 1;
            });
        }
        Entry {
            number: shared.next_entry(),
            body: Body::Message(message),
            request,
            first,
            seq: 0,
            confirm,
            restores,
            retried: false,
            accepted: false,
            refused: Refused::new(),
            step: 0,
            answer: None,
            collected: Vec::new(),
            entries: Vec::new(),
            text: String::new(),
        }
    }

    pub fn is_answered(&self) -> bool {
        matches!(&self.body, Body::Message(message) if is_answered(message))
    }

    pub fn is_step(&self) -> bool {
        matches!(self.body, Body::Message(Message::Step(_)))
    }

    /// The id of an entry of its batch.
    pub fn id(&self, index: usize) -> Option<u32> {
        match &self.body {
            Body::Moved(moved) => moved.ids.get(index).copied(),
            Body::Message(message) => ids(message).get(index).copied(),
        }
    }

    pub fn backlog_bytes(&self) -> usize {
        match &self.body {
            Body::Moved(moved) => moved.frame.len(),
            Body::Message(message) => message.encoded_len(),
        }
    }

    /// The frame of this entry, for the room of that handle.
    pub fn frame(&mut self, handle: u64) -> Bytes {
        match &mut self.body {
            Body::Moved(moved) => {
                let columns: Vec<Vec<f32>> =
                    moved.columns.iter().map(|each| wire::read_floats(&moved.frame[each.clone()]).collect()).collect();
                let columns: Vec<&[f32]> = columns.iter().map(|column| &column[..]).collect();
                (moved.frame, moved.columns) = wire::encode_move_roster(self.seq, handle, moved.roster, &columns);
                moved.frame.clone()
            }
            Body::Message(message) => {
                set_room(message, handle);
                if let Message::Step(step) = message {
                    step.tick = self.step;
                }
                wire::encode(self.seq, message, self.confirm)
            }
        }
    }

    /// A move that goes by ids from now on.
    pub fn forget_roster(&mut self) {
        if let Body::Moved(moved) = &self.body {
            self.body = Body::Message(Message::Move(moved.to_move()));
        }
    }

    pub fn accept(&mut self) {
        if let Some(request) = self.request.as_ref().filter(|_| !self.accepted) {
            self.accepted = true;
            request.with(|progress| progress.unaccepted -= 1);
        }
    }

    pub fn resolve(&mut self, answer: Result<Answer, Error>) {
        if let Some(sender) = self.answer.take() {
            let _ = sender.send(answer);
        }
    }

    /// The request as the program knows it.
    pub fn command(&self) -> &'static str {
        match &self.body {
            Body::Moved(_) => "move",
            Body::Message(message) => command(message),
        }
    }
}

/// Whether a request has an answer of its own, which may be lost with a connection. To repeat it changes nothing.
fn is_answered(message: &Message) -> bool {
    matches!(
        message,
        Message::OpenRoom(_)
            | Message::Adopt(_)
            | Message::GetSnapshot(_)
            | Message::Query(_)
            | Message::Why(_)
            | Message::LeaveRoom(_)
            | Message::CloseRoom(_)
            | Message::ListRooms(_)
            | Message::ListSessions(_)
            | Message::GetStats(_)
            | Message::Subscribe(_)
            | Message::Unsubscribe(_)
    )
}

fn ids(message: &Message) -> &[u32] {
    match message {
        Message::Spawn(batch) => &batch.id,
        Message::Move(batch) => &batch.id,
        Message::Teleport(batch) => &batch.id,
        Message::Reshape(batch) => &batch.id,
        Message::Despawn(batch) => &batch.id,
        Message::SetDescription(batch) => &batch.id,
        Message::HandOver(batch) => &batch.id,
        Message::Observe(batch) => &batch.id,
        Message::MoveObservers(batch) => &batch.id,
        Message::Unobserve(batch) => &batch.id,
        Message::SetRoster(batch) => &batch.id,
        _ => &[],
    }
}

macro_rules! of_rooms {
    ($($type:ident => $command:literal),* $(,)?) => {
        fn set_room(message: &mut Message, handle: u64) {
            match message {
                $(Message::$type(message) => message.room = handle,)*
                _ => {}
            }
        }

        fn command(message: &Message) -> &'static str {
            match message {
                $(Message::$type(_) => $command,)*
                Message::OpenRoom(_) => "open",
                Message::ListRooms(_) => "list_rooms",
                Message::ListSessions(_) => "list_sessions",
                Message::GetStats(_) => "stats",
                Message::Ping(_) => "ping",
                _ => "session",
            }
        }
    };
}

of_rooms! {
    Spawn => "spawn",
    Move => "move",
    Teleport => "teleport",
    Reshape => "reshape",
    Despawn => "despawn",
    SetDescription => "describe",
    HandOver => "hand_over",
    Observe => "observe",
    MoveObservers => "move_observers",
    Unobserve => "unobserve",
    SetExceptions => "set_exceptions",
    SetViewOptions => "view_options",
    Subscribe => "subscribe",
    Unsubscribe => "unsubscribe",
    SetRoster => "set_roster",
    Step => "step",
    Query => "query",
    Why => "why",
    GetSnapshot => "snapshot",
    Adopt => "adopt",
    LeaveRoom => "leave",
    CloseRoom => "close",
}
