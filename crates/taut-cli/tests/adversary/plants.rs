//! Random mechanisms: the text of a model file in redundant coordinates, and their equations of motion in minimal
//! coordinates.

use crate::random::Random;
use crate::reference::Plant;
use crate::signal::{Branches, NamedCoordinate, Term, random_term};

/// A mechanism, its model, and the columns that show its state.
pub struct Case {
    pub model: String,
    pub plant: Box<dyn Plant>,
    /// Column compared with each component of the reference state; none for auxiliary components.
    pub columns: Vec<Option<String>>,
    /// Length of the path, if the motion covers one many times its width: an error of rtol in the speed at the start moves it by rtol of
    /// that.
    pub path: f64,
}

const G: f64 = 9.81;

pub fn random_case(r: &mut Random, end: f64) -> Case {
    match r.below(7) {
        0 | 1 => chain(r, end),
        2 => pendulum(r, end),
        3 => double_pendulum(r, end),
        4 => parallelogram(r, end),
        5 => braked(r, end),
        _ => stops(r, end),
    }
}

/// A mass guided along x.
fn guided(name: &str, mass: f64, x: f64, v: f64) -> String {
    format!(
        "[bodies.{name}]\ntype = \"point_mass\"\nmass = {mass}\nposition = [{x}, 0, 0]\nvelocity = [{v}, 0, 0]\n\
         [joints.g_{name}]\ntype = \"joint\"\na = \"ground\"\nb = \"{name}\"\ntranslation = [\"free\", \"fixed\", \"fixed\"]\n\
         rotation = \"free\"\n"
    )
}

/// Masses in a row, linked by springs and dampers to a base that is driven and to each other.
struct Chain {
    mass: Vec<f64>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    forces: Vec<Term>,
    base: Base,
    start: Vec<f64>,
}

enum Base {
    Still,
    /// Its velocity.
    Moving(Term),
    /// Its position; dampers do not touch it.
    Led(Term),
}

impl Plant for Chain {
    fn start(&self) -> Vec<f64> {
        self.start.clone()
    }

    // y = base, x_1 … x_n, v_1 … v_n
    fn rates(&self, t: f64, y: &[f64], on: &mut Branches, dy: &mut [f64]) {
        let n = self.mass.len();
        let (x, v) = (&y[1..=n], &y[1 + n..]);
        let (base, rate) = match &self.base {
            Base::Still => (0.0, 0.0),
            Base::Moving(u) => (y[0], u.value(t, x, on)),
            Base::Led(p) => (p.value(t, x, on), 0.0),
        };
        dy[0] = rate;
        for i in 0..n {
            let (x0, v0) = if i == 0 { (base, rate) } else { (x[i - 1], v[i - 1]) };
            let pull = -self.stiffness[i] * (x[i] - x0) - self.damping[i] * (v[i] - v0);
            let next = if i + 1 < n {
                self.stiffness[i + 1] * (x[i + 1] - x[i]) + self.damping[i + 1] * (v[i + 1] - v[i])
            } else {
                0.0
            };
            dy[1 + i] = v[i];
            dy[1 + n + i] = (pull + next + self.forces[i].value(t, x, on)) / self.mass[i];
        }
    }
}

