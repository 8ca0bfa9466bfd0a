// SPDX-License-Identifier: Apache-2.0
//! What each observer of a session sees in a room, folded from its View frames.

use std::collections::BTreeSet;

use super::hash::IdMap;
use super::relay::{Refused, Relay};
use super::tick::{leave_reason, Relayed, Tick};
use crate::error::Contradiction;
use crate::proto::{view::RelayPrecision, LeaveReason, Shape, View as Frame};

/// An entity as one observer knows it: its values at the enter, with the last reported position. Sizes that its shape
/// lacks are 0, and so is z in two dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The entity.
    pub id: u32,
    /// The center.
    pub at: [f32; 3],
    /// Of boxes: the half extents.
    pub half: [f32; 3],
    /// Of circles and capsules.
    pub radius: f32,
    /// Of capsules: from the center to one end of the axis.
    pub axis: [f32; 3],
    /// The shape.
    pub shape: Shape,
    /// The category bits.
    pub category: u32,
    /// The tag of `describe`.
    pub tag: u64,
    /// The payload of `describe`.
    pub payload: Vec<u8>,
}

struct Row {
    seen: Seen,
    slot: usize,
    /// How often the slot's position had come at the enter.
    mark: u32,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    id: Option<u32>,
    at: [f32; 3],
    /// How often a position has come.
    updates: u32,
}

/// The slots of `relay_once`.
#[derive(Default)]
struct Slots {
    in_use: bool,
    relay: Option<Relay>,
    by_id: IdMap<u32, usize>,
    slots: Vec<Slot>,
    viewers: IdMap<u32, Vec<u32>>,
}

#[derive(Default)]
pub struct Views {
    index: IdMap<u32, IdMap<u32, Row>>,
    count: usize,
    watchers: IdMap<u32, BTreeSet<(u64, u32)>>,
    slots: Slots,
    /// Whether the frames of a tick are not complete yet.
    pub incomplete: bool,
    pub suspended: bool,
}

fn wrong<T>(text: String) -> Result<T, Contradiction> {
    Err(Contradiction(text))
}

fn at<T: Copy + Default>(column: &[T], i: usize) -> T {
    column.get(i).copied().unwrap_or_default()
}

fn at3(x: &[f32], y: &[f32], z: &[f32], i: usize) -> [f32; 3] {
    [at(x, i), at(y, i), at(z, i)]
}

impl From<Refused> for Contradiction {
    fn from(_: Refused) -> Self {
        Contradiction("the positions are no blob of the relay stream for these slots".into())
    }
}

impl Views {
    // ---- reading ----

