// SPDX-License-Identifier: Apache-2.0
//! A request of the program, and how it waits.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use crate::core::{Core, Inner};
use crate::error::{Error, Refusal};

/// How far a request is.
#[derive(Default)]
pub(crate) struct Progress {
    /// The tick that contains it.
    pub tick: Option<u64>,
    pub refusal: Option<Refusal>,
    /// Entries of the log that are not done.
    pub parts: usize,
    /// Entries of the log that are not accepted.
    pub unaccepted: usize,
    /// It will never be carried out.
    pub closed: Option<Error>,
}

pub(crate) struct RequestState {
    pub number: u64,
    progress: Mutex<Progress>,
}

impl RequestState {
    pub fn new(number: u64) -> Arc<RequestState> {
        Arc::new(RequestState { number, progress: Mutex::default() })
    }

    pub fn with<T>(&self, change: impl FnOnce(&mut Progress) -> T) -> T {
        change(&mut self.progress.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// One entry of the log is carried out at that tick. Returns whether it was the last.
    pub fn part_is_done(&self) -> bool {
        self.with(|progress| {
            progress.parts -= 1;
            progress.parts == 0
        })
    }
}

/// A request, which was sent already. Await it to wait for the server's first answer: its acceptance, or for a move the
/// tick that contains it. The result is an error if the server refused the request, or entries of it. If you drop it,
/// the request itself stays.
#[derive(Clone)]
pub struct Request {
    pub(crate) inner: Arc<Inner>,
    pub(crate) room: u64,
    pub(crate) state: Arc<RequestState>,
}

impl Request {
    /// The tick that contains the request, if that is known.
    pub fn tick(&self) -> Option<u64> {
        self.state.with(|progress| progress.tick)
    }

    /// Waits until a tick contains the request and the sets are of that tick or later. Returns the tick.
    pub async fn applied(self) -> Result<u64, Error> {
        let key = self.room;
        self.wait(|core, progress| {
            let is_current = core.rooms.get(&key).is_some_and(|room| room.fold.is_current());
            progress.tick.filter(|_| is_current)
        })
        .await
    }

    async fn wait<T>(&self, is_done: impl Fn(&Core, &Progress) -> Option<T>) -> Result<T, Error> {
        let check = |core: &mut Core| {
            self.state.with(|progress| {
                if let Some(refusal) = &progress.refusal {
                    return Some(Err(Error::Refused(Box::new(refusal.clone()))));
                }
                if let Some(error) = &progress.closed {
                    return Some(Err(error.clone()));
                }
                is_done(core, progress).map(Ok)
            })
        };
        self.inner.until(check).await
    }
}

impl IntoFuture for Request {
    type Output = Result<(), Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            self.wait(|_, progress| (progress.unaccepted == 0 || progress.tick.is_some()).then_some(())).await
        })
    }
}
