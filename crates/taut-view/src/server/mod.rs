//! Serves one page and its runs on the loopback address, and nothing else.
//!
//! All answers lie in memory: no path of a request ever reaches the file system, and nothing is written. Requests that a
//! foreign page could make (DNS rebinding: another name for 127.0.0.1 in `Host`) are refused. A thread a connection,
//! few connections at once, little time and room for each request.

mod request;

use crate::error::ViewError;
use request::{Asked, Method, Refusal, read};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Connections at once.
const MOST: usize = 32;
/// Between two looks at whether to stop.
const NAP: Duration = Duration::from_millis(20);
/// For a reader that takes its time with the answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// What the page may do: its own scripts and styles, pictures made in it, its own runs.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; \
    connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// All that there is to be had.
#[derive(Clone, Debug)]
pub struct Resources {
    /// `/`.
    pub page: Vec<u8>,
    /// `/run.taut`.
    pub run: Vec<u8>,
    /// `/ghost.taut`.
    pub ghost: Option<Vec<u8>>,
}

impl Resources {
    fn at(&self, path: &str) -> Option<(&'static str, &[u8])> {
        match path {
            "/" => Some(("text/html; charset=utf-8", &self.page)),
            "/run.taut" => Some(("application/octet-stream", &self.run)),
            "/ghost.taut" => self.ghost.as_deref().map(|ghost| ("application/octet-stream", ghost)),
            _ => None,
        }
    }
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// On.
    On,
    /// No more.
    Stop,
}

/// A server that is bound to its port.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    resources: Arc<Resources>,
    open: Arc<AtomicUsize>,
}

impl Server {
    /// Binds a port of 127.0.0.1; zero for any that is free.
    ///
    /// # Errors
    /// A port that is taken or not allowed.
    pub fn bind(port: u16, resources: Resources) -> Result<Server, ViewError> {
        let refuse = |source| ViewError::Serving { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refuse)?;
        listener.set_nonblocking(true).map_err(refuse)?;
        let address = listener.local_addr().map_err(refuse)?;
        Ok(Server { listener, address, resources: Arc::new(resources), open: Arc::default() })
    }

    /// The link to the page.
    pub fn link(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until told to stop.
    pub fn serve(&self, mut go: impl FnMut() -> Go) {
        while go() == Go::On {
            match self.listener.accept() {
                Ok((stream, _)) => self.take(stream),
                // Also what passes by itself: an aborted connection, too many open files.
                Err(_) => thread::sleep(NAP),
            }
        }
    }

    fn take(&self, mut stream: TcpStream) {
        let seat = Seat(Arc::clone(&self.open));
        let _ = stream.set_nonblocking(false);
        let _ = stream.set_write_timeout(Some(PATIENCE));
        if seat.0.fetch_add(1, Ordering::Relaxed) >= MOST {
            let _ = stream.write_all(&head("503 Service Unavailable", "text/plain; charset=utf-8", 0, ""));
            return;
        }
        let (resources, port) = (Arc::clone(&self.resources), self.address.port());
        let _ = thread::Builder::new().spawn(move || {
            answer(&mut stream, &resources, port);
            drop(seat);
        });
    }
}

/// A place among the connections, given back however the thread ends.
struct Seat(Arc<AtomicUsize>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn head(status: &str, kind: &str, length: usize, more: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nContent-Security-Policy: {POLICY}\r\n\
         X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\
         Cache-Control: no-store\r\n{more}Connection: close\r\n\r\n"
    )
    .into_bytes()
}

/// One request, one answer.
fn answer(stream: &mut TcpStream, resources: &Resources, port: u16) {
    let sent = match read(stream, port) {
        Err(Refusal::Gone) => return,
        Err(refusal) => refuse(stream, refusal),
        Ok(Asked { method, path }) => match resources.at(&path) {
            None => refuse(stream, Refusal::NotFound),
            Some((kind, body)) => {
                let head = head("200 OK", kind, body.len(), "");
                stream.write_all(&head).and_then(|()| match method {
                    Method::Get => stream.write_all(body),
                    Method::Head => Ok(()),
                })
            }
        },
    };
    if sent.is_ok() {
        finish(stream);
    }
}

fn refuse(stream: &mut TcpStream, refusal: Refusal) -> std::io::Result<()> {
    let more = if refusal == Refusal::Method { "Allow: GET, HEAD\r\n" } else { "" };
    let body = format!("{}\n", refusal.status());
    stream.write_all(&head(refusal.status(), "text/plain; charset=utf-8", body.len(), more))?;
    stream.write_all(body.as_bytes())
}

/// Lets the reader have all of the answer: what it still sends must not turn the end into a reset.
fn finish(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
    let mut rest = [0; 4096];
    for _ in 0..16 {
        match stream.read(&mut rest) {
            Ok(1..) => {}
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            _ => return,
        }
    }
}
