//! Inertia of a two-node beam cut into two finite volumes: forces and moments of the nodes by their accelerations.
//! [FumagalliMasarati2009] appendix 2, eqs. (70) to (74)

use crate::reproduce::ExampleResults;
use crate::reproduce::case::PaperModel;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use taut::analyses::linear::{LinearError, ModeRequest, linearise, modes};

/// Simpson's rule, exact for the products of two linear functions that stand below the integrals.
fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    (f(from) + 4.0 * f(0.5 * (from + to)) + f(to)) * (to - from) / 6.0
}

/// Factors of the two nodal accelerations, per mass of the beam, moments per length too; then a beam of such elements.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("fumagalli-masarati-2009/finite_volume_inertia")?;
    // Shape functions over the length as unit.
    let shape = [|s: f64| 1.0 - s, |s: f64| s];
    for (node, (from, to)) in [(0.0, 0.5), (0.5, 1.0)].into_iter().enumerate() {
        for (other, N) in shape.iter().enumerate() {
            let words = |what: &str| format!("{what} of node {} by the acceleration of node {}", node + 1, other + 1);
            let force = integral(from, to, N);
            let path = format!("f{}/{other}", node + 1);
            found.push(
                ComparisonRow::new("eq. (70)", words("force"), "")
                    .by_formula()
                    .compared_with(force, known.absolute(&path, 1e-15)?),
            );
            let moment = integral(from, to, |s| (s - node as f64) * N(s));
            let path = format!("moment_about_node{}_over_L/{other}", node + 1);
            found.push(
                ComparisonRow::new("eq. (70)", words("moment"), "")
                    .by_formula()
                    .compared_with(moment, known.absolute(&path, 1e-15)?),
            );
        }
    }
    motion(found)
}

/// The slowest vibrations of a beam between pins, 8 elements of three nodes, against the closed form for a beam that shears and
/// whose sections have an inertia of their own.
fn motion(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let case = PaperModel::open("fumagalli_beam", &[])?;
    let wrong = |e: LinearError| ReproductionError::new(e.to_string());
    let lin = linearise(&case.model, &case.start, None).map_err(wrong)?;
    let slowest = modes(&lin, ModeRequest::Lowest(2)).map_err(wrong)?;
    // m r² ω⁴ / GA − (m + k² (r² + m EI/GA)) ω² + EI k⁴ = 0 with m = EI = 1, r² = 1e-4, GA = 1e5, k = n π.
    let (inertia, shear) = (1e-4, 1e-5);
    for (n, mode) in slowest.modes.iter().enumerate() {
        let k2 = ((n + 1) as f64 * std::f64::consts::PI).powi(2);
        let (a, b, c) = (inertia * shear, 1.0 + k2 * (inertia + shear), k2 * k2);
        let square = 2.0 * c / (b + (b * b - 4.0 * a * c).sqrt());
        let from = "closed form of a beam that shears, between pins";
        let row =
            ComparisonRow::new("eqs. (70), (74)", format!("vibration {} of a beam of such elements", n + 1), "rad/s");
        let row = row.remark("8 elements of three nodes; their error is of fourth order.");
        found.push(row.compared_with(mode.omega(), Reference::relative(square.sqrt(), 1e-3, from)));
    }
    Ok(())
}
