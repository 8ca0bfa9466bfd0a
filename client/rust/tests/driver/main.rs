// SPDX-License-Identifier: Apache-2.0
//! The driver of this SDK for the conformance suite. tests/conformance/README.md has the protocol.

mod fields;
mod flat;
mod golden;
mod requests;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fields::Fields;
use quadrille::{Error, Event, Options, Query, Refusal, Room, Session, SessionEvent, Spawn};
use tokio::io::{AsyncBufReadExt, BufReader};

const WAIT: Duration = Duration::from_secs(20);

type Lines = Arc<Mutex<Vec<String>>>;

#[derive(Default)]
struct Driver {
    session: Option<Session>,
    rooms: HashMap<String, (Room, Lines)>,
    refusals: Lines,
    golden: golden::Golden,
    /// It keeps no events.
    quiet: bool,
    out: String,
}

fn take(lines: &Lines) -> Vec<String> {
    std::mem::take(&mut *lines.lock().unwrap())
}

fn refusal_lines(refusal: &Refusal) -> Vec<String> {
    let command = if refusal.command == "set_exceptions" { "except" } else { refusal.command };
    let room = if refusal.room.is_empty() { "-" } else { &refusal.room };
    if refusal.entries.is_empty() {
        return vec![format!("refused {room} {command} {}", refusal.reason())];
    }
    let entries = refusal.entries.iter();
    entries.map(|entry| format!("refused {room} {command} {} {} {}", entry.reason(), entry.index, entry.id)).collect()
}

/// The line of an event of the protocol.
fn event_lines(event: &Event) -> Vec<String> {
    vec![match event {
        Event::Reset => "reset".to_string(),
        Event::Begin(a, b) => format!("begin {a} {b}"),
        Event::End(a, b, reason) => format!("end {a} {b} {}", *reason as i32),
        Event::Passed(a, b) => format!("passed {a} {b}"),
        Event::Enter(observer, id) => format!("enter {observer} {id}"),
        Event::Leave(observer, id, reason) => format!("leave {observer} {id} {}", *reason as i32),
        Event::Gained(ids) => return ids.iter().map(|id| format!("gained {id}")).collect(),
        Event::Lost(ids) => return ids.iter().map(|id| format!("lost {id}")).collect(),
        _ => return Vec::new(),
    }]
}

