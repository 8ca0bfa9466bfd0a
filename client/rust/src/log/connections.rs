// SPDX-License-Identifier: Apache-2.0
//! What becomes of the requests of a room when its connection is lost, resumed, or followed by a new session.

use std::collections::VecDeque;

use super::{Body, RoomState};
use crate::core::{Job, Shared};
use crate::error::Error;
use crate::proto::client_frame::Message;

impl RoomState {
    pub fn connection_lost(&mut self, shared: &mut Shared) {
        self.fold.fold_lost();
        self.flush_reports(shared);
    }

    /// A task opens the room and restores it.
    pub fn start_restore(&mut self, shared: &mut Shared) {
        self.generation += 1;
        self.restoring = true;
        shared.jobs.push(Job::Restore { room: self.key, generation: self.generation });
    }

    /// Sends an entry of the log that has an answer, or is the session's own.
    fn transmit(&mut self, shared: &mut Shared, i: usize) {
        shared.transmit(&mut self.log[i], Some(self.key), self.handle);
    }

    /// The server's session goes on, and has received this entry. Its answer may be lost.
    pub fn ask_again(&mut self, shared: &mut Shared, seq: u64) {
        let Some(i) = self.find(seq) else { return };
        if self.log[i].is_answered() {
            self.transmit(shared, i);
        } else if self.log[i].confirm {
            self.log[i].accept();
        }
    }

    /// The server's session goes on, and has not received this entry.
    pub fn repeat(&mut self, shared: &mut Shared, seq: u64) {
        if let Some(i) = self.find(seq) {
            let frame = self.log[i].frame(self.handle);
            shared.send(frame);
        }
    }

    /// The server's session goes on. What it has not received is on its way.
    pub fn resumed(&mut self, shared: &mut Shared) {
        if self.handle == 0 && !self.restoring {
            return self.start_restore(shared); // opened while there was no connection
        }
        for i in 0..self.log.len() {
            if self.log[i].seq == 0 && self.log[i].restores {
                self.transmit(shared, i);
            }
        }
        if self.is_ready {
            let sent = self.log.iter().filter(|entry| entry.is_step() && entry.seq > 0);
            let steps: Vec<u64> = sent.map(|entry| entry.number).collect();
            self.replay(shared);
            if !steps.is_empty() {
                shared.jobs.push(Job::Probe { room: self.key, generation: self.generation, steps });
            }
        }
    }

    /// Steps up to that tick are carried out, even if their answers are lost. Sends the others again.
    pub fn probed(&mut self, shared: &mut Shared, tick: u64, steps: &[u64]) {
        self.steps_over(shared, tick);
        for number in steps {
            let Some(i) = self.log.iter().position(|entry| entry.number == *number) else { continue };
            if !self.lockstep {
                self.step_tick = tick.max(self.fold.tick) + 1;
                self.log[i].step = self.step_tick;
                self.send_last(shared, i);
            }
        }
        shared.changed = true;
    }

    /// The server's session is new: opens the room again, and restores it.
    pub fn restarted(&mut self, shared: &mut Shared) {
        let (restoring, kept): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.log).into_iter().partition(|entry| entry.restores);
        for mut entry in restoring {
            if entry.request.is_none() && entry.answer.is_some() {
                entry.resolve(Err(Error::Lost));
            }
        }
        self.log = kept;
        for entry in &mut self.log {
            entry.retried |= entry.seq > 0;
            entry.seq = 0;
            entry.forget_roster();
            entry.refused.clear();
            entry.entries.clear();
            entry.collected.clear();
        }
        self.handle = 0;
        self.is_ready = false;
        self.rosters.forget();
        self.merge(shared, false);
        self.fold.fold_restart();
        self.flush_reports(shared);
        self.start_restore(shared);
    }

    /// Merges requests into the state that is restored, except those behind a Step, which belong to a later tick.
    /// `unsent`: also those that were never sent.
    pub(super) fn merge(&mut self, shared: &mut Shared, unsent: bool) {
        let mut i = 0;
        while i < self.log.len() {
            let entry = &self.log[i];
            if entry.is_step() || (!unsent && !entry.retried) {
                return;
            }
            let is_kept = match &entry.body {
                Body::Moved(_) => true,
                Body::Message(Message::Subscribe(_)) | Body::Message(Message::Unsubscribe(_)) => true,
                Body::Message(_) => !entry.is_answered(),
            };
            if !is_kept || entry.restores {
                i += 1;
                continue;
            }
            let Some(mut entry) = self.remove(shared, i) else { return };
            self.keep(&entry, shared.number);
            entry.accept();
            if let Some(request) = entry.request.filter(|request| request.part_is_done()) {
                self.merged.push(request);
            }
        }
    }

    /// The room is ready: sends its entries.
    pub fn replay(&mut self, shared: &mut Shared) {
        self.bytes = 0;
        let (unsent, sent): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.log).into_iter().partition(|entry| entry.seq == 0);
        self.log = sent;
        for mut entry in unsent {
            if entry.is_step() {
                self.step_tick = self.step_tick.max(self.fold.tick) + 1;
                entry.step = self.step_tick;
            }
            shared.transmit(&mut entry, Some(self.key), self.handle);
            self.log.push_back(entry);
        }
        let tick = self.fold.tick;
        self.finish_merged(tick);
        shared.changed = true;
    }

    /// The room has completed that tick: so are its Steps up to that tick, and all requests before them.
    pub fn steps_over(&mut self, shared: &mut Shared, tick: u64) {
        let is_over = |entry: &super::Entry| entry.is_step() && entry.step > 0 && entry.step <= tick;
        if let Some(last) = self.log.iter().rposition(is_over) {
            let step = self.log[last].step;
            let numbers: Vec<u64> = self.log.iter().take(last + 1).map(|entry| entry.number).collect();
            for number in numbers {
                let place = self.log.iter().position(|entry| entry.number == number);
                if let Some(i) = place.filter(|i| !self.log[*i].is_answered()) {
                    self.done(shared, i, step);
                }
            }
        }
        self.fold.tick = self.fold.tick.max(tick);
    }
}
