//! The files that README and ARCHITECTURE recommend to read first.

use super::{root, text};

/// The sentence above the list of files, each as `crates/…/file.rs`.
const SENTENCE: &str = "Five files of under 1,000 lines in total show the whole idea:";

/// The entries of the list in a page: file and the rest of its first line.
fn listed(page: &str) -> Vec<(String, String)> {
    let page = text(&root().join(page));
    let list = page.split(SENTENCE).nth(1).expect("the page names the files").trim_start();
    let entries = list.lines().take_while(|line| line.starts_with("- `") || line.starts_with("  "));
    let entry = |line: &str| {
        let (file, rest) = line.strip_prefix("- `")?.split_once('`')?;
        Some((file.to_string(), rest.to_string()))
    };
    entries.filter_map(entry).collect()
}

fn lines(file: &str) -> usize {
    text(&root().join(file)).lines().count()
}

#[test]
fn five_files_of_under_1000_lines_show_the_idea() {
    let names: Vec<String> = listed("README.md").into_iter().map(|(file, _)| file).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    let total: usize = names.iter().map(|name| lines(name)).sum();
    assert!(total < 1000, "{total} lines in {names:?}");
}

#[test]
fn the_architecture_lists_the_same_files_with_their_lengths() {
    let (readme, architecture) = (listed("README.md"), listed("ARCHITECTURE.md"));
    let names = |list: &[(String, String)]| list.iter().map(|(file, _)| file.clone()).collect::<Vec<_>>();
    assert_eq!(names(&readme), names(&architecture));
    for (file, rest) in architecture {
        let stated = rest.trim_start_matches(" (").split([' ', ')']).next().and_then(|n| n.parse::<usize>().ok());
        let (stated, found) = (stated.unwrap_or_else(|| panic!("{file}: no number of lines")), lines(&file));
        // A small change elsewhere need not touch the page.
        assert!(stated.abs_diff(found) <= found / 10, "{file} has {found} lines, ARCHITECTURE.md says {stated}");
    }
}
