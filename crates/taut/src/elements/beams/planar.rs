//! A cut of a beam in the xy plane: the equations of [`cut`](super::cut) with the three strains of the plane.
//!
//! ```text
//!  θ = Σ Nᵢ θᵢ from the base node,   e = R(θ)ᵀ x_/η − (·)₀,   κ = Σ Nᵢ' θᵢ − (·)₀      (N, Q_y, M_z) = C (e, κ) + σ₀
//! ```
//!
//! All rotations are about z and commute, so that no rotation vector is needed: a tenth of the work of a cut in space.

use super::cut::{MAX_NODES, SectionCut};
use super::section::SectionLaw;
use crate::constraints::ElementInput;
use crate::motion::{Mat3, Motion, Wrench};
use nalgebra::{Matrix3, Matrix6, Vector2, Vector3, Vector6};

/// Indices of the stresses that act in the plane.
const PLANAR_STRESSES: [usize; 3] = [0, 1, 5];

/// A section along an element in the plane, with its material law.
#[derive(Clone, Debug)]
pub(super) struct PlanarCut {
    nodes: usize,
    base_node: usize,
    N: [f64; MAX_NODES],
    dN: [f64; MAX_NODES],
    pub weight: f64,
    reference_strain: Vector3<f64>,
    C: Matrix3<f64>,
    viscous: Option<Matrix3<f64>>,
    prestress: Vector3<f64>,
}

/// The nodes of an element relative to its base node, shared by all its cuts.
pub(super) struct PlanarNodes {
    from: Vector2<f64>,
    axes: Vector2<f64>,
    d: [Vector2<f64>; MAX_NODES],
    turn: [f64; MAX_NODES],
}

/// A cut in the current configuration.
pub(super) struct PlanarCutState {
    /// Axes of the section: cosine and sine.
    axes: Vector2<f64>,
    /// Its point on the beam line.
    x: Vector2<f64>,
    /// x_/η.
    tangent: Vector2<f64>,
    /// e_x, e_y, κ.
    pub strain: Vector3<f64>,
}

#[inline(always)]
fn position_and_axis(m: &Motion) -> (Vector2<f64>, Vector2<f64>) {
    (Vector2::new(m.p.x, m.p.y), Vector2::new(m.R[(0, 0)], m.R[(1, 0)]))
}

/// a × b.
#[inline(always)]
fn cross(a: Vector2<f64>, b: Vector2<f64>) -> f64 {
    a.x * b.y - a.y * b.x
}

/// Components along the axes, from those of the world.
#[inline(always)]
fn along(axes: Vector2<f64>, x: Vector2<f64>) -> Vector2<f64> {
    Vector2::new(axes.dot(&x), cross(axes, x))
}

/// Components in the world, from those along the axes.
#[inline(always)]
fn world(axes: Vector2<f64>, x: Vector2<f64>) -> Vector2<f64> {
    Vector2::new(axes.x * x.x - axes.y * x.y, axes.y * x.x + axes.x * x.y)
}

/// The angle from a to b, both unit vectors. Within an element it is small, and a short series is accurate to round-off.
#[inline(always)]
fn angle(a: Vector2<f64>, b: Vector2<f64>) -> f64 {
    let (sin, cos) = (cross(a, b), a.dot(&b));
    if cos < 0.98 {
        return sin.atan2(cos);
    }
    // 2 atan u, with u, the tangent of half the angle, below 0.1.
    let u = sin / (1.0 + cos);
    let x = u * u;
    let late = cubic(x, [1.0 / 9.0, -1.0 / 11.0, 1.0 / 13.0, -1.0 / 15.0]);
    2.0 * u * (cubic(x, [1.0, -1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0]) + (x * x) * (x * x) * late)
}

/// c₀ + c₁ x + c₂ x² + c₃ x³, evaluated in pairs: fewer dependent operations than Horner's scheme.
#[inline(always)]
fn cubic(x: f64, c: [f64; 4]) -> f64 {
    (c[0] + c[1] * x) + (x * x) * (c[2] + c[3] * x)
}

