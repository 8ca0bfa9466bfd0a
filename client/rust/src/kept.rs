// SPDX-License-Identifier: Apache-2.0
//! What a session restores in a new session of the server: entities, descriptions, observers, options, subscription.

use std::collections::{BTreeMap, HashSet};

use crate::batch::Batch;
use crate::fold::hash::{IdMap, IdSet};
use crate::proto::{
    client_frame::Message, Despawn, MoveObservers, Observe, Reshape, SetDescription, SetExceptions, SetViewOptions,
    Shape, Spawn, Subscribe, Teleport,
};

#[derive(Clone, Copy, Default)]
struct Place {
    at: [f32; 3],
    moved: bool,
}

#[derive(Clone)]
struct Entity {
    id: u32,
    half: [f32; 3],
    radius: f32,
    axis: [f32; 3],
    shape: u8,
    category: u32,
    mask: u32,
    tag: u64,
    team: u32,
    visible_range: f32,
    hidden: u8,
    payload: Vec<u8>,
    room_owned: bool,
    /// Another session has handed it over: its shape is not known.
    foreign: bool,
    described: bool,
    /// The server could not spawn it yet.
    missing: bool,
}

struct Observer {
    /// Its one entry.
    observe: Observe,
    lists: Option<SetExceptions>,
}

impl Observer {
    fn anchor(&self) -> Option<u32> {
        let anchored = self.observe.anchored.first().map_or(!self.observe.entity.is_empty(), |byte| *byte != 0);
        anchored.then(|| self.observe.entity.first().copied().unwrap_or(0))
    }
}

/// The state of one room.
#[derive(Default)]
pub struct Kept {
    rows: IdMap<u32, usize>,
    /// Rises when a row gets another entity.
    pub version: u64,
    places: Vec<Place>,
    entities: Vec<Entity>,
    observers: BTreeMap<u32, Observer>,
    view_options: Option<SetViewOptions>,
    subscription: Option<Subscribe>,
}

/// Refused entries of a request.
pub type Refused = HashSet<usize>;

/// A row that does not exist.
pub const NO_ROW: usize = usize::MAX;

fn set<T: Copy>(value: &mut T, column: &[T], i: usize) {
    if let Some(new) = column.get(i) {
        *value = *new;
    }
}

fn set3(value: &mut [f32; 3], columns: [&[f32]; 3], i: usize) {
    for (value, column) in value.iter_mut().zip(columns) {
        set(value, column, i);
    }
}

impl Kept {
    // ---- entities ----

    pub fn has(&self, id: u32) -> bool {
        self.rows.contains_key(&id)
    }

    pub fn is_missing(&self, id: u32) -> bool {
        self.rows.get(&id).is_some_and(|row| self.entities[*row].missing)
    }

    pub fn anchor_is_missing(&self, observer: u32) -> bool {
        self.observers.get(&observer).and_then(Observer::anchor).is_some_and(|id| self.is_missing(id))
    }

    pub fn clear_missing(&mut self) {
        self.entities.iter_mut().for_each(|entity| entity.missing = false);
    }

    /// An id that is not kept yet. It is foreign until it is spawned.
    pub fn add(&mut self, id: u32) -> usize {
        if let Some(row) = self.rows.get(&id) {
            return *row;
        }
        let row = self.entities.len();
        self.rows.insert(id, row);
        self.places.push(Place::default());
        self.entities.push(Entity {
            id,
            half: [0.0; 3],
            radius: 0.0,
            axis: [0.0; 3],
            shape: Shape::Box as u8,
            category: 1,
            mask: u32::MAX,
            tag: 0,
            team: 0,
            visible_range: 0.0,
            hidden: 0,
            payload: Vec::new(),
            room_owned: false,
            foreign: true,
            described: false,
            missing: false,
        });
        self.version += 1;
        row
    }

    pub fn remove(&mut self, ids: &[u32]) {
        let mut gone = IdSet::default();
        for id in ids {
            let Some(row) = self.rows.remove(id) else { continue };
            // The last row takes the place.
            self.places.swap_remove(row);
            self.entities.swap_remove(row);
            if let Some(moved) = self.entities.get(row) {
                self.rows.insert(moved.id, row);
            }
            gone.insert(*id);
        }
        if !gone.is_empty() {
            self.version += 1;
            self.observers.retain(|_, observer| observer.anchor().is_none_or(|id| !gone.contains(&id)));
        }
    }

    /// The row of each id, or NO_ROW.
    pub fn rows_of(&self, ids: &[u32]) -> Vec<usize> {
        ids.iter().map(|id| self.rows.get(id).copied().unwrap_or(NO_ROW)).collect()
    }

