// SPDX-License-Identifier: Apache-2.0
//! The API against a real server. The conformance suite tests what is folded, resumed and restored. QD_SERVER is the
//! server's program.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quadrille::proto::GetSnapshot;
use quadrille::{
    connect, query, EndReason, Error, ErrorCode, Event, Options, Query, RoomConfig, SessionEvent, Spawn, Tls,
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};

struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn new(options: &[&str]) -> Server {
        let program = std::env::var("QD_SERVER").expect("QD_SERVER must be the server's program");
        let mut process = Command::new(program)
            .args(["--listen", "127.0.0.1:0", "--log-level", "error"])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_whitespace().last().unwrap().to_string();
        Server { process, address }
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.process.id().to_string()]).status().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal("-TERM");
        let status = self.process.wait().unwrap();
        assert!(status.success() || std::thread::panicking(), "the server ended with {status}");
    }
}

fn yard() -> RoomConfig {
    RoomConfig::flat([0.0, 0.0, 100.0, 100.0]).by_step()
}

#[tokio::test]
async fn awaited_refusal_has_code_and_entries() {
    let server = Server::new(&[]);
    let session = connect(&server.address, Options::default()).await.unwrap();
    let reported = Arc::new(Mutex::new(Vec::new()));
    let reports = reported.clone();
    session.on(move |event| {
        if let SessionEvent::Refused(refusal) = event {
            reports.lock().unwrap().push(refusal.clone());
        }
    });
    let room = session.open("refusals", yard()).await.unwrap();
    room.spawn(Spawn::boxes(&[1, 2], (&[1.0, 2.0], &[1.0, 2.0]), 1.0)).unwrap().await.unwrap();
    let spawn = Spawn::boxes(&[3, 2], (&[1.0, f32::NAN], &[1.0, 1.0]), 1.0);
    let error = room.spawn(spawn).unwrap().await.unwrap_err();
    let entries = &error.refusal().unwrap().entries;
    assert_eq!((entries[0].index, entries[0].id, entries[0].reason()), (1, 2, "NOT_FINITE".to_string()));
    assert_eq!(entries.len(), 1);
    assert_eq!(reported.lock().unwrap().len(), 1);
    let error = session.open("nowhere", None).await.err().unwrap();
    assert!(error.refusal().unwrap().is(ErrorCode::UnknownRoom), "{error}");
}

#[tokio::test]
async fn columns_are_checked_before_they_are_sent() {
    let server = Server::new(&[]);
    let session = connect(&server.address, Options::default()).await.unwrap();
    let room = session.open("columns", yard()).await.unwrap();
    let error = room.move_to(&[1, 2], (&[1.0, 2.0, 3.0], &[1.0, 2.0])).err().unwrap();
    assert_eq!(error.to_string(), "x has 3 values; must be 2, one per id");
    assert!(room.move_to(&[1, 2], (&[], &[1.0, 2.0])).is_err());
}

#[tokio::test]
async fn same_ids_are_sent_once() {
    let server = Server::new(&[]);
    let session = connect(&server.address, Options::default()).await.unwrap();
    let room = session.open("rosters", yard()).await.unwrap();
    let ids: Vec<u32> = (0..10000).collect();
    let x: Vec<f32> = ids.iter().map(|id| *id as f32).collect();
    room.spawn(Spawn::points(&ids, (&x, &x))).unwrap().await.unwrap();
    let mut sizes = Vec::new();
    for _ in 0..4 {
        let before = session.stats(None).await.unwrap().server.unwrap().bytes_in;
        room.move_to(&ids, (&x, &x)).unwrap();
        sizes.push(session.stats(None).await.unwrap().server.unwrap().bytes_in - before);
    }
    assert!(sizes[0] > 120_000 && sizes[2] < 81_000 && sizes[3] < 81_000, "{sizes:?}");
}

#[tokio::test]
async fn batch_above_the_frame_limit_is_split() {
    let server = Server::new(&[]);
    let session = connect(&server.address, Options::default()).await.unwrap();
    let room = session.open("large", yard()).await.unwrap();
    let count = session.limits().frame_bytes_max / 12 + 5000;
    let ids: Vec<u32> = (0..count).collect();
    let x: Vec<f32> = ids.iter().map(|id| 1e6 + *id as f32 * 10.0).collect();
    room.spawn(Spawn::points(&ids, (&x, &x))).unwrap().await.unwrap();
    let gone: Vec<u32> = (1..count).chain([u32::MAX]).collect();
    let error = room.despawn(&gone).unwrap().await.unwrap_err();
    let entry = &error.refusal().unwrap().entries[0];
    assert_eq!((entry.index, entry.id, entry.reason()), (count as usize - 1, u32::MAX, "UNKNOWN_ID".to_string()));
    room.step().await.unwrap();
    let snapshot = room.snapshot(GetSnapshot::default()).await.unwrap();
    assert_eq!(snapshot.iter().flat_map(|frame| frame.id.clone()).collect::<Vec<_>>(), [0]);
}

