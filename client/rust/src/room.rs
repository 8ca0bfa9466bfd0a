// SPDX-License-Identifier: Apache-2.0
//! A room: its requests, and the sets that the session folds.

use std::sync::Arc;

use crate::batch::{check_column, Batch};
use crate::core::{Answer, Inner, Shared};
use crate::error::Error;
use crate::events::Event;
use crate::fold::tick::Tick;
use crate::fold::views::Seen;
use crate::log::RoomState;
use crate::messages::{At, Found};
use crate::proto::{
    client_frame::Message as Sent, server_frame::Message, set_view_options::Watch, CloseRoom, Despawn, GetSnapshot,
    HandOver, LeaveRoom, MoveObservers, Observe, Query, Reshape, SetDescription, SetExceptions, SetViewOptions,
    SnapshotResult, Spawn, Step, Subscribe, Teleport, Unobserve, Unsubscribe, Why, WhyResult,
};
use crate::request::{Request, RequestState};

/// Forgets a closed room with its last `Room`.
struct Owner {
    inner: Arc<Inner>,
    key: u64,
}

impl Drop for Owner {
    fn drop(&mut self) {
        let mut core = self.inner.lock();
        if let Some(room) = core.rooms.get_mut(&self.key) {
            room.is_orphan = true;
            if room.closed.is_some() {
                core.rooms.remove(&self.key);
            }
        }
    }
}

/// Made by [`Session::open`](crate::Session::open). Clones are the same room. If you drop it, the session stays in the
/// room.
///
/// A method that makes a request sends it at once. Its [`Request`] waits for the answer. It takes effect at the next
/// tick.
#[derive(Clone)]
pub struct Room {
    owner: Arc<Owner>,
}

/// The pairs that touch at the last tick; while a reset is on its way, those before it.
#[derive(Clone, Copy)]
pub struct Pairs<'a>(&'a Room);

/// What one observer sees.
#[derive(Clone, Copy)]
pub struct View<'a> {
    room: &'a Room,
    observer: u32,
}

/// The changes of each tick. If the program is slow, ticks are merged.
pub struct Ticks {
    room: Room,
    collector: u64,
}

struct Collecting<'a> {
    room: &'a Room,
    number: u64,
}

impl Drop for Collecting<'_> {
    fn drop(&mut self) {
        self.room.read((), |room| drop(room.fold.end_collect(self.number)));
    }
}

impl Room {
    pub(crate) fn new(inner: Arc<Inner>, key: u64) -> Room {
        inner.with(|core| core.rooms.get_mut(&key).map(|room| room.is_orphan = false));
        Room { owner: Arc::new(Owner { inner, key }) }
    }

    fn read<T>(&self, absent: T, read: impl FnOnce(&mut RoomState) -> T) -> T {
        match self.owner.inner.lock().rooms.get_mut(&self.owner.key) {
            Some(room) => read(room),
            None => absent,
        }
    }

    pub(crate) fn handle(&self) -> u64 {
        self.read(0, |room| room.handle)
    }

    fn request(&self, make: impl FnOnce(&mut RoomState, &mut Shared) -> Arc<RequestState>) -> Result<Request, Error> {
        let Owner { inner, key } = &*self.owner;
        let state = inner.with(|core| {
            let Some(room) = core.rooms.get_mut(key) else { return Err(Error::Lost) };
            match &room.closed {
                Some(closed) => Err(closed.clone()),
                None => Ok(make(room, &mut core.shared)),
            }
        })?;
        Ok(Request { inner: inner.clone(), room: *key, state })
    }

    fn batch(&self, batch: impl Batch) -> Result<Request, Error> {
        batch.check()?;
        self.request(|room, shared| room.push_batch(shared, batch))
    }

    // ---- entities ----

    /// Adds entities.
    pub fn spawn(&self, spawn: Spawn) -> Result<Request, Error> {
        self.batch(spawn)
    }

