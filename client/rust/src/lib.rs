// SPDX-License-Identifier: Apache-2.0
//! Client of a Quadrille server: which entities touch, and which each observer
//! sees, for many rooms at once.
//!
//! ```no_run
//! # async fn example() -> Result<(), quadrille::Error> {
//! use quadrille::{Observe, Options, RoomConfig, Spawn};
//!
//! let session = quadrille::connect("127.0.0.1:7400", Options::default()).await?;
//! let room = session.open("arena", RoomConfig::flat([0.0, 0.0, 100.0, 100.0]).by_step()).await?;
//! room.subscribe(Default::default())?;
//! room.spawn(Spawn::boxes(&[1, 2], (&[10.0, 30.0], &[10.0, 10.0]), 1.0))?.await?;
//! room.observe(Observe::at_entity(7, 1).with_range(10.0).with_margin(2.0))?.await?;
//! room.move_to(&[2], (&[11.0], &[10.0]))?;
//! let tick = room.step().await?;
//! println!("{:?} {}", tick.begins, room.pairs().has(1, 2));
//! # Ok(())
//! # }
//! ```
//!
//! A [`Session`] outlives its connections: it reconnects, resumes or restores everything, and the program sees a reset.
//! Its tasks run on the tokio runtime of [`connect`].
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod batch;
mod core;
mod error;
mod events;
#[doc(hidden)]
pub mod fold;
mod kept;
mod link;
mod log;
mod messages;
mod options;
mod request;
mod restore;
mod room;
mod rosters;
mod session;
#[doc(hidden)]
pub mod wire;

/// The messages and enums of the protocol, as prost makes them of quadrille.proto.
#[allow(missing_docs, clippy::all, rustdoc::all)]
pub mod proto {
    include!("proto/quadrille.v1.rs");
}

pub use error::{code_name, Error, Refusal, RefusedEntry};
pub use events::{Event, SessionEvent, State};
pub use fold::tick::{Relayed, Tick};
pub use fold::views::Seen;
pub use messages::{At, Found};
pub use options::{Options, Tls};
pub use proto::observe::Region;
pub use proto::set_view_options::Watch;
pub use proto::subscribe::Scope;
pub use proto::{
    query, EndReason, ErrorCode, LeaveReason, MoveObservers, Observe, Query, Reshape, RoomConfig, SetDescription,
    SetViewOptions, Shape, Spawn, Subscribe,
};
pub use request::Request;
pub use room::{Pairs, Room, Ticks, View};
pub use session::{connect, Session};
