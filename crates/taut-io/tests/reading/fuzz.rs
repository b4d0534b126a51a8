//! No text makes the reader, the expressions or `build()` panic, hang or fill the memory.
//!
//! CI runs a bounded number of cases; `PROPTEST_CASES=100000 cargo test -p taut-io --release --test reading fuzz` runs longer.

use proptest::prelude::*;
use std::path::Path;
use taut_io::model::{Override, parse};

const MODEL: &str = include_str!("../files/everything.toml");

/// Reads, builds, prints what is wrong: everything that the command does before a run.
fn swallow(text: &str) {
    match parse(text, Path::new("fuzz.toml"), &[]) {
        Ok(file) => {
            if let Err(found) = file.build() {
                let _ = found.to_string();
            }
            let _ = file.write();
        }
        Err(found) => found.iter().for_each(|d| drop(d.to_string())),
    }
}

fn cases() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_text(text in ".{0,200}") {
        swallow(&text);
    }

    #[test]
    fn any_number(text in "[-+*/^() a-z0-9.\\[\\],eE{}°µ]{0,40}") {
        swallow(&format!("taut = 2\n[params]\nl = 1\nx = '{text}'\n[bodies.a]\ntype = 'point_mass'\nmass = '{text}'\n"));
        swallow(&format!("taut = 2\n[bodies.a]\ntype = 'point_mass'\nmass = 1\n[drivers.d]\ncoordinate = 'a.x'\nposition = '{text}'\n"));
        swallow(&format!("taut = 2\n[bodies.a]\ntype = 'planar'\nmass = 1\ninertia = 1\n[constraints.d]\ntype = 'formula'\nphi = 'a.x + {text}'\n"));
    }

    /// A good model with a stretch of it cut out, doubled or replaced.
    #[test]
    fn a_model_that_fell_on_the_floor(at in 0..MODEL.len(), length in 0..80usize, what in 0..4, junk in "[-a-z0-9\"'=\\[\\]{}., \n]{0,12}") {
        let from = (0..=at).rev().find(|i| MODEL.is_char_boundary(*i)).unwrap_or(0);
        let to = (from + length).min(MODEL.len());
        let to = (to..=MODEL.len()).find(|i| MODEL.is_char_boundary(*i)).unwrap_or(MODEL.len());
        let piece = &MODEL[from..to];
        let text = match what {
            0 => format!("{}{}", &MODEL[..from], &MODEL[to..]),
            1 => format!("{}{piece}{piece}{}", &MODEL[..from], &MODEL[to..]),
            2 => format!("{}{junk}{}", &MODEL[..from], &MODEL[to..]),
            _ => MODEL[..from].to_string(),
        };
        swallow(&text);
    }

    #[test]
    fn any_change_from_outside(path in "[a-z0-9._]{0,20}", value in "[-a-z0-9\"\\[\\]{}., ]{0,12}") {
        let _ = parse(MODEL, Path::new("fuzz.toml"), &[Override { path, value }]);
    }
}