    pub fn observers(&self) -> impl Iterator<Item = u32> + '_ {
        self.index.iter().filter(|(_, rows)| !rows.is_empty()).map(|(observer, _)| *observer)
    }

    pub fn ids(&self, observer: u32) -> Vec<u32> {
        let mut ids: Vec<u32> = self.index.get(&observer).map_or(Vec::new(), |rows| rows.keys().copied().collect());
        ids.sort_unstable();
        ids
    }

    pub fn len(&self, observer: u32) -> usize {
        self.index.get(&observer).map_or(0, |rows| rows.len())
    }

    pub fn has(&self, observer: u32, id: u32) -> bool {
        self.index.get(&observer).is_some_and(|rows| rows.contains_key(&id))
    }

    pub fn get(&self, observer: u32, id: u32) -> Option<Seen> {
        self.index.get(&observer)?.get(&id).map(|row| self.seen(row))
    }

    pub fn all(&self, observer: u32) -> Vec<Seen> {
        let mut all: Vec<Seen> =
            self.index.get(&observer).map_or(Vec::new(), |rows| rows.values().map(|row| self.seen(row)).collect());
        all.sort_unstable_by_key(|seen| seen.id);
        all
    }

    fn seen(&self, row: &Row) -> Seen {
        let mut seen = row.seen.clone();
        if let Some(slot) = self.slots.slots.get(row.slot).filter(|slot| self.slots.in_use && slot.updates != row.mark)
        {
            seen.at = slot.at;
        }
        seen
    }

    pub fn watchers(&self, id: u32) -> Vec<(u64, u32)> {
        self.watchers.get(&id).map_or(Vec::new(), |watchers| watchers.iter().copied().collect())
    }

    // ---- folding ----

    /// Folds one frame, and adds what has changed to `news`. After an error the views are of no use until a reset.
    pub fn apply(&mut self, frame: &Frame, wants_relays: bool, news: &mut Tick) -> Result<(), Contradiction> {
        self.incomplete = true;
        if frame.suspended {
            self.suspend(news);
            return Ok(());
        }
        if frame.reset {
            self.forget(news);
            self.suspended = false;
        }
        if frame.reset_watchers {
            self.watchers.clear();
        }
        if self.suspended && !(frame.enter_id.is_empty() && frame.leave_id.is_empty()) {
            return wrong("views are suspended".into());
        }
        self.leave(frame, news)?;
        self.enter(frame, news)?;
        self.relay_entries(frame, wants_relays, news)?;
        self.relay_slots(frame, wants_relays, news)?;
        self.watch(frame)?;
        self.incomplete = !frame.last || self.suspended;
        Ok(())
    }

    /// The views are empty until a reset.
    pub fn suspend(&mut self, news: &mut Tick) {
        self.forget(news);
        self.watchers.clear();
        self.suspended = true;
        self.incomplete = true;
    }

    /// The views of a new session begin empty, without a reset.
    pub fn restart(&mut self, news: &mut Tick) {
        self.suspend(news);
        self.suspended = false;
        self.incomplete = false;
    }

    fn forget(&mut self, news: &mut Tick) {
        for (observer, rows) in &self.index {
            let first = news.leaves.len();
            news.leaves.extend(rows.keys().map(|id| (*observer, *id)));
            news.leaves[first..].sort_unstable();
        }
        news.leave_reasons.resize(news.leaves.len(), LeaveReason::Unspecified);
        self.index.clear();
        self.count = 0;
        self.slots = Slots::default();
    }

    fn leave(&mut self, frame: &Frame, news: &mut Tick) -> Result<(), Contradiction> {
        for (i, (observer, id)) in frame.leave_observer.iter().zip(&frame.leave_id).enumerate() {
            if self.index.get_mut(observer).and_then(|rows| rows.remove(id)).is_none() {
                return wrong(format!("{id} leaves the view of {observer}, which lacks it"));
            }
            self.count -= 1;
            self.slots.leave(*observer, *id);
            news.leaves.push((*observer, *id));
            news.leave_reasons.push(leave_reason(at(&frame.leave_reason, i)));
        }
        Ok(())
    }

    fn enter(&mut self, frame: &Frame, news: &mut Tick) -> Result<(), Contradiction> {
        if frame.enter_id.is_empty() {
            return Ok(());
        }
        if frame.enter_id.len() != frame.enter_observer.len() {
            return wrong("the columns of enters differ in length".into());
        }
        let has_slots = !frame.enter_slot.is_empty();
        if self.count == 0 {
            let axes = if frame.enter_z.is_empty() { 2 } else { 3 };
            let relay = frame.relay_precision.as_ref().map(|RelayPrecision::RelayK(k)| Relay::new(*k, axes, 0));
            self.slots = Slots { in_use: has_slots, relay, ..Default::default() };
        }
        if self.slots.in_use != has_slots {
            return wrong("slots come with all enters or with none".into());
        }
        let mut payload_at = 0;
        for (i, (observer, id)) in frame.enter_observer.iter().zip(&frame.enter_id).enumerate() {
            let size = usize::from(at(&frame.enter_payload_size, i));
            let Some(payload) = frame.enter_payload.get(payload_at..payload_at + size) else {
                return wrong("the payloads are shorter than their sizes".into());
            };
            payload_at += size;
            let seen = entered(frame, i, *id, payload);
            let slot = if has_slots { self.slots.enter(*observer, &seen, at(&frame.enter_slot, i))? } else { 0 };
            let mark = self.slots.slots.get(slot).map_or(0, |slot| slot.updates);
            if self.index.entry(*observer).or_default().insert(*id, Row { seen, slot, mark }).is_some() {
                return wrong(format!("{id} enters the view of {observer}, which has it"));
            }
            self.count += 1;
            news.enters.push((*observer, *id));
        }
        Ok(())
    }

    fn relay_entries(&mut self, frame: &Frame, wanted: bool, news: &mut Tick) -> Result<(), Contradiction> {
        for (i, (observer, id)) in frame.relay_observer.iter().zip(&frame.relay_id).enumerate() {
            let Some(row) = self.index.get_mut(observer).and_then(|rows| rows.get_mut(id)) else {
                return wrong(format!("a position of {id} for {observer}, which does not see it"));
            };
            row.seen.at = at3(&frame.relay_x, &frame.relay_y, &frame.relay_z, i);
            if wanted {
                news.relays.push(Relayed { observer: *observer, id: *id, at: row.seen.at });
            }
        }
        Ok(())
    }

    fn relay_slots(&mut self, frame: &Frame, wanted: bool, news: &mut Tick) -> Result<(), Contradiction> {
        if !frame.relay.is_empty() {
            let Some(relay) = self.slots.relay.as_mut() else {
                return wrong("a blob of positions without a precision".into());
            };
            for slot in relay.read(&frame.relay)? {
                let position = self.slots.relay.as_ref().map_or([0.0; 3], |relay| relay.position(slot));
                self.slots.place(slot, position, wanted, news)?;
            }
        }
        for (i, slot) in frame.exact_slot.iter().enumerate() {
            let position = at3(&frame.exact_x, &frame.exact_y, &frame.exact_z, i);
            if let Some(relay) = &mut self.slots.relay {
                relay.start(*slot as usize, position)?;
            }
            self.slots.place(*slot as usize, position, wanted, news)?;
        }
        Ok(())
    }

    fn watch(&mut self, frame: &Frame) -> Result<(), Contradiction> {
        for (i, entity) in frame.watcher_leave_entity.iter().enumerate() {
            let watcher = (at(&frame.watcher_leave_session, i), at(&frame.watcher_leave_observer, i));
            let watchers = self.watchers.entry(*entity).or_default();
            if !watchers.remove(&watcher) {
                return wrong(format!("an observer that does not see {entity} stops to see it"));
            }
            if watchers.is_empty() {
                self.watchers.remove(entity);
            }
        }
        for (i, entity) in frame.watcher_enter_entity.iter().enumerate() {
            let watcher = (at(&frame.watcher_enter_session, i), at(&frame.watcher_enter_observer, i));
            self.watchers.entry(*entity).or_default().insert(watcher);
        }
        Ok(())
    }
}

