//! Writes one row of the table for one state. The same traversal declares the columns and fills them.

mod bodies;
mod contacts;
mod loads;
mod moment;
mod sink;

use self::bodies::accelerations;
use self::contacts::contacts;
use self::loads::reactions;
pub(crate) use self::moment::{Lost, Moment, Stepped};
use self::sink::{Sink, per_second};
use super::columns::{Columns, Family};
use super::gauge::{Acceleration, Gauge, Turns};
use super::label::Label;
use super::table::Table;
use crate::bodies::BodyKind;
use crate::constraints::View;
use crate::dynamics::Dynamics;
use crate::equations::is_frame;
use crate::laws::Law;
use crate::model::Model;
use crate::motion::{Motion, Vec3, Wrench};
use crate::solvers::rank;

/// The columns, and storage to fill them.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    pub table: Table,
    pub turns: Turns,
    pub gauges: Vec<Gauge>,
    /// Number of measured quantities that are columns; the others are read by events only.
    shown: usize,
    columns: Columns,
    accelerations: Vec<Acceleration>,
    on: Vec<Wrench>,
}

impl Recorder {
    /// Declares the columns. The dynamics must have been evaluated at some state.
    pub fn new(dynamics: &Dynamics, moment: Moment, columns: &Columns) -> Recorder {
        let model = dynamics.model;
        let mut gauges = Vec::new();
        if columns.shows(Family::Measures) {
            gauges.extend(Gauge::measures(model));
        }
        if columns.shows(Family::Joints) {
            gauges.extend(Gauge::joints(model));
        }
        let shown = gauges.len();
        if !columns.shows(Family::Measures) && !model.events.is_empty() {
            gauges.extend(Gauge::measures(model));
        }
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        let rest = Acceleration { a: Vec3::zeros(), alpha: Vec3::zeros() };
        let mut recorder = Recorder {
            table: Table::default(),
            turns: Turns::start(moment.t, &gauges, model, moment.q, &dynamics.scene.motions),
            gauges,
            shown,
            columns: columns.clone(),
            accelerations: vec![rest; model.markers.len()],
            on: vec![Wrench::ZERO; widest],
        };
        let mut names = Sink::Names(Vec::new());
        recorder.walk(dynamics, moment, &mut names);
        if let Sink::Names(names) = names {
            recorder.table = Table::new(names);
        }
        recorder
    }

    /// Value and rate of a declared measure, at a time within the last step.
    pub fn measured(&self, model: &Model, measure: usize, t: f64, motions: &[Motion]) -> Option<[f64; 2]> {
        let first = if self.columns.shows(Family::Measures) { 0 } else { self.shown };
        let found = self.gauges.get(first + measure).filter(|_| measure < model.measures.len());
        if let Some(gauge) = found {
            let (s, rate) = gauge.read(t, motions);
            return Some([self.turns.on_turn(first + measure, t, s, gauge), rate]);
        }
        let entry = model.measures.get(measure)?;
        let view = View { t, motions, ids: &entry.markers, z: &[] };
        let m = entry.measure.place(&view);
        Some([m.s, entry.measure.rate(&view, &m)])
    }

    /// Appends a row. λ and v̇ of the dynamics must belong to this state.
    pub fn record(&mut self, dynamics: &Dynamics, moment: Moment) {
        let mut table = std::mem::take(&mut self.table);
        self.walk(dynamics, moment, &mut Sink::Values(&mut table, 0));
        self.table = table;
    }

