//! `taut check`: reports errors in a model and counts its degrees of freedom.

use crate::exit::{
    CliError, ExitStatus, print_diagnostics, print_json, print_stderr, print_stdout, print_warnings_briefly,
};
use crate::options::{JsonOption, ModelSource, OutputStyle, stem};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use taut::analyses::{
    AnalysisError, DependentSet, DeterminacyReport, DoctorReport, ExaminedPose, JointChange, RowConsistency, Run,
    Simulation, determinate_changes, doctor, multipliers,
};
use taut::beams::Beam;
use taut::bodies::BodyKind;
use taut::{Model, Named};
use taut_io::diagnostic::{Diagnostic, Severity};
use taut_io::model;
use taut_papers::text::{Align, number, table};

/// Largest number of bodies listed.
const MAX_BODIES_LISTED: usize = 30;

/// Arguments of `taut check`.
#[derive(Debug, Args)]
#[command(after_help = "\
The model is not simulated. Constraints that contradict each other or cannot be satisfied are errors. Redundant constraints are \
not an error, but their reactions are not unique.

Examples:
  taut check crank.toml
  taut check crank.toml --set l=0.05
  taut check crank.toml --json")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    #[command(flatten)]
    printing: JsonOption,
}

impl Arguments {
    /// Reads, builds and examines the model, and prints the result.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let style = self.printing.style();
        let file = match model::read(&self.source.model, &self.source.changes.set) {
            Ok(file) => file,
            Err(findings) => return report_invalid_model(style, findings),
        };
        let model = match file.build() {
            Ok(model) => model,
            Err(finding) => return report_invalid_model(style, file.warnings.into_iter().chain([finding]).collect()),
        };
        // Contacts, ropes and friction constraints count with their modes at the start.
        let mut state = file.state(&model);
        let mut errors = Vec::new();
        let mut warnings = file.warnings.clone();
        let mut reactions = None;
        let mut cannot_assemble = false;
        match Simulation::new(&model, &state, &file.transient) {
            Ok(at_start) => {
                let start = at_start.state();
                reactions = Some(match multipliers(&model, &start) {
                    Ok(lambda) => DeterminacyReport::at(&model, &start, &lambda),
                    Err(e) => DeterminacyReport::not_examined(&e),
                });
                state.modes = start.modes;
            }
            Err(
                e @ (AnalysisError::Overlap { .. }
                | AnalysisError::PositionJump { .. }
                | AnalysisError::Paradox { .. }
                | AnalysisError::CannotAssemble(_)
                | AnalysisError::Endless { .. }),
            ) => {
                cannot_assemble = matches!(e, AnalysisError::CannotAssemble(_));
                errors.push(file.diagnose(&e));
            }
            // Statics need no mass.
            Err(AnalysisError::Massless(found)) => {
                let finding = file.diagnose_massless(&found);
                warnings.push(Diagnostic { severity: Severity::Warning, ..finding });
            }
            // The diagnosis below reports all other errors in more detail.
            Err(_) => {}
        }
        let found = doctor(&model, &state)?;
        // A pose that cannot be ranked has its own findings.
        let changes = determinate_changes(&file.spec, &model, &state).unwrap_or_default();
        if !cannot_assemble {
            errors.extend(open_pose_error(&found));
        }
        errors.extend(contradiction_errors(&found));
        warnings.extend(model.excluded_pairs_notice().map(Diagnostic::warning));
        match style {
            OutputStyle::Json => {
                let findings = warnings.iter().chain(&errors).map(as_json).collect::<Vec<_>>();
                print_json(&json!({
                    "findings": findings, "doctor": found, "determinacy": reactions, "determinate_changes": changes, "bodies": masses_json(&model),
                    "forces": model.forces.len(), "constraints": model.constraints.len(),
                }))?;
            }
            _ => {
                print_warnings_briefly(&warnings);
                let title = if file.title.is_empty() { stem(&file.path) } else { file.title.clone() };
                print_stdout(&format!(
                    "{title}\n{}{}\n",
                    mass_table(&model, &file.spec.beams),
                    found.to_string().trim_end()
                ))?;
                if let Some(reactions) = reactions.filter(|r| !r.examined || !r.joints.is_empty()) {
                    print_stdout(&format!("{reactions}\n"))?;
                }
                print_stdout(&changes_text(&changes))?;
            }
        }
        print_diagnostics(&errors);
        Ok(if errors.is_empty() { ExitStatus::Success } else { ExitStatus::Failed })
    }
}