fn chain(r: &mut Random, end: f64) -> Case {
    let n = 1 + r.below(3);
    let mut model = guided("base", 1.0, 0.0, 0.0);
    let base = match r.below(3) {
        0 => Base::Still,
        1 => Base::Moving(random_term(r, 0.5, end, None)),
        _ => {
            let t0 = r.between(0.1, 0.7) * end;
            Base::Led(Term::Times(
                Box::new(Term::Number(r.between(0.05, 1.0))),
                Box::new(Term::Step(t0, t0 + r.decades(1e-2, 0.5))),
            ))
        }
    };
    match &base {
        Base::Still => {
            model += "[joints.w]\ntype = \"joint\"\na = \"ground\"\nb = \"base\"\ntranslation = [\"fixed\", \"free\", \"free\"]\nrotation = \"free\"\n"
        }
        Base::Moving(u) => model += &format!("[drivers.d]\ncoordinate = \"base.x\"\nvelocity = \"{}\"\n", u.text()),
        Base::Led(p) => model += &format!("[drivers.d]\ncoordinate = \"base.x\"\nposition = \"{}\"\n", p.text()),
    }
    let led = matches!(base, Base::Led(_));
    let (mut mass, mut stiffness, mut damping, mut forces) = (vec![], vec![], vec![], vec![]);
    let mut columns = vec![(!matches!(base, Base::Led(_) | Base::Still)).then(|| "base.x".to_string())];
    let (mut x, mut v) = (vec![], vec![]);
    for i in 0..n {
        mass.push(r.between(0.3, 3.0));
        stiffness.push(r.decades(5.0, 200.0));
        damping.push(if i == 0 && led { 0.0 } else { r.between(0.0, 0.5) });
        let rest = r.below(2) == 0;
        x.push(if rest { 0.0 } else { r.between(-0.1, 0.1) });
        v.push(if rest { 0.0 } else { r.between(-0.5, 0.5) });
        let name = format!("m{i}.x");
        let seen = NamedCoordinate { index: i, name: &name };
        let size = r.decades(0.5, 200.0);
        forces.push(if r.below(3) == 0 { Term::Number(0.0) } else { random_term(r, size, end, Some(&seen)) });
        let before = if i == 0 { "base".to_string() } else { format!("m{}", i - 1) };
        model += &guided(&format!("m{i}"), mass[i], x[i], v[i]);
        model += &format!(
            "[forces.k{i}]\ntype = \"spring\"\ncoordinate = {{ slide = {{ a = \"{before}\", b = \"m{i}\", axis = \"x\" }} }}\n\
             stiffness = {}\ndamping = {}\n[forces.f{i}]\ntype = \"formula\"\ncoordinate = \"m{i}.x\"\nforce = \"{}\"\n",
            stiffness[i],
            damping[i],
            forces[i].text()
        );
    }
    columns.extend((0..n).map(|i| Some(format!("m{i}.x"))));
    columns.extend((0..n).map(|i| Some(format!("m{i}.vx"))));
    let start = [vec![0.0], x, v].concat();
    Case { model, plant: Box::new(Chain { mass, stiffness, damping, forces, base, start }), columns, path: 0.0 }
}

/// J θ'' = τ − k sin θ − c θ'
struct Swing {
    inertia: f64,
    weight: f64,
    damping: f64,
    torque: Term,
    start: Vec<f64>,
}

impl Plant for Swing {
    fn start(&self) -> Vec<f64> {
        self.start.clone()
    }

    fn rates(&self, t: f64, y: &[f64], on: &mut Branches, dy: &mut [f64]) {
        let torque = self.torque.value(t, y, on);
        dy[0] = y[1];
        dy[1] = (torque - self.weight * y[0].sin() - self.damping * y[1]) / self.inertia;
    }
}

fn pendulum(r: &mut Random, end: f64) -> Case {
    let (mass, length, inertia) = (r.between(0.5, 2.0), r.between(0.3, 1.2), r.between(0.02, 0.3));
    let (theta, damping) = (if r.below(2) == 0 { 0.0 } else { r.between(-1.0, 1.0) }, r.between(0.0, 0.3));
    let seen = NamedCoordinate { index: 0, name: "s" };
    let size = r.decades(0.5, 20.0);
    let torque = random_term(r, size, end, Some(&seen));
    let model = format!(
        "gravity = [0, -{G}, 0]\n[bodies.p]\ntype = \"planar\"\nmass = {mass}\ninertia = {inertia}\nposition = [{:e}, {:e}]\n\
         angle = {theta}\nmarkers = {{ e = [0, {length}] }}\n[joints.h]\ntype = \"pin\"\na = \"ground\"\nb = \"p.e\"\n\
         [forces.m]\ntype = \"formula\"\ncoordinate = \"h.angle\"\nforce = \"{} - {damping}*rate\"\n",
        length * theta.sin(),
        -length * theta.cos(),
        torque.text()
    );
    let plant = Swing {
        inertia: inertia + mass * length * length,
        weight: mass * G * length,
        damping,
        torque,
        start: vec![theta, 0.0],
    };
    Case { model, plant: Box::new(plant), columns: vec![Some("p.theta".into()), Some("p.omega".into())], path: 0.0 }
}

