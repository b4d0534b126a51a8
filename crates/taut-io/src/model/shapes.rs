//! Mass properties of bodies from their shapes: uniform solids, added up about the common mass centre.

use crate::mesh::Mesh;
use serde_json::{Map, Value as Json};

/// Mass, mass centre and tensor about it (xx, yy, zz, xy, xz, yz), body axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MassProperties {
    pub mass: f64,
    pub com: [f64; 3],
    pub inertia: [f64; 6],
}

/// Of one shape or several. `mass` is that of the body, shared only by a single shape.
pub(crate) fn mass_properties(shapes: &[Json], mass: Option<f64>) -> Result<MassProperties, String> {
    if shapes.is_empty() {
        return Err("the list of shapes is empty".to_string());
    }
    let mut parts = Vec::new();
    for shape in shapes {
        let Json::Object(shape) = shape else { continue };
        let Solid { volume, centroid, unit } = solid(shape)?;
        let own = shape.get("mass").and_then(Json::as_f64);
        let density = shape.get("density").and_then(Json::as_f64);
        let m = match (own, density, mass) {
            (Some(_), Some(_), _) => return Err("a shape has both `mass` and `density`; keep one".to_string()),
            (Some(_), None, Some(_)) | (None, Some(_), Some(_)) => {
                return Err("the body's `mass` and that of its shape are both given; keep one".to_string());
            }
            (Some(m), None, None) => m,
            (None, Some(_), None) if volume == 0.0 => {
                return Err("a rod without `radius` has no volume; give `mass` instead of `density`".to_string());
            }
            (None, Some(rho), None) => rho * volume,
            (None, None, Some(m)) if shapes.len() == 1 => m,
            (None, None, Some(_)) => return Err("with several shapes each needs its `density` or `mass`".to_string()),
            (None, None, None) => return Err("give the body's `mass`, or the shape's `density`".to_string()),
        };
        // A body without mass may have a shape.
        let massless = mass == Some(0.0) && m == 0.0;
        if !(massless || (m > 0.0 && m.is_finite())) {
            return Err(format!("the shape has the mass {m} kg; it must be greater than zero"));
        }
        if unit.iter().any(|i| !(i * m).is_finite()) {
            return Err("the shape is too large".to_string());
        }
        let at = numbers(shape, "at");
        let at = [0, 1, 2].map(|i| at.get(i).copied().unwrap_or(0.0) + centroid[i]);
        parts.push((m, at, unit.map(|i| i * m)));
    }
    let total: f64 = parts.iter().map(|p| p.0).sum();
    if parts.len() == 1 {
        let (mass, com, inertia) = parts[0];
        return Ok(MassProperties { mass, com, inertia });
    }
    let com = [0, 1, 2].map(|i| parts.iter().map(|(m, at, _)| m * at[i]).sum::<f64>() / total);
    // Parallel axes: J += m (|d|² I − d dᵀ).
    let mut inertia = [0.0; 6];
    for (m, at, own) in &parts {
        let d = [0, 1, 2].map(|i| at[i] - com[i]);
        let d2: f64 = d.iter().map(|x| x * x).sum();
        for i in 0..3 {
            inertia[i] += own[i] + m * (d2 - d[i] * d[i]);
        }
        for (k, (i, j)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            inertia[3 + k] += own[3 + k] - m * d[i] * d[j];
        }
    }
    Ok(MassProperties { mass: total, com, inertia })
}

fn numbers(shape: &Map<String, Json>, key: &str) -> Vec<f64> {
    let list = shape.get(key).and_then(Json::as_array);
    list.map(|l| l.iter().filter_map(Json::as_f64).collect()).unwrap_or_default()
}

/// A solid: its volume, centroid, and tensor about the centroid per unit mass.
struct Solid {
    volume: f64,
    centroid: [f64; 3],
    unit: [f64; 6],
}

/// The solid of a shape.
fn solid(shape: &Map<String, Json>) -> Result<Solid, String> {
    if shape.get("type").and_then(Json::as_str) == Some("mesh") {
        let read = |key: &str| shape.get(key).cloned().unwrap_or_default();
        let points = serde_json::from_value(read("points")).map_err(|e| e.to_string())?;
        let triangles = serde_json::from_value(read("triangles")).map_err(|e| e.to_string())?;
        let found =
            Mesh { points, triangles }.solid().map_err(|why| format!("the mesh has no mass properties: {why}"))?;
        return Ok(Solid { volume: found.volume, centroid: found.centroid, unit: found.inertia });
    }
    let (volume, [x, y, z]) = principal(shape)?;
    Ok(Solid { volume, centroid: [0.0; 3], unit: [x, y, z, 0.0, 0.0, 0.0] })
}

