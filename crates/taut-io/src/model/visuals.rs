//! Appearance of bodies in pictures: `visual`, or else `shape`. It does not affect the equations.

use super::elements::transform_frame;
use super::expand::{Item, PartPlacement, Section};
use super::node::{Node, Table};
use super::resolve::Context;
use super::vocabulary::{FieldType, GROUND};
use crate::diagnostic::Diagnostic;
use crate::mesh;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use std::path::Path;
use taut::{Frame, Named, Orientation};

/// Largest coordinate of a mesh, m: pictures are drawn in single precision.
const MAX_COORDINATE: f64 = 1e12;

/// A shape that can be drawn; cylinder and capsule about z, all centred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum VisualShape {
    /// Edges along x, y, z.
    Box {
        /// Lengths, m.
        size: [f64; 3],
    },
    /// A ball; in the plane a disc.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// About z.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Length, m.
        length: f64,
    },
    /// About z, with round ends.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Between the centres of the ends, m.
        length: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Semi-axes, m.
        radii: [f64; 3],
    },
    /// Flat, in the xy plane.
    Polygon {
        /// Corners, m.
        points: Vec<[f64; 2]>,
    },
    /// Triangles.
    Mesh {
        /// Corners, m.
        points: Vec<[f64; 3]>,
        /// Three of them each.
        triangles: Vec<[usize; 3]>,
    },
}

/// A shape on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visual {
    /// What.
    #[serde(flatten)]
    pub shape: VisualShape,
    /// Its origin in body axes, m.
    #[serde(default)]
    pub at: [f64; 3],
    /// Its axes relative to those of the body.
    #[serde(default, skip_serializing_if = "is_aligned")]
    pub orientation: Orientation,
    /// `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
}

impl Visual {
    /// The same on the ground of a part that is placed in the model.
    pub(super) fn moved_with(self, part: &PartPlacement) -> Visual {
        let mut frame = Frame { at: self.at, orientation: self.orientation.clone(), ..Frame::default() };
        transform_frame(&mut frame, part);
        Visual { at: frame.at, orientation: frame.orientation, ..self }
    }
}

fn is_aligned(orientation: &Orientation) -> bool {
    *orientation == Orientation::Aligned
}

/// `[ground]`: shapes that are part of the ground, without effect on the motion.
pub(super) fn read_ground(top: &Table, c: &mut Context) -> Vec<Named<Visual>> {
    let Some(node) = top.get("ground") else { return Vec::new() };
    c.element = "[ground]".to_string();
    let Some(table) = node.table() else {
        c.diagnostics.push(Diagnostic::error("[ground] must be a table").at(&node.place));
        return Vec::new();
    };
    let before = c.diagnostics.len();
    c.fields(table, GROUND, &node.place, &[]);
    let found = match table.get("visual") {
        Some(node) if c.diagnostics.len() == before => given_visuals(node, c),
        _ => Vec::new(),
    };
    c.element.clear();
    found.into_iter().map(|look| Named { name: "ground".to_string(), item: look }).collect()
}

/// The visuals that `visual` lists.
fn given_visuals(node: &Node, c: &mut Context) -> Vec<Visual> {
    let Some(Json::Array(list)) = c.resolve(FieldType::Visuals, node) else { return Vec::new() };
    let folder = node.place.source.path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut found = Vec::new();
    for one in list {
        match visual(one, &folder) {
            Ok(look) => found.push(look),
            Err(why) => {
                c.diagnostics.push(Diagnostic::error(format!("{}, `visual`: {why}", c.element)).at(&node.place))
            }
        }
    }
    found
}

/// The visuals of a body that was read without errors.
pub(super) fn visuals(item: &Item, c: &mut Context) -> Vec<Named<Visual>> {
    let Some(table) = item.node.table().filter(|_| item.section == Section::Bodies) else { return Vec::new() };
    let found: Vec<Visual> = match (table.get("visual"), table.get("shape")) {
        (Some(node), _) => given_visuals(node, c),
        (None, Some(node)) => match c.resolve(FieldType::Shapes, node) {
            Some(Json::Array(list)) => {
                let folder = node.place.source.path.parent().unwrap_or(Path::new("")).to_path_buf();
                list.iter().filter_map(|shape| visual_of_shape(shape, &folder)).collect()
            }
            _ => Vec::new(),
        },
        (None, None) => Vec::new(),
    };
    found.into_iter().map(|look| Named { name: item.name.clone(), item: look }).collect()
}

