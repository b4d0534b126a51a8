//! From a text to a [`ModelFile`]: expands includes and parts, resolves names and numbers, and collects all diagnostics.

use super::error_places::{family, family_place};
use super::expand::{Expanded, Loaded, ROOT_PART, Section};
use super::name_table::build_name_table;
use super::resolve::{Context, NameTable};
use super::upgrade::FORMAT;
use super::visuals::Visual;
use super::{
    ElementSource, ModelFile, Override, branch, elements, imports, plausibility, settings, start_targets, trim_table,
    visuals, vocabulary,
};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use taut::{Named, Spec};

/// Reads a model file and all it includes (TOML; also `.urdf`, and `.xml` for MJCF).
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(path: &Path, overrides: &[Override]) -> Result<ModelFile, Vec<Diagnostic>> {
    parse(&read_text(path)?, path, overrides)
}

/// The text of a model file.
fn read_text(path: &Path) -> Result<String, Vec<Diagnostic>> {
    match std::fs::read(path).map(String::from_utf8) {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(e)) => {
            let at = e.utf8_error().valid_up_to();
            let message = format!("{} is not UTF-8 text (byte {at})", path.display());
            Err(vec![Diagnostic::error(message).help("a model file is plain text")])
        }
        Err(e) => {
            let found = Diagnostic::error(format!("cannot read {}: {e}", path.display()));
            let model = path.with_extension("toml");
            Err(vec![match model != path && model.is_file() {
                true => found.help(format!("did you mean {}?", model.display())),
                false => found,
            }])
        }
    }
}

/// The same from a text; `path` is used in messages and to find included files.
///
/// # Errors
/// As [`read`].
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use taut_io::model::{Override, parse};
///
/// let text = r#"
/// taut = 2
/// [params]
/// m = "2 kg"
/// [bodies.ball]
/// type = "point_mass"
/// mass = "m"
/// "#;
/// let heavier = Override { path: "m".to_string(), value: "3 kg".to_string() };
/// let file = parse(text, Path::new("ball.toml"), &[heavier]).map_err(|found| found[0].to_string())?;
/// let model = file.build().map_err(|found| found.to_string())?;
/// assert_eq!((model.bodies[0].name.as_str(), model.sizes.v), ("ball", 3));
/// assert!(file.write().map_err(|found| found.to_string())?.contains("mass = 3"));
///
/// // An error names the place and the nearest known name.
/// let found = parse(&text.replace("mass =", "mas ="), Path::new("ball.toml"), &[]).unwrap_err();
/// assert!(found[0].to_string().contains("ball.toml:7"));
/// # Ok::<(), String>(())
/// ```
pub fn parse(text: &str, path: &Path, overrides: &[Override]) -> Result<ModelFile, Vec<Diagnostic>> {
    ModelTemplate::parse(text, path).model(overrides)
}

/// A model file that is parsed once and resolved many times, each time with other overrides.
#[derive(Clone, Debug)]
pub struct ModelTemplate {
    path: PathBuf,
    text: String,
    loaded: Loaded,
}

impl ModelTemplate {
    /// Reads a file and the files it includes.
    ///
    /// # Errors
    /// A file that cannot be read. What is wrong with its content is reported by [`model`](ModelTemplate::model).
    pub fn read(path: &Path) -> Result<ModelTemplate, Vec<Diagnostic>> {
        Ok(ModelTemplate::parse(&read_text(path)?, path))
    }

    /// The same from a text; `path` is used in messages and to find included files.
    pub fn parse(text: &str, path: &Path) -> ModelTemplate {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // A file of another program is treated as a model that includes only this file.
        let loaded = match imports::reader(path) {
            Some(_) => {
                let around = format!("taut = {FORMAT}\ninclude = [{name:?}]\n");
                Loaded::new(&around, &path.with_extension("toml"))
            }
            None => Loaded::new(text, path),
        };
        ModelTemplate { path: path.to_path_buf(), text: text.to_string(), loaded }
    }

    /// Its path as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text of the file itself, without the files it includes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The model with overrides.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn model(&self, overrides: &[Override]) -> Result<ModelFile, Vec<Diagnostic>> {
        resolve(self.loaded.expand(overrides), &self.path)
    }
}

