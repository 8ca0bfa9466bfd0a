// SPDX-License-Identifier: Apache-2.0
//! Two boxes meet in a room, and an observer sees it. usage: hello [HOST:PORT]
use quadrille::{Event, Observe, Options, RoomConfig, Spawn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), quadrille::Error> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7400".into());
    let session = quadrille::connect(&address, Options::default()).await?;
    let room = session.open("hello", RoomConfig::flat([0.0, 0.0, 100.0, 100.0]).by_step()).await?;
    room.subscribe(Default::default())?;
    room.on(|event| {
        if let Event::Begin(a, b) = event {
            println!("{a} touches {b}")
        }
    });
    room.spawn(Spawn::boxes(&[1, 2], (&[10.0, 30.0], &[10.0, 10.0]), 1.0))?.await?;
    room.observe(Observe::at_entity(7, 1).with_range(10.0).with_margin(2.0))?.await?;
    for x in [25.0, 18.0, 11.0] {
        room.move_to(&[2], (&[x], &[10.0]))?;
        let tick = room.step().await?;
        println!("tick {}: {} pairs, 7 sees {:?}", tick.number, room.pairs().len(), room.view(7).ids());
    }
    session.close().await;
    Ok(())
}