/// Two equal cranks and a coupler that stays level: one degree of freedom, redundant constraints.
fn parallelogram(r: &mut Random, end: f64) -> Case {
    let (a, base) = (r.between(0.2, 0.6), r.between(0.8, 1.5));
    let (crank, coupler, inertia) = (r.between(0.3, 1.0), r.between(0.5, 2.0), r.between(0.01, 0.1));
    let size = r.decades(0.5, 10.0);
    let torque = random_term(r, size, end, Some(&NamedCoordinate { index: 0, name: "s" }));
    // θ from hanging down; small enough swings not to pass the flat poses of the loop.
    let theta = r.between(-0.4, 0.4);
    let damping = 1.5;
    let at = |x: f64, l: f64| (x + l * theta.sin(), -l * theta.cos());
    let mut model = format!("gravity = [0, -{G}, 0]\n");
    for (name, x) in [("left", 0.0), ("right", base)] {
        let (px, py) = at(x, 0.5 * a);
        model += &format!(
            "[bodies.{name}]\ntype = \"planar\"\nmass = {crank}\ninertia = {inertia}\nposition = [{px:e}, {py:e}]\nangle = {theta}\n\
             markers = {{ up = [0, {0}], down = [0, -{0}] }}\n[joints.h_{name}]\ntype = \"pin\"\na = \"ground.{name}\"\nb = \"{name}.up\"\n\
             [markers.\"ground.{name}\"]\nat = [{x}, 0, 0]\n",
            0.5 * a
        );
    }
    let (px, py) = at(0.5 * base, a);
    model += &format!(
        "[bodies.bar]\ntype = \"planar\"\nmass = {coupler}\ninertia = 0.1\nposition = [{px:e}, {py:e}]\n\
         markers = {{ l = [-{0}, 0], r = [{0}, 0] }}\n[joints.jl]\ntype = \"pin\"\na = \"left.down\"\nb = \"bar.l\"\n\
         [joints.jr]\ntype = \"pin\"\na = \"right.down\"\nb = \"bar.r\"\n\
         [forces.m]\ntype = \"formula\"\ncoordinate = \"h_left.angle\"\nforce = \"{1} - {damping}*rate\"\n",
        0.5 * base,
        torque.text()
    );
    let plant = Swing {
        inertia: 2.0 * (inertia + crank * 0.25 * a * a) + coupler * a * a,
        weight: (crank + coupler) * G * a,
        damping,
        torque,
        start: vec![theta, 0.0],
    };
    Case {
        model,
        plant: Box::new(plant),
        columns: vec![Some("left.theta".into()), Some("left.omega".into())],
        path: 0.0,
    }
}

/// Two bars of length l_1 (pin to pin) and any second length, mass centres in the middle.
struct Double {
    m: [f64; 2],
    i: [f64; 2],
    l: f64,
    c: [f64; 2],
    torque: [Term; 2],
    start: Vec<f64>,
}

impl Plant for Double {
    fn start(&self) -> Vec<f64> {
        self.start.clone()
    }

    // Absolute angles θ_1, θ_2 from hanging down; torque 1 acts on the first bar, torque 2 between the bars.
    fn rates(&self, t: f64, y: &[f64], on: &mut Branches, dy: &mut [f64]) {
        let [m1, m2] = self.m;
        let ([c1, c2], l) = (self.c, self.l);
        let relative = [y[0], y[1] - y[0]];
        let (a, b) = (self.torque[0].value(t, &relative, on), self.torque[1].value(t, &relative, on));
        let (sin, cos) = (y[0] - y[1]).sin_cos();
        let h = m2 * l * c2;
        let (j1, j2) = (self.i[0] + m1 * c1 * c1 + m2 * l * l, self.i[1] + m2 * c2 * c2);
        let q1 = a - b - h * sin * y[3] * y[3] - (m1 * c1 + m2 * l) * G * y[0].sin() - 0.3 * y[2];
        let q2 = b + h * sin * y[2] * y[2] - m2 * c2 * G * y[1].sin();
        let (m11, m12, m22) = (j1, h * cos, j2);
        let det = m11 * m22 - m12 * m12;
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = (m22 * q1 - m12 * q2) / det;
        dy[3] = (m11 * q2 - m12 * q1) / det;
    }
}

