//! From files to one flat list of elements: includes, parts, repetitions, changes from outside.

use super::node::{self, Entry, Node, Table, Value};
use super::resolve::{Context, Placed, Register};
use super::scope::Scope;
use super::vocabulary::{Field, PART, REPEAT, TOP};
use super::{Override, imports};
use crate::diagnostic::{Diagnostic, Place, Source, near};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// More elements than this are taken for a slip of the pen.
const MOST_ELEMENTS: usize = 1_000_000;
/// Files within files within files.
const DEEPEST: usize = 32;

/// The families of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Bodies,
    Markers,
    Joints,
    Drivers,
    Constraints,
    Forces,
    Signals,
    Measures,
}

impl Section {
    pub const ALL: [Section; 8] = [
        Section::Bodies,
        Section::Markers,
        Section::Joints,
        Section::Drivers,
        Section::Constraints,
        Section::Forces,
        Section::Signals,
        Section::Measures,
    ];

    pub fn key(self) -> &'static str {
        match self {
            Section::Bodies => "bodies",
            Section::Markers => "markers",
            Section::Joints => "joints",
            Section::Drivers => "drivers",
            Section::Constraints => "constraints",
            Section::Forces => "forces",
            Section::Signals => "signals",
            Section::Measures => "measures",
        }
    }

    /// One of them.
    pub fn one(self) -> &'static str {
        match self {
            Section::Bodies => "body",
            Section::Markers => "marker",
            Section::Joints => "joint",
            Section::Drivers => "driver",
            Section::Constraints => "constraint",
            Section::Forces => "force",
            Section::Signals => "signal",
            Section::Measures => "measure",
        }
    }
}

/// The part an element belongs to: what stands before its name, and where the part stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub prefix: String,
    pub placed: Placed,
    pub position: [f64; 3],
    /// w, x, y, z.
    pub turned: [f64; 4],
}

impl Part {
    fn whole() -> Part {
        Part { prefix: String::new(), placed: Placed::AsWritten, position: [0.0; 3], turned: [1.0, 0.0, 0.0, 0.0] }
    }
}

/// One element as written, with its whole name.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub section: Section,
    pub name: String,
    pub place: Place,
    pub node: Node,
    pub scope: Arc<Scope>,
    pub part: Arc<Part>,
}

/// Everything the files say.
#[derive(Debug, Default)]
pub(crate) struct Expanded {
    pub items: Vec<Item>,
    pub imported: Vec<(imports::Imported, Arc<Part>)>,
    /// `taut`, `title`, `gravity`, `settings`, `outputs`, `expect` of the main file.
    pub top: Table,
    pub scope: Arc<Scope>,
    pub parts: Vec<Arc<Part>>,
    pub findings: Vec<Diagnostic>,
}

/// Reads the file `path` with all it includes.
pub(crate) fn expand(text: &str, path: &Path, overrides: &[Override]) -> Expanded {
    let mut out = Expanded::default();
    let mut stack = vec![canonical(path)];
    let Some((mut root, imported)) = load(text, path, &mut stack, &mut out.findings) else { return out };
    change_top(&mut root, overrides, &mut out.findings);
    check_top(&root, &mut out.findings);
    let part = Arc::new(Part::whole());
    out.imported = imported.into_iter().map(|i| (i, part.clone())).collect();
    let empty = Table::default();
    let params = root.get("params").and_then(Node::table).unwrap_or(&empty);
    let scope = Arc::new(Scope::of_params(params, &mut out.findings));
    unused(&root, params, &mut out.findings);
    out.scope = scope.clone();
    elements(&root, &scope, &part, &mut stack, &mut out);
    change_elements(&mut out, overrides);
    in_order(&mut out.items);
    out.top = root;
    out
}

