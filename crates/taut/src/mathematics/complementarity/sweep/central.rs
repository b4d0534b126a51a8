//! Contacts of bodies with a spherical inertia, touching on the line of centres: all contacts of spheres with spheres and planes.
//!
//! With the normal n, the tangents t₁ and t₂, the arms ρ_A n and −ρ_B n from the mass centres to the contact and inverse moments of inertia
//! i_A, i_B,
//!
//! ```text
//!  u = (n, t₁, t₂)·(v_B − v_A + n × (ρ_A ω_A + ρ_B ω_B)),   (n, t₁, t₂)·(ω_B − ω_A)
//! ```
//!
//! and the Delassus matrix has one number for the normal, one for both tangents, one for all torques, and one that couples friction
//! with rolling, k = ρ_A i_A − ρ_B i_B. A contact needs a quarter of a kilobyte instead of two, and a visit has no small matrices.

use super::kernels::multiply_add;
use crate::mathematics::complementarity::laws::ComplementarityLaw;

/// Maximum number of passes over friction, spin and rolling of one contact, and the relative change at which they stop.
const COUPLING_PASSES: (usize, f64) = (4, 1e-3);
/// Deviation of an arm from the normal that counts as round-off, relative to the arm.
const ARM_TOLERANCE: f64 = 1e-11;

type V3 = [f64; 3];

/// Inverse mass and inverse moment of inertia of a body with a spherical inertia.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SphericalInertia {
    pub mass: f64,
    pub inertia: f64,
}

impl SphericalInertia {
    /// If M⁻¹ has the form diag(a, a, a, b, b, b).
    pub fn of(inverse_mass: &[f64]) -> Option<SphericalInertia> {
        let M = <&[f64; 36]>::try_from(inverse_mass).ok()?;
        let (mass, inertia) = (M[0], M[21]);
        let expected = |k: usize| match (k / 6, k % 6) {
            (i, j) if i != j => 0.0,
            (0..3, _) => mass,
            _ => inertia,
        };
        (0..36).all(|k| M[k] == expected(k)).then_some(SphericalInertia { mass, inertia })
    }
}

/// One contact, with scaled rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct CentralContact {
    /// First velocities of both bodies; those of the ground are zero.
    pub velocity_starts: [u32; 2],
    /// First row, in p.
    pub first_row: u32,
    /// 1, 3 or 6.
    pub rows: u32,
    axes: [V3; 3],
    /// ρ of both bodies.
    arms: [f64; 2],
    inverse: [SphericalInertia; 2],
    /// 1/s of the normal, the tangents and the torques.
    inverse_scale: V3,
    /// k, scaled.
    coupling: f64,
    /// Offset of the normal row, scaled.
    offset: f64,
    /// Scaled coefficients of friction, spinning and rolling.
    limits: V3,
}

impl CentralContact {
    /// None if the law or an arm does not fit. The normal points from the first body to the second.
    pub fn new(
        law: &ComplementarityLaw,
        axes: &[V3; 3],
        arms: [&V3; 2],
        inverse: [SphericalInertia; 2],
        velocity_starts: [u32; 2],
        first_row: u32,
        offset: &[f64],
    ) -> Option<CentralContact> {
        let limits = match *law {
            ComplementarityLaw::NonNegative => [0.0; 3],
            ComplementarityLaw::Cone { mu } => [mu, 0.0, 0.0],
            ComplementarityLaw::ConeWithTorques { mu, spin, roll } => [mu, spin, roll],
            _ => return None,
        };
        let n = axes[0];
        let [a, b] = [dot(arms[0], &n), -dot(arms[1], &n)];
        let off_axis =
            |arm: &V3, along: f64| (0..3).any(|i| (arm[i] - along * n[i]).abs() > ARM_TOLERANCE * along.abs());
        if off_axis(arms[0], a) || off_axis(arms[1], -b) || offset[1..].iter().any(|c| *c != 0.0) {
            return None;
        }
        let [A, B] = inverse;
        let g = [A.mass + B.mass, A.mass + B.mass + a * a * A.inertia + b * b * B.inertia, A.inertia + B.inertia];
        if g.iter().any(|g| !(*g > 0.0 && g.is_finite())) {
            return None;
        }
        let s = g.map(f64::sqrt);
        Some(CentralContact {
            velocity_starts,
            first_row,
            rows: law.rows() as u32,
            axes: *axes,
            arms: [a, b],
            inverse,
            inverse_scale: s.map(|s| 1.0 / s),
            coupling: (a * A.inertia - b * B.inertia) / (s[1] * s[2]),
            offset: offset[0] / s[0],
            limits: [limits[0] * s[1] / s[0], limits[1] * s[2] / s[0], limits[2] * s[2] / s[0]],
        })
    }

