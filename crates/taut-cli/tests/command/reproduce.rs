//! The papers: nothing is missed, every row can fail, and the page in `docs` is what the command writes.

use crate::common;

use common::Folder;
use serde_json::Value;
use std::path::Path;

/// Errors smaller than this are round-off, which differs between machines.
const ROUND_OFF: f64 = 1e-8;

/// All rows of an answer, with the key of their paper.
fn rows(answer: &Value) -> Vec<(&str, &Value)> {
    let mut rows = Vec::new();
    for paper in answer["papers"].as_array().unwrap() {
        for example in paper["examples"].as_array().unwrap() {
            rows.extend(example["rows"].as_array().unwrap().iter().map(|r| (paper["key"].as_str().unwrap(), r)));
        }
    }
    rows
}

#[test]
fn the_papers_are_reproduced() {
    let folder = Folder::new("reproduce");
    let answer = folder.taut(&["reproduce", "--json", "--write", "docs"]);
    let reported = answer.json();
    let rows = rows(&reported);
    let of = |verdict: &str| rows.iter().filter(|(_, r)| r["verdict"] == verdict).collect::<Vec<_>>();
    assert!(of("missed").is_empty(), "{:#?}", of("missed"));
    assert_eq!((answer.code, reported["count"]["missed"].as_u64()), (0, Some(0)));
    for (verdict, least) in [("agrees", 40), ("contradicts", 30), ("checked", 450), ("formula", 30)] {
        assert!(of(verdict).len() >= least, "only {} rows: {verdict}", of(verdict).len());
    }
    for (paper, row) in &rows {
        // Either a print or a reference could refute it.
        let source = row["reference"]["from"].as_str().is_some_and(|s| !s.is_empty());
        assert!(row["ours"].is_number() && (source || row["verdict"] == "agrees"), "{paper} {row}");
        assert_eq!(row["verdict"] == "contradicts", row["erratum"].is_string(), "{paper} {row}");
        let one_sided = ["at_most", "at_least"].contains(&row["reference"]["kind"].as_str().unwrap_or(""));
        assert!(!one_sided || row["verdict"] == "bound", "{paper} {row}");
    }

    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let written = String::from_utf8(folder.read("docs/papers.md")).unwrap();
    let kept = std::fs::read_to_string(docs.join("papers.md")).unwrap();
    if let Some((i, (a, b))) = written.lines().zip(kept.lines()).enumerate().find(|(_, (a, b))| !alike(a, b)) {
        panic!("docs/papers.md, line {}: `taut reproduce --write docs` gives\n{a}\ninstead of\n{b}", i + 1);
    }
    assert_eq!(written.lines().count(), kept.lines().count(), "run `taut reproduce --write docs`");
    let pictures: Vec<&str> = kept.lines().filter_map(|l| l.split_once("](papers/")?.1.strip_suffix(".svg)")).collect();
    assert!(pictures.len() >= 31, "{} figures", pictures.len());
    for name in pictures {
        let path = docs.join(format!("papers/{name}.svg"));
        assert!(path.exists(), "{name}: run `taut reproduce --figures docs/papers`");
    }
}

#[test]
fn figures_are_drawn() {
    let folder = Folder::new("reproduce-figures");
    let answer = folder.done(&["reproduce", "mitiguy", "--figures", "drawn"]);
    assert!(answer.out.is_empty() && answer.err.contains("wrote 1 figures"), "{answer:?}");
    let drawn = String::from_utf8(folder.read("drawn/mitiguy_double_pendulum.svg")).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.contains("upper rod") && drawn.contains("time [s]"), "{drawn}");
}

/// The same words and the same numbers, but for round-off.
fn alike(a: &str, b: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split_whitespace().collect(), b.split_whitespace().collect());
    let same = |a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => {
            let (apart, size) = ((a - b).abs(), a.abs().max(b.abs()));
            // Small numbers are errors, of which the size matters.
            size < ROUND_OFF || apart <= if size < 1e-3 { 0.5 * size } else { 1e-3 * size }
        }
        _ => a == b,
    };
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same(a, b))
}

#[test]
fn lines_are_alike_but_for_round_off() {
    assert!(alike("| x | 1.50001 | 3e-14 | met |", "| x | 1.5 | 8e-12 | met |"));
    for other in
        ["| x | 1.6 | 3e-14 | met |", "| x | 1.5 | 3e-4 | met |", "| x | 1.5 | 3e-14 | MISSED |", "| x | 1.5 |"]
    {
        assert!(!alike("| x | 1.5 | 3e-14 | met |", other), "{other}");
    }
}

#[test]
fn one_paper_by_a_part_of_its_name() {
    let folder = Folder::new("reproduce-one");
    let reported = folder.done(&["reproduce", "mitiguy"]).out;
    assert!(reported.starts_with("mitiguy-banerjee-2000: ") && reported.contains("; 0 missed"), "{reported}");
    let unknown = folder.taut(&["reproduce", "kepler"]);
    assert_eq!((unknown.code, unknown.out.as_str()), (1, ""));
    assert!(unknown.err.contains("newhart-2019") && unknown.err.contains("masarati-2010"), "{unknown:?}");
    // Two papers have Masarati in their names.
    let vague = folder.taut(&["reproduce", "masarati"]);
    assert!(vague.code == 1 && vague.err.contains("fumagalli-masarati-2009"), "{vague:?}");
}