/// Volume, and principal moments per unit mass.
fn principal(shape: &Map<String, Json>) -> Result<(f64, [f64; 3]), String> {
    let length = |key: &str| -> Result<f64, String> {
        let x = shape.get(key).and_then(Json::as_f64).unwrap_or(0.0);
        if x > 0.0 && x.is_finite() {
            Ok(x)
        } else {
            Err(format!("`{key}` of the shape is {x}; it must be greater than zero"))
        }
    };
    let kind = shape.get("type").and_then(Json::as_str).unwrap_or_default();
    let about = |along: f64, across: f64, default: usize| {
        let axis = shape.get("axis").and_then(Json::as_str);
        let axis = axis.map_or(default, |a| ["x", "y", "z"].iter().position(|b| *b == a).unwrap_or(default));
        let mut j = [across; 3];
        j[axis] = along;
        j
    };
    match kind {
        "box" => {
            let size = numbers(shape, "size");
            if size.iter().any(|x| *x <= 0.0) || size.len() != 3 {
                return Err("`size` of the box must be three lengths greater than zero".to_string());
            }
            let [x, y, z] = [size[0] * size[0], size[1] * size[1], size[2] * size[2]];
            Ok((size.iter().product(), [(y + z) / 12.0, (x + z) / 12.0, (x + y) / 12.0]))
        }
        "sphere" => {
            let r = length("radius")?;
            Ok((4.0 / 3.0 * std::f64::consts::PI * r * r * r, [0.4 * r * r; 3]))
        }
        "ellipsoid" => {
            let radii = numbers(shape, "radii");
            if radii.iter().any(|x| *x <= 0.0) || radii.len() != 3 {
                return Err("`radii` of the ellipsoid must be three lengths greater than zero".to_string());
            }
            let [x, y, z] = [radii[0] * radii[0], radii[1] * radii[1], radii[2] * radii[2]];
            let volume = 4.0 / 3.0 * std::f64::consts::PI * radii.iter().product::<f64>();
            Ok((volume, [(y + z) / 5.0, (x + z) / 5.0, (x + y) / 5.0]))
        }
        "cylinder" | "rod" => {
            let l = length("length")?;
            let thin = kind == "rod" && !shape.contains_key("radius");
            let r = if thin { 0.0 } else { length("radius")? };
            let default = if kind == "rod" { 0 } else { 2 };
            let j = about(r * r / 2.0, l * l / 12.0 + r * r / 4.0, default);
            Ok((std::f64::consts::PI * r * r * l, j))
        }
        other => Err(format!("unknown shape `{other}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn two_half_boxes_are_one_box() {
        let whole = mass_properties(&[json!({"type": "box", "size": [2.0, 1.0, 1.0], "density": 3.0})], None).unwrap();
        let half = |x: f64| json!({"type": "box", "size": [1.0, 1.0, 1.0], "density": 3.0, "at": [x, 0.0, 0.0]});
        let two = mass_properties(&[half(-0.5), half(0.5)], None).unwrap();
        assert_eq!(whole.mass, 6.0);
        for i in 0..6 {
            assert!((whole.inertia[i] - two.inertia[i]).abs() < 1e-14, "{whole:?} {two:?}");
        }
    }

    #[test]
    fn closed_forms() {
        let ball = mass_properties(&[json!({"type": "sphere", "radius": 0.5})], Some(2.0)).unwrap();
        assert_eq!(ball.inertia[0], 0.2);
        let egg = json!({"type": "ellipsoid", "radii": [0.1, 0.2, 0.3], "density": 1e3});
        let egg = mass_properties(&[egg], None).unwrap();
        assert!((egg.mass - 8.0 * std::f64::consts::PI).abs() < 1e-12);
        assert!((egg.inertia[2] - egg.mass * 0.01).abs() < 1e-14, "m (a² + b²)/5");
        let rod = mass_properties(&[json!({"type": "rod", "length": 3.0})], Some(4.0)).unwrap();
        assert_eq!(rod.inertia, [0.0, 3.0, 3.0, 0.0, 0.0, 0.0]);
        let wheel = json!({"type": "cylinder", "radius": 2.0, "length": 1e-9, "density": 1.0});
        let wheel = mass_properties(&[wheel], None).unwrap();
        assert!((wheel.inertia[2] / wheel.mass - 2.0).abs() < 1e-12);
    }
}