/// Resolves names and numbers.
fn resolve(mut all: Expanded, path: &Path) -> Result<ModelFile, Vec<Diagnostic>> {
    let mut findings = std::mem::take(&mut all.diagnostics);
    if findings.iter().any(|f| f.severity == Severity::Error) && all.items.is_empty() {
        return Err(findings);
    }
    let mut spec = Spec::new();
    let mut looks = imported(&mut all, &mut spec, &mut findings);
    let register = build_name_table(&all, &spec, &mut findings);
    let top = std::mem::take(&mut all.top);
    let mut context = Context::new(all.scope.clone(), &ROOT_PART, &register, &mut findings);
    looks.extend(visuals::read_ground(&top, &mut context));
    let run = settings::read_run_settings(&top, &mut context);
    let start = start_targets::read_start(&top, &mut context);
    let branch = branch::read_branch(&top, &mut context);
    let trim = trim_table::read_trim(&top, &mut context);
    context.element = "gravity".to_string();
    if let Some(g) = top.get("gravity")
        && let Some(g) = context.resolve(vocabulary::GRAVITY, g)
    {
        let g: Vec<f64> = serde_json::from_value(g).unwrap_or_default();
        spec.gravity([0, 1, 2].map(|i| g.get(i).copied().unwrap_or(0.0)));
    }
    elements::air(&top, &mut context, &mut spec);
    context.element = "title".to_string();
    let title = top.get("title").and_then(|n| context.resolve(vocabulary::FieldType::String, n));
    let title = title.and_then(|t| t.as_str().map(str::to_string)).unwrap_or_default();
    for part in &all.parts {
        let mut frame = taut::Frame::default();
        elements::transform_frame(&mut frame, part);
        spec.marker(&format!("ground.{}", part.prefix.trim_end_matches('_')), frame);
    }
    let mut written = HashMap::new();
    if let Some(node) = top.get("air") {
        let one = ElementSource { section_word: "air", place: node.place.clone(), node: node.clone() };
        written.insert(("air", "air".to_string()), one);
    }
    for item in &all.items {
        let mut context = Context::new(item.scope.clone(), &item.part, &register, &mut findings);
        context.element = format!("{} `{}`", item.section.singular(), item.name);
        let before = context.diagnostics.len();
        elements::add(item, &mut context, &mut spec);
        if context.diagnostics.len() == before {
            looks.extend(visuals::visuals(item, &mut context));
        }
        let one =
            ElementSource { section_word: item.section.singular(), place: item.place.clone(), node: item.node.clone() };
        written.insert((family(item.section), item.name.clone()), one);
        if let Some(markers) = item.node.table().and_then(|t| t.get("markers")).and_then(|n| n.table()) {
            for entry in &markers.0 {
                let one =
                    ElementSource { section_word: "marker", place: entry.place.clone(), node: entry.node.clone() };
                written.insert(("marker", format!("{}.{}", item.name, entry.key)), one);
            }
        }
    }
    signals_of_formulas(&all, &register, &mut spec);
    coordinates_as_markers(&spec, &written, &mut findings);
    plausibility::warn_implausible(&spec, &written, &mut findings);
    if findings.iter().any(|f| f.severity == Severity::Error) {
        findings.sort_by_key(|f| f.severity == Severity::Warning);
        return Err(findings);
    }
    Ok(ModelFile {
        path: path.to_path_buf(),
        title,
        spec,
        transient: run.transient,
        contact_method: run.contact_method,
        start_time: run.start_time,
        column_patterns: run.column_patterns,
        expect: run.expect,
        trim,
        visuals: looks,
        warnings: findings,
        element_sources: written,
        start,
        branch,
    })
}

/// Adds the signals that the engine evaluates within formulas. Their errors were reported with their own entries.
fn signals_of_formulas(all: &Expanded, register: &NameTable, spec: &mut Spec) {
    for item in all.items.iter().filter(|i| i.section == Section::Signals) {
        if !register.signals_of_formulas.borrow().contains(&item.name) {
            continue;
        }
        let mut unsaid = Vec::new();
        let mut context = Context::new(item.scope.clone(), &item.part, register, &mut unsaid);
        let found = context.signal(&item.node, &vocabulary::ANY_QUANTITY, 0);
        if let Some(signal) = found.and_then(|s| serde_json::from_value::<taut::Signal>(s).ok()) {
            spec.signal(&item.name, signal);
        }
    }
}

/// Reports markers whose names are also coordinates of their bodies.
fn coordinates_as_markers(
    spec: &Spec,
    written: &HashMap<(&'static str, String), ElementSource>,
    findings: &mut Vec<Diagnostic>,
) {
    let bodies: HashMap<&str, &taut::bodies::BodyKind> =
        spec.bodies.iter().map(|b| (b.name.as_str(), &b.item)).collect();
    for marker in &spec.markers {
        let Some((body, name)) = marker.name.rsplit_once('.') else { continue };
        let Some(kind) = bodies.get(body) else { continue };
        let taken = kind.body().coordinates().into_iter().chain(kind.body().velocities()).any(|c| c.name == name);
        if taken {
            let message = format!("marker `{}`: `{name}` is a coordinate of body `{body}`", marker.name);
            let place = family_place(written, "marker", &marker.name);
            findings.push(Diagnostic { place, ..Diagnostic::error(message).help("give the marker another name") });
        }
    }
}

/// Adds the elements of imported files and returns their visuals.
fn imported(all: &mut Expanded, spec: &mut Spec, findings: &mut Vec<Diagnostic>) -> Vec<Named<Visual>> {
    let mut looks = Vec::new();
    for (import, part) in std::mem::take(&mut all.imported) {
        findings.extend(import.not_imported);
        let named = |v: Named<Visual>| match v.name == "ground" {
            true => Named { item: v.item.moved_with(&part), ..v },
            false => Named { name: format!("{}{}", part.prefix, v.name), ..v },
        };
        looks.extend(import.visuals.into_iter().map(named));
        imports::merge(spec, import.spec, &part);
    }
    looks
}
