//! The viewer page: embedded at build time, filled with runs.

use crate::base64;
use crate::error::ViewError;
use flate2::read::GzDecoder;
use std::io::Read;
use std::sync::OnceLock;

/// `dist/index.html` of `viewer`, compressed; empty if it could not be built.
const PAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.html.gz"));
/// Why it could not be built.
const BUILD_FAILURE: &str = env!("TAUT_NO_PAGE");
/// Placeholder for the runs in the page.
const DATA_PLACEHOLDER: &str = "<!--taut-data-->";
/// The page of a sweep.
const SWEEP_PAGE: &str = include_str!("sweep_page.html");
/// Placeholder for its data.
const SWEEP_PLACEHOLDER: &str = "<!--sweep-data-->";
/// Attribute that tells the page to fetch its runs from the server.
const SERVER_MODE: &str = "data-mode=\"server\"";

/// The embedded page.
///
/// # Errors
/// The program was built without the page; the message says how to get it.
pub fn html() -> Result<&'static str, ViewError> {
    static TEXT: OnceLock<String> = OnceLock::new();
    let remedy =
        "install Node 18 or later and build taut again (cargo build --release) from a checkout, with a network";
    let page = TEXT.get_or_init(|| {
        let mut page = String::new();
        // Written by the build, so it can be read.
        let read = GzDecoder::new(PAGE).read_to_string(&mut page);
        read.map(|_| page).unwrap_or_default()
    });
    match page.is_empty() {
        false => Ok(page),
        true => Err(ViewError::NoPage(format!(
            "this taut was built without its page ({BUILD_FAILURE}); to get it, {remedy}"
        ))),
    }
}

/// Name of a compared run in the page and on the server.
pub(crate) fn ghost_name(k: usize) -> String {
    if k == 0 { "ghost".to_string() } else { format!("ghost{}", k + 1) }
}

/// The page for a server, from which it fetches its run and the runs with which that is compared.
pub fn served(page: &str, compared: usize) -> String {
    page.replacen(SERVER_MODE, &format!("{SERVER_MODE} data-ghosts=\"{compared}\""), 1)
}

/// The page as one self-contained file with its run and those with which it is compared.
///
/// # Errors
/// The page has no placeholder for runs.
pub fn report(page: &str, run: &[u8], ghosts: &[Vec<u8>]) -> Result<String, ViewError> {
    let (before, after) =
        page.split_once(DATA_PLACEHOLDER).filter(|_| page.contains(SERVER_MODE)).ok_or_else(|| {
            ViewError::NoPage("the embedded page has no placeholder for a run; build taut again".to_string())
        })?;
    let mut whole = before.replacen(SERVER_MODE, "data-mode=\"report\"", 1);
    // Base64 contains only letters, digits, +, / and =, so a run cannot close the element.
    let mut put = |id: &str, bytes: &[u8]| {
        whole.push_str(&format!("<script type=\"application/x-taut\" id=\"{id}\">"));
        base64::encode(bytes, &mut whole);
        whole.push_str("</script>");
    };
    put("run", run);
    ghosts.iter().enumerate().for_each(|(k, ghost)| put(&ghost_name(k), ghost));
    whole.push_str(&after.replacen(SERVER_MODE, "data-mode=\"report\"", 1));
    Ok(whole)
}

/// The page of a sweep: a plot of its members, each of which links to `member/N/`. The data are those of the page's script.
pub fn sweep(data: &serde_json::Value) -> String {
    // Within a script element, `<` could end it.
    SWEEP_PAGE.replacen(SWEEP_PLACEHOLDER, &data.to_string().replace('<', "\\u003c"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUB: &str = "<html data-mode=\"server\"><body><!--taut-data--><script>0</script></body></html>";

    #[test]
    fn runs_go_where_the_page_wants_them() {
        let found = report(STUB, b"run!", &[b"g".to_vec(), b"h".to_vec()]).unwrap();
        let expected = "<html data-mode=\"report\"><body><script type=\"application/x-taut\" id=\"run\">cnVuIQ==</script>\
            <script type=\"application/x-taut\" id=\"ghost\">Zw==</script><script type=\"application/x-taut\" id=\"ghost2\">aA==</script><script>0</script></body></html>";
        assert_eq!(found, expected);
        assert!(served(STUB, 2).starts_with("<html data-mode=\"server\" data-ghosts=\"2\">"));
        assert!(report("<html>", b"", &[]).is_err());
    }

    #[test]
    fn names_cannot_end_the_data_of_a_sweep() {
        let page = sweep(&serde_json::json!({ "title": "</script><b>" }));
        assert!(page.contains("\\u003c/script>\\u003cb>") && !page.contains(SWEEP_PLACEHOLDER));
    }
}