/// Joints, drivers and constraints are one family: they come in the order of the file, whatever their sections.
fn in_order(items: &mut [Item]) {
    let rows = |i: &Item| matches!(i.section, Section::Joints | Section::Drivers | Section::Constraints);
    let files: Vec<*const Source> = {
        let mut seen = Vec::new();
        for item in items.iter() {
            let file = Arc::as_ptr(&item.place.source);
            if !seen.contains(&file) {
                seen.push(file);
            }
        }
        seen
    };
    items.sort_by_cached_key(|i| {
        let file = files.iter().position(|f| *f == Arc::as_ptr(&i.place.source)).unwrap_or(0);
        if rows(i) { (1, file, i.place.span.start) } else { (0, 0, 0) }
    });
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// A file as a tree, with the sections of what it includes taken in; its own entries win.
fn load(
    text: &str,
    path: &Path,
    stack: &mut Vec<PathBuf>,
    findings: &mut Vec<Diagnostic>,
) -> Option<(Table, Vec<imports::Imported>)> {
    let source = Arc::new(Source { path: path.to_path_buf(), text: text.to_string() });
    let mut root = match node::parse(&source) {
        Ok(root) => root,
        Err(mut errors) => {
            findings.append(&mut errors);
            return None;
        }
    };
    let mut imported = Vec::new();
    let Some(Entry { node: list, .. }) = root.take("include") else { return Some((root, imported)) };
    let files = match &list.value {
        Value::List(files) => files.clone(),
        _ => vec![list],
    };
    for file in files {
        let Some(name) = file.text() else {
            findings.push(Diagnostic::error("expected the name of a file to include").at(&file.place));
            continue;
        };
        let Some((text, full)) = open(name, path, &file.place, stack, findings) else { continue };
        if let Some(read) = imports::reader(&full) {
            match read(&text, &full) {
                Ok(found) => imported.push(found),
                Err(finding) => findings.push(finding),
            }
            continue;
        }
        stack.push(canonical(&full));
        if let Some((other, mut more)) = load(&text, &full, stack, findings) {
            check_top(&other, findings);
            merge(&mut root, other, findings);
            imported.append(&mut more);
        }
        stack.pop();
    }
    Some((root, imported))
}

/// The text of a file named in `from`.
fn open(
    name: &str,
    from: &Path,
    place: &Place,
    stack: &[PathBuf],
    findings: &mut Vec<Diagnostic>,
) -> Option<(String, PathBuf)> {
    let full = from.parent().unwrap_or(Path::new("")).join(name);
    if stack.contains(&canonical(&full)) {
        let chain: Vec<String> =
            stack.iter().map(|p| p.file_name().unwrap_or_default().to_string_lossy().into_owned()).collect();
        let message = format!("`{name}` includes itself: {} → {name}", chain.join(" → "));
        findings.push(Diagnostic::error(message).at(place));
        return None;
    }
    if stack.len() > DEEPEST {
        findings.push(Diagnostic::error(format!("files include each other more than {DEEPEST} deep")).at(place));
        return None;
    }
    match std::fs::read(&full).map(String::from_utf8) {
        Ok(Ok(text)) => Some((text, full)),
        Ok(Err(_)) => {
            findings.push(Diagnostic::error(format!("`{name}` is not a text in UTF-8")).at(place));
            None
        }
        Err(e) => {
            let help = "paths count from the folder of the including file";
            findings.push(Diagnostic::error(format!("cannot read `{name}`: {e}")).at(place).help(help));
            None
        }
    }
}

/// Takes in the sections of an included file. A parameter may be given anew, an element may not.
fn merge(root: &mut Table, other: Table, findings: &mut Vec<Diagnostic>) {
    for Entry { key, place, node } in other.0 {
        let sections = Section::ALL.iter().any(|s| s.key() == key) || key == "params" || key == "parts";
        match (root.0.iter_mut().find(|e| e.key == key), node.value) {
            (None, value) if sections || key == "repeat" || key == "gravity" => {
                root.0.push(Entry { key, place: place.clone(), node: Node { value, place: node.place } });
            }
            (Some(Entry { node: Node { value: Value::Table(ours), .. }, .. }), Value::Table(theirs)) if sections => {
                let mut before = Vec::new();
                for entry in theirs.0 {
                    match ours.get(&entry.key) {
                        None => before.push(entry),
                        Some(_) if key == "params" => {}
                        Some(node) => {
                            let message = format!("`{}` of [{key}] is also in an included file", entry.key);
                            findings.push(Diagnostic::error(message).at(&node.place).help("names must be unique"));
                        }
                    }
                }
                before.append(&mut ours.0);
                ours.0 = before;
            }
            (Some(Entry { node: Node { value: Value::List(ours), .. }, .. }), Value::List(mut theirs))
                if key == "repeat" =>
            {
                theirs.append(ours);
                *ours = theirs;
            }
            // Title, settings, outputs, expectations and gravity are those of the file itself.
            _ => {}
        }
    }
}

fn check_top(root: &Table, findings: &mut Vec<Diagnostic>) {
    for Entry { key, place, .. } in &root.0 {
        if !TOP.iter().any(|f| f.name == key) {
            let hint = near(key, TOP.iter().map(|f| f.name));
            let names: Vec<&str> = TOP.iter().map(|f| f.name).collect();
            let help = format!("a model file has {}", names.join(", "));
            findings.push(Diagnostic::error(format!("unknown section `{key}`{hint}")).at(place).help(help));
        }
    }
    match root.get("taut") {
        Some(Node { value: Value::Number(x), .. }) if *x == 1.0 => {}
        Some(version) => {
            let help = "this program reads version 1; write taut = 1";
            findings
                .push(Diagnostic::error("this version of the format is not known here").at(&version.place).help(help));
        }
        None => {
            let first = root.0.first().map(|e| e.place.clone());
            let finding =
                Diagnostic::error("`taut` is missing, the version of the format").help("begin the file with taut = 1");
            findings.push(Diagnostic { place: first, ..finding });
        }
    }
}

/// The elements of one tree: sections, parts, repetitions.
fn elements(root: &Table, scope: &Arc<Scope>, part: &Arc<Part>, stack: &mut Vec<PathBuf>, out: &mut Expanded) {
    for Entry { key, place, node } in &root.0 {
        if let Some(section) = Section::ALL.into_iter().find(|s| s.key() == key) {
            match node.table() {
                Some(table) => section_items(section, table, scope, part, out),
                None => {
                    out.findings.push(Diagnostic::error(format!("[{key}] must be a table of named elements")).at(place))
                }
            }
        }
        if key == "parts" {
            match node.table() {
                Some(table) => table.0.iter().for_each(|e| take_part(e, scope, part, stack, out)),
                None => out.findings.push(Diagnostic::error("[parts] must be a table of named parts").at(place)),
            }
        }
        if key == "repeat" {
            match node.list() {
                Some(list) => list.iter().for_each(|one| repeat(one, scope, part, stack, out)),
                None => {
                    let help = "write [[repeat]] with two brackets";
                    out.findings.push(Diagnostic::error("`repeat` must be a list of tables").at(place).help(help));
                }
            }
        }
    }
}

fn section_items(section: Section, table: &Table, scope: &Arc<Scope>, part: &Arc<Part>, out: &mut Expanded) {
    for Entry { key, place, node } in &table.0 {
        if out.items.len() >= MOST_ELEMENTS {
            return;
        }
        let name = match section {
            Section::Markers => match key.strip_prefix("ground.") {
                Some(frame) => format!("ground.{}{frame}", part.prefix),
                None => format!("{}{key}", part.prefix),
            },
            _ => format!("{}{key}", part.prefix),
        };
        out.items.push(Item {
            section,
            name,
            place: place.clone(),
            node: node.clone(),
            scope: scope.clone(),
            part: part.clone(),
        });
    }
}

/// Another file as a part of this one.
fn take_part(entry: &Entry, scope: &Arc<Scope>, outer: &Arc<Part>, stack: &mut Vec<PathBuf>, out: &mut Expanded) {
    let register = Register::default();
    let mut context = Context {
        scope: scope.clone(),
        prefix: "",
        placed: Placed::AsWritten,
        register: &register,
        element: format!("part `{}`", entry.key),
        findings: &mut out.findings,
    };
    let Some(table) = entry.node.table() else {
        out.findings
            .push(Diagnostic::error(format!("part `{}` must be a table with `file`", entry.key)).at(&entry.place));
        return;
    };
    let fields = context.fields(table, PART, &entry.place, &[]);
    let vector = |key: &str| fields.get(key).and_then(|v| serde_json::from_value::<Vec<f64>>(v.clone()).ok());
    let p = vector("position").unwrap_or_default();
    let orientation =
        fields.get("orientation").and_then(|o| serde_json::from_value::<taut::Orientation>(o.clone()).ok());
    let rotation = orientation.as_ref().map_or(Ok(None), |o| o.matrix().map(Some));
    let rotation = match rotation {
        Ok(R) => R,
        Err(why) => {
            out.findings.push(Diagnostic::error(format!("part `{}`: {why}", entry.key)).at(&entry.place));
            None
        }
    };
    let Some(Node { place, value: Value::Text(name) }) = table.get("file") else { return };
    let here = place.source.path.clone();
    let Some((text, full)) = open(name, &here, place, stack, &mut out.findings) else { return };
    let placed = if p.is_empty() && rotation.is_none() { outer.placed } else { Placed::Moved };
    let own = [p.first(), p.get(1), p.get(2)].map(|x| x.copied().unwrap_or(0.0));
    let q = rotation.map_or([1.0, 0.0, 0.0, 0.0], |R| taut::motion::quaternion_of_rotation(&R));
    let moved = super::elements::rotated(outer.turned, own);
    let part = Arc::new(Part {
        prefix: format!("{}{}_", outer.prefix, entry.key),
        placed,
        position: [0, 1, 2].map(|i| outer.position[i] + moved[i]),
        turned: super::resolve::multiplied(outer.turned, q),
    });
    if part.placed == Placed::Moved {
        out.parts.push(part.clone());
    }
    if let Some(read) = imports::reader(&full) {
        match read(&text, &full) {
            Ok(found) => out.imported.push((found, part)),
            Err(finding) => out.findings.push(finding),
        }
        return;
    }
    stack.push(canonical(&full));
    if let Some((mut root, imported)) = load(&text, &full, stack, &mut out.findings) {
        check_top(&root, &mut out.findings);
        replace_params(&mut root, table, scope, &entry.key, &mut out.findings);
        let empty = Table::default();
        let inner = root.get("params").and_then(Node::table).unwrap_or(&empty);
        let scope = Arc::new(Scope::of_params(inner, &mut out.findings));
        out.imported.extend(imported.into_iter().map(|i| (i, part.clone())));
        elements(&root, &scope, &part, stack, out);
    }
    stack.pop();
}

/// `params = { … }` of a part replaces those of its file; the numbers are those of the file that says so.
fn replace_params(root: &mut Table, part: &Table, scope: &Arc<Scope>, name: &str, findings: &mut Vec<Diagnostic>) {
    let Some(given) = part.get("params").and_then(Node::table) else { return };
    for Entry { key, place, node } in &given.0 {
        let inner = root.0.iter_mut().find(|e| e.key == "params").and_then(|e| match &mut e.node.value {
            Value::Table(t) => Some(t),
            _ => None,
        });
        match inner {
            Some(params) if params.get(key).is_some() => match scope.spelt(node) {
                Ok(value) => params.set(key, Node { value, place: place.clone() }),
                Err(finding) => findings.push(finding),
            },
            _ => {
                let message = format!("the file of part `{name}` has no parameter `{key}`");
                findings.push(Diagnostic::error(message).at(place));
            }
        }
    }
}

/// The same elements for every value of a counter.
fn repeat(node: &Node, scope: &Arc<Scope>, part: &Arc<Part>, stack: &mut Vec<PathBuf>, out: &mut Expanded) {
    let Some(table) = node.table() else {
        out.findings.push(Diagnostic::error("[[repeat]] must hold tables").at(&node.place));
        return;
    };
    const COUNTER: &[Field] = REPEAT;
    let register = Register::default();
    let mut context = Context {
        scope: scope.clone(),
        prefix: "",
        placed: Placed::AsWritten,
        register: &register,
        element: "[[repeat]]".to_string(),
        findings: &mut out.findings,
    };
    let sections: Vec<&str> = Section::ALL.iter().map(|s| s.key()).chain(["parts", "repeat"]).collect();
    let fields = context.fields(table, COUNTER, &node.place, &sections);
    let whole = |key: &str| fields.get(key).and_then(serde_json::Value::as_i64);
    let (Some(counter), Some(last)) = (fields.get("for").and_then(|v| v.as_str()), whole("to")) else { return };
    if let Some(why) = super::scope::bad_name(counter) {
        out.findings.push(Diagnostic::error(format!("`{counter}` cannot be a counter: {why}")).at(&node.place));
        return;
    }
    let first = whole("from").unwrap_or(0);
    let template: usize = table.0.iter().filter_map(|e| e.node.table()).map(|t| t.0.len()).sum();
    let turns = usize::try_from(last - first + 1).unwrap_or(0);
    for i in first..=last {
        if out.items.len().max(turns.saturating_mul(template.max(1))) >= MOST_ELEMENTS {
            let message = format!("more than {MOST_ELEMENTS} elements");
            out.findings.push(Diagnostic::error(message).at(&node.place).help("check `to` of the repetition"));
            return;
        }
        let inner = Arc::new(Scope::with(scope, counter, i as f64));
        let before = out.findings.len();
        let filled = fill_table(table, &inner, &mut out.findings);
        elements(&filled, &inner, part, stack, out);
        // One turn tells what is wrong with all of them.
        if out.findings.len() > before {
            return;
        }
    }
}

/// Replaces `{i}` in keys and texts.
fn fill_table(table: &Table, scope: &Arc<Scope>, findings: &mut Vec<Diagnostic>) -> Table {
    let entries = table.0.iter().map(|Entry { key, place, node }| Entry {
        key: fill(key, place, scope, findings),
        place: place.clone(),
        node: fill_node(node, scope, findings),
    });
    Table(entries.collect())
}

fn fill_node(node: &Node, scope: &Arc<Scope>, findings: &mut Vec<Diagnostic>) -> Node {
    let value = match &node.value {
        Value::Text(text) => Value::Text(fill(text, &node.place, scope, findings)),
        Value::List(list) => Value::List(list.iter().map(|n| fill_node(n, scope, findings)).collect()),
        Value::Table(table) => Value::Table(fill_table(table, scope, findings)),
        other => other.clone(),
    };
    Node { value, place: node.place.clone() }
}

fn fill(text: &str, place: &Place, scope: &Arc<Scope>, findings: &mut Vec<Diagnostic>) -> String {
    if !text.contains('{') {
        return text.to_string();
    }
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inner, behind)) = after.split_once('}') else { break };
        filled.push_str(before);
        let node = Node { value: Value::Text(inner.to_string()), place: place.clone() };
        match scope.whole(&node) {
            Ok(n) => filled.push_str(&n.to_string()),
            // A counter of a repetition further in is filled there.
            Err(_) if super::scope::identifiers(inner).iter().any(|name| scope.get(name).is_none()) => {
                filled.push_str(&format!("{{{inner}}}"));
            }
            Err(finding) => {
                let message = format!("`{{{inner}}}` in `{text}`: {}", finding.message);
                findings.push(Diagnostic { message, ..finding });
            }
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

/// A value given on the command line: as TOML if it is, as text otherwise.
fn given(change: &Override) -> Node {
    let text = format!("--set {}={}", change.path, change.value);
    let span = text.len() - change.value.len()..text.len();
    let source = Arc::new(Source { path: PathBuf::from("command line"), text });
    let place = Place { source, span };
    let alone = Arc::new(Source { path: PathBuf::from("command line"), text: format!("x = {}", change.value) });
    let value = node::parse(&alone).ok().and_then(|mut t| t.take("x")).map(|e| e.node.value);
    Node { value: value.unwrap_or(Value::Text(change.value.clone())), place }
}

/// Changes of parameters, settings, outputs and gravity.
fn change_top(root: &mut Table, overrides: &[Override], findings: &mut Vec<Diagnostic>) {
    for change in overrides {
        let node = given(change);
        let (section, key) = match change.path.split_once('.') {
            None if change.path == "gravity" || change.path == "title" => {
                root.set(&change.path, node);
                continue;
            }
            None => ("params", change.path.as_str()),
            Some((section @ ("params" | "settings" | "outputs"), key)) => (section, key),
            Some(_) => continue,
        };
        let place = node.place.clone();
        if root.get(section).is_none() {
            root.set(section, Node { value: Value::Table(Table::default()), place: place.clone() });
        }
        let entry = root.0.iter_mut().find(|e| e.key == section);
        let Some(Value::Table(table)) = entry.map(|e| &mut e.node.value) else { continue };
        if section == "params" && table.get(key).is_none() {
            let hint = near(key, table.0.iter().map(|e| e.key.as_str()));
            let message = format!("there is no parameter `{key}` to set{hint}");
            let help = "write element.field to set a field of an element, as in link2.mass=3";
            findings.push(Diagnostic::error(message).at(&place).help(help));
            continue;
        }
        table.set(key, node);
    }
}

/// Changes of fields of elements, after repetitions and parts have given them their names.
fn change_elements(out: &mut Expanded, overrides: &[Override]) {
    for change in overrides {
        let Some((head, rest)) = change.path.split_once('.') else { continue };
        if matches!(head, "params" | "settings" | "outputs") {
            continue;
        }
        let family = Section::ALL.into_iter().find(|s| s.key() == head);
        let (name, field) = match family {
            Some(_) => rest.split_once('.').unwrap_or((rest, "")),
            None => (head, rest),
        };
        let node = given(change);
        let fits = |i: &&mut Item| i.name == name && family.is_none_or(|s| s == i.section);
        let Some(item) = out.items.iter_mut().find(fits) else {
            let hint = near(name, out.items.iter().map(|i| i.name.as_str()));
            let message = format!("there is no element `{name}` to set{hint}");
            out.findings.push(Diagnostic::error(message).at(&node.place));
            continue;
        };
        let keys: Vec<&str> = field.split('.').collect();
        if !set_field(&mut item.node, &keys, &node) {
            out.findings.push(Diagnostic::error(format!("`{}` cannot be set", change.path)).at(&node.place));
        }
    }
}

/// Sets the field behind a path of keys; false where there is no such table.
fn set_field(target: &mut Node, keys: &[&str], node: &Node) -> bool {
    let (Value::Table(table), Some((first, rest))) = (&mut target.value, keys.split_first()) else { return false };
    if rest.is_empty() {
        table.set(first, node.clone());
        return true;
    }
    table.0.iter_mut().find(|e| e.key == *first).is_some_and(|e| set_field(&mut e.node, rest, node))
}

/// Warns of parameters and signals that nothing refers to.
fn unused(root: &Table, params: &Table, findings: &mut Vec<Diagnostic>) {
    let mut words = std::collections::HashSet::new();
    root.0.iter().for_each(|e| collect_words(&e.node, &mut words));
    let signals = root.get("signals").and_then(Node::table);
    let named =
        params.0.iter().map(|e| ("parameter", e)).chain(signals.iter().flat_map(|t| t.0.iter().map(|e| ("signal", e))));
    for (what, entry) in named {
        if !words.contains(&entry.key) {
            findings.push(Diagnostic::warning(format!("{what} `{}` is not used", entry.key)).at(&entry.place));
        }
    }
}

fn collect_words(node: &Node, words: &mut std::collections::HashSet<String>) {
    match &node.value {
        Value::Text(text) => {
            let cut = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
            words.extend(cut.map(str::to_string));
            let cut = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            words.extend(cut.map(str::to_string));
        }
        Value::List(list) => list.iter().for_each(|n| collect_words(n, words)),
        Value::Table(table) => table.0.iter().for_each(|e| collect_words(&e.node, words)),
        _ => {}
    }
}