#[tokio::test]
async fn step_can_be_timed_out() {
    let server = Server::new(&[]);
    let (one, other) = (connect(&server.address, Options::default()), connect(&server.address, Options::default()));
    let (one, other) = (one.await.unwrap(), other.await.unwrap());
    let config = RoomConfig { writers: 2, step_deadline_ms: 60000, ..yard() };
    let room = one.open("lockstep", config).await.unwrap();
    let same = other.open("lockstep", None).await.unwrap();
    let (a, b) = tokio::join!(room.step(), same.step());
    assert_eq!((a.unwrap().number, b.unwrap().number), (1, 1));
    assert!(tokio::time::timeout(Duration::from_millis(100), room.step()).await.is_err()); // the step is under way
    same.step().await.unwrap();
    let (a, b) = tokio::join!(room.step(), same.step());
    assert_eq!((a.unwrap().number, b.unwrap().number), (3, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn handlers_may_call_the_room_and_panic() {
    let server = Server::new(&[]);
    let session = connect(&server.address, Options::default()).await.unwrap();
    let room = session.open("handlers", yard()).await.unwrap();
    let (inner, begun) = (room.clone(), Arc::new(Mutex::new(Vec::new())));
    let seen = begun.clone();
    room.on(move |event| {
        if let Event::Begin(a, b) = event {
            seen.lock().unwrap().push((*a, *b, inner.pairs().has(*a, *b)));
            inner.move_to(&[*b], (&[50.0], &[50.0])).unwrap();
            panic!("as the test wants");
        }
    });
    room.subscribe(Default::default()).unwrap();
    room.spawn(Spawn::boxes(&[1, 2], (&[1.0, 2.0], &[1.0, 1.0]), 1.0)).unwrap();
    assert_eq!(room.step().await.unwrap().begins, [(1, 2)]);
    assert_eq!(*begun.lock().unwrap(), [(1, 2, true)]);
    assert_eq!(room.step().await.unwrap().end_reasons, [EndReason::MovedApart]);
    assert_eq!(session.connects(), 1);
}

#[tokio::test]
async fn ticks_of_a_clock_are_received() {
    let server = Server::new(&[]);
    let session = connect(&server.address, Options::default()).await.unwrap();
    let room = session.open("clock", RoomConfig::flat([0.0, 0.0, 100.0, 100.0]).at_hz(100)).await.unwrap();
    room.subscribe(Default::default()).unwrap().await.unwrap();
    let mut ticks = room.ticks();
    room.spawn(Spawn::boxes(&[1, 2], (&[10.0, 10.0], &[10.0, 10.0]), 1.0)).unwrap();
    while ticks.next().await.unwrap().begins != [(1, 2)] {}
    let moved = room.move_to(&[2], (&[50.0], &[50.0])).unwrap();
    assert_eq!(room.sync().await.unwrap(), room.tick());
    assert!(moved.tick().unwrap() <= room.tick() && room.pairs().is_empty());
    let nearest = query::Where::Nearest(query::Nearest { x: 10.0, y: 10.0, ..Default::default() });
    let query = Query { r#where: Some(nearest), limit: 1, ..Default::default() };
    assert_eq!(room.query(query).await.unwrap().ids, [1]);
}

#[tokio::test]
async fn calls_after_the_end_fail() {
    let server = Server::new(&[]);
    let session = connect(&server.address, Options::default()).await.unwrap();
    let (room, left) = (session.open("ending", yard()).await.unwrap(), session.open("left", yard()).await.unwrap());
    left.leave().await.unwrap();
    assert!(matches!(left.move_to(&[1], (&[1.0], &[1.0])), Err(Error::RoomClosed(_))));
    let moved = room.spawn(Spawn::points(&[1], (&[1.0], &[1.0]))).unwrap();
    session.close().await;
    for result in [moved.applied().await, room.sync().await, session.drain().await.map(|_| 0)] {
        assert!(matches!(result, Err(Error::SessionEnded(_))), "{result:?}");
    }
    assert!(matches!(room.step().await, Err(Error::SessionEnded(_))));
}

#[tokio::test]
async fn server_that_is_not_there_times_out_with_the_fix() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let options = Options { timeout: Some(Duration::from_millis(200)), ..Default::default() };
    let error = connect(&format!("127.0.0.1:{port}"), options).await.err().unwrap().to_string();
    assert!(error.contains("no session within 0.2 s") && error.contains("Check the address"), "{error}");
}

#[tokio::test]
async fn drain_waits_for_a_server_that_does_not_read() {
    let server = Server::new(&[]);
    let session = connect(&server.address, Options::default()).await.unwrap();
    let room = session.open("drain", yard()).await.unwrap();
    server.signal("-STOP");
    let ids: Vec<u32> = (0..100_000).collect();
    let x = vec![0f32; ids.len()];
    let mut waited = false;
    for _ in 0..200 {
        room.move_to(&ids, (&x, &x)).unwrap(); // 160 MB, more than the system's buffers
        waited = tokio::time::timeout(Duration::from_millis(200), session.drain()).await.is_err();
        if waited {
            break;
        }
    }
    let is_full = session.is_full();
    server.signal("-CONT");
    assert!(waited && is_full);
    session.drain().await.unwrap();
    session.ping().await.unwrap();
}

/// A file of this test.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("quadrille-rust-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn only_for_the_owner(path: &Path) {
    assert!(Command::new("chmod").arg("600").arg(path).status().unwrap().success());
}

#[tokio::test]
async fn certificate_and_token_are_checked() {
    let (certificate, key, tokens) = (scratch("cert.pem"), scratch("key.pem"), scratch("tokens"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    std::fs::write(&tokens, "the-token-of-the-test writer\n").unwrap();
    only_for_the_owner(&key);
    only_for_the_owner(&tokens);
    let paths = [&certificate, &key, &tokens].map(|path| path.to_str().unwrap().to_string());
    let server = Server::new(&["--tls-cert", &paths[0], "--tls-key", &paths[1], "--token-file", &paths[2]]);
    let options = |token: &str, tls| Options {
        token: token.to_string(),
        tls: Some(tls),
        timeout: Some(Duration::from_secs(2)),
        ..Default::default()
    };
    let trusted = Tls::CaFile(certificate);
    let session = connect(&server.address, options("the-token-of-the-test", trusted.clone())).await.unwrap();
    let room = session.open("yard", yard()).await.unwrap();
    assert_eq!(room.step().await.unwrap().number, 1);
    let error = connect(&server.address, options("wrong", trusted)).await.err().unwrap();
    assert!(error.refusal().unwrap().is(ErrorCode::Unauthenticated), "{error}");
    let error = connect(&server.address, options("the-token-of-the-test", Tls::System)).await.err().unwrap();
    assert!(error.to_string().contains("invalid peer certificate"), "{error}");
    std::fs::remove_dir_all(scratch("").as_path()).unwrap();
}

/// An example, which cargo has built beside this test.
fn example(name: &str) -> Command {
    let folder = std::env::current_exe().unwrap();
    Command::new(folder.parent().unwrap().parent().unwrap().join("examples").join(name))
}

#[test]
fn examples_print_what_the_pages_say() {
    let server = Server::new(&[]);
    let out = example("hello").arg(&server.address).output().unwrap();
    assert!(out.status.success() && out.stderr.is_empty(), "{out:?}");
    let page = include_str!("../README.md");
    let said = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(String::from_utf8(out.stdout).unwrap(), said);
}

#[test]
fn gateway_is_shorter_than_80_lines() {
    assert!(include_str!("../examples/gateway.rs").lines().count() < 80);
}

#[tokio::test]
async fn gateway_replicates_views_to_players() {
    let server = Server::new(&[]);
    let session = connect(&server.address, Options::default()).await.unwrap();
    let room = session.open("demo-2", RoomConfig::flat([0.0, 0.0, 100.0, 100.0]).at_hz(50)).await.unwrap();
    room.spawn(Spawn::boxes(&[1, 2], (&[7.0, 60.0], &[5.0, 60.0]), 1.0)).unwrap().await.unwrap();
    let mut gateway = example("gateway").args([&server.address, "demo-2", "0"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut printed = BufReader::new(gateway.stdout.take().unwrap());
    printed.read_line(&mut line).unwrap();
    let address = line.split_whitespace().last().unwrap();
    let (reader, mut player) = tokio::net::TcpStream::connect(address).await.unwrap().into_split();
    let mut lines = tokio::io::BufReader::new(reader).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "you 1000000");
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "spawn 1 7.000 5.000");
    room.move_to(&[1], (&[8.0], &[5.5])).unwrap();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "move 1 8.000 5.500");
    player.write_all(b"61 61\n").await.unwrap();
    let mut both = [lines.next_line().await.unwrap().unwrap(), lines.next_line().await.unwrap().unwrap()];
    both.sort();
    assert_eq!(both, ["remove 1", "spawn 2 60.000 60.000"]);
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    printed.read_to_string(&mut line).unwrap();
}
