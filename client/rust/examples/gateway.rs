// SPDX-License-Identifier: Apache-2.0
//! A gateway that replicates to each player what the player sees.
//! usage: gateway [HOST:PORT [ROOM [LISTEN_PORT]]]     (127.0.0.1:7400, demo-2, 7500)
//! A player connects to the port, sends lines "X Y" to move, and gets lines: "you ID", "spawn ID X Y", "move ID X Y" and
//! "remove ID". Try it with `nc 127.0.0.1 7500` beside client/demo.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use quadrille::{Event, Observe, Options, Relayed, Room, Session, SetViewOptions, Spawn};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{channel, Sender};

const LINES_BEHIND: usize = 4096; // a player who reads so slowly is disconnected
type Players = Arc<Mutex<HashMap<u32, Sender<String>>>>; // by the player's observer and entity

fn tell(players: &Players, player: u32, line: String) {
    let mut players = players.lock().unwrap();
    players.get(&player).is_some_and(|lines| lines.try_send(line).is_err()).then(|| players.remove(&player));
}

fn replicate(players: &Players, room: &Room, event: &Event) {
    match event {
        Event::Enter(player, id) => {
            let [x, y, _] = room.view(*player).get(*id).map_or([0.0; 3], |seen| seen.at);
            tell(players, *player, format!("spawn {id} {x:.3} {y:.3}\n"));
        }
        Event::Leave(player, id, _) => tell(players, *player, format!("remove {id}\n")),
        Event::Relay(Relayed { observer: to, id, at: [x, y, _] }) => {
            tell(players, *to, format!("move {id} {x:.3} {y:.3}\n"))
        }
        _ => {}
    }
}

async fn serve(stream: TcpStream, player: u32, room: &Room, session: &Session, players: &Players) -> Option<()> {
    let (reader, mut writer) = stream.into_split();
    let (sender, mut lines) = channel(LINES_BEHIND);
    players.lock().unwrap().insert(player, sender);
    tell(players, player, format!("you {player}\n"));
    room.spawn(Spawn::circles(&[player], (&[5.0], &[5.0]), 0.5)).ok()?.await.ok()?;
    let observe = Observe::at_entity(player, player).with_range(8.0).with_margin(1.0);
    room.observe(observe.with_relay(&[(8.0, 1), (16.0, 5)])).ok()?.await.ok()?;
    let mut typed = BufReader::new(reader).lines();
    loop {
        tokio::select! {
            line = lines.recv() => writer.write_all(line?.as_bytes()).await.ok()?,
            line = typed.next_line() => match line.ok()??.split_whitespace().map(str::parse).collect::<Vec<_>>()[..] {
                [Ok(x), Ok(y)] => room.move_to(&[player], (&[x], &[y])).map(|_| session.drain()).ok()?.await.ok()?,
                _ => tell(players, player, "error: send X and Y, as in: 5 5\n".into()),
            },
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let argument = |i: usize, absent: &'static str| arguments.get(i).map_or(absent, |text| text).to_string();
    let session = quadrille::connect(&argument(1, "127.0.0.1:7400"), Options::default()).await?;
    session.on(|event| eprintln!("{event:?}"));
    let (room, players) = (session.open(&argument(2, "demo-2"), None).await?, Players::default());
    // Each position once for all players, in a byte or two.
    room.view_options(SetViewOptions::default().with_relay_once(Some(9)))?;
    let (all, of) = (players.clone(), room.clone());
    room.on(move |event| replicate(&all, &of, event));
    let listener = TcpListener::bind(("127.0.0.1", argument(3, "7500").parse()?)).await?;
    println!("players connect to {}", listener.local_addr()?);
    for player in 1_000_000.. {
        let (stream, _) = listener.accept().await?;
        let (room, session, players) = (room.clone(), session.clone(), players.clone());
        tokio::spawn(async move {
            serve(stream, player, &room, &session, &players).await;
            players.lock().unwrap().remove(&player);
            room.despawn(&[player]).ok();
        });
    }
    Ok(())
}
