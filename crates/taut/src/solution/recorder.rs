//! Writes one row of the table for one state: the same walk names the columns and fills them.

use super::columns::{Columns, Family};
use super::gauge::{Acceleration, Gauge, Turns};
use super::table::Table;
use crate::analyses::rank;
use crate::constraints::View;
use crate::dynamics::Dynamics;
use crate::equations::is_frame;
use crate::forces::Conservation;
use crate::marker::Place;
use crate::model::Model;
use crate::motion::{Motion, Vec3, Wrench};

/// A state whose equations have just been solved, and what the run knows besides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'a> {
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub z: &'a [f64],
    /// Work put in since the start, where it is known.
    pub work: Option<f64>,
    /// T + V at the start.
    pub energy_at_start: f64,
    /// Length of the last step.
    pub step: f64,
}

/// Columns, and the scratch to fill them.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    pub table: Table,
    pub turns: Turns,
    pub gauges: Vec<Gauge>,
    columns: Columns,
    accelerations: Vec<Acceleration>,
    on: Vec<Wrench>,
}

/// Where a walk puts what it finds.
enum Sink<'a> {
    Names(Vec<(&'static str, String, &'static str)>),
    Values(&'a mut Table, usize),
}

impl Sink<'_> {
    #[inline]
    fn put(&mut self, family: &'static str, unit: &'static str, x: f64, name: impl FnOnce() -> String) {
        match self {
            Sink::Names(names) => names.push((family, name(), unit)),
            Sink::Values(table, at) => {
                table.columns_mut()[*at].data.push(x);
                *at += 1;
            }
        }
    }

    fn vector(&mut self, family: &'static str, unit: &'static str, x: &Vec3, name: impl Fn(&str) -> String) {
        for (i, axis) in ["x", "y", "z"].iter().enumerate() {
            self.put(family, unit, x[i], || name(axis));
        }
    }
}

