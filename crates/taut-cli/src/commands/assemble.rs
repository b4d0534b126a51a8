//! `taut assemble`: finds a pose and velocities that satisfy the constraints, and lists the corrections.

use crate::exit::{CliError, ExitStatus, print_diagnostics, print_json, print_stderr, print_stdout};
use crate::options::{JsonOption, ModelSource, OutputStyle};
use crate::overwrite;
use clap::Args;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use taut::analyses::{
    AnalysisError, Assembled, AssemblyReport, AssemblySettings, InitialConditions, Simulation, Transient, assemble,
};
use taut::beams::Beam;
use taut::bodies::BodyKind;
use taut::motion::{Mat3, Motion, quaternion_of_rotation};
use taut::{BodyEntry, Frame, FrameReference, MarkerAxes, MarkerPlacement, Model, Orientation, Spec, State};
use taut_papers::text::{self, Align, number, size, table};

/// Largest number of rows shown of a list.
const MAX_TABLE_ROWS: usize = 12;

/// Arguments of `taut assemble`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taut assemble crank.toml                       list the corrections
  taut assemble crank.toml -o start.toml         also write the model with the assembled pose
  taut assemble crank.toml --hold crank          keep the crank in place and move the other bodies")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    /// Write the model with the assembled pose and velocities to this file, with all numbers in SI units
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output if it exists; never the model itself
    #[arg(long, requires = "output")]
    force: bool,
    /// Keep this body (`crank`) or velocity (`crank.omega`) nearly unchanged; may be repeated
    #[arg(long, value_name = "NAME")]
    hold: Vec<String>,
    #[command(flatten)]
    printing: JsonOption,
}

impl Arguments {
    /// Assembles the pose, prints the corrections and writes the model.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        if let Some(path) = &self.output {
            let there = self.force.into();
            overwrite::check_overwrite(path, &self.source.model, there)?;
        }
        let (mut file, model) = self.source.open_model_file(&[], OutputStyle::Text)?;
        let settings = AssemblySettings { held: self.hold, ..AssemblySettings::default() };
        let Assembled { state, ledger } = assemble(&model, &file.state(&model), &settings)?;
        match self.printing.style() {
            OutputStyle::Json => {
                let (q, v) = model.state_names();
                let named = q.iter().zip(&state.q).chain(v.iter().zip(&state.v));
                let numbers: serde_json::Map<_, _> = named.map(|(n, x)| (n.name.clone(), json!(x))).collect();
                print_json(&json!({ "t": state.t, "state": numbers, "ledger": ledger }))?;
            }
            _ => print_stdout(&as_text(&ledger))?,
        }
        // Assembly ignores gaps, which may be open or closed; a pose with an overlap cannot be run.
        let as_found = Transient { start: InitialConditions::AsGiven, ..file.transient.clone() };
        let overlap = match Simulation::new(&model, &state, &as_found) {
            Err(e @ AnalysisError::Overlap { .. }) => Some(file.diagnose(&e)),
            _ => None,
        };
        if let Some(path) = self.output {
            apply_state_to_spec(&mut file.spec, &model, &state);
            let text = file.write()?;
            std::fs::write(&path, text).map_err(|e| CliError::file_error("write", &path, &e))?;
            print_stderr(&format!("wrote {}", path.display()));
        }
        print_diagnostics(overlap.as_slice());
        Ok(if overlap.is_none() { ExitStatus::Success } else { ExitStatus::Failed })
    }
}

fn as_text(ledger: &AssemblyReport) -> String {
    let mut text = String::new();
    if ledger.moved.is_empty() {
        text.push_str("no corrections: the given pose and velocities satisfy the constraints\n");
    } else {
        let iterations = text::count(ledger.iterations, "iteration", "iterations");
        let _ = writeln!(text, "assembled in {iterations}; displaced, largest first:");
        let mut rows = vec![["body", "by [m]", "rotated by [rad]", "velocity changed by"].map(String::from).to_vec()];
        for m in ledger.moved.iter().take(MAX_TABLE_ROWS) {
            rows.push(vec![m.body.clone(), number(m.translation), number(m.rotation), number(m.velocity)]);
        }
        text.push_str(&table(&[Align::Left, Align::Right, Align::Right, Align::Right], &rows, "  "));
        append_remainder(&mut text, ledger.moved.len(), "bodies");
    }
    let residuals: Vec<_> = ledger.residuals.iter().filter(|r| r.before > 1e-12).collect();
    if !residuals.is_empty() {
        let _ = writeln!(text, "residuals, largest first:");
        let mut rows = vec![["row", "before", "after", ""].map(String::from).to_vec()];
        for r in residuals.iter().take(MAX_TABLE_ROWS) {
            rows.push(vec![r.row.clone(), size(r.before), size(r.after), r.unit.to_string()]);
        }
        text.push_str(&table(&[Align::Left, Align::Right, Align::Right, Align::Left], &rows, "  "));
        append_remainder(&mut text, residuals.len(), "rows");
    }
    for joint in &ledger.flipped {
        let _ = writeln!(
            text,
            "joint `{joint}` was assembled with opposed axes; rotate one of its bodies in the initial pose"
        );
    }
    text
}

