//! `<include file="…"/>`: the elements of another file in place of it.

use crate::diagnostic::Diagnostic;
use crate::robot::xml::{Element, parse};
use std::path::{Path, PathBuf};

/// Replaces every include below an element. Paths are relative to the folder of the main file. As in MuJoCo, a file can be
/// included only once, which excludes circular includes.
pub(super) fn expand(root: &mut Element, main: &Path) -> Result<(), Diagnostic> {
    let folder = main.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut seen = vec![tidy(main)];
    inside(root, &folder, &mut seen)
}

fn inside(element: &mut Element, folder: &Path, seen: &mut Vec<PathBuf>) -> Result<(), Diagnostic> {
    let mut children = Vec::with_capacity(element.children.len());
    for mut child in std::mem::take(&mut element.children) {
        if child.name == "include" {
            let mut other = load(&child, folder, seen)?;
            inside(&mut other, folder, seen)?;
            children.append(&mut other.children);
        } else {
            inside(&mut child, folder, seen)?;
            children.push(child);
        }
    }
    element.children = children;
    Ok(())
}

fn load(include: &Element, folder: &Path, seen: &mut Vec<PathBuf>) -> Result<Element, Diagnostic> {
    let file = include.require("file")?;
    let path = folder.join(file);
    if seen.contains(&tidy(&path)) {
        return Err(include.error(format!("`{file}` is included twice, or includes itself")));
    }
    seen.push(tidy(&path));
    let unreadable = |why: String| include.error(format!("cannot read `{}`: {why}", path.display()));
    // A pipe or device might never end.
    match std::fs::metadata(&path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(unreadable("not a file".to_string())),
        Err(e) => return Err(unreadable(e.to_string())),
    }
    let text = std::fs::read_to_string(&path).map_err(|e| unreadable(e.to_string()))?;
    parse(&text, &path)
}

fn tidy(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
