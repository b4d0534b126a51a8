//! What a run was like, gathered from its rows as they stream by.

use crate::expect::Checked;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use taut::analyses::Rank;
use taut::constraints::{ConstraintKind, Hold, Turning};
use taut::{Model, Outcome, Signal, Statistics, Table, Verdict, Warning};
use taut_papers::text::{self, Align, number, size, table};

/// A largest value and when it occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peak {
    /// The value.
    pub value: f64,
    /// When, s.
    pub t: f64,
}

impl Peak {
    fn raise(&mut self, value: f64, t: f64) {
        // What is not a number is worse than any.
        if value > self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Peak { value, t };
        }
    }

    fn json(self, unit: &str) -> Value {
        json!({ unit: finite(self.value), "t": self.t })
    }
}

/// Three columns that are a vector.
#[derive(Clone, Debug)]
struct Vector {
    name: String,
    columns: [usize; 3],
    peak: Peak,
}

/// Largest reaction of a constraint on a marker.
#[derive(Clone, Debug)]
struct Reaction {
    force: Vector,
    moment: Option<Vector>,
}

/// The multiplier of a row that drives something: the drive's effort.
#[derive(Clone, Debug)]
struct Drive {
    name: String,
    unit: String,
    column: usize,
    least: Peak,
    most: Peak,
}

/// Worst residual at one level.
#[derive(Clone, Debug)]
struct Level {
    name: &'static str,
    columns: [usize; 2],
    worst: Peak,
    row: usize,
}

/// A contact of a march in time steps.
#[derive(Clone, Debug)]
struct Contact {
    name: String,
    /// Impulse since the start, and gap.
    columns: [usize; 2],
    impulse: f64,
    deepest: Peak,
}

/// What extremes are taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    /// The rows of the table.
    #[default]
    Rows,
    /// The motion: peaks between rows too.
    Motion,
}

/// Extremes over all rows seen up to now.
#[derive(Clone, Debug, Default)]
pub struct Extremes {
    names: Vec<String>,
    rows: usize,
    balance: Option<(usize, Peak)>,
    kinetic: Option<(usize, Peak)>,
    levels: Vec<Level>,
    reactions: Vec<Reaction>,
    drives: Vec<Drive>,
    contacts: Vec<Contact>,
    coverage: Coverage,
    /// Whether peaks before a resumption are no longer known.
    resumed: bool,
}