impl Driver {
    fn say(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.out, "{}", line.as_ref());
    }

    fn session(&self) -> Result<&Session, Error> {
        self.session.as_ref().ok_or_else(|| Error::Invalid("no session; send connect first".into()))
    }

    // ---- the session ----

    async fn connect(&mut self, address: &str, fields: &Fields) -> Result<String, Error> {
        let mut options = Options { name: "conformance".into(), timeout: Some(WAIT), ..Default::default() };
        options.token = fields.text("token").unwrap_or_default().to_string();
        options.adopt = fields.one("adopt") == Some(1u8);
        for (name, value) in [
            ("connect_ms", &mut options.connect),
            ("ping_ms", &mut options.ping),
            ("dead_ms", &mut options.dead),
            ("backoff_ms", &mut options.backoff),
            ("backoff_max_ms", &mut options.backoff_max),
        ] {
            if let Some(ms) = fields.one(name) {
                *value = Duration::from_millis(ms);
            }
        }
        let session = quadrille::connect(address, options).await?;
        let refusals = self.refusals.clone();
        session.on(move |event| {
            if let SessionEvent::Refused(refusal) = event {
                refusals.lock().unwrap().extend(refusal_lines(refusal));
            }
        });
        self.session = Some(session);
        Ok("ok".into())
    }

    // ---- rooms ----

    async fn open(&mut self, name: &str, fields: &Fields) -> Result<String, Error> {
        let room = self.session()?.open(name, requests::config(fields)).await?;
        let events = Lines::default();
        if !self.quiet {
            let lines = events.clone();
            room.on(move |event| lines.lock().unwrap().extend(event_lines(event)));
            // What was adopted while the room opened came before the handlers.
            events.lock().unwrap().extend(room.adopted().iter().map(|id| format!("gained {id}")));
        }
        let tick = room.tick();
        self.rooms.insert(name.to_string(), (room, events));
        Ok(format!("ok {tick}"))
    }

    async fn room_command(&mut self, name: &str, command: &str, fields: &Fields) -> Result<String, Error> {
        let open = self.rooms.get(name).filter(|(room, _)| room.closed().is_none());
        let Some((room, events)) = open else {
            return Err(Error::Invalid(format!("the room '{name}' is not open")));
        };
        let (room, events) = (room.clone(), events.clone());
        match command {
            "step" => return Ok(format!("ok {}", room.step().await?.number)),
            "sync" => return Ok(format!("ok {}", room.sync().await?)),
            "speed" => return self.speed(&room, fields).await,
            "query" => return self.query(&room, fields).await,
            "settled" => return Ok(format!("ok {}", u8::from(room.is_settled()))),
            "leave" => room.leave().await?,
            "close" => room.close().await?,
            "pairs" => room.pairs().to_vec().iter().for_each(|(a, b)| self.say(format!("pair {a} {b}"))),
            "view" => self.say_view(&room),
            "watchers" => {
                for id in fields.column::<u32>("id") {
                    for (session, observer) in room.watchers(id) {
                        self.say(format!("watcher {id} {session} {observer}"));
                    }
                }
            }
            "events" => take(&events).iter().for_each(|line| self.say(line)),
            _ => drop(requests::send(&room, command, fields)?),
        }
        Ok("ok".into())
    }

    fn say_view(&mut self, room: &Room) {
        for observer in room.observers() {
            for seen in room.view(observer).to_vec() {
                let numbers = [&seen.at[..], &seen.half[..], &[seen.radius]].concat();
                let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:?}")).collect();
                let payload: String = seen.payload.iter().map(|byte| format!("{byte:02x}")).collect();
                let payload = if payload.is_empty() { "-" } else { &payload };
                let (id, numbers) = (seen.id, numbers.join(" "));
                self.say(format!("seen {observer} {id} {numbers} {} {} {payload}", seen.category, seen.tag));
            }
        }
    }

    async fn query(&mut self, room: &Room, fields: &Fields) -> Result<String, Error> {
        let r#where = requests::region(fields);
        let query = Query { r#where, limit: fields.one("limit").unwrap_or(0), ..Default::default() };
        let found = room.query(query).await?;
        for (id, distance) in found.ids.iter().zip(&found.distances) {
            self.say(format!("found {id} {distance:?}"));
        }
        Ok(format!("ok {}", found.tick))
    }

    async fn speed(&mut self, room: &Room, fields: &Fields) -> Result<String, Error> {
        let number = |name| fields.one::<u32>(name).unwrap_or(0);
        let (count, moves, ticks) = (number("count"), number("moves"), number("ticks"));
        let ids: Vec<u32> = (0..count).collect();
        let x = vec![0f32; ids.len()];
        if count > 0 {
            room.spawn(Spawn::points(&ids, (&x, &x)))?.await?;
            for _ in 0..2 {
                room.move_to(&ids, (&x, &x))?; // then it is a roster
            }
            room.step().await?;
        }
        let (started, cpu) = (Instant::now(), cpu_seconds());
        for _ in 0..ticks {
            for _ in 0..moves {
                room.move_to(&ids, (&x, &x))?;
                self.session()?.drain().await?;
            }
            room.step().await?;
        }
        Ok(format!("ok {:.6} {:.6}", started.elapsed().as_secs_f64(), cpu_seconds() - cpu))
    }

    // ---- commands ----

    async fn carry_out(&mut self, line: &str) -> Result<String, Error> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        if let Some(answer) = self.golden.answer(command, rest, &mut self.out) {
            return Ok(answer);
        }
        let fields = Fields::parse(rest);
        let name = fields.name.clone();
        match command {
            "connect" => self.connect(&name, &fields).await,
            "status" => {
                let session = self.session()?;
                let (connects, resumes, number) = (session.connects(), session.resumes(), session.number());
                Ok(format!("ok connects={connects} resumes={resumes} session={number}"))
            }
            "refusals" => {
                let refusals = self.refusals.clone();
                take(&refusals).iter().for_each(|line| self.say(line));
                Ok("ok".into())
            }
            "open" => self.open(&name, &fields).await,
            _ => self.room_command(&name, command, &fields).await,
        }
    }

    async fn answer(&mut self, line: &str) -> String {
        let answer = match tokio::time::timeout(WAIT, self.carry_out(line)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(Error::Refused(refusal))) => format!("error refused {}", refusal.reason()),
            Ok(Err(error)) => format!("error {error}"),
            Err(_) => "error not done in time".to_string(),
        };
        self.say(answer);
        std::mem::take(&mut self.out)
    }
}

/// The CPU time of this process.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let threads = std::fs::read_dir("/proc/self/task").map(|tasks| {
        tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok()).collect()
    });
    let stats: Vec<String> = threads.unwrap_or_else(|_| vec![stat]);
    let nanoseconds = |text: &String| text.split(' ').next().and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0);
    stats.iter().map(nanoseconds).sum::<f64>() / 1e9
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let mut driver = Driver { quiet: std::env::args().any(|argument| argument == "--quiet"), ..Default::default() };
    let mut lines = BufReader::with_capacity(1 << 20, tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await?.filter(|line| !line.is_empty() && line != "quit") {
        let answer = driver.answer(&line).await;
        std::io::stdout().write_all(answer.as_bytes())?;
        std::io::stdout().flush()?;
    }
    if let Some(session) = driver.session {
        session.close().await;
    }
    println!("ok");
    Ok(())
}
