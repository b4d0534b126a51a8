//! Model files of format 1 in the keywords of format 2.
//!
//! [`RENAMED`] is the only place that knows the old keywords. The reader uses it to say what a keyword is called now,
//! [`upgrade`] to edit a file. An edit replaces the bytes of a keyword and nothing else, so comments, layout and numbers
//! stay as they are.

use super::node::{self, Entry, Node, Table, Value};
use crate::diagnostic::{Diagnostic, Place, Source};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The format that this program reads: `taut = 2`.
pub const FORMAT: u32 = 2;

/// A keyword of format 1 that has another name in format 2.
#[derive(Clone, Copy, Debug)]
struct Renamed {
    /// The tables it occurs in: keys of format 1 from the top of the file, separated by `/`. `*` stands for any key, `**`
    /// for any number of keys. A last part in brackets, `[type=table]`, selects tables with that entry. Lists of tables
    /// and `[[repeat]]` add nothing to a path.
    path: &'static str,
    what: Word,
    old: &'static str,
    new: &'static str,
}

/// What a keyword is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// The key of an entry.
    Key,
    /// The value of this key (named as in format 1), alone or in a list.
    ValueOf(&'static str),
}

const fn key(path: &'static str, old: &'static str, new: &'static str) -> Renamed {
    Renamed { path, what: Word::Key, old, new }
}

const fn value(path: &'static str, key: &'static str, old: &'static str, new: &'static str) -> Renamed {
    Renamed { path, what: Word::ValueOf(key), old, new }
}

