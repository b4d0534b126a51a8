//! Mass and inertia of geoms.

use super::compiler::{Compiler, onto};
use crate::diagnostic::Diagnostic;
use crate::robot::xml::Element;
use crate::robot::{Inertia, Pose, direction};
use std::f64::consts::PI;
use taut::motion::Vec3;

/// Default density, kg/m³: water.
const DENSITY: f64 = 1000.0;

/// Mass of a geom.
#[derive(Debug)]
pub(super) enum GeomMass {
    /// Known.
    Known(Inertia),
    /// Unknown without its mesh; the reason.
    Unknown(Diagnostic),
}

/// Mass and inertia of a geom, frame of its body. `geom` has its defaults already.
pub(super) fn weigh(geom: &Element, compiler: &Compiler) -> Result<GeomMass, Diagnostic> {
    let group = geom.number_or_zero("group")?;
    let mass = geom.number("mass")?;
    let density = geom.number("density")?.unwrap_or(DENSITY);
    let counts = group >= compiler.groups[0] && group <= compiler.groups[1];
    if !counts || mass.map_or(density == 0.0, |m| m == 0.0) {
        return Ok(GeomMass::Known(Inertia::NONE));
    }
    if mass.is_some_and(|m| m < 0.0) || density < 0.0 {
        return Err(geom.error(format!("{}: mass and density must not be negative", geom.label())));
    }
    let shape = match (geom.get("type").unwrap_or("sphere"), geom.get("mesh")) {
        ("plane" | "hfield", _) => return Ok(GeomMass::Known(Inertia::NONE)),
        (shape @ ("mesh" | "sdf"), _) | (shape, Some(_)) => {
            let what = format!("the mass of {} follows from a mesh, which is not read (type {shape})", geom.label());
            return Ok(GeomMass::Unknown(geom.error(what).help("give its body an `inertial`, or the geom mass=\"0\"")));
        }
        (shape, None) => shape,
    };
    if geom.get("shellinertia") == Some("true") {
        let what = format!("{}: the inertia of shells is not supported", geom.label());
        return Ok(GeomMass::Unknown(geom.error(what).help("give its body an `inertial`")));
    }
    let (pose, size) = placed(geom, shape, compiler)?;
    let (volume, moments) = solid(geom, shape, &size)?;
    let mass = mass.unwrap_or(density * volume);
    Ok(GeomMass::Known(Inertia::principal(mass, moments.map(|m| m * mass), &pose)))
}

/// Pose and sizes; `fromto` gives the pose and the half length.
pub(super) fn placed(geom: &Element, shape: &str, compiler: &Compiler) -> Result<(Pose, Vec<f64>), Diagnostic> {
    let mut size = geom.list("size")?.unwrap_or_default();
    let long = matches!(shape, "capsule" | "cylinder" | "box" | "ellipsoid");
    let Some([a, b, c, d, e, f]) = geom.numbers::<6>("fromto")?.filter(|_| long) else {
        return Ok((compiler.pose(geom)?, size));
    };
    let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
    let axis =
        direction((from - to).into()).ok_or_else(|| geom.error(format!("{}: fromto has no length", geom.label())))?;
    let half = 0.5 * (to - from).norm();
    let Some(&radius) = size.first() else {
        return Err(geom.error(format!("{} needs a size", geom.label())));
    };
    size = match shape {
        "capsule" | "cylinder" => vec![radius, half],
        _ => vec![radius, radius, half],
    };
    Ok((Pose { R: onto(&axis), p: 0.5 * (from + to) }, size))
}

/// The first sizes of a geom, which must be greater than zero.
pub(super) fn sizes<const N: usize>(geom: &Element, shape: &str, size: &[f64]) -> Result<[f64; N], Diagnostic> {
    let mut found = [0.0; N];
    for (i, x) in found.iter_mut().enumerate() {
        *x = size.get(i).copied().filter(|s| *s > 0.0).ok_or_else(|| {
            geom.error(format!("{}: a {shape} needs {} sizes greater than zero", geom.label(), i + 1))
        })?;
    }
    Ok(found)
}

/// Volume, and principal moments of one kilogram.
fn solid(geom: &Element, shape: &str, size: &[f64]) -> Result<(f64, [f64; 3]), Diagnostic> {
    Ok(match shape {
        "sphere" => {
            let [r] = sizes(geom, shape, size)?;
            (4.0 / 3.0 * PI * r.powi(3), [0.4 * r * r; 3])
        }
        "box" => {
            let [x, y, z] = sizes(geom, shape, size)?;
            (8.0 * x * y * z, [(y * y + z * z) / 3.0, (x * x + z * z) / 3.0, (x * x + y * y) / 3.0])
        }
        "ellipsoid" => {
            let [x, y, z] = sizes(geom, shape, size)?;
            (4.0 / 3.0 * PI * x * y * z, [(y * y + z * z) / 5.0, (x * x + z * z) / 5.0, (x * x + y * y) / 5.0])
        }
        "cylinder" => {
            let [r, half] = sizes(geom, shape, size)?;
            let h = 2.0 * half;
            let across = (3.0 * r * r + h * h) / 12.0;
            (PI * r * r * h, [across, across, 0.5 * r * r])
        }
        "capsule" => {
            let [r, half] = sizes(geom, shape, size)?;
            let h = 2.0 * half;
            // Contributions of two half spheres, whose centres are 3r/8 from their faces, and of the cylinder.
            let caps = 4.0 * r / (4.0 * r + 3.0 * h);
            let across =
                (1.0 - caps) * (3.0 * r * r + h * h) / 12.0 + caps * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r);
            (PI * r * r * (h + 4.0 / 3.0 * r), [across, across, (1.0 - caps) * 0.5 * r * r + caps * 0.4 * r * r])
        }
        other => return Err(geom.error(format!("{} has the unknown type `{other}`", geom.label()))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::ImportReport;
    use crate::robot::xml::parse;
    use std::path::Path;

    fn with_mass(text: &str) -> Inertia {
        let root = parse(&format!("<mujoco>{text}</mujoco>"), Path::new("x.xml")).unwrap();
        let compiler = Compiler::read(&root, &mut ImportReport::default()).unwrap();
        match weigh(&root.children[0], &compiler).unwrap() {
            GeomMass::Known(inertia) => inertia,
            GeomMass::Unknown(why) => panic!("{why}"),
        }
    }

    #[test]
    fn a_capsule_without_length_is_nearly_a_sphere() {
        let (ball, capsule) = (
            with_mass(r#"<geom type="sphere" size="0.1" mass="2"/>"#),
            with_mass(r#"<geom type="capsule" size="0.1 1e-9" mass="2"/>"#),
        );
        assert!((ball.tensor - capsule.tensor).norm() < 1e-9);
        let rod = with_mass(r#"<geom type="capsule" size="1e-7" fromto="0 0 0 2 0 0" mass="3"/>"#);
        assert!((rod.com - Vec3::x()).norm() < 1e-12 && (rod.tensor[(2, 2)] - 1.0).abs() < 1e-6);
    }
}
