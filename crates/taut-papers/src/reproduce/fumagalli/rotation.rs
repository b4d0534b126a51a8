//! A body that rotates about a fixed point, described by Gibbs–Rodrigues parameters: a mass matrix without
//! symmetry. [FumagalliMasarati2009] appendix 2, eqs. (57) to (67)
//!
//! ```text
//!  R(g) = I + k (g× + g×g×/2),  k = 4/(4 + g·g)        ω = Γ ġ,  Γ = k (I + g×/2)
//!  M = diag(m, J)  for (ẍ, ω̇)       X = diag(I, Γ)       M* = M X  for (ẍ, g̈)       A = (I, −s×),  A* = A X
//! ```
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::reproduce::ExampleResults;
use crate::reproduce::decade::next_power_of_ten;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use taut::bodies::Symmetry;
use taut::formulations::{DenseEquations, Regularised};

/// The state of the example.
struct Body {
    G: Matrix3<f64>,
    /// Γ⁻¹ of the bias Γ̇ ġ, with its sign: c of g̈ = Γ⁻¹ ω̇ + c.
    c: Vector3<f64>,
    J: Matrix3<f64>,
    m: f64,
    /// Force, and moment less ω × J ω.
    f: DVector<f64>,
    /// (I, −s×).
    A: DMatrix<f64>,
    /// −ω × (ω × s).
    b: Vector3<f64>,
}

impl Body {
    fn new() -> Result<Body, ReproductionError> {
        let (g, gdot) = (Vector3::new(0.4, -0.7, 0.3), Vector3::new(1.1, 0.2, -0.5));
        let k = 4.0 / (4.0 + g.norm_squared());
        let (one, across): (Matrix3<f64>, _) = (Matrix3::identity(), g.cross_matrix());
        let R = one + (across + across * across * 0.5) * k;
        let G = (one + across * 0.5) * k;
        // k̇ = −k²/2 g·ġ
        let Gdot = (one + across * 0.5) * (-0.5 * k * k * g.dot(&gdot)) + gdot.cross_matrix() * (0.5 * k);
        let J = R * Matrix3::from_diagonal(&Vector3::new(0.3, 0.5, 0.9)) * R.transpose();
        let (w, s) = (G * gdot, R * Vector3::new(0.5, 0.1, -0.2));
        let moment = Vector3::new(0.2, 0.4, -0.3) - w.cross(&(J * w));
        let inverse = G.try_inverse().ok_or_else(|| ReproductionError::new("Γ is singular"))?;
        let mut A = DMatrix::zeros(3, 6);
        A.view_mut((0, 0), (3, 3)).copy_from(&one);
        A.view_mut((0, 3), (3, 3)).copy_from(&(-s.cross_matrix()));
        let f = DVector::from_iterator(6, [1.0, -2.0, 0.5].into_iter().chain(moment.iter().copied()));
        Ok(Body { G, c: -(inverse * (Gdot * gdot)), J, m: 2.0, f, A, b: -w.cross(&w.cross(&s)) })
    }

    /// diag(m I, J), times X or not.
    fn mass_matrix(&self, turning: Matrix3<f64>) -> DMatrix<f64> {
        let mut M = DMatrix::identity(6, 6) * self.m;
        M.view_mut((3, 3), (3, 3)).copy_from(&(self.J * turning));
        M
    }

    /// A X.
    fn starred(&self) -> DMatrix<f64> {
        let mut A = self.A.clone();
        let turning = A.fixed_view::<3, 3>(0, 3) * self.G;
        A.view_mut((0, 3), (3, 3)).copy_from(&turning);
        A
    }

    /// The equations for (ẍ, ω̇), eqs. (61).
    fn plain(&self) -> DenseEquations {
        let b = DVector::from_column_slice(self.b.as_slice());
        DenseEquations::symmetric(self.mass_matrix(Matrix3::identity()), self.f.clone(), self.A.clone(), b)
    }