fn append_remainder(text: &mut String, count: usize, what: &str) {
    if count > MAX_TABLE_ROWS {
        let _ = writeln!(text, "  and {} more {what}", count - MAX_TABLE_ROWS);
    }
}

/// Sets the initial pose and velocities of the bodies from a state; markers keep their places on the bodies.
pub fn apply_state_to_spec(spec: &mut Spec, model: &Model, state: &State) {
    for m in spec.markers.iter_mut().filter(|m| m.item.relative_to == FrameReference::World) {
        let found = model.marker(&m.name).map(|i| &model.markers[i]);
        if let Some(taut::Marker { body: Some(_), placement: MarkerPlacement::Frame(p, axes), .. }) = found {
            let orientation = match axes {
                MarkerAxes::Aligned => Orientation::Aligned,
                _ => {
                    let turned = axes.world_orientation(&Mat3::identity());
                    let column = |k: usize| [turned[(0, k)], turned[(1, k)], turned[(2, k)]];
                    Orientation::Axes { z: column(2), x: Some(column(0)) }
                }
            };
            m.item = Frame { at: [p.x, p.y, p.z], orientation, relative_to: FrameReference::Body };
        }
    }
    for beam in &mut spec.beams {
        beam.item.node_states = beam_node_states(&beam.name, &beam.item, model, state).unwrap_or_default();
    }
    for body in &mut spec.bodies {
        // The coordinates of a reduced set determine its members.
        let member = |e: &BodyEntry| match &e.kind {
            BodyKind::Ritz(set) => set.member(&body.name, &state.q[e.q.clone()], &state.v[e.v.clone()]),
            _ => None,
        };
        let own = model.body(&body.name).map(|b| &model.bodies[b]);
        let found = match own {
            Some(e) => Some((state.q[e.q.clone()].to_vec(), state.v[e.v.clone()].to_vec())),
            None => model.bodies.iter().find_map(member),
        };
        let Some((q, v)) = found.as_ref().map(|(q, v)| (&q[..], &v[..])) else { continue };
        match &mut body.item {
            BodyKind::PointMass(b) => {
                b.position.copy_from_slice(q);
                b.velocity.copy_from_slice(v);
            }
            BodyKind::Planar(b) => {
                b.position.copy_from_slice(&q[..2]);
                b.angle = q[2];
                b.velocity.copy_from_slice(&v[..2]);
                b.angular_velocity = v[2];
            }
            BodyKind::Rigid(b) => {
                b.position.copy_from_slice(&q[..3]);
                b.orientation = Orientation::Quaternion([q[3], q[4], q[5], q[6]]);
                b.velocity.copy_from_slice(&v[..3]);
                b.angular_velocity.copy_from_slice(&v[3..]);
            }
            // Given in the model file like any rigid body, whatever its coordinates.
            BodyKind::EulerParameters(_) | BodyKind::Rodrigues(_) | BodyKind::EulerAngles(_) => {
                let mut own = Motion::REST;
                body.item.body().frame_pose(q, &mut own);
                body.item.body().frame_twist(q, v, &mut own);
                if let Some(b) = body.item.rigid_mut() {
                    (b.position, b.velocity, b.angular_velocity) = (own.p.into(), own.v.into(), own.w.into());
                    b.orientation = Orientation::Quaternion(quaternion_of_rotation(&own.R));
                }
            }
            BodyKind::Modal(b) => b.set_start(q, v),
            BodyKind::Variable(b) => b.value = q[0],
            BodyKind::Generalised(b) => {
                b.coordinates.iter_mut().zip(q.iter().zip(v)).for_each(|(c, (q, v))| (c.initial, c.velocity) = (*q, *v));
            }
            // A set follows its members; bodies in code have no start in a model file.
            _ => {}
        }
    }
}

/// Coordinates and velocities of the nodes of a beam, which are separate bodies or members of one body.
fn beam_node_states(name: &str, beam: &Beam, model: &Model, state: &State) -> Option<Vec<Vec<f64>>> {
    let entry = |name: &str| model.body(name).map(|b| &model.bodies[b]);
    let listed = |q: &[f64], v: &[f64]| q.iter().chain(v).copied().collect::<Vec<f64>>();
    if let Some(all) = entry(name).filter(|e| matches!(e.kind, BodyKind::BeamNodes(_))) {
        let (q, v) = (&state.q[all.q.clone()], &state.v[all.v.clone()]);
        let (of_q, of_v) = (q.len() / beam.node_count(), v.len() / beam.node_count());
        return Some(q.chunks(of_q).zip(v.chunks(of_v)).map(|(q, v)| listed(q, v)).collect());
    }
    let one = |k: usize| entry(&Beam::node_name(name, k)).map(|e| listed(&state.q[e.q.clone()], &state.v[e.v.clone()]));
    (0..beam.node_count()).map(one).collect()
}
