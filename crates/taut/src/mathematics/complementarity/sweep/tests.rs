use super::kernels::{ContactKernel, column_stride};
use super::*;
use crate::complementarity::{ComplementarityError, dense};
use nalgebra::Vector3;

/// Bodies with their centres, and the points where they touch.
struct Pile {
    sweep: SweepSolver,
    centres: Vec<Vector3<f64>>,
    mu: f64,
}

const GROUND: usize = usize::MAX;
const G_DT: f64 = 9.81e-3;

impl Pile {
    fn new(mu: f64) -> Pile {
        Pile { sweep: SweepSolver::new(), centres: Vec::new(), mu }
    }

    fn body(&mut self, centre: Vector3<f64>, mass: f64, inertia: Vector3<f64>) -> usize {
        let mut inverse = [0.0; 36];
        for i in 0..3 {
            inverse[7 * i] = 1.0 / mass;
            inverse[7 * (i + 3)] = 1.0 / inertia[i];
        }
        self.centres.push(centre);
        self.sweep.add_body(&inverse, &[0.0, 0.0, -G_DT, 0.0, 0.0, 0.0]).unwrap()
    }

    fn brick(&mut self, centre: Vector3<f64>, size: Vector3<f64>) -> usize {
        let mass = size.x * size.y * size.z;
        let (x, y, z) = (size.x * size.x, size.y * size.y, size.z * size.z);
        self.body(centre, mass, Vector3::new(y + z, x + z, x + y) * (mass / 12.0))
    }

    /// `below` and `above` touch at x, with the normal from the first to the second.
    fn touch(&mut self, below: usize, above: usize, x: Vector3<f64>, normal: Vector3<f64>) {
        let other = if normal.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() };
        let t1 = normal.cross(&other).normalize();
        let t2 = normal.cross(&t1);
        let block = |body: usize, sign: f64| {
            let mut J = [0.0; 18];
            for (i, e) in [normal, t1, t2].iter().enumerate() {
                let turn = (x - self.centres[body]).cross(e);
                for a in 0..3 {
                    J[6 * i + a] = sign * e[a];
                    J[6 * i + 3 + a] = sign * turn[a];
                }
            }
            J
        };
        let law = ComplementarityLaw::Cone { mu: self.mu };
        let up = block(above, 1.0);
        if below == GROUND {
            self.sweep.add_contact(law, &[(above, &up)], &[0.0; 3], &[0.0; 3]).unwrap();
        } else {
            let down = block(below, -1.0);
            self.sweep.add_contact(law, &[(below, &down), (above, &up)], &[0.0; 3], &[0.0; 3]).unwrap();
        }
    }

    /// Four corners of a rectangle in the plane z.
    fn face(&mut self, below: usize, above: usize, x: (f64, f64), y: (f64, f64), z: f64) {
        for (x, y) in [(x.0, y.0), (x.1, y.0), (x.0, y.1), (x.1, y.1)] {
            self.touch(below, above, Vector3::new(x, y, z), Vector3::z());
        }
    }
}

/// Cubes on top of each other.
fn stack(height: usize) -> Pile {
    let mut pile = Pile::new(0.5);
    let mut below = GROUND;
    for i in 0..height {
        let cube = pile.brick(Vector3::new(0.0, 0.0, i as f64 + 0.5), Vector3::new(1.0, 1.0, 1.0));
        pile.face(below, cube, (-0.5, 0.5), (-0.5, 0.5), i as f64);
        below = cube;
    }
    pile
}

/// Bricks of two lengths in running bond.
fn wall(height: usize, width: usize) -> Pile {
    let mut pile = Pile::new(0.6);
    for row in 0..height {
        let shift = if row % 2 == 0 { 0.0 } else { 1.0 };
        for column in 0..width {
            let x = 2.0 * column as f64 + shift;
            let z = row as f64;
            let brick = pile.brick(Vector3::new(x, 0.0, z + 0.5), Vector3::new(2.0, 1.0, 1.0));
            if row == 0 {
                pile.face(GROUND, brick, (x - 1.0, x + 1.0), (-0.5, 0.5), z);
                continue;
            }
            let first = (row - 1) * width;
            for other in 0..width {
                let centre = pile.centres[first + other].x;
                let (left, right) = (x.max(centre) - 1.0, x.min(centre) + 1.0);
                if right - left > 0.5 {
                    pile.face(first + other, brick, (left, right), (-0.5, 0.5), z);
                }
            }
        }
    }
    pile
}