/// Every keyword that format 2 renames.
const RENAMED: &[Renamed] = &[
    key("settings", "pace", "step_control"),
    value("settings", "pace", "varying", "adaptive"),
    key("settings", "march", "contact_method"),
    value("settings", "march", "events", "event_driven"),
    key("settings", "update", "increment_axes"),
    value("settings", "update", "spatial", "world"),
    value("settings", "update", "convected", "body"),
    key("settings", "stiff", "on_stiffness"),
    value("settings", "stiff", "propose", "warn"),
    key("settings", "paradox", "on_painleve_paradox"),
    key("settings", "start", "initial_conditions"),
    key("settings", "weight", "projection_norm"),
    key("settings", "weights", "projection_weights"),
    key("settings", "above", "projection_threshold"),
    value("settings", "drift", "thorough", "full_projection"),
    key("outputs", "at", "rows"),
    key("expect", "at", "time"),
    key("expect", "of", "statistic"),
    value("expect", "of", "end", "final"),
    key("markers/*", "seen", "relative_to"),
    value("markers/*", "seen", "from_body", "body"),
    value("markers/*", "seen", "from_world", "world"),
    key("bodies/*/markers/*", "seen", "relative_to"),
    value("bodies/*/markers/*", "seen", "from_body", "body"),
    value("bodies/*/markers/*", "seen", "from_world", "world"),
    key("**/orientation", "turns", "rotations"),
    key("bodies/*", "look", "visual"),
    key("bodies/*", "rotation", "rotation_parameters"),
    key("bodies/*", "switch", "sequence_switching"),
    key("bodies/*", "held", "boundary_conditions"),
    key("bodies/*", "interface", "interface_nodes"),
    key("bodies/*", "keep", "selected_modes"),
    key("bodies/*", "added", "added_masses"),
    key("bodies/*", "shown", "marker_nodes"),
    key("bodies/*", "rates", "amplitude_rates"),
    key("beams/*", "order", "element_type"),
    key("beams/*", "inertia", "inertia_model"),
    key("beams/*", "y", "section_y"),
    key("beams/*", "start", "node_states"),
    key("beams/*/section", "wall", "wall_thickness"),
    key("bodies/*/beam", "order", "element_type"),
    key("bodies/*/beam", "inertia", "inertia_model"),
    key("bodies/*/beam", "y", "section_y"),
    key("bodies/*/beam", "start", "node_states"),
    key("bodies/*/beam/section", "wall", "wall_thickness"),
    key("joints/*", "turn", "rotation"),
    key("joints/*", "slide", "translation"),
    key("joints/*", "along", "translation"),
    value("joints/*", "along", "held", "fixed"),
    key("joints/*", "turning", "rotation"),
    value("joints/*", "turning", "homokinetic", "constant_velocity"),
    value("joints/*/turning", "about", "held", "fixed"),
    value("joints/*/turning", "locked", "held", "fixed"),
    key("joints/*", "start", "initially"),
    key("joints/*/limits", "of", "coordinate"),
    value("joints/*/limits", "impact", "sequence", "sequential"),
    key("joints/*/friction", "arm", "bearing_distance"),
    key("drivers/*", "of", "coordinate"),
    key("drivers/*", "start", "initially"),
    value("constraints/*", "type", "separator", "minimum_distance"),
    value("constraints/*", "type", "point_on_plane", "point_plane_contact"),
    value("constraints/*", "impact", "sequence", "sequential"),
    key("constraints/*", "of", "coordinate"),
    key("constraints/*/terms", "of", "coordinate"),
    key("constraints/*", "one", "first"),
    key("constraints/*", "two", "second"),
    key("constraints/*", "slide", "rack"),
    key("constraints/*", "turn", "pinion"),
    key("constraints/*", "along", "friction_axes"),
    key("constraints/*", "as", "joint_type"),
    key("constraints/*", "arm", "bearing_distance"),
    key("constraints/*", "slipping", "kinetic_ratio"),
    key("constraints/*", "start", "initially"),
    key("constraints/*/shape/torus", "tube", "tube_radius"),
    value("forces/*", "type", "load", "generalised_force"),
    key("forces/*", "along", "coordinate"),
    key("forces/*", "on", "coordinate"),
    key("forces/*", "at", "marker"),
    key("forces/*", "against", "reaction_marker"),
    key("forces/*", "length", "free_length"),
    key("forces/*", "stall", "stall_force"),
    key("forces/*", "no_load", "no_load_speed"),
    key("forces/*", "by", "command_type"),
    key("forces/*", "sample", "sample_time"),
    key("**/law/elastic", "ends", "end_conditions"),
    value("**/law/elastic", "extrapolation", "refuse", "error"),
    key("**/law/viscous", "ends", "end_conditions"),
    value("**/law/viscous", "extrapolation", "refuse", "error"),
    key("**[type=table]", "ends", "end_conditions"),
    value("**[type=table]", "extrapolation", "refuse", "error"),
    key("surfaces/*", "on", "marker"),
    value("surfaces/*", "shape", "line", "half_plane"),
    key("contacts/*", "spin", "torsional_friction"),
    key("contacts/*", "roll", "rolling_friction"),
    value("contacts/*", "impact", "sequence", "sequential"),
    key("contacts/*/compliant", "transition", "transition_velocity"),
    key("events/*", "times", "crossings"),
    value("events/*", "times", "always", "all"),
    value("events/*", "times", "once", "first"),
    key("events/*", "do", "actions"),
    key("events/*/do", "hit", "impulse_at_marker"),
    key("events/*/do", "push", "impulse_on_coordinate"),
    key("events/*/do", "moment", "angular_impulse"),
];