    /// Visits all columns in their order.
    fn walk(&mut self, d: &Dynamics, now: Moment, sink: &mut Sink) {
        let model = d.model;
        sink.put("time", "s", now.t, || Label::new("t", "time"));
        self.state(d, now, sink);
        if [Family::Markers, Family::Measures, Family::Joints].iter().any(|f| self.columns.shows(*f)) {
            accelerations(d, now, &mut self.accelerations);
        }
        if self.columns.shows(Family::Markers) {
            for (i, m) in model.markers.iter().enumerate() {
                // Skip the frames of bodies and nodes, which repeat coordinates. Names of nodes have no dot.
                let node = |b: usize| matches!(model.bodies[b].kind, BodyKind::BeamNodes(_)) && !m.name.contains('.');
                let own = m.body.is_none_or(|b| model.bodies[b].markers.start == i || node(b));
                if own || !is_frame(model, i) {
                    continue;
                }
                let (seen, accelerated) = (&d.scene.motions[i], &self.accelerations[i]);
                let label = |short: &str, x: &str, what: &str| {
                    Label::new(format!("{}.{short}{x}", m.name), format!("{x}{what} of marker `{}`", m.name))
                };
                sink.vector("marker", "m", &seen.p, |x| label("", x, ""));
                sink.vector("marker", "m/s", &seen.v, |x| label("v", x, " velocity"));
                sink.vector("marker", "m/s²", &accelerated.a, |x| label("a", x, " acceleration"));
            }
        }
        for (i, g) in self.gauges.iter().enumerate().take(self.shown) {
            let (s, rate) = g.read(now.t, &d.scene.motions);
            let acceleration = g.acceleration(now.t, &d.scene.motions, &self.accelerations);
            let label = |short: &str, what: &str| Label::new(format!("{}{short}", g.name), g.meaning(what));
            sink.put("measure", g.unit(), self.turns.on_turn(i, now.t, s, g), || label("", ""));
            sink.put("measure", per_second(g.unit()), rate, || label(".rate", "rate of the "));
            let unit = per_second(per_second(g.unit()));
            sink.put("measure", unit, acceleration, || label(".acceleration", "acceleration of the "));
        }
        if self.columns.shows(Family::Reactions) {
            reactions(d, sink);
        }
        if self.columns.shows(Family::Multipliers) {
            for c in &model.constraints {
                for r in c.rows.clone() {
                    let unit = if model.rows[r].unit == "rad" { "N m" } else { "N" };
                    let row = &model.rows[r].name;
                    sink.put("constraint", unit, d.lambda[r], || {
                        let meaning = format!("multiplier of row `{row}` of constraint `{}`", c.name);
                        Label::new(format!("{}.lambda_{row}", c.name), meaning)
                    });
                }
            }
        }
        if self.columns.shows(Family::Contacts) {
            contacts(d, now, sink);
        }
        if self.columns.shows(Family::Efforts) {
            self.efforts(d, now, sink);
        }
        if self.columns.shows(Family::Energy) {
            let (kinetic, potential) = d.energy(now.q, now.v, now.z, now.t);
            sink.put("energy", "J", kinetic, || Label::new("energy.kinetic", "kinetic energy of all bodies"));
            sink.put("energy", "J", potential, || {
                Label::new("energy.potential", "potential energy of all bodies and forces")
            });
            if let Some(work) = now.work {
                let (friction, impacts) = (now.lost.friction.iter().sum::<f64>(), now.lost.impacts.iter().sum::<f64>());
                let balance = kinetic + potential + friction + impacts - work - now.energy_at_start;
                sink.put("energy", "J", work, || Label::new("energy.work", "work put in since the start"));
                if !model.events.is_empty()
                    || !model.surfaces.is_empty()
                    || model.constraints.iter().any(|c| c.law != Law::Bilateral)
                {
                    sink.put("energy", "J", friction, || {
                        Label::new("energy.friction", "energy lost to friction since the start")
                    });
                    sink.put("energy", "J", impacts, || {
                        Label::new("energy.impacts", "energy lost in impacts since the start")
                    });
                }
                sink.put("energy", "J", balance, || {
                    Label::new(
                        "energy.balance",
                        "energy and losses minus its start and the work put in; zero but for errors",
                    )
                });
            }
        }
        if self.columns.shows(Family::Residuals) {
            // Residuals of the last evaluation: if the equations have no value at a state, its row repeats the previous
            // ones.
            let found = [
                ("position", worst(&d.eq.phi)),
                ("velocity", worst(d.eq.phidot.last())),
                ("acceleration", d.acceleration_residual()),
            ];
            for (level, (size, row)) in found {
                let label = |short: &str, what: &str| {
                    Label::new(format!("residual.{level}{short}"), format!("{what} largest residual at {level} level"))
                };
                sink.put("residual", "1", size, || label("", "the"));
                sink.put("residual", "1", row as f64, || label(".row", "number of the row with the"));
            }
        }
        if self.columns.shows(Family::Solver) {
            sink.put("solver", "s", now.step, || Label::new("step", "length of the last step"));
            if let Some(rank) = rank::count(model, &d.eq) {
                sink.put("solver", "1", rank as f64, || Label::new("rank", "rank of the constraints"));
                if model.constraints.iter().any(|c| c.law != Law::Bilateral) {
                    let freedoms = model.sizes.v as f64 - rank as f64;
                    sink.put("solver", "1", freedoms, || Label::new("freedoms", "degrees of freedom in these modes"));
                }
            }
        }
    }
}

/// Largest magnitude and where; NaN wins.
pub(crate) fn worst(x: &[f64]) -> (f64, usize) {
    let larger = |best: (f64, usize), (i, x): (usize, &f64)| {
        if x.is_nan() || x.abs() > best.0 { (x.abs(), i) } else { best }
    };
    x.iter().enumerate().fold((0.0, 0), larger)
}