/// Spheres in a close lattice, each on the four below it; friction and gravity oblique to it.
fn spheres(n: usize, layers: usize) -> Pile {
    let mut pile = Pile::new(0.4);
    let mut layer_before: Vec<Vec<usize>> = Vec::new();
    for layer in 0..layers {
        let size = n - layer;
        let (shift, z) = (0.5 * layer as f64, 0.5 + layer as f64 * 0.5_f64.sqrt());
        let mut here = vec![vec![0; size]; size];
        for i in 0..size {
            for j in 0..size {
                let centre = Vector3::new(i as f64 + shift, j as f64 + shift, z);
                let ball = pile.body(centre, 1.0, Vector3::repeat(0.1));
                here[i][j] = ball;
                if layer == 0 {
                    pile.touch(GROUND, ball, centre - Vector3::new(0.0, 0.0, 0.5), Vector3::z());
                    continue;
                }
                for (a, b) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let below = layer_before[i + a][j + b];
                    let normal = centre - pile.centres[below];
                    pile.touch(below, ball, centre - 0.5 * normal, normal.normalize());
                }
            }
        }
        layer_before = here;
    }
    pile
}

/// The same problem as a dense problem with G.
fn delassus(sweep: &SweepSolver) -> (nalgebra::DMatrix<f64>, nalgebra::DVector<f64>) {
    let (rows, n) = (sweep.p.len(), sweep.v_free.len());
    let mut J = nalgebra::DMatrix::<f64>::zeros(rows, n);
    let mut W = J.clone();
    for contact in &sweep.contacts {
        for end in &contact.bodies {
            for i in 0..contact.law.rows() {
                for a in 0..end.width {
                    let s = sweep.s[contact.first_row + i];
                    let (row, m) = (contact.first_row + i, contact.law.rows());
                    J[(row, end.velocity_start + a)] += s * sweep.J[end.column_start + a * column_stride(m) + i];
                    W[(row, end.velocity_start + a)] += s * sweep.W[end.row_start + i * end.width + a];
                }
            }
        }
    }
    let c = nalgebra::DVector::from_fn(rows, |i, _| sweep.c[i] * sweep.s[i]);
    (&J * W.transpose(), &J * nalgebra::DVector::from_column_slice(&sweep.v_free) + c)
}

/// Both solvers, compared by velocities: impulses of redundant contacts differ.
fn agree(mut pile: Pile, settings: &SweepSettings) {
    let (G, c) = delassus(&pile.sweep);
    let laws = vec![ComplementarityLaw::Cone { mu: pile.mu }; pile.sweep.contacts.len()];
    let answer = dense::solve(&G, &c, &laws, None).unwrap();
    assert!(answer.outcome.is_converged(), "{:?}", answer.outcome);
    let report = pile.sweep.solve(settings);
    assert!(report.outcome.is_converged(), "{report:?}");
    for (i, contact) in pile.sweep.contacts.iter().enumerate() {
        let mut u = [0.0; 6];
        pile.sweep.contact_velocity(ContactStore::Jacobian(i as u32), &pile.sweep.v, &mut u);
        for j in 0..3 {
            let (row, s) = (contact.first_row + j, pile.sweep.s[contact.first_row + j]);
            assert!((u[j] * s - answer.u[row]).abs() < 1e-7 * c.amax(), "contact {i}: {u:?} {}", answer.u[row]);
        }
    }
}

#[test]
fn both_solvers_agree() {
    for order in [SweepOrder::Forward, SweepOrder::Alternating] {
        for acceleration in [SweepAcceleration::Plain, SweepAcceleration::Anderson { depth: 5 }] {
            let settings = SweepSettings { tolerance: 1e-10, max_sweeps: 20_000, relaxation: 1.0, order, acceleration };
            agree(stack(3), &settings);
            agree(spheres(3, 2), &settings);
            agree(wall(3, 2), &settings);
        }
    }
}

