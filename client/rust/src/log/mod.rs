// SPDX-License-Identifier: Apache-2.0
//! The state of a room, and its log: the requests that the server has not carried out. They are sent again after a lost
//! connection, or merged into the state that is restored.

mod answers;
mod connections;
mod entry;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

pub use entry::{Body, Entry, Moved};

use crate::batch::{rows_max, Batch};
use crate::core::Shared;
use crate::error::Error;
use crate::events::{Report, RoomHandlers};
use crate::fold::folding::Folding;
use crate::kept::Kept;
use crate::messages::At;
use crate::proto::{client_frame::Message, Move, OpenRoom, RoomConfig, SetRoster};
use crate::request::RequestState;
use crate::rosters::Rosters;
use crate::wire;

/// Until Welcome.
const FRAME_BYTES_DEFAULT: usize = 4 << 20;

/// The rows of a roster in `Kept`, at one of its versions.
struct RosterRows {
    version: u64,
    ids: Arc<[u32]>,
    rows: Vec<usize>,
}

pub struct RoomState {
    pub key: u64,
    pub name: String,
    pub config: Option<RoomConfig>,
    /// The server's number of the room. 0: it is not open.
    pub handle: u64,
    pub is_ready: bool,
    pub opened: bool,
    pub lockstep: bool,
    pub has_z: bool,
    pub epoch: u64,
    pub fold: Folding,
    pub kept: Kept,
    pub rosters: Rosters,
    /// When ids that are taken are refused.
    pub give_up_at: Instant,
    /// A task of restore.rs is at work; it ends when the generation has changed.
    pub restoring: bool,
    pub generation: u64,
    /// Sessions that may have our entities.
    pub holders: Vec<u64>,
    pub adopted: Vec<u32>,
    pub log: VecDeque<Entry>,
    /// The last tick that a Step was sent for.
    pub step_tick: u64,
    pub last_request: u64,
    pub closed: Option<Error>,
    pub handlers: RoomHandlers,
    /// No `Room` of the program is left.
    pub is_orphan: bool,
    /// Carried out as soon as the restored state is.
    merged: Vec<Arc<RequestState>>,
    late: Vec<u64>,
    /// Of requests while there is no connection.
    bytes: usize,
    roster_rows: HashMap<u32, RosterRows>,
}

impl RoomState {
    pub fn new(key: u64, name: &str, config: Option<RoomConfig>) -> RoomState {
        RoomState {
            key,
            name: name.to_string(),
            config,
            handle: 0,
            is_ready: false,
            opened: false,
            lockstep: false,
            has_z: false,
            epoch: 0,
            fold: Folding::default(),
            kept: Kept::default(),
            rosters: Rosters::default(),
            give_up_at: Instant::now(),
            restoring: false,
            generation: 0,
            holders: Vec::new(),
            adopted: Vec::new(),
            log: VecDeque::new(),
            step_tick: 0,
            last_request: 0,
            closed: None,
            handlers: RoomHandlers::default(),
            is_orphan: false,
            merged: Vec::new(),
            late: Vec::new(),
            bytes: 0,
            roster_rows: HashMap::new(),
        }
    }

    pub fn open_message(&self) -> Message {
        Message::OpenRoom(OpenRoom { name: self.name.clone(), config: self.config })
    }

