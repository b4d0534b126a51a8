//! Writes one row of the table for one state. The same traversal declares the columns and fills them.

mod bodies;
mod contacts;
mod corrections;
mod determinacy;
mod formula_measures;
mod loads;
mod recorded_state;
mod sink;

use self::bodies::marker_accelerations;
use self::contacts::contact_columns;
use self::corrections::correction_columns;
use self::determinacy::determinacy_columns;
use self::loads::reaction_columns;
pub(crate) use self::recorded_state::{EnergyLosses, RecordedState, SteppingContacts};
use self::sink::{ColumnSink, rate_unit};
use super::columns::{ColumnFamily, Columns};
use super::label::ColumnLabel;
use super::output_measures::{AngleTracker, MarkerAcceleration, MeasureInput, OutputMeasure};
use super::table::Table;
use crate::bodies::BodyKind;
use crate::constraints::ElementInput;
use crate::dynamics::Dynamics;
use crate::equations::is_frame;
use crate::laws::ConstraintLaw;
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::Model;
use crate::motion::{Vec3, Wrench};
use crate::solvers::rank;

/// The columns, and storage to fill them.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    pub table: Table,
    pub angle_tracker: AngleTracker,
    pub measures: Vec<OutputMeasure>,
    /// Number of measured quantities that are columns; the others are read by events only.
    column_measures: usize,
    /// The first declared measure, and the first coordinate of a joint, if they are tracked.
    first_measures: [Option<usize>; 2],
    columns: Columns,
    accelerations: Vec<MarkerAcceleration>,
    wrenches: Vec<Wrench>,
    /// Values of the columns that forces define themselves.
    force_outputs: Vec<f64>,
}

impl Recorder {
    /// Declares the columns. The dynamics must have been evaluated at some state.
    pub fn new(dynamics: &Dynamics, moment: RecordedState, columns: &Columns) -> Recorder {
        let model = dynamics.model;
        let mut measures = Vec::new();
        let of = |family: ColumnFamily| match family {
            ColumnFamily::Joints => OutputMeasure::joint_measures(model),
            _ => OutputMeasure::declared_measures(model),
        };
        // Those that are columns come first; events and formulas may read the others.
        let mut first = [None; 2];
        let families = [ColumnFamily::Measures, ColumnFamily::Joints].into_iter().enumerate();
        for (i, family) in families.clone().filter(|(_, family)| columns.includes(*family)) {
            first[i] = Some(measures.len());
            measures.extend(of(family));
        }
        let shown = measures.len();
        let read_by_others = !model.events.is_empty() || !model.formula_measures.is_empty();
        let read = |family: &ColumnFamily| !columns.includes(*family) && read_by_others;
        for (i, family) in families.filter(|(_, family)| read(family)) {
            first[i] = Some(measures.len());
            measures.extend(of(family));
        }
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        let rest = MarkerAcceleration { a: Vec3::zeros(), alpha: Vec3::zeros() };
        let at = MeasureInput { model, q: moment.q, motions: &dynamics.kinematics.motions };
        let mut recorder = Recorder {
            table: Table::default(),
            angle_tracker: AngleTracker::start(moment.t, &measures, at),
            measures,
            column_measures: shown,
            first_measures: first,
            columns: columns.clone(),
            accelerations: vec![rest; model.markers.len()],
            wrenches: vec![Wrench::ZERO; widest],
            force_outputs: vec![0.0; model.forces.iter().map(|f| f.kind.force().output_count()).max().unwrap_or(0)],
        };
        let mut names = ColumnSink::Names(Vec::new());
        recorder.visit_columns(dynamics, moment, &mut names);
        if let ColumnSink::Names(names) = names {
            recorder.table = Table::new(names);
        }
        recorder
    }