#[test]
fn a_stack_bears_its_own_weight() {
    let mut pile = stack(20);
    let report = pile.sweep.solve(&SweepSettings { max_sweeps: 10_000, ..SweepSettings::default() });
    assert!(report.outcome.is_converged(), "{report:?}");
    let mut p = [0.0; 3];
    let bottom: f64 = (0..4)
        .map(|i| {
            pile.sweep.impulse(i, &mut p);
            p[0]
        })
        .sum();
    assert!((bottom - 20.0 * G_DT).abs() < 1e-6 * bottom, "{bottom}");
    assert_eq!(pile.sweep.status(0, 1e-6), Some(BlockStatus::Stick));
}

#[test]
fn bodies_and_laws_of_every_kind_agree_with_the_dense_solver() {
    // A slider with one freedom, a planar and a rigid body; dense Jacobians.
    let entry = |seed: usize, i: usize| ((1 + i) as f64 * (0.7 + 0.9 * seed as f64)).sin();
    let mut sweep = SweepSolver::new();
    for (n, mass) in [(1, 2.0), (3, 1.0), (6, 0.5)] {
        let mut inverse = vec![0.0; n * n];
        (0..n).for_each(|i| inverse[i * n + i] = 1.0 / (mass * (1 + i) as f64));
        let velocity: Vec<f64> = (0..n).map(|i| entry(n, i)).collect();
        sweep.add_body(&inverse, &velocity).unwrap();
    }
    let laws = [
        ComplementarityLaw::ConeWithTorques { mu: 0.4, spin: 0.1, roll: 0.02 },
        ComplementarityLaw::Interval { lower: -0.1, upper: 0.1 },
        ComplementarityLaw::Disc { radius: 0.05 },
        ComplementarityLaw::PlanarCone { mu: 0.3 },
        ComplementarityLaw::NonNegative,
        ComplementarityLaw::Ball { radius: 0.04 },
    ];
    for (law, [a, b]) in laws.iter().zip([[2, 1], [0, 1], [1, 2], [1, 0], [2, 0], [2, 1]]) {
        let m = law.rows();
        let block =
            |body: usize| -> Vec<f64> { (0..m * [1, 3, 6][body]).map(|i| entry(3 * a + body + m, i)).collect() };
        let c: Vec<f64> = (0..m).map(|i| 0.1 * entry(a, i)).collect();
        sweep.add_contact(*law, &[(a, &block(a)), (b, &block(b))], &c, &vec![0.0; m]).unwrap();
    }
    let (G, c) = delassus(&sweep);
    let answer = dense::solve(&G, &c, &laws, None).unwrap();
    assert!(answer.outcome.is_converged(), "{:?}", answer.outcome);
    let report = sweep.solve(&SweepSettings { tolerance: 1e-12, max_sweeps: 20_000, ..SweepSettings::default() });
    assert!(report.outcome.is_converged(), "{report:?}");
    for (i, contact) in sweep.contacts.iter().enumerate() {
        let mut p = [0.0; 6];
        sweep.impulse(i, &mut p);
        for j in 0..contact.law.rows() {
            let expected = answer.p[contact.first_row + j];
            assert!((p[j] - expected).abs() < 1e-8, "contact {i}: {p:?} {}", answer.p);
        }
    }
    assert!(answer.p.amax() > 0.05);
}

#[test]
fn a_solved_pile_is_solved_at_once() {
    let mut pile = stack(5);
    let settings = SweepSettings { max_sweeps: 10_000, ..SweepSettings::default() };
    let cold = pile.sweep.solve(&settings);
    let warm = pile.sweep.solve(&settings);
    assert!(cold.sweeps > 10 && warm.sweeps == 2, "{cold:?} {warm:?}");
}

#[test]
fn extrapolation_pays_on_a_stack() {
    let (order, relaxation) = (SweepOrder::Alternating, 0.7);
    let solve = |acceleration| {
        stack(20).sweep.solve(&SweepSettings { tolerance: 1e-8, max_sweeps: 4000, relaxation, order, acceleration })
    };
    let plain = solve(SweepAcceleration::Plain);
    let fast = solve(SweepAcceleration::Anderson { depth: 40 });
    assert!(fast.outcome.is_converged() && fast.sweeps < 800, "{fast:?}");
    assert!(!plain.outcome.is_converged(), "{plain:?}");
}