    /// Moves the entities of rows to positions, one iterator per axis.
    pub fn move_rows(&mut self, rows: &[usize], axis: usize, values: impl Iterator<Item = f32>) {
        for (row, value) in rows.iter().zip(values) {
            if let Some(place) = self.places.get_mut(*row) {
                place.at[axis] = value;
                place.moved = true;
            }
        }
    }

    // ---- requests that the server has carried out ----

    /// `refused`: entries that do not count. `number`: that of the server's session.
    pub fn apply(&mut self, message: &Message, refused: &Refused, number: u64) {
        match message {
            Message::Spawn(spawn) => {
                for (i, id) in spawn.id.iter().enumerate() {
                    if !refused.contains(&i) && !self.has(*id) {
                        self.spawn(spawn, i);
                    }
                }
            }
            Message::Move(moved) => self.place(&moved.id, [&moved.x, &moved.y, &moved.z], refused),
            Message::Teleport(moved) => self.place(&moved.id, [&moved.x, &moved.y, &moved.z], refused),
            Message::Reshape(reshape) => self.reshape(reshape, refused),
            Message::Despawn(despawn) => {
                let ids: Vec<u32> =
                    self.counting(&despawn.id, refused).into_iter().map(|(_, row)| self.entities[row].id).collect();
                self.remove(&ids);
            }
            Message::SetDescription(description) => self.describe(description, refused),
            Message::HandOver(given) => {
                let rows = self.counting(&given.id, refused);
                if given.room_owned || given.session == number {
                    rows.iter().for_each(|(_, row)| self.entities[*row].room_owned = given.room_owned);
                } else {
                    let ids: Vec<u32> = rows.iter().map(|(_, row)| self.entities[*row].id).collect();
                    self.remove(&ids);
                }
            }
            Message::Observe(observe) => self.observe(observe, refused),
            Message::MoveObservers(moved) => self.move_observers(moved, refused),
            Message::Unobserve(ended) => {
                for (i, id) in ended.id.iter().enumerate() {
                    if !refused.contains(&i) {
                        self.observers.remove(id);
                    }
                }
            }
            Message::SetExceptions(lists) => {
                if let Some(observer) = self.observers.get_mut(&lists.observer) {
                    observer.lists = Some(lists.clone());
                }
            }
            Message::SetViewOptions(options) => self.view_options = Some(*options),
            Message::Subscribe(subscription) => self.subscription = Some(*subscription),
            Message::Unsubscribe(_) => self.subscription = None,
            _ => {}
        }
    }

    /// (index, row) of the entries that count. An entity that is missing now gets what was refused for it, when it is
    /// spawned again.
    fn counting(&self, ids: &[u32], refused: &Refused) -> Vec<(usize, usize)> {
        let rows = ids.iter().enumerate().filter_map(|(i, id)| self.rows.get(id).map(|row| (i, *row)));
        rows.filter(|(i, row)| !refused.contains(i) || self.entities[*row].missing).collect()
    }

    fn spawn(&mut self, spawn: &Spawn, i: usize) {
        let row = self.add(spawn.id[i]);
        set3(&mut self.places[row].at, [&spawn.x, &spawn.y, &spawn.z], i);
        let entity = &mut self.entities[row];
        set3(&mut entity.half, [&spawn.half_x, &spawn.half_y, &spawn.half_z], i);
        set3(&mut entity.axis, [&spawn.axis_x, &spawn.axis_y, &spawn.axis_z], i);
        set(&mut entity.radius, &spawn.radius, i);
        set(&mut entity.shape, &spawn.shape, i);
        set(&mut entity.category, &spawn.category, i);
        set(&mut entity.mask, &spawn.mask, i);
        entity.foreign = false;
        entity.room_owned = spawn.room_owned;
    }

    /// The server could not spawn that entry yet.
    pub fn miss(&mut self, spawn: &Spawn, i: usize) {
        if !self.has(spawn.id[i]) {
            self.spawn(spawn, i);
        }
        let row = self.rows[&spawn.id[i]];
        self.entities[row].missing = true;
    }

    fn place(&mut self, ids: &[u32], columns: [&[f32]; 3], refused: &Refused) {
        for (i, row) in self.counting(ids, refused) {
            set3(&mut self.places[row].at, columns, i);
            self.places[row].moved = true;
        }
    }

    fn reshape(&mut self, reshape: &Reshape, refused: &Refused) {
        for (i, row) in self.counting(&reshape.id, refused) {
            let entity = &mut self.entities[row];
            set3(&mut entity.half, [&reshape.half_x, &reshape.half_y, &reshape.half_z], i);
            set3(&mut entity.axis, [&reshape.axis_x, &reshape.axis_y, &reshape.axis_z], i);
            set(&mut entity.radius, &reshape.radius, i);
            set(&mut entity.shape, &reshape.shape, i);
            set(&mut entity.category, &reshape.category, i);
            set(&mut entity.mask, &reshape.mask, i);
            if entity.shape == Shape::Box as u8 {
                entity.radius = 0.0;
            } else {
                entity.half = [0.0; 3];
            }
            if entity.shape != Shape::Capsule as u8 {
                entity.axis = [0.0; 3];
            }
        }
    }

