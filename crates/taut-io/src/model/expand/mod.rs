//! From files to one flat list of elements: includes, parts, repetitions, overrides.

mod load;
mod overrides;
mod parts;
mod unused;

use super::Override;
use super::imports;
use super::node::{Entry, Node, Table};
use super::scope::Scope;
use crate::diagnostic::{Diagnostic, Place, Source};
use load::{canonical, check_top, load};
use overrides::{override_elements, override_top};
use parts::{add_part, repeat, substitute_braces, substitute_braces_in_node};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use unused::warn_unused;

/// Largest number of elements; more are assumed to be a mistake.
const MAX_ELEMENTS: usize = 1_000_000;

/// The sections of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Bodies,
    Markers,
    Joints,
    Drivers,
    Constraints,
    Forces,
    Beams,
    Polars,
    Wings,
    Discs,
    Variables,
    Surfaces,
    Contacts,
    Events,
    Signals,
    Measures,
}

impl Section {
    pub const ALL: [Section; 16] = [
        Section::Bodies,
        Section::Markers,
        Section::Joints,
        Section::Drivers,
        Section::Constraints,
        Section::Forces,
        Section::Beams,
        Section::Polars,
        Section::Wings,
        Section::Discs,
        Section::Variables,
        Section::Surfaces,
        Section::Contacts,
        Section::Events,
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
            Section::Beams => "beams",
            Section::Polars => "polars",
            Section::Wings => "wings",
            Section::Discs => "discs",
            Section::Variables => "variables",
            Section::Surfaces => "surfaces",
            Section::Contacts => "contacts",
            Section::Events => "events",
            Section::Signals => "signals",
            Section::Measures => "measures",
        }
    }

    /// The word for one element.
    pub fn singular(self) -> &'static str {
        match self {
            Section::Bodies => "body",
            Section::Markers => "marker",
            Section::Joints => "joint",
            Section::Drivers => "driver",
            Section::Constraints => "constraint",
            Section::Forces => "force",
            Section::Beams => "beam",
            Section::Polars => "polar",
            Section::Wings => "wing",
            Section::Discs => "disc",
            Section::Variables => "variable",
            Section::Surfaces => "surface",
            Section::Contacts => "contact",
            Section::Events => "event",
            Section::Signals => "signal",
            Section::Measures => "measure",
        }
    }
}

/// The part that an element belongs to: the prefix of its name, and the placement of the part.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PartPlacement {
    pub prefix: String,
    pub placed: PlacementKind,
    pub position: [f64; 3],
    /// w, x, y, z.
    pub rotation: [f64; 4],
}

/// The main file, which is not a part.
pub(crate) static ROOT_PART: PartPlacement = PartPlacement {
    prefix: String::new(),
    placed: PlacementKind::AsWritten,
    position: [0.0; 3],
    rotation: [1.0, 0.0, 0.0, 0.0],
};

impl PartPlacement {
    /// The full name of a marker.
    pub fn marker(&self, name: &str) -> String {
        if self.prefix.is_empty() {
            return name.to_string();
        }
        match (name, name.strip_prefix("ground."), self.placed) {
            ("ground", _, PlacementKind::AsWritten) => name.to_string(),
            ("ground", _, PlacementKind::Translated | PlacementKind::Rotated) => {
                format!("ground.{}", self.prefix.trim_end_matches('_'))
            }
            (_, Some(frame), _) => format!("ground.{}{frame}", self.prefix),
            _ => format!("{}{name}", self.prefix),
        }
    }
}

/// Whether a part was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlacementKind {
    /// Not at all.
    AsWritten,
    /// To another place.
    Translated,
    /// Rotated as well: its axes differ from those of the world.
    Rotated,
}

/// One element as written, with its full name.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub section: Section,
    pub name: String,
    pub place: Place,
    pub node: Node,
    pub scope: Arc<Scope>,
    pub part: Arc<PartPlacement>,
}

/// The content of all files.
#[derive(Debug, Default)]
pub(crate) struct Expanded {
    pub items: Vec<Item>,
    pub imported: Vec<(imports::ImportedRobot, Arc<PartPlacement>)>,
    /// `taut`, `title`, `gravity`, `settings`, `outputs`, `expect`, `trim`, `ground` of the main file.
    pub top: Table,
    pub scope: Arc<Scope>,
    pub parts: Vec<Arc<PartPlacement>>,
    /// Parts added and repetitions expanded so far.
    pub expansions: usize,
    pub diagnostics: Vec<Diagnostic>,
}