#[test]
fn what_cannot_be_is_reported() {
    let mut sweep = SweepSolver::new();
    assert!(matches!(sweep.add_body(&[1.0], &[0.0, 0.0]), Err(ComplementarityError::Size { .. })));
    let ball = sweep.add_body(&[1.0], &[-1.0]).unwrap();
    let law = ComplementarityLaw::NonNegative;
    assert!(matches!(
        sweep.add_contact(law, &[(7, &[1.0])], &[0.0], &[0.0]),
        Err(ComplementarityError::Body { body: 7, .. })
    ));
    assert!(matches!(sweep.add_contact(law, &[], &[0.0], &[0.0]), Err(ComplementarityError::Size { .. })));
    assert!(matches!(
        sweep.add_contact(law, &[(ball, &[f64::NAN])], &[0.0], &[0.0]),
        Err(ComplementarityError::NotFinite { .. })
    ));
    // A body between two walls that approach each other.
    sweep.add_contact(law, &[(ball, &[1.0])], &[-1.0], &[0.0]).unwrap();
    sweep.add_contact(law, &[(ball, &[-1.0])], &[-1.0], &[0.0]).unwrap();
    let report = sweep.solve(&SweepSettings { max_sweeps: 200, ..SweepSettings::default() });
    assert!(matches!(report.outcome, SolverOutcome::Stalled { residual, .. } if residual > 1e-3), "{report:?}");
    assert!(report.sweeps <= 200);
    sweep.clear();
    assert_eq!(sweep.solve(&SweepSettings::default()).outcome, SolverOutcome::Converged { residual: 0.0 });
}

/// A row of bodies on the ground, each with six velocities and `spare` more that nothing moves. The Jacobians and masses are full.
fn row_of_bodies(law: ComplementarityLaw, spare: usize) -> SweepSolver {
    let (n, m) = (6 + spare, law.rows());
    let mut sweep = SweepSolver::new();
    let wave = |k: usize| (1.7 * k as f64).sin();
    for body in 0..4 {
        let mut inverse = vec![0.0; n * n];
        for i in 0..6 {
            for j in 0..6 {
                inverse[i * n + j] = 0.1 * wave(i * j + i + j + body) + if i == j { 1.5 } else { 0.0 };
            }
        }
        let mut v = vec![0.0; n];
        v.iter_mut().take(6).enumerate().for_each(|(i, v)| *v = wave(3 * body + i) - 0.8);
        sweep.add_body(&inverse, &v).expect("a good body");
    }
    let block = |seed: usize| -> Vec<f64> {
        let entry = |k: usize| if k % n < 6 { wave(seed + 5 * (k / n) + k % n) } else { 0.0 };
        (0..m * n).map(entry).collect()
    };
    let (c, start) = (vec![-0.3; m], vec![0.0; m]);
    for body in 0..4 {
        sweep.add_contact(law, &[(body, &block(11 * body))], &c, &start).expect("a good contact");
        if body > 0 {
            let (a, b) = (block(7 * body + 1), block(13 * body + 2));
            sweep.add_contact(law, &[(body - 1, &a), (body, &b)], &c, &start).expect("a good contact");
        }
    }
    sweep
}

#[test]
fn code_of_fixed_size_agrees_with_that_of_any_size() {
    let laws = [
        ComplementarityLaw::NonNegative,
        ComplementarityLaw::Cone { mu: 0.4 },
        ComplementarityLaw::ConeWithTorques { mu: 0.4, spin: 0.1, roll: 0.05 },
    ];
    for law in laws {
        let (mut fixed, mut any) = (row_of_bodies(law, 0), row_of_bodies(law, 1));
        assert!(fixed.contacts.iter().all(|c| c.kernel != ContactKernel::General));
        assert!(any.contacts.iter().all(|c| c.kernel == ContactKernel::General));
        let settings = SweepSettings { max_sweeps: 20, ..SweepSettings::default() };
        fixed.solve(&settings);
        any.solve(&settings);
        assert!(fixed.p.iter().any(|p| *p > 0.1), "{law}: nothing presses");
        for (a, b) in fixed.p.iter().zip(&any.p) {
            assert!((a - b).abs() < 1e-9, "{law}: {a} and {b}");
        }
        for body in 0..4 {
            let (a, b) = (fixed.velocity(body).expect("it is"), any.velocity(body).expect("it is"));
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9), "{law}: {a:?} and {b:?}");
        }
    }
}