    fn describe(&mut self, description: &SetDescription, refused: &Refused) {
        let mut starts = Vec::with_capacity(description.payload_size.len());
        let mut end = 0;
        for size in &description.payload_size {
            starts.push(end);
            end += usize::from(*size);
        }
        for (i, row) in self.counting(&description.id, refused) {
            let entity = &mut self.entities[row];
            set(&mut entity.tag, &description.tag, i);
            set(&mut entity.team, &description.team, i);
            set(&mut entity.visible_range, &description.visible_range, i);
            set(&mut entity.hidden, &description.hidden, i);
            entity.described = true;
            if let Some(size) = description.payload_size.get(i) {
                entity.payload = description.payload[starts[i]..starts[i] + usize::from(*size)].to_vec();
            }
        }
    }

    // ---- views ----

    fn observe(&mut self, observe: &Observe, refused: &Refused) {
        for (i, id) in observe.id.iter().enumerate() {
            if refused.contains(&i) && !observe.entity.get(i).is_some_and(|entity| self.is_missing(*entity)) {
                continue;
            }
            let lists = self.observers.remove(id).and_then(|before| before.lists);
            self.observers.insert(*id, Observer { observe: observe.part(i..i + 1), lists });
        }
    }

    fn move_observers(&mut self, moved: &MoveObservers, refused: &Refused) {
        for (i, id) in moved.id.iter().enumerate() {
            let Some(observer) = self.observers.get_mut(id).filter(|_| !refused.contains(&i)) else { continue };
            let observe = &mut observer.observe;
            for (value, column) in [
                (&mut observe.x, &moved.x),
                (&mut observe.y, &moved.y),
                (&mut observe.z, &moved.z),
                (&mut observe.direction_x, &moved.direction_x),
                (&mut observe.direction_y, &moved.direction_y),
                (&mut observe.direction_z, &moved.direction_z),
            ] {
                if let Some(new) = column.get(i) {
                    *value = vec![*new];
                }
            }
        }
    }

    // ---- restoring ----

    /// The requests that bring a room to this state. `present`: the ids of own entities that are there. `fresh`: it is a
    /// new room, without entities of the room itself.
    pub fn requests(&self, present: &IdSet<u32>, fresh: bool, has_z: bool) -> Vec<Message> {
        let own = |entity: &Entity| !entity.foreign && !entity.room_owned;
        let mut requests: Vec<Message> =
            vec![self.spawns(false, has_z, |entity| own(entity) && !present.contains(&entity.id)).into()];
        if fresh {
            requests.push(self.spawns(true, has_z, |entity| entity.room_owned && !entity.foreign).into());
        }
        if !present.is_empty() {
            requests.push(self.teleports(has_z, present).into());
            requests.push(self.reshapes(has_z, |entity| own(entity) && present.contains(&entity.id)).into());
            let mut gone: Vec<u32> = present.iter().copied().filter(|id| !self.has(*id)).collect();
            gone.sort_unstable();
            requests.push(Despawn { room: 0, id: gone }.into());
        }
        requests.push(self.descriptions(|entity| entity.described && (own(entity) || fresh)).into());
        self.add_observers(&mut requests, |_| true);
        requests.extend(self.view_options.map(Message::SetViewOptions));
        requests.extend(self.subscription.map(Message::Subscribe));
        requests
    }

    /// The same for entities that could not be spawned, and observers at them.
    pub fn missing_requests(&self, has_z: bool) -> Vec<Message> {
        let mut requests: Vec<Message> = vec![
            self.spawns(false, has_z, |entity| entity.missing).into(),
            self.descriptions(|entity| entity.missing && entity.described).into(),
        ];
        self.add_observers(&mut requests, |observer| observer.anchor().is_some_and(|id| self.is_missing(id)));
        requests
    }

    fn chosen(&self, choose: impl Fn(&Entity) -> bool) -> impl Iterator<Item = (&Entity, &Place)> {
        self.entities.iter().zip(&self.places).filter(move |(entity, _)| choose(entity))
    }

    fn spawns(&self, room_owned: bool, has_z: bool, choose: impl Fn(&Entity) -> bool) -> Spawn {
        let mut spawn = Spawn { room_owned, ..Default::default() };
        for (entity, place) in self.chosen(choose) {
            spawn.id.push(entity.id);
            spawn.x.push(place.at[0]);
            spawn.y.push(place.at[1]);
            spawn.half_x.push(entity.half[0]);
            spawn.half_y.push(entity.half[1]);
            spawn.radius.push(entity.radius);
            spawn.axis_x.push(entity.axis[0]);
            spawn.axis_y.push(entity.axis[1]);
            if has_z {
                spawn.z.push(place.at[2]);
                spawn.half_z.push(entity.half[2]);
                spawn.axis_z.push(entity.axis[2]);
            }
            spawn.shape.push(entity.shape);
            spawn.category.push(entity.category);
            spawn.mask.push(entity.mask);
        }
        spawn
    }

