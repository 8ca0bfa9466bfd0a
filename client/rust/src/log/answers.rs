// SPDX-License-Identifier: Apache-2.0
//! What the server answers to the requests of a room.

use std::time::Instant;

use super::{Body, Entry, RoomState};
use crate::core::Shared;
use crate::error::{Contradiction, Error, Refusal, RefusedEntry};
use crate::events::Report;
use crate::proto::{
    self, client_frame::Message as Sent, room_closed, server_frame::Message, Accepted, Applied, ErrorCode, HandedOver,
};

impl RoomState {
    /// A frame of the server for this room.
    pub fn take(&mut self, shared: &mut Shared, seq: u64, message: Message) -> Result<(), Contradiction> {
        shared.changed = true;
        let entry = if seq > 0 { self.find(seq) } else { None };
        let result = match message {
            Message::Tick(tick) => self.fold.fold_tick(&tick),
            Message::View(view) => self.fold.fold_view(&view),
            other => {
                self.take_answer(shared, seq, entry, other);
                Ok(())
            }
        };
        self.flush_reports(shared);
        result
    }

    fn take_answer(&mut self, shared: &mut Shared, seq: u64, entry: Option<usize>, message: Message) {
        match (message, entry) {
            (Message::Applied(applied), _) => self.take_applied(shared, seq, applied),
            (Message::Accepted(accepted), Some(i)) => self.take_accepted(shared, i, accepted),
            (Message::Accepted(_), None) => {}
            (Message::HandedOver(handed), None) => self.take_handed_over(shared, &handed),
            (Message::RoomClosed(closed), None) => self.take_closed(shared, closed.reason()),
            (message, Some(i)) => {
                let entry = &mut self.log[i];
                let is_last = match &message {
                    Message::HandedOver(handed) => handed.last,
                    Message::SnapshotResult(snapshot) => snapshot.last,
                    _ => true,
                };
                entry.collected.push(message);
                if is_last {
                    let answer = std::mem::take(&mut entry.collected);
                    entry.resolve(Ok(answer));
                }
            }
            (_, None) => {}
        }
    }

    /// Entities have another owner.
    pub fn take_handed_over(&mut self, shared: &mut Shared, handed: &HandedOver) {
        let own = handed.to == shared.number;
        if own {
            for id in &handed.id {
                self.kept.add(*id);
            }
        } else {
            self.kept.remove(&handed.id);
        }
        self.flush_reports(shared);
        if !handed.id.is_empty() {
            let ids = handed.id.clone();
            shared.report_room(&self.handlers, if own { Report::Gained(ids) } else { Report::Lost(ids) });
        }
    }

    fn take_closed(&mut self, shared: &mut Shared, reason: room_closed::Reason) {
        if reason == room_closed::Reason::Requested {
            let text = format!("another session has closed the room '{}'", self.name);
            self.end(shared, Error::RoomClosed(text));
        } else {
            // The server is stopping. The next one gets the room again.
            shared.by_handle.remove(&self.handle);
            self.handle = 0;
            self.is_ready = false;
        }
    }

    fn take_applied(&mut self, shared: &mut Shared, seq: u64, applied: Applied) {
        self.fold.tick = self.fold.tick.max(applied.tick);
        self.late.extend(applied.late);
        let mut i = 0;
        while i < self.log.len() {
            let entry = &self.log[i];
            if entry.is_answered() {
                i += 1;
                continue;
            }
            if entry.seq > applied.seq || (entry.seq == 0 && !entry.restores) {
                break;
            }
            if entry.seq > 0 && (!entry.is_step() || entry.step <= applied.tick) {
                let tick = if entry.step > 0 { entry.step } else { applied.tick };
                self.done(shared, i, tick);
            } else {
                i += 1;
            }
        }
        // The frames of this tick came before. An Applied that is repeated after a lost connection has no seq: resets
        // follow it.
        if seq > 0 {
            self.fold.view_stale = false;
        }
        self.fold.view_stale |= applied.views_lagging;
        self.fold.pairs_stale |= applied.pairs_lagging;
    }

    // ---- refusals ----

    fn take_accepted(&mut self, shared: &mut Shared, i: usize, accepted: Accepted) {
        let is_subscription =
            matches!(self.log[i].body, Body::Message(Sent::Subscribe(_)) | Body::Message(Sent::Unsubscribe(_)));
        if !accepted.refused_index.is_empty() {
            let refused = self.refused_entries(i, &accepted);
            let entry = &mut self.log[i];
            entry.entries.extend(refused);
            if !accepted.text.is_empty() {
                entry.text = accepted.text;
            }
        } else if is_subscription {
            self.log[i].accept();
            return self.done(shared, i, accepted.tick);
        }
        if accepted.last && !self.log[i].entries.is_empty() {
            let entry = &mut self.log[i];
            let (entries, text) = (std::mem::take(&mut entry.entries), std::mem::take(&mut entry.text));
            let code = entries[0].code;
            Self::refuse(&self.name, shared, entry, code, text, entries);
        } else {
            self.log[i].accept();
        }
    }

