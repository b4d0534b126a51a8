//! A ball thrown at a wall, a ball or a block at any speed and distance, in closed form.

use crate::random::Random;

type Vec3 = [f64; 3];

fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn along(a: Vec3, s: f64, b: Vec3) -> Vec3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

fn random_direction(r: &mut Random) -> Vec3 {
    loop {
        let x = [r.between(-1.0, 1.0), r.between(-1.0, 1.0), r.between(-1.0, 1.0)];
        let size = dot(x, x).sqrt();
        if size > 0.1 && size < 1.0 {
            return x.map(|x| x / size);
        }
    }
}

/// A throw without gravity and friction: where the ball is and how it moves at the end.
pub struct Throw {
    pub model: String,
    pub end: f64,
    pub position: Vec3,
    pub velocity: Vec3,
    /// Size of the numbers that the tolerance is relative to.
    pub size: f64,
}

pub fn random_throw(r: &mut Random) -> Throw {
    let radius = r.decades(1e-3, 1.0);
    let speed = r.decades(0.01, 1e3);
    let distance = radius * r.decades(3.0, 1e4);
    let restitution = r.one_of(&[0.0, 0.3, 1.0]);
    let flight = random_direction(r);
    let velocity = flight.map(|x| speed * x);
    // The first touch, chosen: unit normal of the wall towards the ball, against the flight.
    let mut normal = random_direction(r);
    if dot(normal, flight) > 0.0 {
        normal = normal.map(|x| -x);
    }
    // Glancing hits: the normal nearly across the flight.
    if r.below(3) == 0 {
        let share = r.decades(1e-2, 0.3);
        let across = along(normal, -dot(normal, flight), flight);
        let size = dot(across, across).sqrt();
        normal = along(across.map(|x| x / size * (1.0 - share * share).sqrt()), -share, flight);
    }
    let touch = [0.1, -0.2, 0.3].map(|x| x * radius);
    let centre = along(touch, radius, normal);
    let start = along(centre, -distance, flight);
    let axes = format!(
        "[markers.\"ground.wall\"]\norientation = {{ axes = {{ z = [{:e}, {:e}, {:e}] }} }}\n",
        normal[0], normal[1], normal[2]
    );
    let (wall, at) = match r.below(3) {
        0 => ("shape = \"half_space\"".to_string(), touch),
        1 => {
            let other = radius * r.decades(0.1, 10.0);
            (format!("shape = \"sphere\"\nradius = {other:e}"), along(touch, -other, normal))
        }
        _ => {
            // A block that is met in the middle of a face.
            let edge = radius * r.decades(0.5, 20.0);
            (format!("shape = \"box\"\nsize = [{edge:e}, {edge:e}, {edge:e}]"), along(touch, -0.5 * edge, normal))
        }
    };
    let time = distance / speed;
    let end = time * r.between(1.5, 4.0);
    let after = along(velocity, -(1.0 + restitution) * dot(velocity, normal), normal);
    let model = format!(
        "taut = 2\n[bodies.b]\ntype = \"rigid\"\nmass = {}\nshape = {{ type = \"sphere\", radius = {radius:e} }}\n\
         position = [{:e}, {:e}, {:e}]\nvelocity = [{:e}, {:e}, {:e}]\n[surfaces.b]\nmarker = \"b\"\nshape = \"sphere\"\nradius = {radius:e}\n\
         {axes}at = [{:e}, {:e}, {:e}]\n[surfaces.wall]\nmarker = \"ground.wall\"\n{wall}\n\
         [contacts.c]\nbetween = [\"b\", \"wall\"]\nrestitution = {restitution}\n[settings]\nduration = {end:e}\n[outputs]\nevery = {:e}\n",
        r.between(0.1, 5.0),
        start[0],
        start[1],
        start[2],
        velocity[0],
        velocity[1],
        velocity[2],
        at[0],
        at[1],
        at[2],
        end / 3.0
    );
    let position = along(centre, end - time, after);
    Throw { model, end, position, velocity: after, size: distance.max(speed) }
}
