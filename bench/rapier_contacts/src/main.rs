//! The spheres of `contact_peers.py` in Rapier: reads the scene from a file, prints the states at equal intervals and the CPU time.
//!
//! usage: rapier_contacts SCENE STEP T_END SAMPLE ITERATIONS FREQUENCY UNIT
//!
//! FREQUENCY is the natural frequency of contacts in Hz (Rapier's default: 30, and twice that against walls), UNIT the length unit in m
//! (default: 1).
use cpu_time::ProcessTime;
use rapier3d_f64::prelude::*;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize| args[i].parse::<f64>().expect("a number");
    let (h, t_end, sample, iterations) = (number(2), number(3), number(4), number(5) as usize);
    let text = std::fs::read_to_string(&args[1]).expect("the scene");
    let rows: Vec<Vec<f64>> =
        text.lines().map(|l| l.split_whitespace().map(|x| x.parse().expect("a number")).collect()).collect();
    // First line: radius, mass, half width of the box, friction, restitution, gravity.
    let [r, mass, half, mu, e, g] = rows[0][..] else { panic!("six numbers come first") };
    let mut w = PhysicsWorld::default();
    w.gravity = Vector::new(0.0, 0.0, -g);
    w.integration_parameters.dt = h;
    w.integration_parameters.num_solver_iterations = iterations;
    w.integration_parameters.contact_softness.natural_frequency = number(6);
    w.integration_parameters.static_contact_softness.natural_frequency = 2.0 * number(6);
    w.integration_parameters.length_unit = number(7);
    let walls = [
        ([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
        ([-half, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ([half, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        ([0.0, -half, 0.0], [0.0, 1.0, 0.0]),
        ([0.0, half, 0.0], [0.0, -1.0, 0.0]),
    ];
    for (at, n) in walls {
        let wall = ColliderBuilder::new(SharedShape::halfspace(Vector::new(n[0], n[1], n[2])))
            .translation(Vector::new(at[0], at[1], at[2]))
            .friction(mu)
            .restitution(e);
        w.colliders.insert(wall);
    }
    let mut balls = Vec::new();
    for x in &rows[1..] {
        let ball = w.bodies.insert(RigidBodyBuilder::dynamic().translation(Vector::new(x[0], x[1], x[2])));
        let shape = ColliderBuilder::ball(r).mass(mass).friction(mu).restitution(e);
        w.colliders.insert_with_parent(shape, ball, &mut w.bodies);
        balls.push(ball);
    }
    let (mut cpu, mut next) = (0.0, 0.0);
    let steps = (t_end / h).round() as usize;
    for step in 0..=steps {
        if step > 0 {
            let clock = ProcessTime::now();
            w.step();
            cpu += clock.elapsed().as_secs_f64();
        }
        let t = step as f64 * h;
        if t + 1e-9 >= next || step == steps {
            next += sample;
            print!("SAMPLE {t}");
            for b in &balls {
                let b = &w.bodies[*b];
                let (x, v, o) = (b.translation(), b.linvel(), b.angvel());
                print!(" {} {} {} {} {}", x.x, x.y, x.z, v.length_squared(), o.length_squared());
            }
            println!();
        }
    }
    println!("CPU {cpu} {steps}");
}