    /// The law in scaled rows.
    pub fn law(&self) -> ComplementarityLaw {
        let [mu, spin, roll] = self.limits;
        match self.rows {
            1 => ComplementarityLaw::NonNegative,
            3 => ComplementarityLaw::Cone { mu },
            _ => ComplementarityLaw::ConeWithTorques { mu, spin, roll },
        }
    }

    /// 1/s of a row.
    pub fn inverse_scale(&self, row: usize) -> f64 {
        self.inverse_scale[row.div_ceil(2).min(2)]
    }

    /// û = Ĵ v + ĉ.
    #[inline(always)]
    pub fn velocity<const M: usize, const FUSED: bool>(&self, v: &[f64]) -> [f64; M] {
        let [a, b] = self.velocity_starts.map(|start| body_velocity(v, start));
        let [n, t1, t2] = &self.axes;
        let [kn, kt, kr] = self.inverse_scale;
        let mut u = [0.0; M];
        let relative = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        u[0] = multiply_add::<FUSED>(product::<FUSED>(n, &relative), kn, self.offset);
        if M > 1 {
            let [ra, rb] = self.arms;
            let s: V3 = std::array::from_fn(|i| multiply_add::<FUSED>(ra, a[3 + i], rb * b[3 + i]));
            // t₁·(n × s) = −t₂·s and t₂·(n × s) = t₁·s
            u[1] = kt * (product::<FUSED>(t1, &relative) - product::<FUSED>(t2, &s));
            u[2] = kt * (product::<FUSED>(t2, &relative) + product::<FUSED>(t1, &s));
        }
        if M > 3 {
            let turn = [b[3] - a[3], b[4] - a[4], b[5] - a[5]];
            u[3] = kr * product::<FUSED>(n, &turn);
            u[4] = kr * product::<FUSED>(t1, &turn);
            u[5] = kr * product::<FUSED>(t2, &turn);
        }
        u
    }

    /// v ← v + M⁻¹ Ĵᵀ p.
    #[inline(always)]
    pub fn apply<const M: usize, const FUSED: bool>(&self, p: &[f64; M], v: &mut [f64]) {
        let [n, t1, t2] = &self.axes;
        let [kn, kt, kr] = self.inverse_scale;
        let normal = kn * p[0];
        let (mut force, mut arm, mut torque): (V3, V3, V3) = (n.map(|n| normal * n), [0.0; 3], [0.0; 3]);
        if M > 1 {
            let (f1, f2) = (kt * p[1], kt * p[2]);
            for i in 0..3 {
                force[i] = multiply_add::<FUSED>(f1, t1[i], multiply_add::<FUSED>(f2, t2[i], force[i]));
                // n × force
                arm[i] = multiply_add::<FUSED>(f1, t2[i], -f2 * t1[i]);
            }
        }
        if M > 3 {
            let [s, r1, r2] = [kr * p[3], kr * p[4], kr * p[5]];
            for i in 0..3 {
                torque[i] = multiply_add::<FUSED>(s, n[i], multiply_add::<FUSED>(r1, t1[i], r2 * t2[i]));
            }
        }
        for (side, sense) in [-1.0, 1.0].into_iter().enumerate() {
            let SphericalInertia { mass, inertia } = self.inverse[side];
            // The ground does not move.
            if mass == 0.0 {
                continue;
            }
            let Some(v) = v[self.velocity_starts[side] as usize..].first_chunk_mut::<6>() else { continue };
            let (mass, k, turn) = (sense * mass, -self.arms[side] * inertia, sense * inertia);
            for i in 0..3 {
                v[i] = multiply_add::<FUSED>(mass, force[i], v[i]);
                if M > 1 {
                    v[3 + i] = multiply_add::<FUSED>(k, arm[i], v[3 + i]);
                }
                if M > 3 {
                    v[3 + i] = multiply_add::<FUSED>(turn, torque[i], v[3 + i]);
                }
            }
        }
    }

    /// The same with the impulses p of all contacts.
    pub fn apply_from(&self, p: &[f64], v: &mut [f64]) {
        let p = &p[self.first_row as usize..];
        match self.rows {
            1 => p.first_chunk::<1>().into_iter().for_each(|p| self.apply::<1, false>(p, v)),
            3 => p.first_chunk::<3>().into_iter().for_each(|p| self.apply::<3, false>(p, v)),
            _ => p.first_chunk::<6>().into_iter().for_each(|p| self.apply::<6, false>(p, v)),
        }
    }