/// A file and the files it includes, parsed: what does not depend on overrides.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    path: PathBuf,
    /// None if a file cannot be parsed; the diagnostics then say why.
    files: Option<(Table, Vec<imports::ImportedRobot>)>,
    diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// Reads the file `path` with all files it includes.
    pub fn new(text: &str, path: &Path) -> Loaded {
        let mut diagnostics = Vec::new();
        let files = load(text, path, &mut vec![canonical(path)], &mut diagnostics);
        Loaded { path: path.to_path_buf(), files, diagnostics }
    }

    /// Expands parts and repetitions, with overrides. The files of parts are read here, because their names may depend on
    /// parameters.
    pub fn expand(&self, overrides: &[Override]) -> Expanded {
        let mut out = Expanded { diagnostics: self.diagnostics.clone(), ..Expanded::default() };
        let Some((mut root, imported)) = self.files.clone() else { return out };
        let mut stack = vec![canonical(&self.path)];
        override_top(&mut root, overrides, &mut out.diagnostics);
        check_top(&root, &mut out.diagnostics);
        let part = Arc::new(ROOT_PART.clone());
        out.imported = imported.into_iter().map(|i| (i, part.clone())).collect();
        let empty = Table::default();
        let params = root.get("params").and_then(Node::table).unwrap_or(&empty);
        let scope = Arc::new(Scope::of_params(params, &mut out.diagnostics));
        warn_unused(&root, params, &mut out.diagnostics);
        out.scope = scope.clone();
        elements(&root, &scope, &part, &mut stack, &mut out);
        override_elements(&mut out, overrides);
        sort_by_file_order(&mut out.items);
        out.top = root;
        out
    }
}

/// Sorts joints, drivers and constraints by their order in the file, independent of their sections.
fn sort_by_file_order(items: &mut [Item]) {
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

/// The elements of one tree: sections, parts, repetitions.
fn elements(root: &Table, scope: &Arc<Scope>, part: &Arc<PartPlacement>, stack: &mut Vec<PathBuf>, out: &mut Expanded) {
    for Entry { key, place, node } in &root.0 {
        if let Some(section) = Section::ALL.into_iter().find(|s| s.key() == key) {
            match node.table() {
                Some(table) => section_items(section, table, scope, part, out),
                None => out
                    .diagnostics
                    .push(Diagnostic::error(format!("[{key}] must be a table of named elements")).at(place)),
            }
        }
        if key == "parts" {
            match node.table() {
                Some(table) => table.0.iter().for_each(|e| add_part(e, scope, part, stack, out)),
                None => out.diagnostics.push(Diagnostic::error("[parts] must be a table of named parts").at(place)),
            }
        }
        if key == "repeat" {
            match node.list() {
                Some(list) => list.iter().for_each(|one| repeat(one, scope, part, stack, out)),
                None => {
                    let help = "write [[repeat]] with two brackets";
                    out.diagnostics.push(Diagnostic::error("`repeat` must be a list of tables").at(place).help(help));
                }
            }
        }
    }
}

fn section_items(section: Section, table: &Table, scope: &Arc<Scope>, part: &Arc<PartPlacement>, out: &mut Expanded) {
    for Entry { key, place, node } in &table.0 {
        if out.items.len() >= MAX_ELEMENTS {
            return;
        }
        // Braces may contain integer expressions also outside of repetitions: the last of n links is `link{n}`.
        let (key, node) = (
            &substitute_braces(key, place, scope, &mut out.diagnostics),
            substitute_braces_in_node(node, scope, &mut out.diagnostics),
        );
        let name = match section {
            Section::Markers => match key.strip_prefix("ground.") {
                Some(frame) => format!("ground.{}{frame}", part.prefix),
                None => format!("{}{key}", part.prefix),
            },
            _ => format!("{}{key}", part.prefix),
        };
        out.items.push(Item { section, name, place: place.clone(), node, scope: scope.clone(), part: part.clone() });
    }
}
