//! Writes one row of the table for one state: the same walk names the columns and fills them.

use super::columns::{Columns, Family};
use super::gauge::{Acceleration, Gauge, Turns};
use super::label::Label;
use super::table::Table;
use crate::bodies::{BodyKind, Extra};
use crate::constraints::View;
use crate::contacts::Range;
use crate::dynamics::Dynamics;
use crate::equations::is_frame;
use crate::forces::{Conservation, ForceKind};
use crate::laws::{Law, QUIET};
use crate::marker::Place;
use crate::model::{BodyEntry, Model};
use crate::motion::{Motion, Vec3, Wrench};
use crate::solvers::contact_features::ahead;
use crate::solvers::rank;
use crate::state::Mode;

/// A state whose equations have just been solved, and what the run knows besides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'a> {
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub z: &'a [f64],
    /// Work put in since the start, where it is known.
    pub work: Option<f64>,
    /// Energy lost since the start.
    pub lost: Lost<'a>,
    /// T + V at the start.
    pub energy_at_start: f64,
    /// Length of the last step.
    pub step: f64,
    /// What a march in time steps knows of its contacts.
    pub stepped: Option<Stepped<'a>>,
}

/// Contacts of a march in time steps, whose rows never hold by themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stepped<'a> {
    /// Modes in which the last step left the constraints.
    pub modes: &'a [Mode],
    /// Constraints whose gap and slip are those of the last step.
    pub bound: &'a [bool],
    /// Impulse of the gap of every constraint since the start.
    pub impulses: &'a [f64],
}

/// Energy lost since the start, J.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lost<'a> {
    /// Constraints that can rub.
    pub rubbing: &'a [usize],
    /// By the friction of each of these.
    pub friction: &'a [f64],
    /// In the impacts of every constraint; empty where there are none.
    pub impacts: &'a [f64],
}

/// Columns, and the scratch to fill them.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    pub table: Table,
    pub turns: Turns,
    pub gauges: Vec<Gauge>,
    /// How many of them are columns; the others are read by events alone.
    shown: usize,
    columns: Columns,
    accelerations: Vec<Acceleration>,
    on: Vec<Wrench>,
}

/// Where a walk puts what it finds.
enum Sink<'a> {
    Names(Vec<(&'static str, Label, &'static str)>),
    Values(&'a mut Table, usize),
}

