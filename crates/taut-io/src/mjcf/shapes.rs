//! Geoms as contact surfaces and pictures.
//!
//! A geom is drawn if its group is one that MuJoCo draws and it is not transparent. It touches others unless both `contype` and
//! `conaffinity` are zero. Meshes touch with their convex hulls, as in MuJoCo.

use super::compiler::Compiler;
use super::defaults::Defaults;
use super::geoms::{placed, sizes};
use crate::diagnostic::Diagnostic;
use crate::mesh::Mesh;
use crate::robot::xml::Element;
use crate::robot::{
    COLLISION_GROUP, ImportReport, LinkShape, Pose, ShapePurpose, WORLD_GROUP, colour_code, scaled_mesh,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use taut::shapes::Shape;

/// Last group that MuJoCo draws.
const LAST_DRAWN_GROUP: f64 = 2.0;
/// The link of shapes that are part of none.
pub(super) const WORLD: &str = "world";

/// The file of a mesh with its scale, or why it cannot be read.
type MeshAsset = Result<(PathBuf, [f64; 3]), String>;

/// What geoms refer to.
pub(super) struct GeomAssets {
    meshes: HashMap<String, MeshAsset>,
    /// Colours and opacity of materials.
    materials: HashMap<String, Vec<f64>>,
}

impl GeomAssets {
    /// Reads `asset`; the files of meshes lie relative to the folder of the main file.
    pub fn read(root: &Element, defaults: &Defaults, path: &Path) -> Result<GeomAssets, Diagnostic> {
        let mut folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let given = |name: &str| root.all("compiler").filter_map(|c| c.get(name)).last();
        if let Some(inner) = given("meshdir").or(given("assetdir")) {
            folder = folder.join(inner);
        }
        let mut assets = GeomAssets { meshes: HashMap::new(), materials: HashMap::new() };
        for element in root.all("asset").flat_map(|a| &a.children) {
            match element.name.as_str() {
                "mesh" => {
                    let mesh = defaults.apply(element, None)?;
                    let file = mesh.get("file").map(PathBuf::from);
                    let stem = file.as_ref().and_then(|f| f.file_stem()).map(|s| s.to_string_lossy().into_owned());
                    let Some(name) = mesh.get("name").map(str::to_string).or(stem) else { continue };
                    let scale = mesh.numbers::<3>("scale")?.unwrap_or([1.0; 3]);
                    if scale.iter().any(|s| *s == 0.0 || !s.is_finite()) {
                        return Err(mesh.error(format!("the scale of the mesh `{name}` must not be zero")));
                    }
                    let found = match file {
                        _ if mesh.has("refpos") || mesh.has("refquat") => {
                            Err("`refpos` and `refquat` are not read".into())
                        }
                        Some(file) => Ok((folder.join(file), scale)),
                        None => Err("only meshes in files are read".to_string()),
                    };
                    assets.meshes.insert(name, found);
                }
                "material" => {
                    let material = defaults.apply(element, None)?;
                    let rgba = material.list("rgba")?.unwrap_or_else(|| vec![1.0; 4]);
                    assets.materials.insert(material.require("name")?.to_string(), rgba);
                }
                _ => {}
            }
        }
        Ok(assets)
    }

    /// The shapes of a geom that has its defaults, in the frame of its body; none of a link is one of the world.
    pub fn shapes(
        &self,
        geom: &Element,
        frame: &Pose,
        link: Option<&str>,
        compiler: &Compiler,
        ledger: &mut ImportReport,
    ) -> Result<Vec<LinkShape>, Diagnostic> {
        let touches =
            geom.number("contype")?.unwrap_or(1.0) != 0.0 || geom.number("conaffinity")?.unwrap_or(1.0) != 0.0;
        let rgba = match geom.list("rgba")? {
            Some(rgba) => Some(rgba),
            None => geom.get("material").and_then(|name| self.materials.get(name)).cloned(),
        };
        let opaque = rgba.as_ref().and_then(|c| c.get(3)).is_none_or(|alpha| *alpha > 0.0);
        let drawn = opaque && geom.number_or_zero("group")? <= LAST_DRAWN_GROUP;
        let kind = geom.get("type").unwrap_or("sphere");
        let mesh = geom.get("mesh");
        let mut found = Vec::new();
        if !touches && !drawn {
            return Ok(found);
        }
        let mut unread = |why: String| {
            let of = link.unwrap_or(WORLD);
            ledger.not_imported(format!("shape of {} on `{of}`", geom.label()), why, Some(&geom.place));
            Ok(Vec::new())
        };
        let (pose, [seen, felt]) = match (kind, mesh) {
            ("plane", _) => (compiler.pose(geom)?, [None, Some(Shape::HalfSpace {})]),
            ("mesh", Some(name)) => match self.mesh(name) {
                Ok(Mesh { points, triangles }) => {
                    let hull = Shape::Convex { points: points.clone() };
                    (compiler.pose(geom)?, [Some(Shape::Mesh { points, triangles }), Some(hull)])
                }
                Err(why) => return unread(format!("the mesh `{name}`: {why}")),
            },
            ("mesh", None) => return Err(geom.error(format!("{} names no mesh", geom.label()))),
            ("hfield" | "sdf", _) => return unread(format!("shapes of the type `{kind}` are not read")),
            (_, Some(_)) => return unread("shapes fitted to meshes are not read".to_string()),
            (_, None) => {
                let (pose, size) = placed(geom, kind, compiler)?;
                let shape = primitive(geom, kind, &size)?;
                (pose, [Some(shape.clone()), Some(shape)])
            }
        };
        let colour = rgba.as_deref().map(colour_code);
        let group = if link.is_some() { COLLISION_GROUP } else { WORLD_GROUP };
        let mut add = |purpose, shape: Option<Shape>| {
            found.extend(shape.map(|shape| LinkShape {
                link: link.unwrap_or(WORLD).to_string(),
                purpose,
                shape,
                pose: frame.compose(&pose),
                colour: colour.clone(),
                group,
            }));
        };
        if drawn {
            add(ShapePurpose::Visual, seen);
        }
        if touches {
            add(ShapePurpose::Collision, felt);
        }
        Ok(found)
    }

    fn mesh(&self, name: &str) -> Result<Mesh, String> {
        let (path, scale) = self.meshes.get(name).ok_or("there is no such asset")?.clone()?;
        if !path.is_file() {
            return Err(format!("`{}` is not found", path.display()));
        }
        scaled_mesh(&path, scale)
    }
}

/// Sphere, capsule, cylinder, box or ellipsoid; MuJoCo gives half lengths.
fn primitive(geom: &Element, kind: &str, size: &[f64]) -> Result<Shape, Diagnostic> {
    Ok(match kind {
        "sphere" => Shape::Sphere { radius: sizes::<1>(geom, kind, size)?[0] },
        "capsule" => {
            let [radius, half] = sizes(geom, kind, size)?;
            Shape::Capsule { radius, length: 2.0 * half }
        }
        "cylinder" => {
            let [radius, half] = sizes(geom, kind, size)?;
            Shape::Cylinder { radius, length: 2.0 * half }
        }
        "box" => Shape::Box { size: sizes(geom, kind, size)?.map(|half: f64| 2.0 * half) },
        "ellipsoid" => Shape::Ellipsoid { radii: sizes(geom, kind, size)? },
        other => return Err(geom.error(format!("{} has the unknown type `{other}`", geom.label()))),
    })
}
