//! `visual` and `collision` of URDF links.

use super::joints::origin;
use crate::diagnostic::Diagnostic;
use crate::mesh::Mesh;
use crate::robot::xml::Element;
use crate::robot::{COLLISION_GROUP, ImportReport, LinkShape, ShapePurpose, colour_code, scaled_mesh};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use taut::shapes::Shape;

/// Reads the shapes of all links of a file.
pub(super) struct ShapeReader<'a> {
    /// Folder of the file.
    folder: &'a Path,
    /// Colours of the materials that the robot defines.
    materials: HashMap<&'a str, String>,
}

impl<'a> ShapeReader<'a> {
    pub fn new(robot: &'a Element, path: &'a Path) -> Result<ShapeReader<'a>, Diagnostic> {
        let mut materials = HashMap::new();
        for material in robot.all("material") {
            if let (Some(name), Some(colour)) = (material.get("name"), colour(material)?) {
                materials.insert(name, colour);
            }
        }
        Ok(ShapeReader { folder: path.parent().unwrap_or(Path::new("")), materials })
    }

    /// The shapes of a link; those that cannot be read are listed.
    pub fn shapes(&self, link: &Element, name: &str, ledger: &mut ImportReport) -> Result<Vec<LinkShape>, Diagnostic> {
        let mut found = Vec::new();
        for element in &link.children {
            let purpose = match element.name.as_str() {
                "visual" => ShapePurpose::Visual,
                "collision" => ShapePurpose::Collision,
                _ => continue,
            };
            let Some(geometry) = element.child("geometry") else {
                return Err(element.error(format!("a {} shape of link `{name}` has no geometry", element.name)));
            };
            match self.shape(geometry, name)? {
                Ok(shape) => {
                    let (pose, colour) = (origin(element)?, self.colour_of(element)?);
                    found.push(LinkShape {
                        link: name.to_string(),
                        purpose,
                        shape,
                        pose,
                        colour,
                        group: COLLISION_GROUP,
                    });
                }
                Err(why) => {
                    let what = format!("{} shape of link `{name}`", element.name);
                    ledger.not_imported(what, why, Some(&geometry.place));
                }
            }
        }
        Ok(found)
    }

    /// A shape, or why it is not imported.
    fn shape(&self, geometry: &Element, link: &str) -> Result<Result<Shape, String>, Diagnostic> {
        let length = |e: &Element, attribute: &str| -> Result<f64, Diagnostic> {
            match e.number(attribute)? {
                Some(x) if x > 0.0 => Ok(x),
                Some(x) => Err(e.error(format!("link `{link}`: {attribute} is {x}; it must be greater than zero"))),
                None => Err(e.error(format!("link `{link}`: a {} needs `{attribute}`", e.name))),
            }
        };
        let [form] = &geometry.children[..] else {
            return Err(geometry.error(format!("link `{link}`: a geometry has exactly one shape")));
        };
        Ok(Ok(match form.name.as_str() {
            "sphere" => Shape::Sphere { radius: length(form, "radius")? },
            "cylinder" => Shape::Cylinder { radius: length(form, "radius")?, length: length(form, "length")? },
            "capsule" => Shape::Capsule { radius: length(form, "radius")?, length: length(form, "length")? },
            "box" => match form.numbers::<3>("size")? {
                Some(size) if size.iter().all(|x| *x > 0.0) => Shape::Box { size },
                Some(_) => {
                    return Err(form.error(format!("link `{link}`: the size of a box must be greater than zero")));
                }
                None => return Err(form.error(format!("link `{link}`: a box needs `size`"))),
            },
            "mesh" => {
                let file = form.require("filename")?;
                let scale = form.numbers::<3>("scale")?.unwrap_or([1.0; 3]);
                if scale.iter().any(|s| *s == 0.0 || !s.is_finite()) {
                    return Err(form.error(format!("link `{link}`: the scale of a mesh must not be zero")));
                }
                return Ok(self.mesh(file, scale));
            }
            other => return Err(form.error(format!("link `{link}` has the unknown shape `{other}`"))),
        }))
    }

    fn mesh(&self, file: &str, scale: [f64; 3]) -> Result<Shape, String> {
        let path = self.find(file).ok_or_else(|| format!("the mesh `{file}` is not found near the robot file"))?;
        let Mesh { points, triangles } =
            scaled_mesh(&path, scale).map_err(|why| format!("the mesh `{file}`: {why}"))?;
        Ok(Shape::Mesh { points, triangles })
    }

    /// A file relative to the robot file; `package://name/path` is looked for in the folders around it.
    fn find(&self, file: &str) -> Option<PathBuf> {
        let inside = file.strip_prefix("package://").or_else(|| file.strip_prefix("model://"));
        let Some(inside) = inside else {
            let path = self.folder.join(file.strip_prefix("file://").unwrap_or(file));
            return path.is_file().then_some(path);
        };
        let within = inside.split_once('/').map(|(_, rest)| rest);
        let around = self.folder.ancestors().flat_map(|folder| {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            std::iter::once(folder.join(inside)).chain(within.map(|rest| folder.join(rest)))
        });
        around.into_iter().find(|path| path.is_file())
    }

    fn colour_of(&self, element: &Element) -> Result<Option<String>, Diagnostic> {
        let Some(material) = element.child("material") else { return Ok(None) };
        let named = || material.get("name").and_then(|name| self.materials.get(name)).cloned();
        Ok(colour(material)?.or_else(named))
    }
}

/// `#rrggbb` of a material.
fn colour(material: &Element) -> Result<Option<String>, Diagnostic> {
    let Some(rgba) = material.child("color").map(|c| c.list("rgba")).transpose()?.flatten() else { return Ok(None) };
    Ok(Some(colour_code(&rgba)))
}
