//! `taut check`: what is wrong with a model, and what it can do.

use crate::ending::{Ending, Failure, note, report, report_briefly, say, say_json};
use crate::options::{AsJson, Source, Style, stem};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use taut::Model;
use taut::analyses::{AnalysisError, Doctor, Pose, Run, Simulation, Verdict, doctor};
use taut::bodies::BodyKind;
use taut_io::diagnostic::{Diagnostic, Severity};
use taut_io::model;
use taut_papers::text::{Align, number, table};

/// Most bodies that are shown one by one.
const SHOWN: usize = 30;

/// Arguments of `taut check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is computed in time. Constraints that contradict each other, or that cannot be met, are errors; rows that repeat \
each other are not, but the reactions among them are not unique.

Examples:
  taut check crank.toml
  taut check crank.toml --set l=0.05
  taut check crank.toml --json")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    printing: AsJson,
}

impl Arguments {
    /// Reads, builds, examines, tells.
    pub fn run(self) -> Result<Ending, Failure> {
        let style = self.printing.style();
        let file = match model::read(&self.source.model, &self.source.changes.set) {
            Ok(file) => file,
            Err(findings) => return refuse(style, findings),
        };
        let model = match file.build() {
            Ok(model) => model,
            Err(finding) => return refuse(style, file.warnings.into_iter().chain([finding]).collect()),
        };
        // Contacts, ropes and grips count as they stand at the start.
        let mut state = file.state(&model);
        let mut errors = Vec::new();
        match Simulation::new(&model, &state, &file.transient) {
            Ok(at_start) => state.modes = at_start.state().modes,
            Err(
                e @ (AnalysisError::Overlap { .. }
                | AnalysisError::PositionJump { .. }
                | AnalysisError::Paradox { .. }
                | AnalysisError::Endless { .. }),
            ) => {
                errors.push(file.diagnose(&e));
            }
            // What else is wrong the doctor tells better.
            Err(_) => {}
        }
        let found = doctor(&model, &state)?;
        errors.extend(self::errors(&found));
        let mut warnings = file.warnings.clone();
        warnings.extend(model.left_out_notice().map(Diagnostic::warning));
        match style {
            Style::Json => {
                let findings = warnings.iter().chain(&errors).map(as_json).collect::<Vec<_>>();
                say_json(&json!({
                    "findings": findings, "doctor": found, "bodies": masses_json(&model),
                    "forces": model.forces.len(), "constraints": model.constraints.len(),
                }))?;
            }
            _ => {
                report_briefly(&warnings);
                let title = if file.title.is_empty() { stem(&file.path) } else { file.title.clone() };
                say(&format!("{title}\n{}{}", masses(&model), found.to_string().trim_end()))?;
                say("\n")?;
            }
        }
        report(&errors);
        Ok(if errors.is_empty() { Ending::Done } else { Ending::Refused })
    }
}

/// Says what is wrong with a file that is no model.
fn refuse(style: Style, findings: Vec<Diagnostic>) -> Result<Ending, Failure> {
    match style {
        Style::Json => say_json(&json!({ "findings": findings.iter().map(as_json).collect::<Vec<_>>() }))?,
        _ => {
            report(&findings);
            let errors = findings.iter().filter(|f| f.severity == Severity::Error).count();
            if errors > 1 {
                note(&format!("{errors} errors"));
            }
        }
    }
    Ok(Ending::Refused)
}

/// What keeps the model from running as it should.
fn errors(found: &Doctor) -> Vec<Diagnostic> {
    let mut list = Vec::new();
    if found.pose == Pose::Open {
        let worst = found.residuals.first().map_or(String::new(), |m| format!("; worst at the start is `{}`", m.row));
        let help = "check lengths and marker places, or start from a pose nearer to the closed one";
        list.push(Diagnostic::error(format!("the constraints cannot be met{worst}")).help(help));
    }
    for set in found.dependent.iter().filter(|s| matches!(s.verdict, Verdict::Contradictory { .. })) {
        let names = set.constraints.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ");
        let help = "remove one of them, or free a direction in one";
        list.push(Diagnostic::error(format!("these constraints contradict each other: {names}")).help(help));
    }
    list
}

fn as_json(d: &Diagnostic) -> Value {
    let severity = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let place = d.place.as_ref().map(|p| {
        let (line, column) = p.line_and_column();
        json!({ "file": p.source.path.display().to_string(), "line": line, "column": column })
    });
    json!({ "severity": severity, "message": d.message, "place": place, "help": d.help })
}

/// Kind, mass and inertia of a body; of bodies in code only that they are.
fn properties(kind: &BodyKind) -> (&'static str, Option<f64>, Vec<f64>) {
    if let Some(b) = kind.rigid() {
        return ("rigid", Some(b.mass), b.inertia.to_vec());
    }
    match kind {
        BodyKind::PointMass(b) => ("point_mass", Some(b.mass), Vec::new()),
        BodyKind::Planar(b) => ("planar", Some(b.mass), vec![b.inertia]),
        BodyKind::Ritz(_) => ("ritz", None, Vec::new()),
        BodyKind::Modal(b) => ("modal", Some(b.total_mass()), Vec::new()),
        _ => ("in code", None, Vec::new()),
    }
}

fn masses(model: &Model) -> String {
    let mut rows = vec![["body", "type", "mass [kg]", "inertia [kg m²]"].map(String::from).to_vec()];
    for b in model.bodies.iter().take(SHOWN) {
        let (kind, mass, inertia) = properties(&b.kind);
        // Products of inertia only where there are any.
        let shown = if inertia.len() == 6 && inertia[3..].iter().all(|x| *x == 0.0) { 3 } else { inertia.len() };
        let inertia = inertia[..shown].iter().map(|x| number(*x)).collect::<Vec<_>>().join(", ");
        rows.push(vec![b.name.clone(), kind.to_string(), mass.map_or(String::new(), number), inertia]);
    }
    let mut text = table(&[Align::Left, Align::Left, Align::Right, Align::Left], &rows, "  ");
    if model.bodies.len() > SHOWN {
        let _ = writeln!(text, "  and {} more", model.bodies.len() - SHOWN);
    }
    let total: f64 = model.bodies.iter().filter_map(|b| properties(&b.kind).1).sum();
    if model.bodies.len() > 1 {
        let _ = writeln!(text, "  total mass {} kg", number(total));
    }
    text
}

fn masses_json(model: &Model) -> Value {
    let one = |b: &taut::BodyEntry| {
        let (kind, mass, inertia) = properties(&b.kind);
        json!({ "name": b.name, "type": kind, "mass": mass, "inertia": inertia })
    };
    model.bodies.iter().map(one).collect()
}