/// Cosine and sine, by short series.
#[inline(always)]
fn cosine_sine(angle: f64) -> Vector2<f64> {
    let x = angle * angle;
    if x > 0.04 {
        let (sin, cos) = angle.sin_cos();
        return Vector2::new(cos, sin);
    }
    let late = (x * x) * (x * x);
    let sin =
        cubic(x, [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0]) + late * (1.0 / 362_880.0 - x * (1.0 / 39_916_800.0));
    let cos = cubic(x, [1.0, -1.0 / 2.0, 1.0 / 24.0, -1.0 / 720.0]) + late * (1.0 / 40_320.0 - x * (1.0 / 3_628_800.0));
    Vector2::new(cos, angle * sin)
}

impl PlanarCut {
    pub fn new(cut: &SectionCut, law: &SectionLaw) -> PlanarCut {
        let block = |C: &Matrix6<f64>| Matrix3::from_fn(|i, j| C[(PLANAR_STRESSES[i], PLANAR_STRESSES[j])]);
        let three = |s: &Vector6<f64>| Vector3::from_fn(|i, _| s[PLANAR_STRESSES[i]]);
        let (nodes, base, N, dN, rest) = cut.interpolation_data();
        PlanarCut {
            nodes,
            base_node: base,
            N,
            dN,
            weight: cut.weight,
            reference_strain: three(rest),
            C: block(&law.C),
            viscous: law.viscous.as_ref().map(block),
            prestress: three(&law.prestress),
        }
    }

    /// The nodes relative to the base node, for all cuts of the element.
    #[inline(always)]
    pub fn nodes_from_base(&self, at: &ElementInput) -> PlanarNodes {
        let (from, axes) = position_and_axis(&at[self.base_node]);
        let mut line = PlanarNodes { from, axes, d: [Vector2::zeros(); MAX_NODES], turn: [0.0; MAX_NODES] };
        for i in (0..self.nodes).filter(|i| *i != self.base_node) {
            let (p, other) = position_and_axis(&at[i]);
            line.d[i] = p - from;
            line.turn[i] = angle(axes, other);
        }
        line
    }

    /// Strains and section axes in the current configuration.
    #[inline(always)]
    pub fn evaluate(&self, line: &PlanarNodes) -> PlanarCutState {
        let (mut x, mut tangent) = (line.from, Vector2::zeros());
        let (mut theta, mut curvature) = (0.0, 0.0);
        for i in 0..MAX_NODES {
            x += line.d[i] * self.N[i];
            tangent += line.d[i] * self.dN[i];
            theta += line.turn[i] * self.N[i];
            curvature += line.turn[i] * self.dN[i];
        }
        let axes = world(line.axes, cosine_sine(theta));
        let e = along(axes, tangent);
        PlanarCutState { axes, x, tangent, strain: Vector3::new(e.x, e.y, curvature) - self.reference_strain }
    }

    /// Rates of the strains.
    #[inline(always)]
    pub fn strain_rate(&self, at: &ElementInput, bent: &PlanarCutState) -> Vector3<f64> {
        let (mut v, mut w, mut dw) = (Vector2::zeros(), 0.0, 0.0);
        for i in 0..self.nodes {
            v += Vector2::new(at[i].v.x, at[i].v.y) * self.dN[i];
            w += at[i].w.z * self.N[i];
            dw += at[i].w.z * self.dN[i];
        }
        let e = along(bent.axes, v - Vector2::new(-bent.tangent.y, bent.tangent.x) * w);
        Vector3::new(e.x, e.y, dw)
    }

    /// Elastic part of N, Q_y, M_z.
    #[inline(always)]
    pub fn elastic_stress(&self, bent: &PlanarCutState) -> Vector3<f64> {
        self.C * bent.strain + self.prestress
    }

    /// Strain energy per length, ½ s·C s + σ₀·s.
    pub fn stored_energy(&self, bent: &PlanarCutState) -> f64 {
        bent.strain.dot(&(self.C * bent.strain * 0.5 + self.prestress))
    }