fn double_pendulum(r: &mut Random, end: f64) -> Case {
    let m = [r.between(0.5, 2.0), r.between(0.3, 1.0)];
    let i = [r.between(0.02, 0.1), r.between(0.02, 0.1)];
    let l = r.between(0.4, 0.8);
    let c = [0.5 * l, r.between(0.2, 0.4)];
    let theta = [r.between(-0.5, 0.5), r.between(-0.5, 0.5)];
    let size = r.decades(0.5, 6.0);
    let torque = [
        random_term(r, size, end, Some(&NamedCoordinate { index: 0, name: "s" })),
        random_term(r, 0.3 * size, end, Some(&NamedCoordinate { index: 1, name: "s" })),
    ];
    let elbow = [l * theta[0].sin(), -l * theta[0].cos()];
    let model = format!(
        "gravity = [0, -{G}, 0]\n\
         [bodies.one]\ntype = \"planar\"\nmass = {}\ninertia = {}\nposition = [{:e}, {:e}]\nangle = {}\nmarkers = {{ up = [0, {}], down = [0, -{}] }}\n\
         [bodies.two]\ntype = \"planar\"\nmass = {}\ninertia = {}\nposition = [{:e}, {:e}]\nangle = {}\nmarkers = {{ up = [0, {}] }}\n\
         [joints.h1]\ntype = \"pin\"\na = \"ground\"\nb = \"one.up\"\n[joints.h2]\ntype = \"pin\"\na = \"one.down\"\nb = \"two.up\"\n\
         [forces.m1]\ntype = \"formula\"\ncoordinate = \"h1.angle\"\nforce = \"{} - 0.3*rate\"\n\
         [forces.m2]\ntype = \"formula\"\ncoordinate = \"h2.angle\"\nforce = \"{}\"\n",
        m[0],
        i[0],
        c[0] * theta[0].sin(),
        -c[0] * theta[0].cos(),
        theta[0],
        c[0],
        l - c[0],
        m[1],
        i[1],
        elbow[0] + c[1] * theta[1].sin(),
        elbow[1] - c[1] * theta[1].cos(),
        theta[1],
        c[1],
        torque[0].text(),
        torque[1].text()
    );
    let plant = Double { m, i, l, c, torque, start: vec![theta[0], theta[1], 0.0, 0.0] };
    let columns = ["one.theta", "two.theta", "one.omega", "two.omega"].map(|c| Some(c.to_string())).to_vec();
    Case { model, plant: Box::new(plant), columns, path: 0.0 }
}

/// A mass under a force, held by a brake of varying strength.
struct Braked {
    mass: f64,
    stiffness: f64,
    force: Term,
    capacity: Term,
    start: Vec<f64>,
}

impl Braked {
    fn force(&self, t: f64, y: &[f64], on: &mut Branches) -> (f64, f64) {
        (self.force.value(t, y, on) - self.stiffness * y[0], self.capacity.value(t, y, on).max(0.0))
    }
}

impl Plant for Braked {
    fn start(&self) -> Vec<f64> {
        self.start.clone()
    }

    // y = x, v, mode: the sense of slip, or zero while it sticks.
    fn rates(&self, t: f64, y: &[f64], on: &mut Branches, dy: &mut [f64]) {
        let (force, capacity) = self.force(t, y, on);
        let over = if y[2] == 0.0 { force.abs() > capacity } else { y[1] * y[2] <= 0.0 };
        on.choose(i64::from(over));
        dy.fill(0.0);
        if y[2] != 0.0 {
            dy[0] = y[1];
            dy[1] = (force - capacity * y[2]) / self.mass;
        }
    }