impl Recorder {
    /// Declares the columns; the dynamics must have been placed somewhere.
    pub fn new(dynamics: &Dynamics, moment: Moment, columns: &Columns) -> Recorder {
        let model = dynamics.model;
        let mut gauges = Vec::new();
        if columns.shows(Family::Measures) {
            gauges.extend(Gauge::measures(model));
        }
        if columns.shows(Family::Joints) {
            gauges.extend(Gauge::joints(model));
        }
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        let rest = Acceleration { a: Vec3::zeros(), alpha: Vec3::zeros() };
        let mut recorder = Recorder {
            table: Table::default(),
            turns: Turns::start(moment.t, &gauges, &dynamics.scene.motions),
            gauges,
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

    /// Appends a row; λ and v̇ of the dynamics are those of the moment.
    pub fn record(&mut self, dynamics: &Dynamics, moment: Moment) {
        let mut table = std::mem::take(&mut self.table);
        self.walk(dynamics, moment, &mut Sink::Values(&mut table, 0));
        self.table = table;
    }

    fn walk(&mut self, d: &Dynamics, now: Moment, sink: &mut Sink) {
        let model = d.model;
        sink.put("time", "s", now.t, || "t".to_string());
        self.state(d, now, sink);
        if [Family::Markers, Family::Measures, Family::Joints].iter().any(|f| self.columns.shows(*f)) {
            accelerations(d, now, &mut self.accelerations);
        }
        if self.columns.shows(Family::Markers) {
            for (i, m) in model.markers.iter().enumerate() {
                // The body's own frame repeats its coordinates.
                let own = m.body.is_none_or(|b| model.bodies[b].markers.start == i);
                if own || !is_frame(model, i) {
                    continue;
                }
                let (seen, accelerated) = (&d.scene.motions[i], &self.accelerations[i]);
                sink.vector("marker", "m", &seen.p, |x| format!("{}.{x}", m.name));
                sink.vector("marker", "m/s", &seen.v, |x| format!("{}.v{x}", m.name));
                sink.vector("marker", "m/s²", &accelerated.a, |x| format!("{}.a{x}", m.name));
            }
        }
        for (i, g) in self.gauges.iter().enumerate() {
            let (s, rate) = g.read(now.t, &d.scene.motions);
            let acceleration = g.acceleration(now.t, &d.scene.motions, &self.accelerations);
            sink.put("measure", g.unit(), self.turns.on_turn(i, now.t, s, g), || g.name.clone());
            sink.put("measure", per_second(g.unit()), rate, || format!("{}.rate", g.name));
            let unit = per_second(per_second(g.unit()));
            sink.put("measure", unit, acceleration, || format!("{}.acceleration", g.name));
        }
        if self.columns.shows(Family::Reactions) {
            reactions(d, sink);
        }
        if self.columns.shows(Family::Multipliers) {
            for c in &model.constraints {
                for r in c.rows.clone() {
                    let unit = if model.rows[r].unit == "rad" { "N m" } else { "N" };
                    sink.put("constraint", unit, d.lambda[r], || format!("{}.lambda_{}", c.name, model.rows[r].name));
                }
            }
        }
        if self.columns.shows(Family::Efforts) {
            self.efforts(d, now, sink);
        }
        if self.columns.shows(Family::Energy) {
            let (kinetic, potential) = d.energy(now.q, now.v, now.z, now.t);
            sink.put("energy", "J", kinetic, || "energy.kinetic".to_string());
            sink.put("energy", "J", potential, || "energy.potential".to_string());
            if let Some(work) = now.work {
                let balance = kinetic + potential - work - now.energy_at_start;
                sink.put("energy", "J", work, || "energy.work".to_string());
                sink.put("energy", "J", balance, || "energy.balance".to_string());
            }
        }
        if self.columns.shows(Family::Residuals) {
            let found = [
                ("position", worst(&d.eq.phi)),
                ("velocity", worst(&d.eq.phidot)),
                ("acceleration", d.acceleration_residual()),
            ];
            for (level, (size, row)) in found {
                sink.put("residual", "1", size, || format!("residual.{level}"));
                sink.put("residual", "1", row as f64, || format!("residual.{level}.row"));
            }
        }
        if self.columns.shows(Family::Solver) {
            sink.put("solver", "s", now.step, || "step".to_string());
            if let Some(rank) = rank::count(model, &d.eq) {
                sink.put("solver", "1", rank as f64, || "rank".to_string());
            }
        }
    }

    fn state(&self, d: &Dynamics, now: Moment, sink: &mut Sink) {
        let (state, rates) = (self.columns.shows(Family::State), self.columns.shows(Family::Accelerations));
        if !state && !rates {
            return;
        }
        // Names are needed once only; the values then follow in the same order.
        let (q, v) = match sink {
            Sink::Names(_) => d.model.state_names(),
            Sink::Values(..) => (Vec::new(), Vec::new()),
        };
        for b in &d.model.bodies {
            if state {
                for i in b.q.clone() {
                    sink.put("body", q.get(i).map_or("1", |n| n.unit), now.q[i], || q[i].name.clone());
                }
                for i in b.v.clone() {
                    sink.put("body", v.get(i).map_or("1", |n| n.unit), now.v[i], || v[i].name.clone());
                }
            }
            if rates {
                for i in b.v.clone() {
                    let unit = per_second(v.get(i).map_or("1", |n| n.unit));
                    sink.put("body", unit, d.vdot[i], || acceleration_name(&v[i].name));
                }
            }
        }
    }

    fn efforts(&mut self, d: &Dynamics, now: Moment, sink: &mut Sink) {
        for f in &d.model.forces {
            let view = View { t: now.t, motions: &d.scene.motions, ids: &f.markers, z: &now.z[f.z.clone()] };
            let on = &mut self.on[..f.markers.len()];
            f.kind.force().apply(&view, on);
            if let (Some(&m), Some(w)) = (f.markers.last(), on.last()) {
                if is_frame(d.model, m) {
                    sink.vector("force", "N", &w.f, |x| format!("{}.f{x}", f.name));
                    sink.vector("force", "N m", &w.m, |x| format!("{}.m{x}", f.name));
                } else {
                    sink.put("force", "N", w.f.x, || format!("{}.effort", f.name));
                }
            }
            if f.kind.force().conserves() == Conservation::Open {
                let power = f.kind.force().work_rate(&view, on);
                sink.put("force", "W", power, || format!("{}.power", f.name));
            }
        }
    }
}

/// Σ λ D on the last marker of every constraint, in world axes and in those of its first marker.
fn reactions(d: &Dynamics, sink: &mut Sink) {
    let model = d.model;
    for c in &model.constraints {
        let lambda = &d.lambda[c.rows.clone()];
        let R_WA = d.scene.motions[c.markers.first().copied().unwrap_or(0)].R;
        let many = c.markers.len() > 2;
        for (k, &m) in c.markers.iter().enumerate() {
            let (last, again) = (k + 1 == c.markers.len(), c.markers[..k].contains(&m));
            if !is_frame(model, m) || (!many && !last) || (many && again) {
                continue;
            }
            let mut on = Wrench::ZERO;
            for (j, _) in c.markers.iter().enumerate().filter(|(_, other)| **other == m) {
                lambda.iter().zip(d.scene.wrenches(c, j)).for_each(|(l, D)| on.add(*l, D));
            }
            // With more than two markers each tells its own.
            let name = || if many { format!("{}.{}", c.name, model.markers[m].name) } else { c.name.clone() };
            sink.vector("constraint", "N", &on.f, |x| format!("{}.f{x}", name()));
            sink.vector("constraint", "N m", &on.m, |x| format!("{}.m{x}", name()));
            sink.vector("constraint", "N", &R_WA.tr_mul(&on.f), |x| format!("{}.f{x}_j", name()));
            sink.vector("constraint", "N m", &R_WA.tr_mul(&on.m), |x| format!("{}.m{x}_j", name()));
        }
    }
}

/// J v̇ + bias of every marker; J v̇ is the twist that v̇ would give as a velocity.
fn accelerations(d: &Dynamics, now: Moment, out: &mut [Acceleration]) {
    let model: &Model = d.model;
    for b in &model.bodies {
        let body = b.kind.body();
        let (q, vdot) = (&now.q[b.q.clone()], &d.vdot[b.v.clone()]);
        let mut own: Motion = d.scene.motions[b.markers.start];
        body.reference_twist(q, vdot, &mut own);
        for i in b.markers.clone() {
            let seen = &d.scene.motions[i];
            let mut pulled = if i == b.markers.start { own } else { *seen };
            if i != b.markers.start {
                body.twist(q, vdot, &own, &model.markers[i].place, &mut pulled);
            }
            out[i] = match model.markers[i].place {
                Place::Frame(..) => Acceleration { a: pulled.v + seen.bv, alpha: pulled.w + seen.bw },
                Place::Coordinate(_) => Acceleration { a: pulled.v + seen.bv, alpha: Vec3::zeros() },
            };
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

fn per_second(unit: &'static str) -> &'static str {
    match unit {
        "m" => "m/s",
        "rad" => "rad/s",
        "m/s" => "m/s²",
        "rad/s" => "rad/s²",
        "1/s" => "1/s²",
        _ => "1/s",
    }
}

/// `rod.vx` → `rod.ax`, `rod.omega` → `rod.alpha`, `rod.wx` → `rod.alpha_x`, `motor.s'` → `motor.s''`.
fn acceleration_name(velocity: &str) -> String {
    let (body, short) = velocity.rsplit_once('.').unwrap_or(("", velocity));
    let short = match short {
        "omega" => "alpha".to_string(),
        "vx" | "vy" | "vz" => short.replacen('v', "a", 1),
        "wx" | "wy" | "wz" => short.replacen('w', "alpha_", 1),
        rate if rate.ends_with('\'') => format!("{rate}'"),
        other => format!("{other}'"),
    };
    format!("{body}.{short}")
}