    /// Value and rate of a measure that an event reads, at a time within the last step: a declared one, or a coordinate of a joint
    /// if the number is larger.
    pub fn measure_value_and_rate(&self, measure: usize, t: f64, at: MeasureInput) -> Option<[f64; 2]> {
        let Some((i, tracked)) = self.tracked_measure(measure, at.model) else {
            // Without events of the model, measures that are no columns are not tracked.
            let entry = at.model.measures.get(measure)?;
            let view = ElementInput { t, motions: at.motions, markers: &entry.markers, z: &[] };
            let m = entry.measure.position_terms(&view);
            return Some([m.s, entry.measure.rate(&view, &m)]);
        };
        let (s, rate) = tracked.value_and_rate(t, at.motions);
        Some([self.angle_tracker.unwrap_angle(i, t, s, tracked, at), rate])
    }

    /// The measure of that number, if it is tracked, and its index.
    fn tracked_measure(&self, measure: usize, model: &Model) -> Option<(usize, &OutputMeasure)> {
        let [declared, of_joints] = self.first_measures;
        let i = match measure.checked_sub(model.measures.len()) {
            None => declared? + measure,
            Some(joint) => of_joints? + joint,
        };
        Some((i, self.measures.get(i)?))
    }

    /// An angle whose number of full turns at `t` is uncertain, because `t` lies outside the last step.
    pub fn untracked_angle(&self, t: f64) -> Option<&str> {
        let mut angles = self.measures.iter().filter(|m| !self.angle_tracker.covers(t) && m.is_angle());
        angles.next().map(|m| m.name.as_str())
    }

    /// Appends a row. λ and v̇ of the dynamics must belong to this state.
    pub fn record(&mut self, dynamics: &Dynamics, moment: RecordedState) {
        let mut table = std::mem::take(&mut self.table);
        self.visit_columns(dynamics, moment, &mut ColumnSink::Values(&mut table, 0));
        self.table = table;
    }