    pub fn take_late(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.late)
    }

    /// Reports to the handlers what was folded.
    pub fn flush_reports(&mut self, shared: &mut Shared) {
        for tick in std::mem::take(&mut self.fold.reports) {
            shared.report_room(&self.handlers, Report::Tick(tick));
        }
    }

    /// Whether a request up to that number may not be carried out yet.
    pub fn is_pending(&self, number: u64) -> bool {
        let counts = |request: &Arc<RequestState>| request.number <= number;
        self.log.iter().any(|entry| entry.request.as_ref().is_some_and(counts)) || self.merged.iter().any(counts)
    }

    // ---- making requests ----

    fn new_request(&mut self, shared: &mut Shared) -> Arc<RequestState> {
        let request = RequestState::new(shared.next_request());
        self.last_request = request.number;
        request
    }

    /// One message, which fits in a frame.
    pub fn push(&mut self, shared: &mut Shared, message: Message) -> Arc<RequestState> {
        let request = self.new_request(shared);
        self.push_part(shared, message, &request, 0);
        self.limit_backlog(shared);
        request
    }

    pub fn push_batch(&mut self, shared: &mut Shared, batch: impl Batch) -> Arc<RequestState> {
        let request = self.new_request(shared);
        for (first, part) in batch.split(frame_bytes_max(shared)) {
            self.push_part(shared, part.into(), &request, first);
        }
        self.limit_backlog(shared);
        request
    }

    fn push_part(&mut self, shared: &mut Shared, message: Message, request: &Arc<RequestState>, first: usize) {
        let mut entry = Entry::new(shared, message, Some(request.clone()), first);
        if self.is_ready && shared.is_ready() {
            if let Body::Message(Message::Step(_)) = entry.body {
                self.step_tick = self.step_tick.max(self.fold.tick) + 1;
                entry.step = self.step_tick;
            }
            shared.transmit(&mut entry, Some(self.key), self.handle);
        } else {
            self.bytes += entry.backlog_bytes();
        }
        self.log.push_back(entry);
    }

    fn limit_backlog(&mut self, shared: &mut Shared) {
        if self.bytes > shared.backlog_bytes_max {
            shared.merged = true;
            self.bytes = 0;
            self.merge(shared, true);
        }
    }

    /// Moves entities. The columns are copied once, into the frame.
    pub fn push_move(&mut self, shared: &mut Shared, ids: &[u32], at: At<'_>) -> Arc<RequestState> {
        let request = self.new_request(shared);
        let axes = 2 + usize::from(at.z.is_some());
        let most = rows_max(frame_bytes_max(shared), 4 * (1 + axes));
        let mut first = 0;
        while first == 0 || first < ids.len() {
            let rows = first..ids.len().min(first + most);
            let part = At { x: &at.x[rows.clone()], y: &at.y[rows.clone()], z: at.z.map(|z| &z[rows.clone()]) };
            self.push_move_part(shared, &ids[rows.clone()], part, &request, first);
            first = rows.end.max(1);
        }
        self.limit_backlog(shared);
        request
    }

    fn push_move_part(
        &mut self,
        shared: &mut Shared,
        ids: &[u32],
        at: At<'_>,
        request: &Arc<RequestState>,
        first: usize,
    ) {
        let sends = self.is_ready && shared.is_ready();
        let ids_max = shared.limits.roster_ids_max as usize;
        let choice = if sends && !ids.is_empty() { self.rosters.find(ids, ids_max) } else { None };
        let Some(choice) = choice else {
            let column = |column: &[f32]| column.to_vec();
            let (x, y, z) = (column(at.x), column(at.y), at.z.map_or(Vec::new(), column));
            let message = Move { room: 0, id: ids.to_vec(), x, y, z };
            return self.push_part(shared, message.into(), request, first);
        };
        for roster in choice.dropped {
            self.set_roster(shared, SetRoster { roster, ..Default::default() });
        }
        if choice.is_new {
            self.set_roster(shared, SetRoster { roster: choice.number, id: ids.to_vec(), ..Default::default() });
        }
        let mut entry = Entry::new(shared, Message::Move(Move::default()), Some(request.clone()), first);
        entry.seq = shared.next_seq(Some(self.key));
        let columns = [at.x, at.y, at.z.unwrap_or(&[])];
        let columns = &columns[..2 + usize::from(at.z.is_some())];
        let (frame, columns) = wire::encode_move_roster(entry.seq, self.handle, choice.number, columns);
        shared.send(frame.clone());
        entry.body = Body::Moved(Moved { roster: choice.number, ids: choice.ids, frame, columns });
        self.log.push_back(entry);
    }

    fn set_roster(&mut self, shared: &mut Shared, message: SetRoster) {
        let mut entry = Entry::new(shared, Message::SetRoster(message), None, 0);
        shared.transmit(&mut entry, Some(self.key), self.handle);
        self.log.push_back(entry);
    }

    /// A request of the session's own.
    pub fn push_restoring(&mut self, shared: &mut Shared, message: Message) {
        let most = frame_bytes_max(shared);
        let parts: Vec<Message> = match message {
            Message::Spawn(batch) => parts(batch, most),
            Message::Teleport(batch) => parts(batch, most),
            Message::Reshape(batch) => parts(batch, most),
            Message::Despawn(batch) => parts(batch, most),
            Message::SetDescription(batch) => parts(batch, most),
            other => vec![other],
        };
        for part in parts {
            let mut entry = Entry::new(shared, part, None, 0);
            if shared.is_ready() {
                shared.transmit(&mut entry, Some(self.key), self.handle);
            }
            self.log.push_back(entry);
        }
    }

    // ---- carrying out ----

    fn remove(&mut self, shared: &mut Shared, i: usize) -> Option<Entry> {
        let entry = self.log.remove(i)?;
        shared.by_seq.remove(&entry.seq);
        Some(entry)
    }

    pub fn find(&self, seq: u64) -> Option<usize> {
        self.log.iter().position(|entry| entry.seq == seq)
    }

    /// An entry is carried out at that tick.
    fn done(&mut self, shared: &mut Shared, i: usize, tick: u64) {
        let Some(entry) = self.remove(shared, i) else { return };
        if !entry.restores {
            self.keep(&entry, shared.number);
        }
        if let Some(request) = entry.request.filter(|request| request.part_is_done()) {
            request.with(|progress| progress.tick = Some(tick));
        }
        self.finish_merged(tick);
        shared.changed = true;
    }

    fn finish_merged(&mut self, tick: u64) {
        if !self.merged.is_empty() && !self.log.iter().any(|entry| entry.restores && !entry.is_answered()) {
            for request in std::mem::take(&mut self.merged) {
                request.with(|progress| progress.tick = Some(tick));
            }
        }
    }

    /// Applies the entry to the state that is restored.
    fn keep(&mut self, entry: &Entry, number: u64) {
        match &entry.body {
            Body::Message(message) => self.kept.apply(message, &entry.refused, number),
            Body::Moved(moved) if entry.refused.is_empty() => self.keep_moved(moved),
            Body::Moved(moved) => self.kept.apply(&Message::Move(moved.to_move()), &entry.refused, number),
        }
    }

    fn keep_moved(&mut self, moved: &Moved) {
        let version = self.kept.version;
        let known = self.roster_rows.get(&moved.roster);
        if !known.is_some_and(|known| known.version == version && Arc::ptr_eq(&known.ids, &moved.ids)) {
            let rows = self.kept.rows_of(&moved.ids);
            self.roster_rows.insert(moved.roster, RosterRows { version, ids: moved.ids.clone(), rows });
        }
        let rows = &self.roster_rows[&moved.roster].rows;
        for (axis, column) in moved.columns.iter().enumerate() {
            self.kept.move_rows(rows, axis, wire::read_floats(&moved.frame[column.clone()]));
        }
    }

    // ---- the end ----

    /// The room is of no use any more.
    pub fn end(&mut self, shared: &mut Shared, error: Error) {
        if self.closed.is_some() {
            return;
        }
        self.is_ready = false;
        self.restoring = false;
        self.generation += 1;
        shared.by_handle.remove(&self.handle);
        for mut entry in std::mem::take(&mut self.log) {
            entry.resolve(Err(error.clone()));
            if let Some(request) = &entry.request {
                request.with(|progress| progress.closed = Some(error.clone()));
            }
            shared.by_seq.remove(&entry.seq);
        }
        for request in std::mem::take(&mut self.merged) {
            request.with(|progress| progress.closed = Some(error.clone()));
        }
        self.flush_reports(shared);
        shared.report_room(&self.handlers, Report::Closed(error.clone()));
        self.closed = Some(error);
        shared.changed = true;
    }
}

fn frame_bytes_max(shared: &Shared) -> usize {
    match shared.limits.frame_bytes_max {
        0 => FRAME_BYTES_DEFAULT,
        bytes => bytes as usize,
    }
}

fn parts(batch: impl Batch, frame_bytes_max: usize) -> Vec<Message> {
    if batch.ids().is_empty() {
        return Vec::new();
    }
    batch.split(frame_bytes_max).into_iter().map(|(_, part)| part.into()).collect()
}