fn visual(given: Json, folder: &Path) -> Result<Visual, String> {
    let Json::Object(mut fields) = given else { return Err("it is not a table".to_string()) };
    if let Some(Json::Array(at)) = fields.get_mut("at") {
        at.resize(3, json!(0.0));
    }
    let colour = fields.get("colour").and_then(Json::as_str).unwrap_or("#000000");
    if colour.len() != 7 || !colour.starts_with('#') || !colour[1..].bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(format!("`{colour}` is not a colour; write it as \"#rrggbb\""));
    }
    let sizes = ["size", "radius", "length", "radii"].iter().filter_map(|name| fields.get(*name));
    let positive = |x: &Json| x.as_f64().is_none_or(|x| x > 0.0 && x.is_finite());
    let all = |x: &Json| x.as_array().map_or_else(|| positive(x), |list| list.iter().all(positive));
    if !sizes.into_iter().all(all) {
        return Err("its lengths must be greater than zero".to_string());
    }
    if fields.get("type") == Some(&json!("mesh")) {
        from_file(&mut fields, folder)?;
    }
    let look: Visual = serde_json::from_value(Json::Object(fields)).map_err(|e| e.to_string())?;
    look.orientation.matrix().map_err(|e| format!("`orientation`: {e}"))?;
    match &look.shape {
        VisualShape::Mesh { points, triangles } if triangles.iter().flatten().any(|k| *k >= points.len()) => {
            Err(format!("a triangle refers to a point that does not exist; the last is {}", points.len().max(1) - 1))
        }
        VisualShape::Mesh { points, .. } if points.iter().flatten().any(|x| x.is_nan() || x.abs() > MAX_COORDINATE) => {
            Err(format!("a point lies farther away than {MAX_COORDINATE:e} m; check the unit of the file and `scale`"))
        }
        VisualShape::Polygon { points } if points.len() < 3 => Err("a polygon needs three corners or more".to_string()),
        _ => Ok(look),
    }
}

/// Reads points and triangles from a file, if one is given.
pub(super) fn from_file(fields: &mut Map<String, Json>, folder: &Path) -> Result<(), String> {
    let (file, scale) = (fields.remove("file"), fields.remove("scale").and_then(|x| x.as_f64()));
    let given = fields.contains_key("points") && fields.contains_key("triangles");
    match file.as_ref().and_then(Json::as_str) {
        None if !given => Err("a mesh needs `file`, or `points` and `triangles`".to_string()),
        None => Ok(()),
        Some(_) if given => Err("both `file` and `points` are given; keep one of them".to_string()),
        Some(file) => {
            let found = mesh::read(&folder.join(file))?;
            let scale = scale.unwrap_or(1.0);
            if !(scale > 0.0 && scale.is_finite()) {
                return Err(format!("`scale` must be above 0, not {scale}"));
            }
            let points: Vec<[f64; 3]> = found.points.iter().map(|p| p.map(|x| scale * x)).collect();
            fields.insert("points".to_string(), json!(points));
            fields.insert("triangles".to_string(), json!(found.triangles));
            Ok(())
        }
    }
}

/// Radius over length with which a rod without radius is drawn.
const LINE_ROD_ASPECT_RATIO: f64 = 0.02;

/// The visual of a shape that gives mass properties.
fn visual_of_shape(shape: &Json, folder: &Path) -> Option<Visual> {
    let number = |name: &str| shape[name].as_f64();
    let at: Vec<f64> = shape["at"].as_array().into_iter().flatten().filter_map(Json::as_f64).collect();
    let at = [0, 1, 2].map(|i| at.get(i).copied().unwrap_or(0.0));
    let kind = shape["type"].as_str()?;
    let form = match kind {
        "box" => VisualShape::Box { size: serde_json::from_value(shape["size"].clone()).ok()? },
        "sphere" => VisualShape::Sphere { radius: number("radius")? },
        "ellipsoid" => VisualShape::Ellipsoid { radii: serde_json::from_value(shape["radii"].clone()).ok()? },
        "mesh" => {
            let mut fields = shape.as_object()?.clone();
            from_file(&mut fields, folder).ok()?;
            let read = |name: &str| fields.get(name).cloned();
            VisualShape::Mesh {
                points: serde_json::from_value(read("points")?).ok()?,
                triangles: serde_json::from_value(read("triangles")?).ok()?,
            }
        }
        _ => {
            let length = number("length")?;
            VisualShape::Cylinder { radius: number("radius").unwrap_or(LINE_ROD_ASPECT_RATIO * length), length }
        }
    };
    let along = shape["axis"].as_str().unwrap_or(if kind == "rod" { "x" } else { "z" });
    let orientation = match (kind, along) {
        ("cylinder" | "rod", "x") => Orientation::z([1.0, 0.0, 0.0]),
        ("cylinder" | "rod", "y") => Orientation::z([0.0, 1.0, 0.0]),
        _ => Orientation::Aligned,
    };
    Some(Visual { shape: form, at, orientation, colour: None })
}
