//! `docs/validation.md` is up to date with the models.

use super::{files, root, text};

/// Columns that a model only checks for consistency; the page leaves them out, as `checks/validation.py` does.
const SELF_CHECKS: [&str; 4] = ["energy.", "residual.", "rank", "step"];

#[test]
fn the_validation_page_has_every_expected_value_of_every_model() {
    let models = root().join("models");
    let page = text(&root().join("docs/validation.md"));
    let (mut missing, mut values) = (Vec::new(), 0);
    for path in files(&models) {
        let name = path.strip_prefix(&models).unwrap().to_string_lossy().replace('\\', "/");
        if !name.ends_with(".toml") || name.split('/').any(|folder| folder == "parts") {
            continue;
        }
        let model: toml::Table = text(&path).parse().unwrap();
        let expected = model.get("expect").and_then(|e| e.as_array()).cloned().unwrap_or_default();
        let columns = expected.iter().filter_map(|e| e.get("column")?.as_str());
        let columns: Vec<&str> = columns.filter(|c| !SELF_CHECKS.iter().any(|own| c.starts_with(own))).collect();
        let part = page.split("\n## ").find(|part| part.contains(&format!("\n`{name}`"))).unwrap_or_default();
        let shown = |column: &&str| part.contains(&format!("| `{column}` |"));
        if !columns.iter().all(shown) || part.matches("\n| `").count() != columns.len() {
            missing.push(name);
        }
        values += columns.len();
    }
    assert!(values > 700, "only {values} values were found");
    let folder = "python3 checks/validation.py target/debug/taut NAME";
    assert!(missing.is_empty(), "docs/validation.md is old; write these models again with `{folder}`: {missing:?}");
    assert!(!page.contains("**missed**"), "a value of the page is outside its tolerance");
}