impl Extremes {
    /// What can be gathered from a table of these columns.
    pub fn of(model: &Model, table: &Table) -> Extremes {
        let names = RefCell::new(vec!["t".to_string()]);
        let index: HashMap<&str, usize> =
            table.columns().iter().enumerate().map(|(i, c)| (c.name.as_str(), i)).collect();
        let find = |name: &str| {
            let found = index.get(name).copied();
            found.inspect(|_| names.borrow_mut().push(name.to_string()))
        };
        let vector = |name: &str, short: char| -> Option<Vector> {
            let axis = |x| find(&format!("{name}.{short}{x}"));
            Some(Vector {
                name: name.to_string(),
                columns: [axis('x')?, axis('y')?, axis('z')?],
                peak: Peak::default(),
            })
        };
        let mut reactions = Vec::new();
        for c in &model.constraints {
            let markers = c.markers.iter().map(|&m| format!("{}.{}", c.name, model.markers[m].name));
            for name in std::iter::once(c.name.clone()).chain(markers) {
                if let Some(force) = vector(&name, 'f') {
                    reactions.push(Reaction { force, moment: vector(&name, 'm') });
                }
            }
        }
        let level = |name: &'static str| {
            let columns = [find(&format!("residual.{name}"))?, find(&format!("residual.{name}.row"))?];
            Some(Level { name, columns, worst: Peak::default(), row: 0 })
        };
        let drive = |row: usize| {
            let (owner, own) = (model.owner(row), &model.rows[row]);
            let column = find(&format!("{}.lambda_{}", owner.name, own.name))?;
            let unit = if own.unit == "rad" { "N m" } else { "N" };
            let (least, most) = (Peak { value: f64::INFINITY, t: 0.0 }, Peak { value: f64::NEG_INFINITY, t: 0.0 });
            let name = if owner.rows.len() == 1 { owner.name.clone() } else { model.row_name(row) };
            Some(Drive { name, unit: unit.to_string(), column, least, most })
        };
        let balance = find("energy.balance").map(|i| (i, Peak::default()));
        let kinetic = find("energy.kinetic").map(|i| (i, Peak::default()));
        let levels = ["position", "velocity", "acceleration"].into_iter().filter_map(level).collect();
        let drives = driven(model).into_iter().filter_map(drive).collect();
        let contact = |name: &str| {
            let columns = [find(&format!("{name}.impulse"))?, find(&format!("{name}.gap"))?];
            let deepest = Peak { value: f64::NEG_INFINITY, t: 0.0 };
            Some(Contact { name: name.to_string(), columns, impulse: 0.0, deepest })
        };
        let contacts = model.constraints.iter().filter_map(|c| contact(&c.name)).collect();
        Extremes {
            names: names.into_inner(),
            rows: 0,
            balance,
            kinetic,
            levels,
            reactions,
            drives,
            contacts,
            coverage: Coverage::default(),
            resumed: false,
        }
    }

    /// Takes rows in; the columns are those of the table it was made of.
    pub fn see(&mut self, rows: &Table) {
        let columns = rows.columns();
        for i in 0..rows.len() {
            let (t, at) = (columns[0].data[i], |k: usize| columns[k].data[i]);
            for (k, peak) in self.balance.iter_mut().chain(&mut self.kinetic) {
                peak.raise(at(*k).abs(), t);
            }
            for level in &mut self.levels {
                let before = level.worst;
                level.worst.raise(at(level.columns[0]), t);
                if level.worst != before {
                    level.row = at(level.columns[1]) as usize;
                }
            }
            for r in &mut self.reactions {
                for v in std::iter::once(&mut r.force).chain(&mut r.moment) {
                    let [x, y, z] = v.columns.map(at);
                    v.peak.raise(x.hypot(y).hypot(z), t);
                }
            }
            for c in &mut self.contacts {
                c.impulse = at(c.columns[0]);
                let depth = -at(c.columns[1]);
                if depth > c.deepest.value {
                    c.deepest = Peak { value: depth, t };
                }
            }
            for d in &mut self.drives {
                let x = at(d.column);
                if x < d.least.value {
                    d.least = Peak { value: x, t };
                }
                if x > d.most.value {
                    d.most = Peak { value: x, t };
                }
            }
        }
        self.rows += rows.len();
    }

    /// Takes in rows that were seen at peaks and are not among those of the table.
    pub fn see_peaks(&mut self, rows: &Table) {
        let counted = self.rows;
        self.see(rows);
        self.rows = counted;
    }

    /// Says whether the extremes are those of the motion, or of the rows alone.
    pub fn covers(&mut self, coverage: Coverage) {
        self.coverage = if self.resumed { Coverage::Rows } else { coverage };
    }

    /// Whether a column matters here; the time always does.
    pub fn needs(&self, name: &str) -> bool {
        self.names.iter().any(|n| n == name)
    }

    /// Takes over what was gathered from earlier rows of the same run.
    pub fn take_over(&mut self, earlier: &Extremes) {
        self.rows += earlier.rows;
        self.resumed = true;
        let pairs = [(&mut self.balance, earlier.balance), (&mut self.kinetic, earlier.kinetic)];
        for (own, other) in pairs {
            own.iter_mut().zip(other).for_each(|((_, own), (_, other))| own.raise(other.value, other.t));
        }
        for own in &mut self.levels {
            let before = own.worst;
            if let Some(other) = earlier.levels.iter().find(|l| l.name == own.name) {
                own.worst.raise(other.worst.value, other.worst.t);
                own.row = if own.worst == before { own.row } else { other.row };
            }
        }
        for own in &mut self.reactions {
            let Some(other) = earlier.reactions.iter().find(|r| r.force.name == own.force.name) else { continue };
            own.force.peak.raise(other.force.peak.value, other.force.peak.t);
            let moments = own.moment.iter_mut().zip(&other.moment);
            moments.for_each(|(own, other)| own.peak.raise(other.peak.value, other.peak.t));
        }
        for own in &mut self.contacts {
            let Some(other) = earlier.contacts.iter().find(|c| c.name == own.name) else { continue };
            own.impulse = if self.rows == earlier.rows { other.impulse } else { own.impulse };
            own.deepest = if other.deepest.value >= own.deepest.value { other.deepest } else { own.deepest };
        }
        for own in &mut self.drives {
            if let Some(other) = earlier.drives.iter().find(|d| d.name == own.name) {
                own.least = if other.least.value <= own.least.value { other.least } else { own.least };
                own.most = if other.most.value >= own.most.value { other.most } else { own.most };
            }
        }
    }

    /// Worst residual of positions up to now.
    pub fn residual(&self) -> Option<f64> {
        self.levels.iter().find(|l| l.name == "position").map(|l| l.worst.value)
    }

    /// Largest reactions and efforts as lines of a table.
    pub fn loads(&self) -> String {
        let mut text = String::new();
        if !self.reactions.is_empty() {
            let of = match self.coverage {
                Coverage::Motion => "reactions",
                Coverage::Rows => "reactions (of the rows)",
            };
            let head = [of, "largest force [N]", "at [s]", "largest moment [N m]", "at [s]"];
            // Moments of nothing but round-off are none.
            let arm = |r: &Reaction| {
                r.moment.as_ref().map(|m| m.peak).filter(|m| m.value.is_nan() || m.value > 1e-9 * r.force.peak.value)
            };
            let width = if self.reactions.iter().any(|r| arm(r).is_some()) { 5 } else { 3 };
            let mut rows = vec![head[..width].iter().map(|h| h.to_string()).collect::<Vec<_>>()];
            for r in &self.reactions {
                let force = r.force.peak;
                let mut row = vec![format!("  {}", r.force.name), number(force.value), number(force.t)];
                row.extend(arm(r).iter().flat_map(|m| [number(m.value), number(m.t)]));
                rows.push(row);
            }
            use Align::{Left, Right};
            text.push_str(&table(&[Left, Right, Right, Right, Right], &rows, ""));
        }
        if self.rows > 0 && !self.contacts.is_empty() {
            let head = ["contacts", "impulse [N s]", "least gap", "at [s]"];
            let mut rows = vec![head.map(String::from).to_vec()];
            for c in &self.contacts {
                // Far from each other, features have no gap.
                let gap = if c.deepest.value.is_finite() { number(-c.deepest.value) } else { "-".to_string() };
                rows.push(vec![format!("  {}", c.name), number(c.impulse), gap, number(c.deepest.t)]);
            }
            use Align::{Left, Right};
            text.push_str(&table(&[Left, Right, Right, Right], &rows, ""));
        }
        if self.rows > 0 && !self.drives.is_empty() {
            let of = match self.coverage {
                Coverage::Motion => "efforts of drives",
                Coverage::Rows => "efforts of drives (of the rows)",
            };
            let head = [of, "least", "at [s]", "largest", "at [s]", ""];
            let mut rows = vec![head.map(String::from).to_vec()];
            for d in &self.drives {
                let extremes = [d.least, d.most].into_iter().flat_map(|p| [number(p.value), number(p.t)]);
                let unit = format!("[{}]", d.unit);
                rows.push(std::iter::once(format!("  {}", d.name)).chain(extremes).chain([unit]).collect());
            }
            use Align::{Left, Right};
            text.push_str(&table(&[Left, Right, Right, Right, Right, Left], &rows, ""));
        }
        text
    }

    /// Impulses and least gaps of the contacts of a march in time steps.
    fn contacts_json(&self) -> Value {
        let contact = |c: &Contact| {
            json!({
                "of": c.name, "impulse": { "N s": finite(c.impulse), },
                "gap": { "least": finite(-c.deepest.value), "t": c.deepest.t },
            })
        };
        self.contacts.iter().map(contact).collect()
    }

    /// The same as data.
    pub fn loads_json(&self) -> (Value, Value) {
        let reaction = |r: &Reaction| {
            json!({
                "on": r.force.name, "force": r.force.peak.json("N"),
                "moment": r.moment.as_ref().map(|m| m.peak.json("N m")),
            })
        };
        let drive =
            |d: &Drive| json!({ "of": d.name, "least": d.least.json(&d.unit), "largest": d.most.json(&d.unit) });
        (self.reactions.iter().map(reaction).collect(), self.drives.iter().map(drive).collect())
    }
}