/// A keyword of format 1 in a file.
#[derive(Clone, Debug)]
struct OldKeyword {
    place: Place,
    old: &'static str,
    new: &'static str,
    /// The bytes to replace, without quotation marks.
    span: Range<usize>,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upgraded {
    /// The file in format 2.
    pub text: String,
    /// The keywords that were renamed, old and new, in the order of the file.
    pub renamed: Vec<(String, String)>,
}

/// The format that a file says it is written in; none if it is not TOML or does not say it.
pub fn format_of(text: &str) -> Option<u32> {
    let source = Arc::new(Source { path: "model.toml".into(), text: text.to_string() });
    let table = node::parse(&source).ok()?;
    match table.get("taut")?.value {
        Value::Number(x) if x >= 0.0 && x.fract() == 0.0 && x < 1e6 => Some(x as u32),
        _ => None,
    }
}

/// A file of format 1 in format 2, with the same comments, layout and numbers. The files that it includes are upgraded one
/// by one in the same way.
///
/// # Errors
/// What is not TOML.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use taut_io::model::upgrade;
///
/// let old = "taut = 1\n[settings]\npace = \"fixed\"   # equal steps\n";
/// let new = upgrade(old, Path::new("old.toml")).map_err(|found| found[0].to_string())?;
/// assert_eq!(new.text, "taut = 2\n[settings]\nstep_control = \"fixed\"   # equal steps\n");
/// # Ok::<(), String>(())
/// ```
pub fn upgrade(text: &str, path: &Path) -> Result<Upgraded, Vec<Diagnostic>> {
    let source = Arc::new(Source { path: path.to_path_buf(), text: text.to_string() });
    let table = node::parse(&source)?;
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    if let Some(version) = table.get("taut") {
        edits.push((version.place.span.clone(), FORMAT.to_string()));
    }
    let mut found = renamed(&table);
    found.extend(renamed_in_headers(&source));
    found.sort_by_key(|f| f.span.start);
    found.dedup_by_key(|f| f.span.start);
    edits.extend(found.iter().map(|f| (f.span.clone(), f.new.to_string())));
    edits.sort_by_key(|(span, _)| span.start);
    let (mut new, mut end) = (String::with_capacity(text.len()), 0);
    for (span, word) in edits {
        new.push_str(&text[end..span.start]);
        new.push_str(&word);
        end = span.end;
    }
    new.push_str(&text[end..]);
    let renamed = found.iter().map(|f| (f.old.to_string(), f.new.to_string())).collect();
    Ok(Upgraded { text: new, renamed })
}

/// One error per keyword of format 1 in a file, at its line and column.
pub(super) fn old_keywords(table: &Table) -> Vec<Diagnostic> {
    let mut found = renamed(table);
    found.sort_by_key(|f| f.span.start);
    let one = |f: &OldKeyword| {
        Diagnostic::error(format!("`{}` is now called `{}`", f.old, f.new)).at(&f.place).help(convert(&f.place))
    };
    found.iter().map(one).collect()
}

/// The command that upgrades the file of a place.
pub(super) fn convert(place: &Place) -> String {
    let path = place.source.path.display();
    format!("`taut convert {path} -o NEW.toml` upgrades the file and keeps its comments and layout")
}

/// ` (now called …)` if this was a keyword of format 1 for one of the known words; for keywords on the command line.
pub(super) fn now_called<'a>(old: &str, mut known: impl Iterator<Item = &'a str>) -> Option<&'static str> {
    known.find_map(|word| RENAMED.iter().find(|r| r.old == old && r.new == word)).map(|r| r.new)
}

fn renamed(table: &Table) -> Vec<OldKeyword> {
    let mut found = Vec::new();
    visit(table, &mut Vec::new(), &mut found);
    found
}

/// Keywords in headers such as `[[bodies.arm.look]]`: the tree knows the first of several equal headers only.
fn renamed_in_headers(source: &Arc<Source>) -> Vec<OldKeyword> {
    let (mut found, mut start) = (Vec::new(), 0);
    for line in source.text.split_inclusive('\n') {
        let keys = header(line).unwrap_or_default();
        let names: Vec<&str> = keys.iter().map(|k| line[k.clone()].trim_matches(['"', '\''])).collect();
        let own = names.iter().take_while(|name| **name == "repeat").count();
        for i in own + 1..names.len() {
            let path = &names[own..i];
            let here =
                |r: &&Renamed| r.what == Word::Key && r.old == names[i] && applies(r.path, path, &Table::default());
            if let Some(rule) = RENAMED.iter().find(here) {
                let span = start + keys[i].start..start + keys[i].end;
                found.extend(word(&Place { source: source.clone(), span }, rule));
            }
        }
        start += line.len();
    }
    found
}