fn entered(frame: &Frame, i: usize, id: u32, payload: &[u8]) -> Seen {
    let shape = frame
        .enter_shape
        .get(i)
        .map_or(Shape::Box, |byte| Shape::try_from(i32::from(*byte)).unwrap_or(Shape::Unspecified));
    Seen {
        id,
        at: at3(&frame.enter_x, &frame.enter_y, &frame.enter_z, i),
        half: at3(&frame.enter_half_x, &frame.enter_half_y, &frame.enter_half_z, i),
        radius: at(&frame.enter_radius, i),
        axis: at3(&frame.enter_axis_x, &frame.enter_axis_y, &frame.enter_axis_z, i),
        shape,
        category: frame.enter_category.get(i).copied().unwrap_or(1),
        tag: at(&frame.enter_tag, i),
        payload: payload.to_vec(),
    }
}

impl Slots {
    /// An entity enters a view. `named` is its new slot plus 1, or 0 if it has one. Returns its slot.
    fn enter(&mut self, observer: u32, seen: &Seen, named: u32) -> Result<usize, Contradiction> {
        if let Some(slot) = (named as usize).checked_sub(1) {
            if slot >= 1 << 24 {
                return wrong(format!("slot {slot}; must be below 16777216"));
            }
            if slot >= self.slots.len() {
                self.slots.resize(slot + 1, Slot::default());
            }
            if self.slots[slot].id.is_some() || self.by_id.contains_key(&seen.id) {
                return wrong(format!("slot {slot} is in use, or {} has a slot", seen.id));
            }
            self.slots[slot].id = Some(seen.id);
            self.by_id.insert(seen.id, slot);
            if let Some(relay) = &mut self.relay {
                relay.start(slot, seen.at)?;
            }
        }
        let Some(slot) = self.by_id.get(&seen.id) else {
            return wrong(format!("{} enters without a slot", seen.id));
        };
        self.viewers.entry(seen.id).or_default().push(observer);
        Ok(*slot)
    }

    fn leave(&mut self, observer: u32, id: u32) {
        if !self.in_use {
            return;
        }
        let Some(viewers) = self.viewers.get_mut(&id) else { return };
        viewers.retain(|viewer| *viewer != observer);
        if viewers.is_empty() {
            self.viewers.remove(&id);
            if let Some(slot) = self.by_id.remove(&id) {
                self.slots[slot].id = None;
            }
        }
    }

    fn place(&mut self, slot: usize, at: [f32; 3], wanted: bool, news: &mut Tick) -> Result<(), Contradiction> {
        let Some((state, id)) = self.slots.get_mut(slot).and_then(|state| state.id.map(|id| (state, id))) else {
            return wrong(format!("a position of slot {slot}, which is not in use"));
        };
        state.at = at;
        state.updates = state.updates.wrapping_add(1);
        if wanted {
            let viewers = self.viewers.get(&id).map_or(&[][..], |viewers| viewers);
            news.relays.extend(viewers.iter().map(|observer| Relayed { observer: *observer, id, at }));
        }
        Ok(())
    }
}