/// Rows that follow something that moves with time.
fn driven(model: &Model) -> Vec<usize> {
    let moves = |hold: &Hold| match hold {
        Hold::Position(s) => !matches!(s, Signal::Constant { .. }),
        Hold::Velocity(_) | Hold::Acceleration(_) => true,
        Hold::Free | Hold::Held => false,
    };
    let mut rows = Vec::new();
    for c in &model.constraints {
        match &c.kind {
            ConstraintKind::Relation(r) if moves(&r.follows) => rows.extend(c.rows.clone()),
            ConstraintKind::Joint(j) => {
                let along = j.along.iter().filter(|h| **h != Hold::Free).enumerate();
                rows.extend(along.filter(|(_, h)| moves(h)).map(|(k, _)| c.rows.start + k));
                if let Turning::About(h) | Turning::Locked(h) = &j.turning
                    && moves(h)
                {
                    rows.push(c.rows.end - 1);
                }
            }
            _ => {}
        }
    }
    rows
}

/// A finished, or interrupted, run.
#[derive(Debug)]
pub struct Summary<'a> {
    /// Name of the model.
    pub name: &'a str,
    /// The model.
    pub model: &'a Model,
    /// Rank at the start, where the model is small enough.
    pub rank: Option<Rank>,
    /// Why it ended; none if it was interrupted.
    pub outcome: Option<&'a Outcome>,
    /// The time reached.
    pub t: f64,
    /// Work.
    pub statistics: Statistics,
    /// Extremes.
    pub extremes: &'a Extremes,
    /// Time by the clock on the wall, s.
    pub elapsed: f64,
    /// Warnings.
    pub warnings: &'a [Warning],
    /// What the audit says; none where nothing is audited.
    pub verdict: Option<Verdict>,
    /// What became of the expectations.
    pub expected: &'a [Checked],
    /// Where the results are.
    pub folder: String,
}

