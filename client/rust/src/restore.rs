// SPDX-License-Identifier: Apache-2.0
//! Opens a room, and brings it to its kept state in a new session of the server. With a token it first takes over the
//! entities that earlier sessions have left there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::core::{Answer, Inner, Job, Shared};
use crate::error::{Error, Refusal};
use crate::fold::hash::IdSet;
use crate::log::RoomState;
use crate::proto::{
    client_frame::Message as Request, server_frame::Message, Adopt, ErrorCode, GetSnapshot, RoomOpened, TickMode,
};

const RESPAWN: Duration = Duration::from_millis(50);
const RESPAWN_GRACE: Duration = Duration::from_secs(2);
const SNAPSHOT_MAX: u32 = 1 << 20;
const HOLDERS_MAX: usize = 8;

/// Carries out a job.
pub async fn start(inner: Arc<Inner>, job: Job) {
    match job {
        Job::Restore { room, generation } => {
            let at = Restore { inner: &inner, room, generation };
            if let Err(Stop::Refused(refusal)) = at.run().await {
                at.change(|room, shared| be_refused(room, shared, refusal)).ok();
            }
        }
        Job::Probe { room, generation, steps } => {
            let at = Restore { inner: &inner, room, generation };
            if let Ok(opened) = at.ask_to_open().await {
                at.change(|room, shared| room.probed(shared, opened.tick, &steps)).ok();
            }
        }
    }
}

fn be_refused(room: &mut RoomState, shared: &mut Shared, refusal: Refusal) {
    room.restoring = false;
    shared.refuse(refusal.clone());
    room.end(shared, Error::Refused(Box::new(refusal)));
}

/// Why a job does not go on.
enum Stop {
    Refused(Refusal),
    /// Another one has taken its place, or the room is closed.
    Superseded,
}

struct Restore<'a> {
    inner: &'a Arc<Inner>,
    room: u64,
    generation: u64,
}