/// The keys of a line that is the header of a table or of an entry of a list of tables.
fn header(line: &str) -> Option<Vec<Range<usize>>> {
    let text = line.trim_start();
    let open = if text.starts_with("[[") { 2 } else { 1 };
    let inner = text.strip_prefix('[')?;
    let inner = inner.strip_prefix('[').unwrap_or(inner);
    let (mut keys, mut at) = (Vec::new(), line.len() - text.len() + open);
    let mut rest = inner;
    loop {
        let blank = rest.len() - rest.trim_start().len();
        (at, rest) = (at + blank, rest.trim_start());
        let length = match rest.chars().next()? {
            quote @ ('"' | '\'') => rest[1..].find(quote)? + 2,
            _ => rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).filter(|n| *n > 0)?,
        };
        keys.push(at..at + length);
        (at, rest) = (at + length, &rest[length..]);
        let blank = rest.len() - rest.trim_start().len();
        (at, rest) = (at + blank, rest.trim_start());
        match rest.strip_prefix('.') {
            Some(behind) => (at, rest) = (at + 1, behind),
            None => return rest.starts_with(']').then_some(keys),
        }
    }
}

fn visit<'t>(table: &'t Table, path: &mut Vec<&'t str>, found: &mut Vec<OldKeyword>) {
    for Entry { key, place, node } in &table.0 {
        let here = |rule: &Renamed| applies(rule.path, path, table);
        for rule in RENAMED {
            match rule.what {
                Word::Key if rule.old == key && here(rule) => found.extend(word(place, rule)),
                Word::ValueOf(of) if of == key && here(rule) => values(node, rule, found),
                _ => {}
            }
        }
        // Elements within a repetition are those of the file.
        let repeated = path.is_empty() && key == "repeat";
        if !repeated {
            path.push(key);
        }
        tables(node, path, found);
        if !repeated {
            path.pop();
        }
    }
}

fn tables<'t>(node: &'t Node, path: &mut Vec<&'t str>, found: &mut Vec<OldKeyword>) {
    match &node.value {
        Value::Table(table) => visit(table, path, found),
        Value::List(list) => list.iter().for_each(|n| tables(n, path, found)),
        _ => {}
    }
}

fn values(node: &Node, rule: &'static Renamed, found: &mut Vec<OldKeyword>) {
    match &node.value {
        Value::String(text) if text == rule.old => found.extend(word(&node.place, rule)),
        Value::List(list) => list.iter().for_each(|n| values(n, rule, found)),
        _ => {}
    }
}

/// The keyword at a place, with or without quotation marks; none if it is written with escapes.
fn word(place: &Place, rule: &'static Renamed) -> Option<OldKeyword> {
    let written = place.source.text.get(place.span.clone())?;
    let start = place.span.start + written.find(rule.old)?;
    Some(OldKeyword { place: place.clone(), old: rule.old, new: rule.new, span: start..start + rule.old.len() })
}

fn applies(pattern: &str, path: &[&str], table: &Table) -> bool {
    let (pattern, condition) = match pattern.split_once('[') {
        Some((pattern, condition)) => (pattern, condition.trim_end_matches(']').split_once('=')),
        None => (pattern, None),
    };
    let holds = condition.is_none_or(|(key, value)| table.get(key).and_then(Node::text) == Some(value));
    holds && matches(&pattern.split('/').collect::<Vec<_>>(), path)
}

fn matches(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=path.len()).any(|skip| matches(rest, &path[skip..])),
        (Some((first, rest)), Some((key, behind))) => (*first == "*" || first == key) && matches(rest, behind),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