impl Summary<'_> {
    /// For people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let how = match self.outcome {
            None => format!("interrupted at t = {} s", number(self.t)),
            Some(Outcome::Finished) => format!("finished at t = {} s", number(self.t)),
            Some(other) => other.to_string(),
        };
        let verdict = self.verdict.map_or_else(String::new, |verdict| self.judged(verdict));
        let _ = writeln!(text, "{}: {verdict}{how}, after {}", self.name, text::clock(self.elapsed));
        if let Some(cause) = self.cause() {
            let _ = writeln!(text, "audit      {}", cause.message);
        }
        if let Some(r) = &self.rank {
            let redundant = if r.redundant > 0 { format!(", {} redundant", r.redundant) } else { String::new() };
            let rows = format!("{} velocities, {} constraint rows{redundant}", r.velocities, r.rows);
            let _ = writeln!(text, "freedoms   {} ({rows})", r.freedoms);
        }
        let s = &self.statistics;
        if s.steps > 0 {
            let work = format!("{} ({} rejected), {} evaluations", s.steps, s.rejected, s.evaluations);
            let _ = writeln!(text, "steps      {work}");
        }
        if let Some((_, balance)) = self.extremes.balance {
            let kinetic = self.extremes.kinetic.map_or(0.0, |(_, k)| k.value);
            let scale = format!("kinetic energy up to {} J", number(kinetic));
            let _ = writeln!(text, "energy     balanced within {} J ({scale})", size(balance.value));
        }
        let level = |l: &Level| format!("{} {}{}", l.name, size(l.worst.value), self.row(l));
        let levels: Vec<String> = self.extremes.levels.iter().map(level).collect();
        if !levels.is_empty() {
            let _ = writeln!(text, "residuals  {}", levels.join(", "));
        }
        text.push_str(&self.extremes.loads());
        if !self.expected.is_empty() {
            let met = self.expected.iter().filter(|e| e.is_met()).count();
            let _ = writeln!(text, "expected   {met} of {} met", self.expected.len());
        }
        let rows = text::count(self.extremes.rows, "row", "rows");
        let _ = writeln!(text, "results    {} ({rows})", self.folder);
        text
    }

    /// The warning that decided the verdict.
    fn cause(&self) -> Option<&Warning> {
        self.verdict.and_then(|_| Warning::deciding(self.warnings))
    }

    /// The verdict, since when, and the element responsible.
    fn judged(&self, verdict: Verdict) -> String {
        let Some(cause) = self.cause() else { return format!("{verdict}; ") };
        let element = cause.element.as_ref().map_or_else(String::new, |e| format!(", `{e}`"));
        format!("{verdict} from t = {} s on{element}; ", number(cause.t))
    }

    fn row(&self, level: &Level) -> String {
        match level.worst.value {
            0.0 => String::new(),
            _ if level.row < self.model.rows.len() => format!(" ({})", self.model.row_name(level.row)),
            _ => String::new(),
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let level = |l: &Level| {
            let row = (l.row < self.model.rows.len()).then(|| self.model.row_name(l.row));
            (l.name.to_string(), json!({ "worst": finite(l.worst.value), "t": l.worst.t, "row": row }))
        };
        let levels: serde_json::Map<_, _> = self.extremes.levels.iter().map(level).collect();
        let (reactions, drives) = self.extremes.loads_json();
        json!({
            "model": self.name,
            "verdict": self.verdict,
            "cause": self.cause(),
            "outcome": self.outcome.map_or_else(|| json!("interrupted"), |o| json!(o)),
            "message": self.outcome.map_or_else(|| "interrupted".to_string(), |o| o.to_string()),
            "t": self.t,
            "elapsed_s": self.elapsed,
            "freedoms": self.rank.as_ref().map(|r| r.freedoms),
            "rank": self.rank,
            "statistics": self.statistics,
            "energy": {
                "balance_J": self.extremes.balance.map(|(_, p)| finite(p.value)),
                "kinetic_J": self.extremes.kinetic.map(|(_, p)| finite(p.value)),
            },
            "residuals": levels,
            "extremes_of": match self.extremes.coverage {
                Coverage::Rows => "rows",
                Coverage::Motion => "motion",
            },
            "reactions": reactions,
            "drives": drives,
            "contacts": self.extremes.contacts_json(),
            "warnings": self.warnings,
            "expected": self.expected.iter().map(Checked::json).collect::<Vec<_>>(),
            "results": self.folder,
            "rows": self.extremes.rows,
        })
    }
}

/// JSON has no word for NaN and infinity.
fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}
