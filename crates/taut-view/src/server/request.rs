//! Reads one request; rejects malformed and foreign ones.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Largest size of the request head, bytes.
const MOST: usize = 8192;
/// Timeout for receiving the whole head.
const TIME: Duration = Duration::from_secs(5);

/// Supported methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Head,
}

/// A request; the path is without query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub method: Method,
    pub path: String,
}

/// Why a request is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The connection was closed, or the head did not arrive in time.
    Gone,
    Malformed,
    Foreign,
    NotFound,
    Method,
    TooLarge,
}

impl Refusal {
    pub fn status(self) -> &'static str {
        match self {
            Refusal::Gone => "408 Request Timeout",
            Refusal::Malformed => "400 Bad Request",
            Refusal::Foreign => "403 Forbidden",
            Refusal::NotFound => "404 Not Found",
            Refusal::Method => "405 Method Not Allowed",
            Refusal::TooLarge => "431 Request Header Fields Too Large",
        }
    }
}

/// Reads the head of a request within the limits of time and size.
pub(super) fn read(stream: &mut TcpStream, port: u16) -> Result<Asked, Refusal> {
    let (begun, mut head, mut part) = (Instant::now(), Vec::new(), [0; 1024]);
    loop {
        let left = TIME.checked_sub(begun.elapsed()).filter(|t| !t.is_zero()).ok_or(Refusal::Gone)?;
        stream.set_read_timeout(Some(left)).map_err(|_| Refusal::Gone)?;
        match stream.read(&mut part) {
            Ok(0) => return Err(Refusal::Gone),
            Ok(n) => head.extend_from_slice(&part[..n]),
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return Err(Refusal::Gone),
        }
        if let Some(end) = head.windows(4).position(|w| w == b"\r\n\r\n") {
            return if end > MOST { Err(Refusal::TooLarge) } else { parse(&head[..end], port) };
        }
        if head.len() > MOST {
            return Err(Refusal::TooLarge);
        }
    }
}

fn parse(head: &[u8], port: u16) -> Result<Asked, Refusal> {
    let text = std::str::from_utf8(head).map_err(|_| Refusal::Malformed)?;
    let mut lines = text.split("\r\n");
    let line: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, version] = line[..] else { return Err(Refusal::Malformed) };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") || !target.starts_with('/') {
        return Err(Refusal::Malformed);
    }
    let mut host = None;
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(Refusal::Malformed)?;
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(Refusal::Malformed);
        }
        // Two Host headers are ambiguous.
        if name.eq_ignore_ascii_case("host") && host.replace(value.trim()).is_some() {
            return Err(Refusal::Malformed);
        }
    }
    let host = host.ok_or(Refusal::Malformed)?;
    if !ours(host, port) {
        return Err(Refusal::Foreign);
    }
    let method = match method {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        _ => return Err(Refusal::Method),
    };
    let path = target.split('?').next().unwrap_or_default().to_string();
    Ok(Asked { method, path })
}

/// Whether the Host header names this machine and port. Only port 80 may be omitted.
fn ours(host: &str, port: u16) -> bool {
    ["127.0.0.1", "localhost"].iter().any(|name| match host.strip_prefix(name) {
        Some("") => port == 80,
        Some(rest) => rest.strip_prefix(':').is_some_and(|p| p == port.to_string()),
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Result<Asked, Refusal> {
        parse(text.as_bytes(), 8080)
    }

    #[test]
    fn requests() {
        let get = |path: &str| Ok(Asked { method: Method::Get, path: path.to_string() });
        assert_eq!(asked("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080"), get("/"));
        assert_eq!(asked("GET /run.taut?x=1 HTTP/1.1\r\nhost:localhost:8080\r\nX: y"), get("/run.taut"));
        for (text, refusal) in [
            ("GET / HTTP/1.1\r\nHost: evil.example:8080", Refusal::Foreign),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:80801", Refusal::Foreign),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1", Refusal::Foreign),
            ("GET / HTTP/1.1\r\nHost: localhost.evil.example:8080", Refusal::Foreign),
            ("POST / HTTP/1.1\r\nHost: evil.example", Refusal::Foreign),
            ("POST / HTTP/1.1\r\nHost: localhost:8080", Refusal::Method),
            ("get / HTTP/1.1\r\nHost: localhost:8080", Refusal::Method),
            ("GET / HTTP/1.1", Refusal::Malformed),
            ("GET / HTTP/1.1\r\nHost: localhost:8080\r\nHost: localhost:8080", Refusal::Malformed),
            ("GET http://127.0.0.1:8080/ HTTP/1.1\r\nHost: localhost:8080", Refusal::Malformed),
            ("GET  / HTTP/1.1\r\nHost: localhost:8080", Refusal::Malformed),
            ("GET / HTTP/2\r\nHost: localhost:8080", Refusal::Malformed),
            ("GET / HTTP/1.1\r\nno colon", Refusal::Malformed),
            ("", Refusal::Malformed),
        ] {
            assert_eq!(asked(text), Err(refusal), "{text}");
        }
        assert!(ours("localhost", 80) && !ours("localhost", 81));
    }
}