    fn jump(&self, t: f64, y: &mut [f64]) {
        let (force, capacity) = self.force(t, y, &mut Branches::recording());
        if y[2] == 0.0 && force.abs() > capacity {
            y[2] = force.signum();
        } else if y[2] != 0.0 && y[1] * y[2] <= 0.0 {
            y[1] = 0.0;
            y[2] = if force.abs() > capacity { force.signum() } else { 0.0 };
        }
    }
}

fn braked(r: &mut Random, end: f64) -> Case {
    let (mass, stiffness) = (r.between(0.5, 2.0), r.decades(1.0, 50.0));
    let v = r.between(0.2, 1.5);
    let size = r.decades(1.0, 20.0);
    let force = random_term(r, size, end, None);
    let strength = r.decades(1.0, 50.0);
    let t0 = r.between(0.1, 0.7) * end;
    let t1 = t0 + r.decades(5e-3, 0.5);
    let capacity = Term::Times(
        Box::new(Term::Number(strength)),
        Box::new(Term::IfPos(
            Box::new(Term::Add(Box::new(Term::Time), Box::new(Term::Number(-t0)))),
            Box::new(Term::IfPos(
                Box::new(Term::Add(Box::new(Term::Time), Box::new(Term::Number(-t1)))),
                Box::new(Term::Number(0.05)),
                Box::new(Term::Number(1.0)),
            )),
            Box::new(Term::Number(0.05)),
        )),
    );
    let model = format!(
        "{}[forces.k]\ntype = \"spring\"\ncoordinate = \"m.x\"\nstiffness = {stiffness}\n[forces.f]\ntype = \"generalised_force\"\ncoordinate = \"m.x\"\nforce = \"{}\"\n\
         [constraints.b]\ntype = \"brake\"\ncoordinate = {{ coordinate = \"m.x\" }}\ncapacity = \"{}\"\n",
        guided("m", mass, 0.0, v),
        force.text(),
        capacity.text()
    );
    let plant = Braked { mass, stiffness, force, capacity, start: vec![0.0, v, 1.0] };
    Case { model, plant: Box::new(plant), columns: vec![Some("m.x".into()), Some("m.vx".into()), None], path: 0.0 }
}

/// A mass between two stops with high restitution.
struct Stops {
    mass: f64,
    force: Term,
    bounds: [f64; 2],
    restitution: f64,
    start: Vec<f64>,
}

impl Plant for Stops {
    fn start(&self) -> Vec<f64> {
        self.start.clone()
    }

    fn rates(&self, t: f64, y: &[f64], on: &mut Branches, dy: &mut [f64]) {
        let force = self.force.value(t, y, on);
        on.choose(i64::from(y[0] > self.bounds[1]) - i64::from(y[0] < self.bounds[0]));
        dy[0] = y[1];
        dy[1] = force / self.mass;
    }

    fn jump(&self, _t: f64, y: &mut [f64]) {
        let out = (y[0] >= self.bounds[1] - 1e-12 && y[1] > 0.0) || (y[0] <= self.bounds[0] + 1e-12 && y[1] < 0.0);
        if out {
            y[1] *= -self.restitution;
        }
    }
}

fn stops(r: &mut Random, end: f64) -> Case {
    let mass = r.between(0.5, 2.0);
    let bounds = [-r.decades(1e-3, 0.5), r.decades(1e-3, 0.5)];
    let v = r.decades(0.5, 30.0);
    // Hard enough throws that no force brings the mass to rest at a stop.
    let force = random_term(r, 0.1 * mass * v * v, end, None);
    let restitution = 1.0;
    let model = format!(
        "{}[forces.f]\ntype = \"generalised_force\"\ncoordinate = \"m.x\"\nforce = \"{}\"\n[constraints.s]\ntype = \"limits\"\ncoordinate = {{ coordinate = \"m.x\" }}\n\
         lower = {}\nupper = {}\nrestitution = {restitution}\n",
        guided("m", mass, 0.0, v),
        force.text(),
        bounds[0],
        bounds[1]
    );
    let plant = Stops { mass, force, bounds, restitution, start: vec![0.0, v] };
    Case { model, plant: Box::new(plant), columns: vec![Some("m.x".into()), None], path: v * end }
}
