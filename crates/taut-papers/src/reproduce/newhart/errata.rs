//! Equations of the thesis that are wrong as printed, put to numbers. [Newhart2019] eqs. (4), (5), (29), (32)

use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at};
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use nalgebra::{Matrix3, Matrix3x4, Matrix6, Rotation3, Vector3, Vector4, Vector6};

/// Tolerance for round-off.
const ROUND_OFF: f64 = 1e-14;

pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    free_body(found)?;
    direction_cosines(found)?;
    euler_parameters(found)
}

/// Eqs. (4) and (5): a free body whose frame is not at its mass centre.
fn free_body(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("newhart-2019/eq4_5")?;
    let vector =
        |path: &str| -> Result<Vector3<f64>, ReproductionError> { Ok(Vector3::from_row_slice(&known.list(path)?)) };
    let (A, m, Rc) = (Rotation3::from_scaled_axis(vector("A_rotvec")?).into_inner(), known.number("m")?, vector("Rc")?);
    let (w, T_R, T_r, f_b) = (vector("omega")?, vector("T_R")?, vector("T_r")?, vector("f_b")?);
    let (R, W) = (Rc.cross_matrix(), w.cross_matrix());
    let J = Matrix3::from_diagonal(&vector("Jc")?) + m * R.transpose() * R;
    let solve = |M12: Matrix3<f64>, M21: Matrix3<f64>, moment: Vector3<f64>| {
        let mut M = Matrix6::zeros();
        M.fixed_view_mut::<3, 3>(0, 0).copy_from(&(m * Matrix3::identity()));
        M.fixed_view_mut::<3, 3>(0, 3).copy_from(&M12);
        M.fixed_view_mut::<3, 3>(3, 0).copy_from(&M21);
        M.fixed_view_mut::<3, 3>(3, 3).copy_from(&J);
        let force = T_R + f_b - m * A * W * W * Rc;
        let moment = T_r + moment - W * J * w;
        let F = Vector6::from_iterator(force.iter().chain(moment.iter()).copied());
        M.lu().solve(&F).unwrap_or_else(|| Vector6::from_element(f64::NAN))
    };
    let B = -m * A * R;
    let right = solve(B, B.transpose(), R * A.transpose() * f_b);
    let printed = solve(B.transpose(), B, R.transpose() * f_b);
    // The body of the engine under the same forces.
    let case = PaperModel::open("newhart_free_body", &[])?;
    let motion = case.run()?;
    let mut ours = Vector6::zeros();
    for (i, name) in ["ax", "ay", "az", "alpha_x", "alpha_y", "alpha_z"].iter().enumerate() {
        ours[i] = at(&motion, &format!("body.{name}"), 0.0)?;
    }
    let alpha = A.transpose() * Vector3::new(ours[3], ours[4], ours[5]);
    ours.fixed_rows_mut::<3>(3).copy_from(&alpha);
    for (i, name) in
        ["x of r''", "y of r''", "z of r''", "x of alpha'", "y of alpha'", "z of alpha'"].iter().enumerate()
    {
        let unit = if i < 3 { "m/s^2" } else { "rad/s^2" };
        let row = ComparisonRow::new("(4), (5)", format!("{name}, free body, by the engine"), unit);
        found.push(row.compared_with(ours[i], known.absolute(&format!("truth/{i}"), 1e-12)?));
    }
    let row = ComparisonRow::new("(4), (5)", "equations put right, apart from the engine", "");
    let from = "they are the same equations";
    found.push(row.compared_with((right - ours).amax(), Reference::at_most(1e-12, from)));
    let row = ComparisonRow::new("(4), (5)", "equations as printed, apart from the engine", "");
    let row = row.remark(
        "printed: M12 = (-m A R~c)^T, M21 = -m A R~c, and R~c^T f_b. Right: M12 = -m A R~c, M21 its transpose, and R~c A^T \
         f_b, since f_b is given along the axes of the world.",
    );
    found.push(row.by_formula().compared_with((printed - ours).amax(), known.relative("error_printed", 1e-9)?));
    Ok(())
}