    /// Solves the law exactly with all other contacts fixed. û is the present velocity; returns the new impulses.
    #[inline(always)]
    pub fn solve<const M: usize>(&self, u: &[f64; M], p: &[f64; M]) -> [f64; M] {
        let mut found = [0.0; M];
        // The diagonal of the scaled Delassus matrix is one.
        let normal = p[0] - u[0];
        if normal <= 0.0 || M == 1 {
            found[0] = normal.max(0.0);
            return found;
        }
        found[0] = normal;
        let [mu, spin, roll] = self.limits;
        if M == 3 {
            [found[1], found[2]] = limited([p[1] - u[1], p[2] - u[2]], mu * normal);
            return found;
        }
        // û = Ĝ p̂ + ŵ with Ĝ = 1 except k between the first tangent and the second axis of rolling, −k between the others.
        let k = self.coupling;
        let of = |i: usize, coupled: f64| p[i] - u[i] + coupled;
        found[3] = of(3, 0.0).clamp(-spin * normal, spin * normal);
        let (mut r1, mut r2) = (p[4], p[5]);
        for _ in 0..COUPLING_PASSES.0 {
            let [t1, t2] = limited([of(1, k * (p[5] - r2)), of(2, -k * (p[4] - r1))], mu * normal);
            let [new1, new2] = limited([of(4, -k * (p[2] - t2)), of(5, k * (p[1] - t1))], roll * normal);
            let changed =
                (new1 - r1).abs().max((new2 - r2).abs()).max((t1 - found[1]).abs()).max((t2 - found[2]).abs());
            (found[1], found[2], r1, r2) = (t1, t2, new1, new2);
            if k == 0.0 || changed <= COUPLING_PASSES.1 * normal {
                break;
            }
        }
        (found[4], found[5]) = (r1, r2);
        found
    }
}

/// x, shortened to the length `most`.
#[inline(always)]
fn limited(x: [f64; 2], most: f64) -> [f64; 2] {
    let square = x[0] * x[0] + x[1] * x[1];
    if square <= most * most {
        return x;
    }
    let k = most / square.sqrt();
    [k * x[0], k * x[1]]
}

#[inline(always)]
fn body_velocity(v: &[f64], start: u32) -> [f64; 6] {
    v[start as usize..].first_chunk::<6>().copied().unwrap_or_default()
}

#[inline(always)]
fn product<const FUSED: bool>(a: &V3, b: &V3) -> f64 {
    multiply_add::<FUSED>(a[0], b[0], multiply_add::<FUSED>(a[1], b[1], a[2] * b[2]))
}

