// SPDX-License-Identifier: Apache-2.0
//! What has changed in a room, as columns.

use crate::proto::{EndReason, LeaveReason};

/// A position of an entity in a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relayed {
    /// The observer that sees the entity.
    pub observer: u32,
    /// The entity.
    pub id: u32,
    /// Its center; z is 0 in two dimensions.
    pub at: [f32; 3],
}

/// The changes up to a tick. Pairs are (a, b) with a < b, entries of views (observer, id).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tick {
    /// The tick.
    pub number: u64,
    /// The set of pairs was replaced. `ends` and `begins` are the difference; these ends have no reason.
    pub reset: bool,
    /// In lockstep: the sessions that did not step in time.
    pub late: Vec<u64>,
    /// Pairs that touch no longer.
    pub ends: Vec<(u32, u32)>,
    /// One per end. `Unspecified`: by a reset.
    pub end_reasons: Vec<EndReason>,
    /// Pairs that touch now.
    pub begins: Vec<(u32, u32)>,
    /// Pairs that touched only between two ticks, in a swept room.
    pub passed: Vec<(u32, u32)>,
    /// Pairs that go on, if the subscription asked for stays.
    pub stays: Vec<(u32, u32)>,
    /// Entities that left a view.
    pub leaves: Vec<(u32, u32)>,
    /// One per leave. `Unspecified`: by a reset.
    pub leave_reasons: Vec<LeaveReason>,
    /// Entities that entered a view.
    pub enters: Vec<(u32, u32)>,
    /// Positions of entities in views. They are collected if the room has a handler or [`Ticks`](crate::Ticks).
    pub relays: Vec<Relayed>,
}

impl Tick {
    pub(crate) fn is_empty(&self) -> bool {
        !self.reset
            && [&self.ends, &self.begins, &self.passed, &self.stays, &self.leaves, &self.enters]
                .iter()
                .all(|rows| rows.is_empty())
            && self.relays.is_empty()
    }

    /// Appends later changes.
    pub(crate) fn merge(&mut self, later: &Tick) {
        self.number = later.number;
        self.reset |= later.reset;
        self.ends.extend_from_slice(&later.ends);
        self.end_reasons.extend_from_slice(&later.end_reasons);
        self.begins.extend_from_slice(&later.begins);
        self.passed.extend_from_slice(&later.passed);
        self.stays.extend_from_slice(&later.stays);
        self.leaves.extend_from_slice(&later.leaves);
        self.leave_reasons.extend_from_slice(&later.leave_reasons);
        self.enters.extend_from_slice(&later.enters);
        self.relays.extend_from_slice(&later.relays);
    }
}

pub(crate) fn end_reason(byte: u8) -> EndReason {
    EndReason::try_from(i32::from(byte)).unwrap_or(EndReason::Unspecified)
}

pub(crate) fn leave_reason(byte: u8) -> LeaveReason {
    LeaveReason::try_from(i32::from(byte)).unwrap_or(LeaveReason::Unspecified)
}
