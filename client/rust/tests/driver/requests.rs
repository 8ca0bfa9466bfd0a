// SPDX-License-Identifier: Apache-2.0
//! Requests with the fields of a command.

use quadrille::proto::{room_config, set_view_options, Bounds};
use quadrille::{
    query, At, Error, MoveObservers, Observe, Request, Reshape, Room, RoomConfig, SetDescription, SetViewOptions,
    Spawn, Subscribe,
};

use crate::fields::Fields;

/// None: only join.
pub fn config(fields: &Fields) -> Option<RoomConfig> {
    if fields.is_empty() {
        return None;
    }
    let number = |name| fields.one(name).unwrap_or(0);
    let bounds = match fields.column::<f32>("bounds")[..] {
        [min_x, min_y, max_x, max_y] => Some(Bounds { min_x, min_y, max_x, max_y, ..Default::default() }),
        [min_x, min_y, min_z, max_x, max_y, max_z] => Some(Bounds { min_x, min_y, min_z, max_x, max_y, max_z }),
        _ => None,
    };
    let dimensions = match number("dimensions") {
        0 if fields.column::<f32>("bounds").len() == 6 => 3,
        other => other,
    };
    Some(RoomConfig {
        dimensions,
        bounds,
        tick_mode: fields.one("tick_mode").unwrap_or(0),
        tick_hz: number("tick_hz"),
        entities_max: number("entities_max"),
        grace: fields.one("grace_ms").map(room_config::Grace::GraceMs),
        index: fields.one("index").unwrap_or(0),
        sweep: fields.one::<u8>("swept").map(|swept| room_config::Sweep::Swept(swept == 1)),
        writers: number("writers"),
        step_deadline_ms: number("step_deadline_ms"),
        ..Default::default()
    })
}

pub fn region(fields: &Fields) -> Option<query::Where> {
    let axes = |name: &str| fields.column::<f32>(name);
    match (&axes("circle")[..], &axes("nearest")[..]) {
        ([x, y, radius], _) => Some(query::Where::Circle(query::Circle { x: *x, y: *y, z: 0.0, radius: *radius })),
        ([x, y, z, radius], _) => Some(query::Where::Circle(query::Circle { x: *x, y: *y, z: *z, radius: *radius })),
        (_, [x, y]) => Some(query::Where::Nearest(query::Nearest { x: *x, y: *y, ..Default::default() })),
        (_, [x, y, z]) => Some(query::Where::Nearest(query::Nearest { x: *x, y: *y, z: *z, ..Default::default() })),
        _ => None,
    }
}

pub fn send(room: &Room, command: &str, fields: &Fields) -> Result<Request, Error> {
    let ids = fields.column::<u32>("id");
    let floats = |name: &str| fields.column::<f32>(name);
    let words = |name: &str| fields.column::<u32>(name);
    let bytes = |name: &str| fields.column::<u8>(name);
    let (x, y, z) = (floats("x"), floats("y"), floats("z"));
    let at = At { x: &x, y: &y, z: Some(&z[..]).filter(|z| !z.is_empty()) };
    match command {
        "spawn" => room.spawn(Spawn {
            id: ids,
            half_x: floats("half_x"),
            half_y: floats("half_y"),
            half_z: floats("half_z"),
            shape: bytes("shape"),
            category: words("category"),
            mask: words("mask"),
            room_owned: fields.flag("room_owned"),
            radius: floats("radius"),
            axis_x: floats("axis_x"),
            axis_y: floats("axis_y"),
            axis_z: floats("axis_z"),
            x,
            y,
            z,
            ..Default::default()
        }),
        "move" => room.move_to(&ids, at),
        "teleport" => room.teleport(&ids, at),
        "reshape" => room.reshape(Reshape {
            id: ids,
            half_x: floats("half_x"),
            half_y: floats("half_y"),
            half_z: floats("half_z"),
            shape: bytes("shape"),
            category: words("category"),
            mask: words("mask"),
            radius: floats("radius"),
            axis_x: floats("axis_x"),
            axis_y: floats("axis_y"),
            axis_z: floats("axis_z"),
            ..Default::default()
        }),
        "despawn" => room.despawn(&ids),
        "subscribe" => room.subscribe(Subscribe {
            scope: fields.one("scope").unwrap_or(0),
            stays: fields.flag("stays"),
            ..Default::default()
        }),
        "unsubscribe" => room.unsubscribe(),
        "describe" => room.describe(SetDescription {
            id: ids,
            tag: fields.column("tag"),
            payload: fields.hexadecimal("payload"),
            payload_size: bytes("payload_size"),
            visible_range: floats("visible_range"),
            team: words("team"),
            hidden: bytes("hidden"),
            ..Default::default()
        }),
        "observe" => room.observe(Observe {
            id: ids,
            region: bytes("region"),
            anchored: bytes("anchored"),
            entity: words("entity"),
            range: floats("range"),
            half_x: floats("half_x"),
            half_y: floats("half_y"),
            half_z: floats("half_z"),
            direction_x: floats("direction_x"),
            direction_y: floats("direction_y"),
            direction_z: floats("direction_z"),
            angle: floats("angle"),
            leave_margin: floats("leave_margin"),
            mask: words("mask"),
            limit: words("limit"),
            enter_budget: words("enter_budget"),
            team: words("team"),
            sees_self: bytes("sees_self"),
            relay_range: floats("relay_range"),
            relay_every: words("relay_every"),
            x,
            y,
            z,
            ..Default::default()
        }),
        "move_observers" => room.move_observers(MoveObservers {
            id: ids,
            direction_x: floats("direction_x"),
            direction_y: floats("direction_y"),
            direction_z: floats("direction_z"),
            x,
            y,
            z,
            ..Default::default()
        }),
        "unobserve" => room.unobserve(&ids),
        "except" => room.set_exceptions(fields.one("observer").unwrap_or(0), &words("show"), &words("hide")),
        "view_options" => room.view_options(SetViewOptions {
            bytes_max: fields.one("bytes_max").unwrap_or(0),
            watch: fields.one("watch").unwrap_or(0),
            relay_once: fields.flag("relay_once"),
            relay_precision: fields.one("relay_k").map(set_view_options::RelayPrecision::RelayK),
            ..Default::default()
        }),
        "hand_over" => room.hand_over(&ids, fields.one("session").filter(|session| *session != 0)),
        _ => Err(Error::Invalid(format!("unknown command '{command}'"))),
    }
}