impl Restore<'_> {
    /// Ends when the room is ready. It goes on across connections that resume.
    async fn run(&self) -> Result<(), Stop> {
        let opened = self.open().await?;
        let (first, fresh, has_z) = self.change(|room, shared| {
            let (first, fresh) = (!room.opened, !room.opened || room.epoch != opened.epoch);
            enter(room, shared, &opened);
            if !fresh {
                room.steps_over(shared, opened.tick);
            } else {
                room.holders.clear();
            }
            room.fold.tick = opened.tick;
            room.step_tick = opened.tick;
            (first, fresh, room.has_z)
        })?;
        let present = self.take_over(first).await?;
        let grace = opened.config.and_then(|config| config.grace).map_or(0, |grace| {
            let crate::proto::room_config::Grace::GraceMs(ms) = grace;
            ms
        });
        self.change(|room, shared| {
            while room.holders.len() >= HOLDERS_MAX {
                room.holders.remove(0);
            }
            room.holders.push(shared.number);
            room.fold.is_missing = false;
            room.kept.clear_missing();
            let wait = Duration::from_millis(u64::from(shared.resume_ms) + u64::from(grace));
            room.give_up_at = Instant::now() + wait + RESPAWN_GRACE;
            for message in room.kept.requests(&present, fresh, has_z) {
                room.push_restoring(shared, message);
            }
        })?;
        // The answer comes after all refusals.
        self.ask_to_open().await?;
        while self.change(|room, _| room.fold.is_missing)? {
            tokio::time::sleep(RESPAWN).await;
            self.respawn(has_z).await?;
        }
        self.change(|room, shared| {
            room.is_ready = true;
            room.restoring = false;
            room.holders = vec![shared.number];
            room.replay(shared);
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut RoomState, &mut Shared) -> T) -> Result<T, Stop> {
        self.inner.with(|core| match core.rooms.get_mut(&self.room) {
            Some(room) if room.generation == self.generation && room.closed.is_none() => {
                Ok(change(room, &mut core.shared))
            }
            _ => Err(Stop::Superseded),
        })
    }

    async fn call(&self, message: Request) -> Result<Answer, Stop> {
        self.change(|_, _| ())?;
        self.inner.call(Some(self.room), message, true).await.map_err(|error| match error {
            Error::Refused(refusal) => Stop::Refused(*refusal),
            _ => Stop::Superseded,
        })
    }

    async fn ask_to_open(&self) -> Result<RoomOpened, Stop> {
        let message = self.change(|room, _| room.open_message())?;
        match self.call(message).await?.pop() {
            Some(Message::RoomOpened(opened)) => Ok(opened),
            _ => Err(Stop::Superseded),
        }
    }

    async fn open(&self) -> Result<RoomOpened, Stop> {
        loop {
            let refusal = match self.ask_to_open().await {
                Err(Stop::Refused(refusal)) => refusal,
                other => return other,
            };
            let was_open = self.change(|room, _| room.opened)?;
            if !refusal.is(ErrorCode::Limit) && !(was_open && refusal.is(ErrorCode::UnknownRoom)) {
                return Err(Stop::Refused(refusal));
            }
            tokio::time::sleep(self.inner.options.backoff_max / 4).await;
        }
    }

    /// Adopts from earlier sessions. Returns the ids of own entities that are in the room.
    async fn take_over(&self, first: bool) -> Result<IdSet<u32>, Stop> {
        if self.inner.options.token.is_empty() {
            return Ok(IdSet::default());
        }
        let (number, holders) = self.change(|room, shared| (shared.number, room.holders.clone()))?;
        let mut adopts: Vec<u64> = if first && self.inner.options.adopt { vec![0] } else { Vec::new() };
        adopts.extend(holders.into_iter().filter(|holder| *holder != number));
        if adopts.is_empty() {
            return Ok(IdSet::default());
        }
        for holder in adopts {
            match self.call(Request::Adopt(Adopt { room: 0, session: holder })).await {
                Ok(answer) if holder == 0 => self.change(|room, shared| gained(room, shared, &answer))?,
                Err(Stop::Refused(refusal)) if holder == 0 => self.change(|_, shared| shared.refuse(refusal))?,
                // The session may be gone for long.
                Ok(_) | Err(Stop::Refused(_)) => {}
                Err(Stop::Superseded) => return Err(Stop::Superseded),
            }
        }
        let snapshot = GetSnapshot { limit: SNAPSHOT_MAX, own: true, ..Default::default() };
        let frames = self.call(Request::GetSnapshot(snapshot)).await?;
        let ids = frames.into_iter().flat_map(|frame| match frame {
            Message::SnapshotResult(result) => result.id,
            _ => Vec::new(),
        });
        Ok(ids.collect())
    }

    /// Spawns entities again whose ids an earlier session of the server still had.
    async fn respawn(&self, has_z: bool) -> Result<(), Stop> {
        self.take_over(false).await?;
        self.change(|room, shared| {
            room.fold.is_missing = false;
            let requests = room.kept.missing_requests(has_z);
            room.kept.clear_missing(); // unless it is refused again
            for message in requests {
                room.push_restoring(shared, message);
            }
        })?;
        self.ask_to_open().await.map(drop)
    }
}

/// The server has opened the room.
fn enter(room: &mut RoomState, shared: &mut Shared, opened: &RoomOpened) {
    let config = opened.config.unwrap_or_default();
    room.handle = opened.room;
    room.opened = true;
    room.epoch = opened.epoch;
    room.fold.steps = config.tick_mode() == TickMode::Step;
    room.lockstep = config.writers > 0;
    room.has_z = config.dimensions == 3;
    shared.by_handle.insert(room.handle, room.key);
}

/// Entities were adopted from earlier sessions of the token.
fn gained(room: &mut RoomState, shared: &mut Shared, answer: &[Message]) {
    for message in answer {
        if let Message::HandedOver(handed) = message {
            room.take_handed_over(shared, handed);
            room.adopted.extend_from_slice(&handed.id);
        }
    }
}
