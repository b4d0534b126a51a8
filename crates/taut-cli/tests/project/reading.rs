//! The files that README recommends to read first.

use super::{root, text};

/// README names them in a list, each as `crates/…/file.rs`, under this sentence.
const SENTENCE: &str = "Five files of under 1,000 lines in total show the whole idea:";

#[test]
fn five_files_of_under_1000_lines_show_the_idea() {
    let readme = text(&root().join("README.md"));
    let list = readme.split(SENTENCE).nth(1).expect("README names the files").trim_start();
    let list: Vec<&str> = list.lines().take_while(|line| line.starts_with("- `") || line.starts_with("  ")).collect();
    let names: Vec<&str> =
        list.iter().filter_map(|line| line.strip_prefix("- `")).map(|line| line.split('`').next().unwrap()).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    let lines: usize = names.iter().map(|name| text(&root().join(name)).lines().count()).sum();
    assert!(lines < 1000, "{lines} lines in {names:?}");
}