    /// The refused entries of an Accepted frame that are the program's fault.
    fn refused_entries(&mut self, i: usize, accepted: &Accepted) -> Vec<RefusedEntry> {
        let mut found = Vec::new();
        for (n, index) in accepted.refused_index.iter().enumerate() {
            let index = *index as usize;
            let code = accepted.refused_code.get(n).map_or(0, |code| i32::from(*code));
            let field = accepted.refused_field.get(n).map_or(0, |field| u32::from(*field));
            self.log[i].refused.insert(index);
            if !self.passes(i, index, code) {
                let entry = &self.log[i];
                found.push(RefusedEntry { index: entry.first + index, id: entry.id(index).unwrap_or(0), code, field });
            }
        }
        found
    }

    /// Whether a refusal follows from a lost connection: an earlier session of the server still has the id.
    fn passes(&mut self, i: usize, index: usize, code: i32) -> bool {
        let entry = &self.log[i];
        match &entry.body {
            Body::Message(Sent::Spawn(spawn))
                if code == ErrorCode::IdTaken as i32 && (entry.restores || entry.retried) =>
            {
                if spawn.room_owned {
                    return true; // another session has restored it
                }
                if Instant::now() >= self.give_up_at {
                    let id = spawn.id[index];
                    self.kept.remove(&[id]);
                    return false;
                }
                self.fold.is_missing = true;
                self.kept.miss(spawn, index);
                true
            }
            Body::Message(Sent::Observe(observe)) => {
                observe.entity.get(index).is_some_and(|entity| self.kept.is_missing(*entity))
            }
            _ => entry.id(index).is_some_and(|id| self.kept.is_missing(id)),
        }
    }

    fn refuse(name: &str, shared: &mut Shared, entry: &mut Entry, code: i32, text: String, entries: Vec<RefusedEntry>) {
        let refusal = Refusal { room: name.to_string(), command: entry.command(), code, text, entries };
        if let Some(request) = &entry.request {
            request.with(|progress| progress.refusal = Some(refusal.clone()));
        }
        entry.resolve(Err(Error::Refused(Box::new(refusal.clone()))));
        let is_opening = matches!(entry.body, Body::Message(Sent::OpenRoom(_)) | Body::Message(Sent::Adopt(_)));
        if !is_opening || !entry.restores {
            shared.refuse(refusal);
        }
    }

    /// The whole request is refused.
    pub fn take_error(&mut self, shared: &mut Shared, i: usize, error: proto::Error) {
        shared.changed = true;
        let entry = &mut self.log[i];
        if entry.is_step() && self.step_passes(shared, i, error.code(), error.tick_due) {
            return;
        }
        let entry = &mut self.log[i];
        match &entry.body {
            Body::Message(Sent::GetSnapshot(_)) if entry.restores => {
                return entry.resolve(Ok(Vec::new())); // nothing is known of the earlier entities
            }
            Body::Moved(_) if error.code() == ErrorCode::UnknownRoster => {
                entry.forget_roster();
                self.rosters.forget();
                return self.send_last(shared, i);
            }
            Body::Message(Sent::SetRoster(_)) => {
                self.remove(shared, i);
                return self.rosters.forget(); // moves by them come again by ids
            }
            Body::Message(Sent::SetExceptions(lists))
                if error.code() == ErrorCode::UnknownObserver && self.kept.anchor_is_missing(lists.observer) =>
            {
                let tick = self.fold.tick;
                return self.done(shared, i, tick);
            }
            _ => {}
        }
        if self.log[i].answer.is_some() {
            return Self::refuse(&self.name, shared, &mut self.log[i], error.code, error.text, Vec::new());
        }
        if let Some(mut entry) = self.remove(shared, i) {
            Self::refuse(&self.name, shared, &mut entry, error.code, error.text, Vec::new());
        }
    }

    /// Whether the program need not know that its Step was refused.
    fn step_passes(&mut self, shared: &mut Shared, i: usize, code: ErrorCode, due: u64) -> bool {
        if !matches!(code, ErrorCode::WrongTick | ErrorCode::TickOver) {
            return false;
        }
        self.fold.tick = self.fold.tick.max(due.saturating_sub(1));
        let entry = &mut self.log[i];
        if entry.retried && due > entry.step {
            let step = entry.step; // an earlier connection had carried it out
            self.done(shared, i, step);
            return true;
        }
        if code == ErrorCode::WrongTick && !self.lockstep && due > 0 {
            self.step_tick = due; // another session has stepped
            entry.step = due;
            self.send_last(shared, i);
            return true;
        }
        false
    }

    /// Sends it under a new number, so it goes to the end of the log.
    pub(super) fn send_last(&mut self, shared: &mut Shared, i: usize) {
        if let Some(mut entry) = self.remove(shared, i) {
            shared.transmit(&mut entry, Some(self.key), self.handle);
            self.log.push_back(entry);
        }
    }
}