/// Eq. (29): the matrix of direction cosines.
fn direction_cosines(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("newhart-2019/eq29")?;
    let (phi, theta, psi): (f64, f64, f64) = (0.7, 0.5, -0.4);
    let ((sf, cf), (st, ct), (sp, cp)) = (phi.sin_cos(), theta.sin_cos(), psi.sin_cos());
    let with = |second: f64| {
        Matrix3::new(
            cf * cp - sf * ct * sp,
            -cf * sp - sf * ct * cp,
            sf * st,
            sf * cp + cf * ct * second,
            -sf * sp + cf * ct * cp,
            -st * cf,
            st * sp,
            st * cp,
            ct,
        )
    };
    let defect = |A: Matrix3<f64>| (A * A.transpose() - Matrix3::identity()).amax();
    let (z, x) = (Vector3::z_axis(), Vector3::x_axis());
    let turns = Rotation3::from_axis_angle(&z, phi)
        * Rotation3::from_axis_angle(&x, theta)
        * Rotation3::from_axis_angle(&z, psi);
    let row = ComparisonRow::new("(29)", "largest |A A^T - 1|, as printed", "").by_formula().remark(
        "printed: element (2,1) ends in cos(psi), and the matrix is called A1 A2 A3. Right: sin(psi); it is then Rz(phi) \
         Rx(theta) Rz(psi). Angles 0.7, 0.5, -0.4 rad.",
    );
    let right = with(sp);
    found.push(row.compared_with(defect(with(cp)), known.absolute("defect_printed", ROUND_OFF)?));
    let row = ComparisonRow::new("(29)", "largest |A A^T - 1|, put right", "");
    found.push(row.compared_with(defect(right), Reference::at_most(ROUND_OFF, "a turn keeps lengths")));
    let row = ComparisonRow::new("(29)", "put right, apart from Rz(phi) Rx(theta) Rz(psi)", "");
    found.push(
        row.compared_with((right - turns.matrix()).amax(), Reference::at_most(ROUND_OFF, "product of three turns")),
    );
    Ok(())
}

/// Eq. (32): Euler's equations in Euler parameters.
fn euler_parameters(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("newhart-2019/eq32")?;
    let (p, pddot) = (Vector4::from_row_slice(&known.list("p")?), Vector4::from_row_slice(&known.list("pddot")?));
    let vector =
        |path: &str| -> Result<Vector3<f64>, ReproductionError> { Ok(Vector3::from_row_slice(&known.list(path)?)) };
    let (J, n, w) = (Matrix3::from_diagonal(&vector("J")?), vector("n")?, vector("omega_body")?);
    // G(p) = [−e, −ẽ + e₀ 1], ω' = 2 G ṗ, ṗ = ½ Gᵀ ω'.
    let G_of = |p: &Vector4<f64>| {
        let e = Vector3::new(p[1], p[2], p[3]);
        let mut G = Matrix3x4::zeros();
        G.set_column(0, &-e);
        G.fixed_view_mut::<3, 3>(0, 1).copy_from(&(p[0] * Matrix3::identity() - e.cross_matrix()));
        G
    };
    let G = G_of(&p);
    let Gdot = G_of(&(0.5 * G.transpose() * w));
    let left = 4.0 * G.transpose() * J * G;
    let residual = left * pddot - 2.0 * G.transpose() * n - 8.0 * Gdot.transpose() * J * Gdot * p;
    let row = ComparisonRow::new("(32)", "rank of 4 G^T J G, four unknowns", "").by_formula();
    let row = row.remark(
        "printed: p' on the left and no multiplier. Right: p'', and 2 p lambda for the length of p, without which the \
         equations cannot be solved.",
    );
    found.push(row.compared_with(left.rank(1e-10) as f64, known.absolute("rank", 0.0)?));
    let row = ComparisonRow::new("(32)", "largest residual with p'' and without the multiplier", "N m").by_formula();
    found.push(row.compared_with(residual.amax(), known.relative("residual_without", 1e-9)?));
    // The remaining residual is along p.
    let lambda = -0.5 * residual.dot(&p);
    let row = ComparisonRow::new("(32)", "multiplier, -p.residual/2", "N m").by_formula();
    found.push(row.compared_with(lambda.abs(), known.absolute("lambda", 1e-12)?));
    let row = ComparisonRow::new("(32)", "residual with p'' and with 2 p lambda", "N m");
    let rest = (residual + 2.0 * lambda * p).norm();
    found.push(row.compared_with(rest, Reference::at_most(ROUND_OFF, "quaternion kinematics and Euler's equations")));
    Ok(())
}