fn dot(a: &V3, b: &V3) -> f64 {
    product::<false>(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complementarity::sweep::{ContactFrame, ContactStore, SweepSettings, SweepSolver};
    use nalgebra::Vector3;

    type Balls = Vec<(usize, Vector3<f64>, f64)>;

    /// Balls of different sizes on the ground and on each other, spinning and approaching.
    fn heap(
        contact: impl Fn(&mut SweepSolver, [Option<usize>; 2], [Vector3<f64>; 3], [Vector3<f64>; 2]),
    ) -> SweepSolver {
        let mut sweep = SweepSolver::new();
        let wave = |k: usize| (1.7 * k as f64).sin();
        let mut balls = Balls::new();
        for (k, (x, r)) in [(0.0, 0.3), (0.6, 0.3), (0.3, 0.25), (0.9, 0.2)].into_iter().enumerate() {
            let (mass, z) = (1.0 + k as f64, if k == 2 { 0.75 } else { r });
            let mut inverse = [0.0; 36];
            (0..6).for_each(|i| inverse[7 * i] = if i < 3 { 1.0 / mass } else { 2.5 / (mass * r * r) });
            let v: Vec<f64> = (0..6).map(|i| wave(6 * k + i) - if i == 2 { 1.0 } else { 0.0 }).collect();
            let body = sweep.add_body(&inverse, &v).expect("a good body");
            balls.push((body, Vector3::new(x, 0.1 * wave(k), z), r));
        }
        let axes = |n: Vector3<f64>| {
            let t = n.cross(&Vector3::new(0.3, 0.8, -0.5)).normalize();
            [n, t, n.cross(&t)]
        };
        for &(body, _, r) in balls.iter().filter(|b| b.0 != 2) {
            contact(&mut sweep, [None, Some(body)], axes(Vector3::z()), [Vector3::zeros(), Vector3::z() * -r]);
        }
        for (a, b) in [(0, 1), (0, 2), (1, 2), (1, 3)] {
            let (A, B) = (balls[a], balls[b]);
            let n = (B.1 - A.1).normalize();
            contact(&mut sweep, [Some(A.0), Some(B.0)], axes(n), [n * A.2, n * -B.2]);
        }
        sweep
    }

    #[test]
    fn the_short_form_agrees_with_the_jacobian() {
        for law in [
            ComplementarityLaw::NonNegative,
            ComplementarityLaw::Cone { mu: 0.3 },
            ComplementarityLaw::ConeWithTorques { mu: 0.3, spin: 0.02, roll: 0.01 },
            ComplementarityLaw::ConeWithTorques { mu: 0.8, spin: 0.2, roll: 0.3 },
        ] {
            let m = law.rows();
            let mut c = [0.0; 6];
            c[0] = -0.2;
            let mut short = heap(|sweep, bodies, axes, arms| {
                let frame = ContactFrame { axes: axes.map(Into::into), bodies, arms: arms.map(Into::into) };
                sweep.add_rigid_contact(law, &frame, &c[..m], &[0.1; 6][..m]).expect("a good contact");
            });
            let mut full = heap(|sweep, bodies, axes, arms| {
                let block = |sense: f64, arm: &Vector3<f64>| -> Vec<f64> {
                    let row = |i: usize| {
                        let e = axes[i % 3] * sense;
                        if i < 3 { (e, arm.cross(&e)) } else { (Vector3::zeros(), e) }
                    };
                    (0..m).map(row).flat_map(|(f, t)| [f.x, f.y, f.z, t.x, t.y, t.z]).collect()
                };
                let blocks = [block(-1.0, &arms[0]), block(1.0, &arms[1])];
                let on: Vec<(usize, &[f64])> =
                    bodies.iter().zip(&blocks).filter_map(|(b, J)| Some(((*b)?, J.as_slice()))).collect();
                sweep.add_contact(law, &on, &c[..m], &[0.1; 6][..m]).expect("a good contact");
            });
            assert!(short.order.iter().all(|c| matches!(c, ContactStore::Central(_))));
            assert!(full.order.iter().all(|c| matches!(c, ContactStore::Jacobian(_))));
            // The passes over friction and rolling end early, so that only solutions agree, not sweeps.
            let settings = SweepSettings { tolerance: 1e-10, max_sweeps: 4000, ..SweepSettings::default() };
            let (a, b) = (short.solve(&settings), full.solve(&settings));
            assert!(a.outcome.is_converged() && b.outcome.is_converged(), "{law}: {a:?} {b:?}");
            let (mut p, mut q, mut most) = ([0.0; 6], [0.0; 6], 0.0_f64);
            for contact in 0..short.contact_count() {
                short.impulse(contact, &mut p);
                full.impulse(contact, &mut q);
                // Torques of strong rolling friction are not unique.
                assert!(p.iter().zip(&q).take(3).all(|(p, q)| (p - q).abs() < 1e-6), "{law}: {p:?} {q:?}");
                let [a, b] = [&short, &full].map(|s| s.status(contact, 1e-6).expect("it is"));
                assert_eq!(std::mem::discriminant(&a), std::mem::discriminant(&b), "{law}: {a:?} {b:?}");
                most = most.max(p[0]);
            }
            assert!(most > 0.1, "{law}: nothing presses");
            for body in 0..4 {
                let (a, b) = (short.velocity(body).expect("it is"), full.velocity(body).expect("it is"));
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6), "{law}: {a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn bodies_without_spherical_inertia_and_contacts_off_the_centre_keep_the_jacobian() {
        let mut sweep = SweepSolver::new();
        let mut inverse = [0.0; 36];
        (0..6).for_each(|i| inverse[7 * i] = 1.0);
        let ball = sweep.add_body(&inverse, &[0.0; 6]).expect("a good body");
        inverse[35] = 2.0;
        let brick = sweep.add_body(&inverse, &[0.0; 6]).expect("a good body");
        let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        for (body, arm) in [(brick, [0.0, 0.0, -1.0]), (ball, [0.1, 0.0, -1.0]), (ball, [0.0, 0.0, -1.0])] {
            let frame = ContactFrame { axes, bodies: [None, Some(body)], arms: [[0.0; 3], arm] };
            sweep.add_rigid_contact(ComplementarityLaw::Cone { mu: 0.3 }, &frame, &[0.0; 3], &[0.0; 3]).expect("good");
        }
        let central: Vec<bool> = sweep.order.iter().map(|c| matches!(c, ContactStore::Central(_))).collect();
        assert_eq!(central, [false, false, true]);
    }
}