    /// Moves entities. The columns are copied once, into the frame. If the same ids move again, they are sent once, as a
    /// roster.
    pub fn move_to<'a>(&self, ids: &[u32], at: impl Into<At<'a>>) -> Result<Request, Error> {
        let at = at.into();
        check_at(ids, &at)?;
        self.request(|room, shared| room.push_move(shared, ids, at))
    }

    /// Like `move_to`, but pairs that end by it have the reason `Teleported`.
    pub fn teleport<'a>(&self, ids: &[u32], at: impl Into<At<'a>>) -> Result<Request, Error> {
        let at = at.into();
        check_at(ids, &at)?;
        let z = at.z.map_or(Vec::new(), <[f32]>::to_vec);
        self.batch(Teleport { room: 0, id: ids.to_vec(), x: at.x.to_vec(), y: at.y.to_vec(), z })
    }

    /// Changes shapes, sizes and filters. Absent columns stay as they are.
    pub fn reshape(&self, reshape: Reshape) -> Result<Request, Error> {
        self.batch(reshape)
    }

    /// Removes entities.
    pub fn despawn(&self, ids: &[u32]) -> Result<Request, Error> {
        self.batch(Despawn { room: 0, id: ids.to_vec() })
    }

    /// Sets tags, payloads, ranges, teams, and what is hidden. Absent columns stay as they are.
    pub fn describe(&self, description: SetDescription) -> Result<Request, Error> {
        self.batch(description)
    }

    /// Gives entities to the session of that number. None: to the room.
    pub fn hand_over(&self, ids: &[u32], session: Option<u64>) -> Result<Request, Error> {
        let room_owned = session.is_none();
        self.batch(HandOver { room: 0, id: ids.to_vec(), session: session.unwrap_or(0), room_owned })
    }

    // ---- pairs and views ----

    /// Folds the pairs of the room, or with [`Scope::Own`](crate::Scope::Own) those of this session's entities.
    pub fn subscribe(&self, subscribe: Subscribe) -> Result<Request, Error> {
        self.request(|room, shared| {
            room.fold.wants_pairs = true;
            room.fold.pairs_stale = true;
            room.push(shared, Sent::Subscribe(subscribe))
        })
    }

    /// Ends the subscription.
    pub fn unsubscribe(&self) -> Result<Request, Error> {
        self.request(|room, shared| {
            room.fold.wants_pairs = false;
            room.fold.pairs_stale = false;
            room.push(shared, Sent::Unsubscribe(Unsubscribe::default()))
        })
    }

    /// Creates observers, or replaces them.
    pub fn observe(&self, observe: Observe) -> Result<Request, Error> {
        let request = self.batch(observe)?;
        self.read((), |room| room.fold.wants_view = true);
        Ok(request)
    }

    /// Moves free observers, and turns cones.
    pub fn move_observers(&self, moved: MoveObservers) -> Result<Request, Error> {
        self.batch(moved)
    }

    /// Removes observers.
    pub fn unobserve(&self, ids: &[u32]) -> Result<Request, Error> {
        self.batch(Unobserve { room: 0, id: ids.to_vec() })
    }

    /// Replaces the lists of what an observer always sees, and never sees.
    pub fn set_exceptions(&self, observer: u32, show: &[u32], hide: &[u32]) -> Result<Request, Error> {
        let lists = SetExceptions { room: 0, observer, show: show.to_vec(), hide: hide.to_vec() };
        self.request(|room, shared| room.push(shared, Sent::SetExceptions(lists)))
    }

    /// Sets all options of this session's views.
    pub fn view_options(&self, options: SetViewOptions) -> Result<Request, Error> {
        self.request(|room, shared| {
            room.fold.wants_view |= matches!(options.watch(), Watch::Own | Watch::All);
            room.push(shared, Sent::SetViewOptions(options))
        })
    }

    // ---- ticks ----

    /// Makes the room tick once, even if the connection breaks meanwhile. Returns what has changed since the call:
    /// several ticks, if others step the room too. If you drop the future, the step itself stays.
    pub async fn step(&self) -> Result<Tick, Error> {
        let number = self.read(0, |room| room.fold.collect(false));
        let collecting = Collecting { room: self, number };
        let number = self.request(|room, shared| room.push(shared, Sent::Step(Step::default())))?.applied().await?;
        let mut tick = self.read(Tick::default(), |room| {
            let mut tick = room.fold.end_collect(collecting.number);
            tick.late = room.take_late();
            tick
        });
        tick.number = number;
        Ok(tick)
    }

    /// Waits until a tick contains all requests so far that were not refused, and the sets are of that tick or later.
    /// Returns the tick. A room that ticks by Step needs a step for that.
    pub async fn sync(&self) -> Result<u64, Error> {
        let key = self.owner.key;
        let last = self.read(0, |room| room.last_request);
        let is_done = |core: &mut crate::core::Core| {
            let Some(room) = core.rooms.get(&key) else { return Some(Err(Error::Lost)) };
            if let Some(closed) = &room.closed {
                return Some(Err(closed.clone()));
            }
            let is_done = room.is_ready && room.fold.is_current() && !room.is_pending(last);
            is_done.then_some(Ok(room.fold.tick))
        };
        self.owner.inner.until(is_done).await
    }

    /// The last tick that the session knows of. After a restart of the server it counts from 1.
    pub fn tick(&self) -> u64 {
        self.read(0, |room| room.fold.tick)
    }

    /// Whether the room is open, and both sets are those of its last tick.
    pub fn is_settled(&self) -> bool {
        self.read(false, |room| room.is_ready && room.fold.is_settled())
    }

    /// The changes of each tick from now on.
    pub fn ticks(&self) -> Ticks {
        Ticks { room: self.clone(), collector: self.read(0, |room| room.fold.collect(true)) }
    }

    /// Calls the handler for each change, in order. It may call the room's methods, and must not block.
    pub fn on(&self, handler: impl FnMut(&Event<'_>) + Send + 'static) -> &Room {
        self.read((), |room| {
            room.fold.has_handlers = true;
            room.handlers.add(Box::new(handler));
        });
        self
    }

    // ---- the sets ----

    /// The room's name.
    pub fn name(&self) -> String {
        self.read(String::new(), |room| room.name.clone())
    }

    /// The ids that [`Options::adopt`](crate::Options::adopt) has taken over while the room was opened.
    pub fn adopted(&self) -> Vec<u32> {
        self.read(Vec::new(), |room| room.adopted.clone())
    }

    /// The pairs that touch. Call `subscribe` first.
    pub fn pairs(&self) -> Pairs<'_> {
        Pairs(self)
    }

    /// What an observer of this session sees.
    pub fn view(&self, observer: u32) -> View<'_> {
        View { room: self, observer }
    }

    /// The observers that see something.
    pub fn observers(&self) -> Vec<u32> {
        self.read(Vec::new(), |room| room.fold.views.observers().collect())
    }

    /// The observers that see an entity, as (session, observer). Set [`SetViewOptions::watch`] first.
    pub fn watchers(&self, id: u32) -> Vec<(u64, u32)> {
        self.read(Vec::new(), |room| room.fold.views.watchers(id))
    }

    // ---- queries ----

    /// The entities in a box or circle, near a point, or on a ray, as of the last tick.
    pub async fn query(&self, query: Query) -> Result<Found, Error> {
        match self.ask(Sent::Query(query)).await?.pop() {
            Some(Message::QueryResult(result)) => {
                let mut distances = result.distance;
                distances.resize(result.id.len(), 0.0);
                Ok(Found { ids: result.id, distances, tick: result.tick, more: result.more })
            }
            _ => Err(Error::Lost),
        }
    }

    /// Why the observers at entity a see entity b, or do not. With `observer`: a is an observer of this session.
    pub async fn why(&self, a: u32, b: u32, observer: bool) -> Result<WhyResult, Error> {
        match self.ask(Sent::Why(Why { room: 0, a, observer, b })).await?.pop() {
            Some(Message::WhyResult(result)) => Ok(result),
            _ => Err(Error::Lost),
        }
    }

    /// The present entities, in the frames of the answer.
    pub async fn snapshot(&self, snapshot: GetSnapshot) -> Result<Vec<SnapshotResult>, Error> {
        let frames = self.ask(Sent::GetSnapshot(snapshot)).await?.into_iter();
        Ok(frames
            .filter_map(|frame| if let Message::SnapshotResult(result) = frame { Some(result) } else { None })
            .collect())
    }

    async fn ask(&self, message: Sent) -> Result<Answer, Error> {
        self.owner.inner.call(Some(self.owner.key), message, false).await
    }

    // ---- the end ----

    /// Leaves the room. The session's entities go after the grace time.
    pub async fn leave(&self) -> Result<(), Error> {
        self.part(Sent::LeaveRoom(LeaveRoom::default())).await
    }

    /// Closes the room for all sessions. Allowed to its creator and to admins.
    pub async fn close(&self) -> Result<(), Error> {
        self.part(Sent::CloseRoom(CloseRoom::default())).await
    }

    /// Why the room is of no use any more.
    pub fn closed(&self) -> Option<Error> {
        self.read(Some(Error::Lost), |room| room.closed.clone())
    }

    async fn part(&self, message: Sent) -> Result<(), Error> {
        let Owner { inner, key } = &*self.owner;
        if self.handle() > 0 && self.closed().is_none() {
            match inner.call(Some(*key), message, true).await {
                // The server's session is new, and not in the room.
                Ok(_) | Err(Error::Lost) => {}
                Err(error) => return Err(error),
            }
        }
        inner.with(|core| {
            if let Some(room) = core.rooms.get_mut(key) {
                let text = format!("the room '{}' is closed", room.name);
                room.end(&mut core.shared, Error::RoomClosed(text));
            }
        });
        Ok(())
    }
}