    fn teleports(&self, has_z: bool, present: &IdSet<u32>) -> Teleport {
        let mut teleport = Teleport::default();
        for (entity, place) in self.chosen(|entity| present.contains(&entity.id)) {
            let own = !entity.foreign && !entity.room_owned;
            if own || place.moved {
                teleport.id.push(entity.id);
                teleport.x.push(place.at[0]);
                teleport.y.push(place.at[1]);
                if has_z {
                    teleport.z.push(place.at[2]);
                }
            }
        }
        teleport
    }

    fn reshapes(&self, has_z: bool, choose: impl Fn(&Entity) -> bool) -> Reshape {
        let spawn = self.spawns(false, has_z, choose);
        Reshape {
            room: 0,
            id: spawn.id,
            half_x: spawn.half_x,
            half_y: spawn.half_y,
            half_z: spawn.half_z,
            shape: spawn.shape,
            category: spawn.category,
            mask: spawn.mask,
            radius: spawn.radius,
            axis_x: spawn.axis_x,
            axis_y: spawn.axis_y,
            axis_z: spawn.axis_z,
        }
    }

    fn descriptions(&self, choose: impl Fn(&Entity) -> bool) -> SetDescription {
        let mut description = SetDescription::default();
        for (entity, _) in self.chosen(choose) {
            description.id.push(entity.id);
            description.tag.push(entity.tag);
            description.team.push(entity.team);
            description.visible_range.push(entity.visible_range);
            description.hidden.push(entity.hidden);
            description.payload_size.push(entity.payload.len() as u8);
            description.payload.extend_from_slice(&entity.payload);
        }
        description
    }

    /// One message per observer: each has its own tiers.
    fn add_observers(&self, requests: &mut Vec<Message>, choose: impl Fn(&Observer) -> bool) {
        for observer in self.observers.values().filter(|observer| choose(observer)) {
            requests.push(observer.observe.clone().into());
            requests.extend(observer.lists.clone().map(Message::SetExceptions));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spawned(ids: &[u32]) -> Kept {
        let mut kept = Kept::default();
        let x: Vec<f32> = ids.iter().map(|id| *id as f32).collect();
        let spawn = Spawn { id: ids.to_vec(), x: x.clone(), y: x, ..Default::default() };
        kept.apply(&spawn.into(), &Refused::new(), 7);
        kept
    }

    fn restored(kept: &Kept) -> Vec<(u32, f32)> {
        let requests = kept.requests(&IdSet::default(), true, false);
        let Message::Spawn(spawn) = &requests[0] else { panic!("the first request is no Spawn") };
        let mut rows: Vec<_> = spawn.id.iter().copied().zip(spawn.x.iter().copied()).collect();
        rows.sort_by_key(|row| row.0);
        rows
    }

    #[test]
    fn last_row_takes_the_place_of_a_removed_one() {
        let mut kept = spawned(&[1, 2, 3, 4]);
        kept.apply(&Despawn { room: 0, id: vec![1, 4] }.into(), &Refused::new(), 7);
        kept.move_rows(&kept.rows_of(&[3, 1]), 0, [9.0, 8.0].into_iter());
        assert_eq!(restored(&kept), [(2, 2.0), (3, 9.0)]);
    }

    #[test]
    fn observer_ends_with_its_anchor() {
        let mut kept = spawned(&[1, 2]);
        let observe = Observe { id: vec![5, 6], entity: vec![1, 2], range: vec![3.0, 4.0], ..Default::default() };
        kept.apply(&observe.into(), &Refused::new(), 7);
        kept.remove(&[1]);
        let observes: Vec<_> = kept
            .requests(&IdSet::default(), true, false)
            .into_iter()
            .filter_map(|request| if let Message::Observe(observe) = request { Some(observe) } else { None })
            .collect();
        assert_eq!(observes.len(), 1);
        assert_eq!((observes[0].id[0], observes[0].entity[0], observes[0].range[0]), (6, 2, 4.0));
    }

    #[test]
    fn refused_entries_do_not_count() {
        let mut kept = spawned(&[1, 2]);
        let moved = crate::proto::Move { id: vec![1, 2], x: vec![8.0, 9.0], y: vec![0.0; 2], ..Default::default() };
        kept.apply(&moved.into(), &Refused::from([0]), 7);
        assert_eq!(restored(&kept), [(1, 1.0), (2, 9.0)]);
    }
}