impl Sink<'_> {
    #[inline]
    fn put(&mut self, family: &'static str, unit: &'static str, x: f64, label: impl FnOnce() -> Label) {
        match self {
            Sink::Names(names) => names.push((family, label(), unit)),
            Sink::Values(table, at) => {
                table.columns_mut()[*at].data.push(x);
                *at += 1;
            }
        }
    }

    fn vector(&mut self, family: &'static str, unit: &'static str, x: &Vec3, label: impl Fn(&str) -> Label) {
        for (i, axis) in ["x", "y", "z"].iter().enumerate() {
            self.put(family, unit, x[i], || label(axis));
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

    /// Value and rate of a declared measure at a time within the last step.
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

    /// Appends a row; λ and v̇ of the dynamics are those of the moment.
    pub fn record(&mut self, dynamics: &Dynamics, moment: Moment) {
        let mut table = std::mem::take(&mut self.table);
        self.walk(dynamics, moment, &mut Sink::Values(&mut table, 0));
        self.table = table;
    }

    fn walk(&mut self, d: &Dynamics, now: Moment, sink: &mut Sink) {
        let model = d.model;
        sink.put("time", "s", now.t, || Label::new("t", "time"));
        self.state(d, now, sink);
        if [Family::Markers, Family::Measures, Family::Joints].iter().any(|f| self.columns.shows(*f)) {
            accelerations(d, now, &mut self.accelerations);
        }
        if self.columns.shows(Family::Markers) {
            for (i, m) in model.markers.iter().enumerate() {
                // The body's own frame repeats its coordinates; so do those of nodes, which have no dot in their names.
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
            let found = [
                ("position", worst(&d.eq.phi)),
                ("velocity", worst(&d.eq.phidot)),
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
                    sink.put("body", q.get(i).map_or("1", |n| n.unit), now.q[i], || Label::of_body(&q[i].name));
                }
                for i in b.v.clone() {
                    sink.put("body", v.get(i).map_or("1", |n| n.unit), now.v[i], || Label::of_body(&v[i].name));
                }
            }
            if rates {
                for i in b.v.clone() {
                    let unit = per_second(v.get(i).map_or("1", |n| n.unit));
                    sink.put("body", unit, d.vdot[i], || Label::of_acceleration(&v[i].name));
                }
            }
            for extra in b.kind.body().extras() {
                self.extra(d, now, b, *extra, sink);
            }
        }
    }

    /// Orientation and turning of a body whose own coordinates or velocities do not show them.
    fn extra(&self, d: &Dynamics, now: Moment, b: &BodyEntry, extra: Extra, sink: &mut Sink) {
        let (state, rates) = (self.columns.shows(Family::State), self.columns.shows(Family::Accelerations));
        let (body, q, own) = (b.kind.body(), &now.q[b.q.clone()], &d.scene.motions[b.markers.start]);
        let label = |short: &str| Label::of_body(&format!("{}.{short}", b.name));
        match extra {
            Extra::Attitude if state => {
                for (x, short) in body.attitude(q).into_iter().zip(["qw", "qx", "qy", "qz"]) {
                    sink.put("body", "1", x, || label(short));
                }
            }
            Extra::Attitude => {}
            Extra::AngularVelocity => {
                if state {
                    sink.vector("body", "rad/s", &own.w, |x| label(&format!("w{x}")));
                }
                if rates {
                    let mut pulled = *own;
                    body.reference_twist(q, &d.vdot[b.v.clone()], &mut pulled);
                    sink.vector("body", "rad/s²", &(pulled.w + own.bw), |x| label(&format!("alpha_{x}")));
                }
            }
        }
    }

    fn efforts(&mut self, d: &Dynamics, now: Moment, sink: &mut Sink) {
        for f in &d.model.forces {
            let view = View { t: now.t, motions: &d.scene.motions, ids: &f.markers, z: &now.z[f.z.clone()] };
            let on = &mut self.on[..f.markers.len()];
            f.kind.force().apply(&view, on);
            if let ForceKind::Beam(beam) = &f.kind {
                for (c, stress) in beam.stresses(&view).enumerate() {
                    internal(&f.name, c, &stress, sink);
                }
            } else if let (Some(&m), Some(w)) = (f.markers.last(), on.last()) {
                if is_frame(d.model, m) {
                    let label = |short: &str, x: &str, what: &str| {
                        let on = &d.model.markers[m].name;
                        let meaning = format!("{x} {what} of `{}` on marker `{on}`, world axes", f.name);
                        Label::new(format!("{}.{short}{x}", f.name), meaning)
                    };
                    sink.vector("force", "N", &w.f, |x| label("f", x, "force"));
                    sink.vector("force", "N m", &w.m, |x| label("m", x, "moment"));
                } else {
                    sink.put("force", "N", w.f.x, || {
                        let on = &d.model.markers[m].name;
                        Label::new(
                            format!("{}.effort", f.name),
                            format!("generalised force of `{}` on coordinate `{on}`", f.name),
                        )
                    });
                }
            }
            if f.kind.force().conserves() == Conservation::Open {
                let power = f.kind.force().work_rate(&view, on);
                sink.put("force", "W", power, || {
                    Label::new(format!("{}.power", f.name), format!("power that `{}` puts in", f.name))
                });
            }
        }
    }
}

/// Internal force and moment at a cut of a beam's element.
fn internal(element: &str, cut: usize, stress: &[f64; 6], sink: &mut Sink) {
    let names = ["N", "Qy", "Qz", "Mx", "My", "Mz"];
    let words = ["normal force", "shear force y", "shear force z", "torque", "bending moment y", "bending moment z"];
    for (k, value) in stress.iter().enumerate() {
        sink.put("force", if k < 3 { "N" } else { "N m" }, *value, || {
            // Only elements of three nodes have a second cut.
            let at = if cut == 0 { String::new() } else { format!("_{}", cut + 1) };
            let meaning = format!("{} in `{element}`, axes of the section", words[k]);
            Label::new(format!("{element}.{}{at}", names[k]), meaning)
        });
    }
}

/// Mode, gap, slip and losses of every constraint that comes and goes.
fn contacts(d: &Dynamics, now: Moment, sink: &mut Sink) {
    let model = d.model;
    let mut open: Vec<(usize, f64)> = Vec::new();
    ahead(model, now.t, &d.scene.motions, &d.modes, now.z, Range::All, |c, seen| open.push((c, seen.gap)));
    for (c, entry) in model.constraints.iter().enumerate().filter(|(_, c)| c.law != Law::Bilateral) {
        let label = |short: &str, what: &str| {
            Label::new(format!("{}.{short}", entry.name), format!("{what} of `{}`", entry.name))
        };
        let (mode, first) = (now.stepped.map_or(d.modes[c], |s| s.modes[c]), entry.rows.start);
        let code = match mode {
            Mode::Idle => 0.0,
            Mode::Active => 1.0,
            Mode::Sliding(_) => 2.0,
            Mode::Verging(_) => 3.0,
        };
        sink.put("contact", "1", code, || label("mode", "mode (0 open, 1 held, 2 slipping, 3 about to slip)"));
        let held = d.modes[c].held(&entry.law);
        let bound = now.stepped.is_some_and(|s| s.bound[c]);
        if let Law::Unilateral(_) = entry.law {
            let gap = match d.modes[c] {
                Mode::Idle if bound => d.eq.loose.phi[first],
                Mode::Idle => open.iter().find(|(k, _)| *k == c).map_or(d.eq.loose.phi[first], |(_, gap)| *gap),
                _ => d.eq.phi[first],
            };
            // Where nothing is near there is no gap to tell.
            let gap = if gap < QUIET { gap } else { f64::NAN };
            sink.put("contact", model.rows[first].unit, gap, || label("gap", "gap"));
        }
        if let Some(from) = entry.law.gripping_from().filter(|from| *from < entry.rows.len()) {
            let rate = |i: usize| if held.has(i) { d.eq.phidot[first + i] } else { d.eq.loose.rate[first + i] };
            let rates = from..entry.rows.len();
            let slip = if rates.len() == 1 { rate(from) } else { rates.map(|i| rate(i).powi(2)).sum::<f64>().sqrt() };
            sink.put("contact", per_second(model.rows[first + from].unit), slip, || label("slip", "slip velocity"));
        }
        let rubbed = now.lost.rubbing.iter().position(|r| *r == c).map_or(0.0, |i| now.lost.friction[i]);
        let lost = rubbed + now.lost.impacts.get(c).copied().unwrap_or(0.0);
        if let (Some(stepped), Law::Unilateral(_)) = (now.stepped, entry.law) {
            let unit = if model.rows[first].unit == "rad" { "N m s" } else { "N s" };
            sink.put("contact", unit, stepped.impulses[c], || label("impulse", "impulse of the gap since the start"));
        }
        sink.put("contact", "J", lost, || label("lost", "energy lost by friction and impacts"));
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
            let label = |short: &str, x: &str, tail: &str, what: &str| {
                let axes = if tail.is_empty() { "world axes" } else { "axes of its first marker" };
                let meaning = format!("{x} reaction {what} of `{}` on `{}`, {axes}", c.name, model.markers[m].name);
                Label::new(format!("{}.{short}{x}{tail}", name()), meaning)
            };
            sink.vector("constraint", "N", &on.f, |x| label("f", x, "", "force"));
            sink.vector("constraint", "N m", &on.m, |x| label("m", x, "", "moment"));
            sink.vector("constraint", "N", &R_WA.tr_mul(&on.f), |x| label("f", x, "_j", "force"));
            sink.vector("constraint", "N m", &R_WA.tr_mul(&on.m), |x| label("m", x, "_j", "moment"));
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
