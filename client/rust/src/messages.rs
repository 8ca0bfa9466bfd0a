// SPDX-License-Identifier: Apache-2.0
//! Requests in a line: constructors of the protocol's messages.

use crate::proto::observe::Region;
use crate::proto::{
    set_view_options::RelayPrecision, Bounds, Observe, RoomConfig, SetViewOptions, Shape, Spawn, TickMode,
};

/// Columns of positions: `(&x, &y)`, or `(&x, &y, &z)` in three dimensions.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// x of each entity.
    pub x: &'a [f32],
    /// y of each entity.
    pub y: &'a [f32],
    /// z of each entity, in three dimensions.
    pub z: Option<&'a [f32]>,
}

impl<'a, X: AsRef<[f32]> + ?Sized, Y: AsRef<[f32]> + ?Sized> From<(&'a X, &'a Y)> for At<'a> {
    fn from((x, y): (&'a X, &'a Y)) -> Self {
        At { x: x.as_ref(), y: y.as_ref(), z: None }
    }
}

impl<'a, X, Y, Z> From<(&'a X, &'a Y, &'a Z)> for At<'a>
where
    X: AsRef<[f32]> + ?Sized,
    Y: AsRef<[f32]> + ?Sized,
    Z: AsRef<[f32]> + ?Sized,
{
    fn from((x, y, z): (&'a X, &'a Y, &'a Z)) -> Self {
        At { x: x.as_ref(), y: y.as_ref(), z: Some(z.as_ref()) }
    }
}

/// The result of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The entities, ordered by (distance, id), or by id for a box or circle.
    pub ids: Vec<u32>,
    /// A distance per entity; 0 for a box or circle.
    pub distances: Vec<f64>,
    /// The tick that the result describes.
    pub tick: u64,
    /// There are more than the limit.
    pub more: bool,
}

impl RoomConfig {
    /// A room of two dimensions: min_x, min_y, max_x, max_y.
    pub fn flat([min_x, min_y, max_x, max_y]: [f32; 4]) -> RoomConfig {
        let bounds = Bounds { min_x, min_y, max_x, max_y, ..Default::default() };
        RoomConfig { dimensions: 2, bounds: Some(bounds), ..Default::default() }
    }

    /// A room of three dimensions: all minima, then all maxima.
    pub fn deep([min_x, min_y, min_z, max_x, max_y, max_z]: [f32; 6]) -> RoomConfig {
        let bounds = Bounds { min_x, min_y, min_z, max_x, max_y, max_z };
        RoomConfig { dimensions: 3, bounds: Some(bounds), ..Default::default() }
    }

    /// The room ticks by [`Room::step`](crate::Room::step).
    pub fn by_step(self) -> RoomConfig {
        RoomConfig { tick_mode: TickMode::Step as i32, ..self }
    }

    /// The room ticks so often per second.
    pub fn at_hz(self, tick_hz: u32) -> RoomConfig {
        RoomConfig { tick_hz, ..self }
    }
}

impl Spawn {
    /// Boxes with one half extent on all axes.
    pub fn boxes<'a>(ids: &[u32], at: impl Into<At<'a>>, half: f32) -> Spawn {
        let spawn = Spawn::points(ids, at);
        let halves = vec![half; ids.len()];
        let half_z = if spawn.z.is_empty() { Vec::new() } else { halves.clone() };
        Spawn { half_x: halves.clone(), half_y: halves, half_z, ..spawn }
    }

    /// Circles, or spheres in three dimensions, with one radius.
    pub fn circles<'a>(ids: &[u32], at: impl Into<At<'a>>, radius: f32) -> Spawn {
        let count = ids.len();
        Spawn { radius: vec![radius; count], shape: vec![Shape::Circle as u8; count], ..Spawn::points(ids, at) }
    }

    /// Boxes without size. Set further columns yourself.
    pub fn points<'a>(ids: &[u32], at: impl Into<At<'a>>) -> Spawn {
        let At { x, y, z } = at.into();
        Spawn {
            id: ids.to_vec(),
            x: x.to_vec(),
            y: y.to_vec(),
            z: z.map_or(Vec::new(), <[f32]>::to_vec),
            ..Default::default()
        }
    }
}

impl Observe {
    /// An observer that moves with an entity.
    pub fn at_entity(id: u32, entity: u32) -> Observe {
        Observe { id: vec![id], entity: vec![entity], ..Default::default() }
    }

    /// A free observer, in two dimensions.
    pub fn at(id: u32, x: f32, y: f32) -> Observe {
        Observe { id: vec![id], x: vec![x], y: vec![y], ..Default::default() }
    }

    /// The range of a circle or cone.
    pub fn with_range(self, range: f32) -> Observe {
        Observe { range: vec![range; self.id.len()], ..self }
    }

    /// Sees a box of these half extents, in two dimensions.
    pub fn with_box(self, half_x: f32, half_y: f32) -> Observe {
        let count = self.id.len();
        let region = vec![Region::Box as u8; count];
        Observe { region, half_x: vec![half_x; count], half_y: vec![half_y; count], ..self }
    }

    /// How much farther an entity may go before it leaves.
    pub fn with_margin(self, margin: f32) -> Observe {
        Observe { leave_margin: vec![margin; self.id.len()], ..self }
    }

    /// Tiers of positions: (range, period in ticks), by ascending range.
    pub fn with_relay(self, tiers: &[(f32, u32)]) -> Observe {
        let (relay_range, relay_every) = tiers.iter().copied().unzip();
        Observe { relay_range, relay_every, ..self }
    }
}

impl SetViewOptions {
    /// Sends each position once for all observers of the session. With k, to half of 2^-k units, in one or two bytes.
    pub fn with_relay_once(self, k: Option<i32>) -> SetViewOptions {
        SetViewOptions { relay_once: true, relay_precision: k.map(RelayPrecision::RelayK), ..self }
    }
}
