//! A minimal HTTP server for one page and its runs on the loopback address.
//!
//! All responses are in memory: request paths never reach the file system, and nothing is written. Requests from foreign
//! pages (DNS rebinding: another name for 127.0.0.1 in `Host`) are rejected. One thread serves each connection; the number of
//! connections, the size of a request and the time for it are limited.

mod request;

use crate::error::ViewError;
use crate::page::ghost_name;
use request::{Method, Request, RequestError, read};
use std::borrow::Cow;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Largest number of simultaneous connections.
const MAX_CONNECTIONS: usize = 32;
/// Interval at which the stop condition is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Timeout for sending a response.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Content security policy: only the page's own scripts and styles, generated images, and its own runs.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; \
    connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Type of pages.
pub const HTML: &str = "text/html; charset=utf-8";
/// Type of packed runs.
pub const RUN: &str = "application/octet-stream";

/// Type and content of a resource.
pub type Resource = (&'static str, Vec<u8>);

/// Makes a resource from its path.
pub type ResourceMaker = dyn Fn(&str) -> Option<Resource> + Send + Sync;

/// Makes a resource when it is requested.
#[derive(Clone)]
pub struct OnDemand(pub Arc<ResourceMaker>);

impl fmt::Debug for OnDemand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnDemand")
    }
}

/// The resources that are served.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// `/`.
    pub page: Vec<u8>,
    /// `/run.taut`.
    pub run: Vec<u8>,
    /// The runs with which it is compared: `/ghost.taut`, `/ghost2.taut` …
    pub ghosts: Vec<Vec<u8>>,
    /// All other paths.
    pub on_demand: Option<OnDemand>,
}

impl Resources {
    fn at(&self, path: &str) -> Option<(&'static str, Cow<'_, [u8]>)> {
        let own = |kind, content| Some((kind, Cow::Borrowed(content)));
        match path {
            "/" => own(HTML, &self.page[..]),
            "/run.taut" if !self.run.is_empty() => own(RUN, &self.run),
            other if other.starts_with("/ghost") => {
                let named = |k: &usize| format!("/{}.taut", ghost_name(*k)) == other;
                (0..self.ghosts.len()).find(named).and_then(|k| own(RUN, &self.ghosts[k]))
            }
            other => self.on_demand.as_ref().and_then(|make| make.0(other)).map(|(kind, c)| (kind, Cow::Owned(c))),
        }
    }
}

/// Whether to continue serving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerControl {
    /// Continue.
    On,
    /// Stop.
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
    /// Binds a port of 127.0.0.1; zero selects any free port.
    ///
    /// # Errors
    /// The port is in use or not permitted.
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

    /// The bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `go` returns [`ServerControl::Stop`].
    pub fn serve(&self, mut go: impl FnMut() -> ServerControl) {
        while go() == ServerControl::On {
            match self.listener.accept() {
                Ok((stream, _)) => self.accept_connection(stream),
                // Also temporary errors: an aborted connection, too many open files.
                Err(_) => thread::sleep(POLL_INTERVAL),
            }
        }
    }

    fn accept_connection(&self, mut stream: TcpStream) {
        let seat = ConnectionGuard(Arc::clone(&self.open));
        let _ = stream.set_nonblocking(false);
        let _ = stream.set_write_timeout(Some(WRITE_TIMEOUT));
        if seat.0.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
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

/// Counts an open connection; releases it on drop, however the thread ends.
struct ConnectionGuard(Arc<AtomicUsize>);

impl Drop for ConnectionGuard {
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

/// Reads one request and sends the response.
fn answer(stream: &mut TcpStream, resources: &Resources, port: u16) {
    let sent = match read(stream, port) {
        Err(RequestError::Timeout) => return,
        Err(refusal) => refuse(stream, refusal),
        Ok(Request { method, path }) => match resources.at(&path) {
            None => refuse(stream, RequestError::NotFound),
            Some((kind, body)) => {
                let head = head("200 OK", kind, body.len(), "");
                stream.write_all(&head).and_then(|()| match method {
                    Method::Get => stream.write_all(&body),
                    Method::Head => Ok(()),
                })
            }
        },
    };
    if sent.is_ok() {
        finish(stream);
    }
}

fn refuse(stream: &mut TcpStream, refusal: RequestError) -> std::io::Result<()> {
    let more = if refusal == RequestError::Method { "Allow: GET, HEAD\r\n" } else { "" };
    let body = format!("{}\n", refusal.status());
    stream.write_all(&head(refusal.status(), "text/plain; charset=utf-8", body.len(), more))?;
    stream.write_all(body.as_bytes())
}

/// Closes the connection cleanly: unread input would turn the close into a reset before the client has the whole response.
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