    /// Power per length dissipated by viscosity.
    pub fn dissipated_power(&self, rate: &Vector3<f64>) -> f64 {
        self.viscous.map_or(0.0, |viscous| rate.dot(&(viscous * rate)))
    }

    /// Force (world axes) and moment that the part after the cut exerts on the part before it.
    #[inline(always)]
    fn world_stress(&self, at: &ElementInput, bent: &PlanarCutState) -> (Vector2<f64>, f64) {
        let mut sigma = self.elastic_stress(bent);
        if let Some(viscous) = &self.viscous {
            sigma += viscous * self.strain_rate(at, bent);
        }
        (world(bent.axes, Vector2::new(sigma.x, sigma.y)), sigma.z)
    }

    /// Force, and its moments about the two nodes next to the cut.
    #[inline(always)]
    pub fn wrenches(&self, at: &ElementInput, bent: &PlanarCutState, c: usize) -> (Vector2<f64>, [f64; 2]) {
        let (f, m) = self.world_stress(at, bent);
        (f, [c, c + 1].map(|k| cross(bent.x - position_and_axis(&at[k]).0, f) + m))
    }

    /// Adds the forces on the nodes by virtual work.
    #[inline(always)]
    pub fn add_variational_forces(&self, at: &ElementInput, bent: &PlanarCutState, on: &mut [Wrench]) {
        let (f, m) = self.world_stress(at, bent);
        let bends = cross(bent.tangent, f);
        for (i, w) in on.iter_mut().enumerate().take(self.nodes) {
            let factor = self.weight * self.dN[i];
            w.f.x -= factor * f.x;
            w.f.y -= factor * f.y;
            w.m.z -= factor * m - self.weight * self.N[i] * bends;
        }
    }

    /// Adds the derivatives of these forces by pose and twist of the nodes.
    pub fn variational_tangent(
        &self,
        at: &ElementInput,
        bent: &PlanarCutState,
        pose: &mut [Matrix6<f64>],
        twist: &mut [Matrix6<f64>],
    ) {
        let n = self.nodes;
        let (f, _) = self.world_stress(at, bent);
        let (t, viscous) = (bent.tangent, self.viscous.is_some());
        self.for_each_derivative(at, bent, f, |j, by_pose, by_twist| {
            // The change of the force on a node for a change (x, y, m) at the cut.
            let add = |block: &Mat3, lengthwise: f64, turning: f64, into: &mut Matrix6<f64>| {
                for (column, to) in [(0, 0), (1, 1), (2, 5)] {
                    let (x, y, m) = (block[(0, column)], block[(1, column)], block[(2, column)]);
                    into[(0, to)] -= lengthwise * x;
                    into[(1, to)] -= lengthwise * y;
                    into[(5, to)] -= lengthwise * m - turning * (t.x * y - t.y * x);
                }
            };
            for i in 0..n {
                let (lengthwise, turning) = (self.weight * self.dN[i], self.weight * self.N[i]);
                let into = &mut pose[i * n + j];
                add(by_pose, lengthwise, turning, into);
                // x_/η × f: the tangent changes with the nodes.
                into[(5, 0)] += turning * self.dN[j] * f.y;
                into[(5, 1)] -= turning * self.dN[j] * f.x;
                if viscous {
                    add(by_twist, lengthwise, turning, &mut twist[i * n + j]);
                }
            }
        });
    }

    /// Adds the derivatives of both wrenches next to cut `c` by pose and twist of the nodes.
    pub fn tangent(
        &self,
        at: &ElementInput,
        bent: &PlanarCutState,
        c: usize,
        pose: &mut [Matrix6<f64>],
        twist: &mut [Matrix6<f64>],
    ) {
        let n = self.nodes;
        let (f, _) = self.world_stress(at, bent);
        self.for_each_derivative(at, bent, f, |i, by_pose, by_twist| {
            for (k, sign) in [(c, 1.0), (c + 1, -1.0)] {
                let arm = bent.x - position_and_axis(&at[k]).0;
                let own = if i == k { 1.0 } else { 0.0 };
                for (block, into) in [(by_pose, &mut pose[k * n + i]), (by_twist, &mut twist[k * n + i])] {
                    for (column, to) in [0, 1, 5].into_iter().enumerate() {
                        let [x, y, m] = [0, 1, 2].map(|row| block[(row, column)]);
                        into[(0, to)] += sign * x;
                        into[(1, to)] += sign * y;
                        into[(5, to)] += sign * (m + arm.x * y - arm.y * x);
                    }
                }
                // The arm x − x_k changes with the nodes.
                let grows = sign * (self.N[i] - own);
                pose[k * n + i][(5, 0)] += grows * f.y;
                pose[k * n + i][(5, 1)] -= grows * f.x;
            }
        });
    }