    /// The equations for (ẍ, g̈), eqs. (59), (64), with what the constraint and the reaction are given.
    fn parameters(&self, b: Vector3<f64>, B: DMatrix<f64>) -> DenseEquations {
        let mut f = self.f.clone();
        // M* ẍ* = f + M* c.
        let more = self.J * self.G * self.c;
        f.rows_mut(3, 3).iter_mut().zip(more.iter()).for_each(|(f, x)| *f += x);
        let b = DVector::from_column_slice(b.as_slice());
        let full = DenseEquations::symmetric(self.mass_matrix(self.G), f, self.starred(), b);
        DenseEquations { B, symmetry: Symmetry::NonSymmetric, ..full }
    }

    /// b + A* c, the right-hand side for g̈.
    fn right_b(&self) -> Vector3<f64> {
        self.b + self.starred().fixed_view::<3, 3>(0, 3) * self.c
    }
}

/// Eq. (46) in angular accelerations, then eq. (60) as it should be, as printed, and with the wrong reaction.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("fumagalli-masarati-2009/rotation_parameters")?;
    let body = Body::new()?;
    let plain = super::small::solved::<Regularised>(&body.plain())?;
    let names = ["x acceleration", "y acceleration", "z acceleration"]
        .into_iter()
        .map(|n| (n, "m/s²"))
        .chain(["x angular acceleration", "y angular acceleration", "z angular acceleration"].map(|n| (n, "rad/s²")));
    for (i, (name, unit)) in names.enumerate() {
        found.push(
            ComparisonRow::new("eq. (46)", name, unit)
                .compared_with(plain.vdot[i], known.absolute(&format!("xdd_alpha/{i}"), 1e-12)?),
        );
    }
    for i in 0..3 {
        let row = ComparisonRow::new("eq. (45)", format!("multiplier {} (article's sign)", i + 1), "N");
        found.push(row.compared_with(-plain.lambda[i], known.absolute(&format!("lambda/{i}"), 1e-12)?));
    }
    let right = super::small::solved::<Regularised>(&body.parameters(body.right_b(), body.A.clone()))?.vdot;
    for i in 0..3 {
        let row = ComparisonRow::new("eq. (60)", format!("second rate of parameter {}", i + 1), "1/s²");
        found.push(row.compared_with(right[3 + i], known.absolute(&format!("pddot/{i}"), 1e-12)?));
    }
    // Compared as accelerations and angular accelerations.
    let apart = |full: &DenseEquations| -> Result<f64, ReproductionError> {
        let mut answer = super::small::solved::<Regularised>(full)?.vdot;
        let alpha = body.G * (answer.fixed_rows::<3>(3) - body.c);
        answer.rows_mut(3, 3).copy_from(&alpha);
        Ok((answer - &plain.vdot).amax())
    };
    let right = apart(&body.parameters(body.right_b(), body.A.clone()))?;
    let row = ComparisonRow::new("eq. (60)", "distance from eq. (46), with b + A* c", "");
    found.push(
        row.compared_with(
            next_power_of_ten(right),
            Reference::at_most(1e-13, "the same equations in other coordinates"),
        ),
    );
    let printed = apart(&body.parameters(body.b, body.A.clone()))?;
    let row = ComparisonRow::new("eq. (60)", "distance from eq. (46) as printed, with b", "");
    let remark = "b must belong to the coordinates that the equations are solved for.";
    found.push(row.compared_with(printed, known.relative("off_as_printed", 1e-12)?).remark(remark));
    let reaction = apart(&body.parameters(body.right_b(), body.starred()))?;
    let row = ComparisonRow::new("section 5, end", "distance with A*ᵀ as the direction of the reaction", "");
    let remark = "A mass matrix without symmetry needs the reaction of the test space, Aᵀ.";
    found.push(row.compared_with(reaction, known.relative("off_with_wrong_reaction", 1e-12)?).remark(remark));
    Ok(())
}