fn check_at(ids: &[u32], at: &At<'_>) -> Result<(), Error> {
    let columns = [("x", Some(at.x)), ("y", Some(at.y)), ("z", at.z)];
    for (name, column) in columns.into_iter().filter_map(|(name, column)| column.map(|column| (name, column))) {
        check_column(name, column.len(), ids.len())?;
        if column.is_empty() && !ids.is_empty() {
            return Err(Error::Invalid(format!("{name} has 0 values; must be {}, one per id", ids.len())));
        }
    }
    Ok(())
}

impl Pairs<'_> {
    /// Whether a and b touch, in any order.
    pub fn has(&self, a: u32, b: u32) -> bool {
        self.0.read(false, |room| room.fold.pairs.has(a, b))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.read(0, |room| room.fold.pairs.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All pairs (a, b) with a < b, in order.
    pub fn to_vec(&self) -> Vec<(u32, u32)> {
        self.0.read(Vec::new(), |room| room.fold.pairs.to_vec())
    }
}

impl View<'_> {
    /// Whether it has an entity.
    pub fn has(&self, id: u32) -> bool {
        self.room.read(false, |room| room.fold.views.has(self.observer, id))
    }

    /// An entity, if the observer sees it.
    pub fn get(&self, id: u32) -> Option<Seen> {
        self.room.read(None, |room| room.fold.views.get(self.observer, id))
    }

    /// How many entities there are.
    pub fn len(&self) -> usize {
        self.room.read(0, |room| room.fold.views.len(self.observer))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ids, in order.
    pub fn ids(&self) -> Vec<u32> {
        self.room.read(Vec::new(), |room| room.fold.views.ids(self.observer))
    }

    /// All entities, by id.
    pub fn to_vec(&self) -> Vec<Seen> {
        self.room.read(Vec::new(), |room| room.fold.views.all(self.observer))
    }
}

impl Ticks {
    /// The next changes. None: the room is closed.
    pub async fn next(&mut self) -> Option<Tick> {
        let (key, collector) = (self.room.owner.key, self.collector);
        let next = |core: &mut crate::core::Core| match core.rooms.get_mut(&key) {
            None => Some(None),
            Some(room) => match room.fold.next_collected(collector) {
                Some(tick) => Some(Some(tick)),
                None => room.closed.is_some().then_some(None),
            },
        };
        self.room.owner.inner.until(next).await
    }
}

impl Drop for Ticks {
    fn drop(&mut self) {
        self.room.read((), |room| drop(room.fold.end_collect(self.collector)));
    }
}