    /// Calls `call` with each node and the derivatives of force and moment at the cut by its pose and twist.
    fn for_each_derivative(
        &self,
        at: &ElementInput,
        bent: &PlanarCutState,
        f: Vector2<f64>,
        mut call: impl FnMut(usize, &Mat3, &Mat3),
    ) {
        let n = self.nodes;
        let axes = bent.axes;
        let R = Matrix3::new(axes.x, -axes.y, 0.0, axes.y, axes.x, 0.0, 0.0, 0.0, 1.0);
        // ẑ × x_/η: the section rotates relative to the line.
        let across = Vector2::new(-bent.tangent.y, bent.tangent.x);
        let rate = self.viscous.as_ref().map(|viscous| {
            let (mut v, mut w) = (Vector2::zeros(), 0.0);
            for i in 0..n {
                v += Vector2::new(at[i].v.x, at[i].v.y) * self.dN[i];
                w += at[i].w.z * self.N[i];
            }
            (viscous, v, w)
        });
        for i in 0..n {
            // δ(e, κ) = B (δx, δψ), and the same for the rates.
            let B = self.strain_matrix(axes, across, i);
            let mut by_pose = R * self.C * B;
            let mut by_twist = Mat3::zeros();
            if let Some((viscous, v, w)) = &rate {
                // ė = Rᵀ (v' − w ẑ × x'): R rotates by δψ, and x' changes.
                let (N, dN) = (self.N[i], self.dN[i]);
                let moved = Vector2::new(-v.y, v.x) + bent.tangent * *w;
                let by_angle = along(axes, -moved * N);
                let (by_x, by_y) = (along(axes, Vector2::new(0.0, -w * dN)), along(axes, Vector2::new(w * dN, 0.0)));
                let Bdot = Mat3::new(by_x.x, by_y.x, by_angle.x, by_x.y, by_y.y, by_angle.y, 0.0, 0.0, 0.0);
                by_pose += R * *viscous * Bdot;
                by_twist = R * *viscous * B;
            }
            // The section rotates, and the force with it.
            by_pose[(0, 2)] -= f.y * self.N[i];
            by_pose[(1, 2)] += f.x * self.N[i];
            call(i, &by_pose, &by_twist);
        }
    }

    /// Bᵢ: strain rate = Σ Bᵢ (v_x, v_y, w) of node i.
    fn strain_matrix(&self, axes: Vector2<f64>, across: Vector2<f64>, i: usize) -> Mat3 {
        let (N, dN) = (self.N[i], self.dN[i]);
        let turned = along(axes, across * -N);
        Mat3::new(axes.x * dN, axes.y * dN, turned.x, -axes.y * dN, axes.x * dN, turned.y, 0.0, 0.0, dN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_series_give_all_digits() {
        for k in -400..=400 {
            let x = f64::from(k) * 1e-3;
            let (sin, cos) = x.sin_cos();
            let found = cosine_sine(x);
            assert!((found.x - cos).abs() < 3e-16 && (found.y - sin).abs() <= 4e-16 * sin.abs(), "{x}: {found}");
            let turned = angle(Vector2::new(0.6, 0.8), world(Vector2::new(0.6, 0.8), Vector2::new(cos, sin)));
            assert!((turned - x).abs() < 4e-16, "{x}: {turned}");
            let small = angle(Vector2::new(1.0, 0.0), Vector2::new(cos, sin));
            assert!((small - x).abs() <= 6e-16 * x.abs(), "{x}: {small}");
        }
    }
}