    /// Visits all columns in their order.
    fn visit_columns(&mut self, d: &Dynamics, now: RecordedState, sink: &mut ColumnSink) {
        let model = d.model;
        sink.put("time", "s", now.t, || ColumnLabel::new("t", "time"));
        self.body_columns(d, now, sink);
        if [ColumnFamily::Markers, ColumnFamily::Measures, ColumnFamily::Joints]
            .iter()
            .any(|f| self.columns.includes(*f))
        {
            marker_accelerations(d, now, &mut self.accelerations);
        }
        if self.columns.includes(ColumnFamily::Markers) {
            for (i, m) in model.markers.iter().enumerate() {
                // Skip the frames of bodies and nodes, which repeat coordinates. Names of nodes have no dot.
                let node = |b: usize| matches!(model.bodies[b].kind, BodyKind::BeamNodes(_)) && !m.name.contains('.');
                let own = m.body.is_none_or(|b| model.bodies[b].markers.start == i || node(b));
                if own || !is_frame(model, i) {
                    continue;
                }
                let (seen, accelerated) = (&d.kinematics.motions[i], &self.accelerations[i]);
                let label = |short: &str, x: &str, what: &str| {
                    ColumnLabel::new(format!("{}.{short}{x}", m.name), format!("{x}{what} of marker `{}`", m.name))
                };
                sink.vector("marker", "m", &seen.p, |x| label("", x, ""));
                sink.vector("marker", "m/s", &seen.v, |x| label("v", x, " velocity"));
                sink.vector("marker", "m/s²", &accelerated.a, |x| label("a", x, " acceleration"));
            }
        }
        let at = MeasureInput { model, q: now.q, motions: &d.kinematics.motions };
        for (i, g) in self.measures.iter().enumerate().take(self.column_measures) {
            let (s, rate) = g.value_and_rate(now.t, &d.kinematics.motions);
            let acceleration = g.acceleration(now.t, &d.kinematics.motions, &self.accelerations);
            let label = |short: &str, what: &str| ColumnLabel::new(format!("{}{short}", g.name), g.meaning(what));
            sink.put("measure", g.unit(), self.angle_tracker.unwrap_angle(i, now.t, s, g, at), || label("", ""));
            sink.put("measure", rate_unit(g.unit()), rate, || label(".rate", "rate of the "));
            let unit = rate_unit(rate_unit(g.unit()));
            sink.put("measure", unit, acceleration, || label(".acceleration", "acceleration of the "));
        }
        if self.columns.includes(ColumnFamily::Measures) {
            self.formula_measure_columns(d, now, sink);
        }
        if self.columns.includes(ColumnFamily::Reactions) {
            reaction_columns(d, sink);
        }
        if self.columns.includes(ColumnFamily::Multipliers) {
            for c in &model.constraints {
                for r in c.rows.clone() {
                    let unit = if model.rows[r].unit == "rad" { "N m" } else { "N" };
                    let row = &model.rows[r].name;
                    sink.put("constraint", unit, d.lambda[r], || {
                        let meaning = format!("multiplier of row `{row}` of constraint `{}`", c.name);
                        ColumnLabel::new(format!("{}.lambda_{row}", c.name), meaning)
                    });
                }
            }
        }
        if self.columns.includes(ColumnFamily::Contacts) {
            contact_columns(d, now, sink);
        }
        if self.columns.includes(ColumnFamily::Efforts) {
            self.force_columns(d, now, sink);
        }
        if self.columns.includes(ColumnFamily::Energy) {
            let (kinetic, potential) = d.energy(now.q, now.v, now.z, now.t);
            sink.put("energy", "J", kinetic, || ColumnLabel::new("energy.kinetic", "kinetic energy of all bodies"));
            sink.put("energy", "J", potential, || {
                ColumnLabel::new("energy.potential", "potential energy of all bodies and forces")
            });
            if let Some(work) = now.work {
                let (friction, impacts) = (now.lost.friction.iter().sum::<f64>(), now.lost.impacts.iter().sum::<f64>());
                let balance = kinetic + potential + friction + impacts - work - now.energy_at_start;
                sink.put("energy", "J", work, || ColumnLabel::new("energy.work", "work put in since the start"));
                if !model.events.is_empty()
                    || !model.surfaces.is_empty()
                    || model.constraints.iter().any(|c| c.law != ConstraintLaw::Bilateral)
                {
                    sink.put("energy", "J", friction, || {
                        ColumnLabel::new("energy.friction", "energy lost to friction since the start")
                    });
                    sink.put("energy", "J", impacts, || {
                        ColumnLabel::new("energy.impacts", "energy lost in impacts since the start")
                    });
                }
                sink.put("energy", "J", balance, || {
                    ColumnLabel::new(
                        "energy.balance",
                        "energy and losses minus initial energy and work put in; zero except for numerical errors",
                    )
                });
            }
        }
        if self.columns.includes(ColumnFamily::Residuals) {
            // Residuals of the last evaluation: if the equations have no value at a state, its row repeats the previous
            // ones.
            let found = [
                ("position", largest_magnitude(&d.eq.phi)),
                ("velocity", largest_magnitude(d.eq.phidot.last())),
                ("acceleration", d.acceleration_residual()),
            ];
            for (level, (size, row)) in found {
                let label = |short: &str, what: &str| {
                    ColumnLabel::new(
                        format!("residual.{level}{short}"),
                        format!("{what} largest residual at {level} level"),
                    )
                };
                sink.put("residual", "1", size, || label("", "the"));
                sink.put("residual", "1", row as f64, || label(".row", "number of the row with the"));
            }
        }
        if self.columns.includes(ColumnFamily::Corrections) {
            correction_columns(d, sink);
        }
        if self.columns.includes(ColumnFamily::Determinacy) {
            determinacy_columns(d, now.independent_rows, sink);
        }
        if self.columns.includes(ColumnFamily::Solver) {
            sink.put("solver", "s", now.step, || ColumnLabel::new("step", "length of the last step"));
            if let Some(rank) = rank::rank_for_output(model, &d.eq) {
                sink.put("solver", "1", rank as f64, || ColumnLabel::new("rank", "rank of the constraints"));
                if model.constraints.iter().any(|c| c.law != ConstraintLaw::Bilateral) {
                    let freedoms = model.sizes.v as f64 - rank as f64;
                    sink.put("solver", "1", freedoms, || {
                        ColumnLabel::new("freedoms", "degrees of freedom in the current contact modes")
                    });
                }
            }
        }
    }
}
