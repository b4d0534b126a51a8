//! The server delivers its three resources to valid requests and rejects all others.

use crate::common::{TemporaryFolder, run_scene};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use taut_view::pack::{BUDGET, pack};
use taut_view::server::{Resources, Server, ServerControl};

/// A server in a thread of its own, until it is dropped.
struct Running {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn new(resources: Resources) -> Running {
        let server = Server::bind(0, resources).unwrap();
        let (address, stop) = (server.address(), Arc::new(AtomicBool::new(false)));
        assert!(address.ip().is_loopback() && server.link() == format!("http://127.0.0.1:{}/", address.port()));
        let requested = Arc::clone(&stop);
        let go = move || if requested.load(Ordering::Relaxed) { ServerControl::Stop } else { ServerControl::On };
        let thread = Some(std::thread::spawn(move || server.serve(go)));
        Running { address, stop, thread }
    }

    fn say(&self, text: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let end = all.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or_else(|| panic!("no head for {text:.60}"));
        let head = String::from_utf8(all[..end].to_vec()).unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head, all[end + 4..].to_vec())
    }

    fn get(&self, path: &str) -> (u16, String, Vec<u8>) {
        self.say(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

fn small(ghosts: &[&[u8]]) -> Running {
    Running::new(Resources {
        page: b"<html>".to_vec(),
        run: b"run".to_vec(),
        ghosts: ghosts.iter().map(|ghost| ghost.to_vec()).collect(),
        on_demand: None,
    })
}

#[test]
fn gives_what_it_has() {
    let server = small(&[]);
    let (status, head, body) = server.get("/");
    assert_eq!((status, body.as_slice()), (200, b"<html>".as_slice()));
    for wanted in ["Content-Security-Policy: default-src 'none'", "nosniff", "no-store", "text/html; charset=utf-8"] {
        assert!(head.contains(wanted), "{wanted} in {head}");
    }
    assert_eq!(server.get("/run.taut").2, b"run");
    assert_eq!(server.get("/run.taut?1").0, 200);
    assert_eq!(server.get("/ghost.taut").0, 404);
    assert_eq!(small(&[b"ghost"]).get("/ghost.taut").2, b"ghost");
    let (status, head, body) = server.say(&format!("HEAD /run.taut HTTP/1.1\r\nHost: {}\r\n\r\n", server.address));
    assert!(status == 200 && head.contains("Content-Length: 3") && body.is_empty());
}

#[test]
fn refuses_other_hosts() {
    let server = small(&[]);
    let port = server.address.port();
    for host in
        ["evil.example", "evil.example:80", &format!("evil.example:{port}"), &format!("127.0.0.1.evil:{port}"), ""]
    {
        let (status, _, body) = server.say(&format!("GET /run.taut HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!(status, 403, "{host}");
        assert!(!body.windows(3).any(|w| w == b"run"));
    }
    assert_eq!(server.say("GET / HTTP/1.1\r\n\r\n").0, 400);
    assert_eq!(server.say(&format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n")).0, 200);
}

#[test]
fn serves_no_files() {
    let server = small(&[]);
    for path in [
        "/../x",
        "/..",
        "//etc/passwd",
        "/etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/run.taut/..",
        "/manifest.json",
        "/./run.taut",
        "/%2frun.taut",
        "/run.taut%00",
        "/RUN.TAUT",
        "/run.taut/",
    ] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    for target in ["../x", "http://127.0.0.1/", "*", "file:///etc/passwd"] {
        assert_eq!(server.get(target).0, 400, "{target}");
    }
}

#[test]
fn refuses_other_methods_and_large_heads() {
    let server = small(&[]);
    let host = server.address.to_string();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH"] {
        let (status, head, _) = server.say(&format!("{method} / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert!(status == 405 && head.contains("Allow: GET, HEAD"), "{method}");
    }
    let large = format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n", "y".repeat(9000));
    assert_eq!(server.say(&large).0, 431);
    assert_eq!(server.say("\u{0}\u{1}garbage\r\n\r\n").0, 400);
}

#[test]
fn the_slow_do_not_hinder_the_quick() {
    let server = small(&[]);
    let mut slow: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    slow.iter_mut().for_each(|s| s.write_all(b"GET / HT").unwrap());
    let begun = Instant::now();
    for _ in 0..10 {
        assert_eq!(server.get("/").0, 200);
    }
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    // They are sent away in the end.
    let mut rest = Vec::new();
    slow[0].set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(slow[0].read_to_end(&mut rest).unwrap(), 0);
}

#[test]
fn too_many_are_sent_away() {
    let server = small(&[]);
    let mut waiting: Vec<TcpStream> = (0..32).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    waiting.iter_mut().for_each(|s| s.write_all(b"G").unwrap());
    let (status, _, _) = server.say("");
    assert_eq!(status, 503);
    drop(waiting);
    let begun = Instant::now();
    while server.get("/").0 != 200 {
        assert!(begun.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Names, sizes and times of all files below a folder.
fn listing(folder: &Path) -> Vec<(String, u64, std::time::SystemTime)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let about = entry.metadata().unwrap();
        all.push((entry.path().display().to_string(), about.len(), about.modified().unwrap()));
        if about.is_dir() {
            all.extend(listing(&entry.path()));
        }
    }
    all.sort();
    all
}

#[test]
fn nothing_is_written() {
    let scratch = TemporaryFolder::new("untouched");
    let stage = run_scene(&scratch, "four_bar.toml", &[("settings.duration", "0.2 s")]);
    let before = listing(scratch.path());
    let run = pack(&stage, BUDGET).unwrap();
    let server =
        Running::new(Resources { page: b"<html>".to_vec(), run: run.clone(), ghosts: Vec::new(), on_demand: None });
    assert_eq!(server.get("/run.taut").2, run);
    server.say(&format!("PUT /run.taut HTTP/1.1\r\nHost: {}\r\nContent-Length: 1\r\n\r\nx", server.address));
    server.get("/../new");
    drop(server);
    assert_eq!(listing(scratch.path()), before);
}
