//! Reads one request; rejects malformed and foreign ones.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Largest size of the request head, bytes.
const MAX_HEAD_BYTES: usize = 8192;
/// Timeout for receiving the whole head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// Supported methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Head,
}

/// A request; the path is without query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub method: Method,
    pub path: String,
}

/// Why a request is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestError {
    /// The connection was closed, or the head did not arrive in time.
    Timeout,
    Malformed,
    Foreign,
    NotFound,
    Method,
    TooLarge,
}

impl RequestError {
    pub fn status(self) -> &'static str {
        match self {
            RequestError::Timeout => "408 Request Timeout",
            RequestError::Malformed => "400 Bad Request",
            RequestError::Foreign => "403 Forbidden",
            RequestError::NotFound => "404 Not Found",
            RequestError::Method => "405 Method Not Allowed",
            RequestError::TooLarge => "431 Request Header Fields Too Large",
        }
    }
}

/// Reads the head of a request within the limits of time and size.
pub(super) fn read(stream: &mut TcpStream, port: u16) -> Result<Request, RequestError> {
    let (begun, mut head, mut part) = (Instant::now(), Vec::new(), [0; 1024]);
    loop {
        let left = HEAD_TIMEOUT.checked_sub(begun.elapsed()).filter(|t| !t.is_zero()).ok_or(RequestError::Timeout)?;
        stream.set_read_timeout(Some(left)).map_err(|_| RequestError::Timeout)?;
        match stream.read(&mut part) {
            Ok(0) => return Err(RequestError::Timeout),
            Ok(n) => head.extend_from_slice(&part[..n]),
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return Err(RequestError::Timeout),
        }
        if let Some(end) = head.windows(4).position(|w| w == b"\r\n\r\n") {
            return if end > MAX_HEAD_BYTES { Err(RequestError::TooLarge) } else { parse(&head[..end], port) };
        }
        if head.len() > MAX_HEAD_BYTES {
            return Err(RequestError::TooLarge);
        }
    }
}

fn parse(head: &[u8], port: u16) -> Result<Request, RequestError> {
    let text = std::str::from_utf8(head).map_err(|_| RequestError::Malformed)?;
    let mut lines = text.split("\r\n");
    let line: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, version] = line[..] else { return Err(RequestError::Malformed) };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") || !target.starts_with('/') {
        return Err(RequestError::Malformed);
    }
    let mut host = None;
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(RequestError::Malformed)?;
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(RequestError::Malformed);
        }
        // Two Host headers are ambiguous.
        if name.eq_ignore_ascii_case("host") && host.replace(value.trim()).is_some() {
            return Err(RequestError::Malformed);
        }
    }
    let host = host.ok_or(RequestError::Malformed)?;
    if !is_own_host(host, port) {
        return Err(RequestError::Foreign);
    }
    let method = match method {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        _ => return Err(RequestError::Method),
    };
    let path = target.split('?').next().unwrap_or_default().to_string();
    Ok(Request { method, path })
}

/// Whether the Host header names this machine and port. Only port 80 may be omitted.
fn is_own_host(host: &str, port: u16) -> bool {
    ["127.0.0.1", "localhost"].iter().any(|name| match host.strip_prefix(name) {
        Some("") => port == 80,
        Some(rest) => rest.strip_prefix(':').is_some_and(|p| p == port.to_string()),
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requested(text: &str) -> Result<Request, RequestError> {
        parse(text.as_bytes(), 8080)
    }

    #[test]
    fn requests() {
        let get = |path: &str| Ok(Request { method: Method::Get, path: path.to_string() });
        assert_eq!(requested("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080"), get("/"));
        assert_eq!(requested("GET /run.taut?x=1 HTTP/1.1\r\nhost:localhost:8080\r\nX: y"), get("/run.taut"));
        for (text, refusal) in [
            ("GET / HTTP/1.1\r\nHost: evil.example:8080", RequestError::Foreign),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:80801", RequestError::Foreign),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1", RequestError::Foreign),
            ("GET / HTTP/1.1\r\nHost: localhost.evil.example:8080", RequestError::Foreign),
            ("POST / HTTP/1.1\r\nHost: evil.example", RequestError::Foreign),
            ("POST / HTTP/1.1\r\nHost: localhost:8080", RequestError::Method),
            ("get / HTTP/1.1\r\nHost: localhost:8080", RequestError::Method),
            ("GET / HTTP/1.1", RequestError::Malformed),
            ("GET / HTTP/1.1\r\nHost: localhost:8080\r\nHost: localhost:8080", RequestError::Malformed),
            ("GET http://127.0.0.1:8080/ HTTP/1.1\r\nHost: localhost:8080", RequestError::Malformed),
            ("GET  / HTTP/1.1\r\nHost: localhost:8080", RequestError::Malformed),
            ("GET / HTTP/2\r\nHost: localhost:8080", RequestError::Malformed),
            ("GET / HTTP/1.1\r\nno colon", RequestError::Malformed),
            ("", RequestError::Malformed),
        ] {
            assert_eq!(requested(text), Err(refusal), "{text}");
        }
        assert!(is_own_host("localhost", 80) && !is_own_host("localhost", 81));
    }
}
