//! Bodies at rest on each other, on floors, in grooves, at stops and on ropes: the forces are known in closed form.

use crate::random::Random;

/// A model at rest, and the forces that hold it.
pub struct RestingModel {
    pub model: String,
    pub held: Vec<SupportForce>,
    /// Size of the forces that errors are relative to, N.
    pub size: f64,
}

/// Total force of one contact or constraint over all its points, N.
pub struct SupportForce {
    pub by: &'static str,
    pub force: f64,
    /// Along x, where friction holds.
    pub friction: f64,
}

impl SupportForce {
    fn new(by: &'static str, force: f64) -> SupportForce {
        SupportForce { by, force, friction: 0.0 }
    }
}

const CONTACTS: [&str; 4] = ["c0", "c1", "c2", "c3"];

/// Stacked boxes, with or without a ball on top; gravity is slightly inclined if friction holds them.
pub fn random_stack(r: &mut Random, most: usize) -> RestingModel {
    let count = 1 + r.below(most.min(CONTACTS.len()));
    let gravity = r.between(1.0, 20.0);
    let ball = r.below(3) == 0;
    let friction = if ball { r.one_of(&[0.0, 0.5]) } else { r.between(0.2, 0.8) };
    // Too little to slide or to topple.
    let slope: f64 = if ball { 0.0 } else { r.between(-0.05, 0.05) };
    let (sine, cosine) = (slope.sin(), slope.cos());
    let mut model = format!(
        "taut = 2\ngravity = [{:e}, 0, {:e}]\n[surfaces.floor]\nmarker = \"ground\"\nshape = \"half_space\"\n",
        gravity * sine,
        -gravity * cosine
    );
    let (mut top, mut masses) = (0.0, Vec::new());
    for i in 0..count {
        let mass = r.decades(0.1, 10.0);
        let (x, y) = (r.between(-0.01, 0.01), r.between(-0.01, 0.01));
        let (shape, size, height) = if ball && i + 1 == count {
            let radius = r.between(0.05, 0.2);
            ("sphere", format!("radius = {radius}"), 2.0 * radius)
        } else {
            let size = [r.between(0.2, 0.5), r.between(0.2, 0.5), r.between(0.2, 0.5)];
            ("box", format!("size = {size:?}"), size[2])
        };
        let below = if i == 0 { "floor".to_string() } else { format!("s{}", i - 1) };
        model += &format!(
            "[bodies.b{i}]\ntype = \"rigid\"\nmass = {mass}\nshape = {{ type = \"{shape}\", {size} }}\nposition = [{x}, {y}, {:e}]\n\
             [surfaces.s{i}]\nmarker = \"b{i}\"\nshape = \"{shape}\"\n{size}\n\
             [contacts.c{i}]\nbetween = [\"s{i}\", \"{below}\"]\nfriction = {friction}\n",
            top + 0.5 * height
        );
        top += height;
        masses.push(mass);
    }
    let weight = |i: usize| gravity * masses[i..].iter().sum::<f64>();
    let held = (0..count).map(|i| SupportForce {
        by: CONTACTS[i],
        force: weight(i) * cosine,
        friction: (weight(i) * sine).abs(),
    });
    RestingModel { model, held: held.collect(), size: weight(0) }
}

/// A ball in a groove of two planes, slightly displaced.
fn groove(r: &mut Random) -> RestingModel {
    let (mass, gravity, radius) = (r.decades(0.1, 10.0), r.between(1.0, 20.0), r.between(0.05, 0.3));
    let (left, right): (f64, f64) = (r.between(0.2, 1.2), r.between(0.2, 1.2));
    let mut model = format!("taut = 2\ngravity = [0, 0, -{gravity}]\n");
    for (name, slope) in [("left", left), ("right", -right)] {
        model += &format!(
            "[markers.\"ground.{name}\"]\norientation = {{ axes = {{ z = [{:e}, 0, {:e}] }} }}\n\
             [surfaces.{name}]\nmarker = \"ground.{name}\"\nshape = \"half_space\"\n\
             [contacts.{name}]\nbetween = [\"b\", \"{name}\"]\n",
            slope.sin(),
            slope.cos()
        );
    }
    // The middle of a ball that touches both: n·c = radius twice.
    let x = radius * (right.cos() - left.cos()) / (left + right).sin();
    let z = radius * (left.sin() + right.sin()) / (left + right).sin();
    model += &format!(
        "[bodies.b]\ntype = \"rigid\"\nmass = {mass}\nshape = {{ type = \"sphere\", radius = {radius} }}\n\
         position = [{:e}, 0, {:e}]\n[surfaces.b]\nmarker = \"b\"\nshape = \"sphere\"\nradius = {radius}\n",
        x,
        z + 0.1 * radius * r.one_of(&[0.0, 1.0])
    );
    let weight = mass * gravity;
    let share = weight / (left + right).sin();
    RestingModel {
        model,
        held: vec![SupportForce::new("left", share * right.sin()), SupportForce::new("right", share * left.sin())],
        size: share,
    }
}

/// A mass on a stop, pressed down.
fn stop(r: &mut Random) -> RestingModel {
    let (mass, gravity, load) = (r.decades(0.1, 10.0), r.between(1.0, 20.0), r.decades(0.1, 50.0));
    let model = format!(
        "taut = 2\ngravity = [0, 0, -{gravity}]\n[bodies.m]\ntype = \"point_mass\"\nmass = {mass}\nposition = [0, 0, {}]\n\
         [joints.g]\ntype = \"joint\"\na = \"ground\"\nb = \"m\"\ntranslation = [\"fixed\", \"fixed\", \"free\"]\nrotation = \"free\"\n\
         [constraints.s]\ntype = \"limits\"\ncoordinate = {{ coordinate = \"m.z\" }}\nlower = 0.1\nupper = 1\n\
         [forces.f]\ntype = \"generalised_force\"\ncoordinate = \"m.z\"\nforce = -{load}\n",
        r.between(0.1, 0.5)
    );
    let force = mass * gravity + load;
    RestingModel {
        model,
        held: vec![SupportForce::new("s.lower", force), SupportForce::new("s.upper", 0.0)],
        size: force,
    }
}

/// A mass on a rope, pulled aside.
fn rope(r: &mut Random) -> RestingModel {
    let (mass, gravity, load, length) =
        (r.decades(0.1, 10.0), r.between(1.0, 20.0), r.decades(0.1, 50.0), r.between(0.2, 2.0));
    let weight = mass * gravity;
    let tension = weight.hypot(load);
    let model = format!(
        "taut = 2\ngravity = [0, 0, -{gravity}]\n[bodies.m]\ntype = \"point_mass\"\nmass = {mass}\nposition = [{:e}, 0, {:e}]\n\
         [constraints.r]\ntype = \"rope\"\nthrough = [\"ground\", \"m\"]\nlength = {length}\n\
         [forces.f]\ntype = \"generalised_force\"\ncoordinate = \"m.x\"\nforce = {load}\n",
        length * load / tension,
        -length * weight / tension
    );
    RestingModel { model, held: vec![SupportForce::new("r", tension)], size: tension }
}

pub fn random_rest(r: &mut Random) -> RestingModel {
    match r.below(5) {
        0 | 1 => random_stack(r, 2),
        2 => groove(r),
        3 => stop(r),
        _ => rope(r),
    }
}
