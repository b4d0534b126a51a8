//! Inertia of a two-node beam cut into two finite volumes: forces and moments of the nodes by their accelerations.
//! [FumagalliMasarati2009] appendix 2, eqs. (70) to (74)

use crate::reproduce::Findings;
use crate::reproduce::known::Known;
use crate::reproduce::row::Row;
use crate::reproduce::trouble::Trouble;

/// Simpson's rule, exact for the products of two linear functions that stand below the integrals.
fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    (f(from) + 4.0 * f(0.5 * (from + to)) + f(to)) * (to - from) / 6.0
}

/// Factors of the two nodal accelerations, per mass of the beam, moments per length too; then what waits for the beam.
pub fn compute(found: &mut Findings) -> Result<(), Trouble> {
    let known = Known::of("fumagalli-masarati-2009/finite_volume_inertia")?;
    // Shape functions over the length as unit.
    let shape = [|s: f64| 1.0 - s, |s: f64| s];
    for (node, (from, to)) in [(0.0, 0.5), (0.5, 1.0)].into_iter().enumerate() {
        for (other, N) in shape.iter().enumerate() {
            let words = |what: &str| format!("{what} of node {} by the acceleration of node {}", node + 1, other + 1);
            let force = integral(from, to, N);
            let path = format!("f{}/{other}", node + 1);
            found.push(Row::new("eq. (70)", words("force"), "").against(force, known.absolute(&path, 1e-15)?));
            let moment = integral(from, to, |s| (s - node as f64) * N(s));
            let path = format!("moment_about_node{}_over_L/{other}", node + 1);
            found.push(Row::new("eq. (70)", words("moment"), "").against(moment, known.absolute(&path, 1e-15)?));
        }
    }
    let row = Row::new("eqs. (70), (74)", "motion of a beam of such elements", "");
    found.push(row.pending("flexible bodies"));
    Ok(())
}