/// Proposals to make all reactions unique.
fn changes_text(changes: &[Vec<JointChange>]) -> String {
    let one = |set: &Vec<JointChange>| set.iter().map(JointChange::to_string).collect::<Vec<_>>().join(" and ");
    match changes {
        [] => String::new(),
        sets => format!(
            "to make all reactions unique without another freedom: {}\n",
            sets.iter().map(one).collect::<Vec<_>>().join("; or ")
        ),
    }
}

/// Reports the errors of a file that is not a valid model.
fn report_invalid_model(style: OutputStyle, findings: Vec<Diagnostic>) -> Result<ExitStatus, CliError> {
    match style {
        OutputStyle::Json => print_json(&json!({ "findings": findings.iter().map(as_json).collect::<Vec<_>>() }))?,
        _ => {
            print_diagnostics(&findings);
            let errors = findings.iter().filter(|f| f.severity == Severity::Error).count();
            if errors > 1 {
                print_stderr(&format!("{errors} errors"));
            }
        }
    }
    Ok(ExitStatus::Failed)
}

/// Constraints that cannot be satisfied.
fn open_pose_error(found: &DoctorReport) -> Option<Diagnostic> {
    let worst = found
        .residuals
        .first()
        .map_or(String::new(), |m| format!("; the largest residual at the start is that of `{}`", m.row));
    let help = "check lengths and marker positions, or start from a pose nearer to the assembled one";
    let error = || Diagnostic::error(format!("the constraints cannot be satisfied{worst}")).help(help);
    (found.pose == ExaminedPose::Open).then(error)
}

/// Sets of constraints that contradict each other.
fn contradiction_errors(found: &DoctorReport) -> Vec<Diagnostic> {
    let sets = found.dependent.iter().filter(|s| matches!(s.verdict, RowConsistency::Contradictory { .. }));
    let error = |set: &DependentSet| {
        let names = set.constraints.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ");
        let help = "remove one of them, or release a direction in one";
        Diagnostic::error(format!("these constraints contradict each other: {names}")).help(help)
    };
    sets.map(error).collect()
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

/// Kind, mass and inertia of a body; only the kind for bodies written in code.
fn body_properties(kind: &BodyKind) -> (&'static str, Option<f64>, Vec<f64>) {
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

/// The beam of which a body is a node: nodes of `arm` are named `arm_3`.
fn beam_of<'a>(beams: &'a [Named<Beam>], body: &str) -> Option<&'a str> {
    let is_node = |b: &&Named<Beam>| {
        let number = body.strip_prefix(b.name.as_str()).and_then(|rest| rest.strip_prefix('_'));
        number.is_some_and(|k| k.parse::<usize>().is_ok())
    };
    beams.iter().find(is_node).map(|b| b.name.as_str())
}

/// Bodies with their masses; a beam has one line for all its nodes.
fn mass_table(model: &Model, beams: &[Named<Beam>]) -> String {
    let mut rows = vec![["body", "type", "mass [kg]", "inertia [kg m²]"].map(String::from).to_vec()];
    for beam in beams {
        let nodes = || model.bodies.iter().filter(|b| beam_of(beams, &b.name) == Some(beam.name.as_str()));
        let mass: f64 = nodes().filter_map(|b| body_properties(&b.kind).1).sum();
        let kind = format!("beam, {} nodes", nodes().count());
        if nodes().count() > 0 {
            rows.push(vec![beam.name.clone(), kind, number(mass), String::new()]);
        }
    }
    let others = || model.bodies.iter().filter(|b| beam_of(beams, &b.name).is_none());
    for b in others().take(MAX_BODIES_LISTED) {
        let (kind, mass, inertia) = body_properties(&b.kind);
        // Products of inertia are shown only if they are not zero.
        let shown = if inertia.len() == 6 && inertia[3..].iter().all(|x| *x == 0.0) { 3 } else { inertia.len() };
        let inertia = inertia[..shown].iter().map(|x| number(*x)).collect::<Vec<_>>().join(", ");
        rows.push(vec![b.name.clone(), kind.to_string(), mass.map_or(String::new(), number), inertia]);
    }
    let mut text = table(&[Align::Left, Align::Left, Align::Right, Align::Left], &rows, "  ");
    if others().count() > MAX_BODIES_LISTED {
        let _ = writeln!(text, "  and {} more", others().count() - MAX_BODIES_LISTED);
    }
    let total: f64 = model.bodies.iter().filter_map(|b| body_properties(&b.kind).1).sum();
    if model.bodies.len() > 1 {
        let _ = writeln!(text, "  total mass {} kg", number(total));
    }
    text
}

fn masses_json(model: &Model) -> Value {
    let one = |b: &taut::BodyEntry| {
        let (kind, mass, inertia) = body_properties(&b.kind);
        json!({ "name": b.name, "type": kind, "mass": mass, "inertia": inertia })
    };
    model.bodies.iter().map(one).collect()
}
