//! `<compiler>` and `<option>`: how numbers are interpreted.

use crate::diagnostic::Diagnostic;
use crate::robot::xml::Element;
use crate::robot::{ImportReport, Inertia, Pose, direction, rotation_of_axis_angle, rotation_of_quaternion};
use taut::motion::{Mat3, Vec3};

/// Where masses come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromGeoms {
    /// From the geoms if there is no inertial.
    WhereMissing,
    Always,
    Never,
}

/// How inertias that no body can have are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InvalidOrientation {
    Refused,
    /// All three moments become their mean.
    Balanced,
}

/// The settings.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    /// Radians per unit of angle.
    pub angle: f64,
    /// Whether a joint with a range is limited unless it says otherwise.
    pub autolimits: bool,
    euler: [char; 3],
    pub from_geoms: FromGeoms,
    pub least_mass: f64,
    pub least_inertia: f64,
    pub impossible: InvalidOrientation,
    pub total_mass: Option<f64>,
    /// Groups of geoms that have mass.
    pub groups: [f64; 2],
    pub gravity: [f64; 3],
    pub timestep: f64,
}

impl Compiler {
    /// Reads all `compiler` and `option` elements of a file; later ones override earlier ones.
    pub fn read(root: &Element, ledger: &mut ImportReport) -> Result<Compiler, Diagnostic> {
        let mut compiler = Compiler {
            angle: 1.0_f64.to_radians(),
            autolimits: true,
            euler: ['x', 'y', 'z'],
            from_geoms: FromGeoms::WhereMissing,
            least_mass: 0.0,
            least_inertia: 0.0,
            impossible: InvalidOrientation::Refused,
            total_mass: None,
            groups: [0.0, 5.0],
            gravity: [0.0, 0.0, -9.81],
            timestep: 0.002,
        };
        root.all("compiler").try_for_each(|e| compiler.settings(e))?;
        root.all("option").try_for_each(|e| compiler.options(e, ledger))?;
        Ok(compiler)
    }

    fn settings(&mut self, e: &Element) -> Result<(), Diagnostic> {
        let bad = |name: &str, known: &str| {
            e.error(format!("compiler: {name} is `{}`; it must be {known}", e.get(name).unwrap_or("")))
        };
        if let Some(word) = e.get("autolimits") {
            self.autolimits = word != "false";
        }
        match e.get("angle") {
            None => {}
            Some("degree") => self.angle = 1.0_f64.to_radians(),
            Some("radian") => self.angle = 1.0,
            Some(_) => return Err(bad("angle", "degree or radian")),
        }
        if e.get("coordinate").is_some_and(|c| c != "local") {
            return Err(e
                .error("compiler: global coordinates are not supported")
                .help("MuJoCo itself dropped them; save the model with MuJoCo 2.3.3 or older"));
        }
        if let Some(sequence) = e.get("eulerseq") {
            let letters: Vec<char> = sequence.chars().collect();
            let known = letters.iter().all(|c| "xyzXYZ".contains(*c));
            self.euler = letters.try_into().ok().filter(|_| known).ok_or_else(|| bad("eulerseq", "three of xyzXYZ"))?;
        }
        match e.get("inertiafromgeom") {
            None => {}
            Some("auto") => self.from_geoms = FromGeoms::WhereMissing,
            Some("true") => self.from_geoms = FromGeoms::Always,
            Some("false") => self.from_geoms = FromGeoms::Never,
            Some(_) => return Err(bad("inertiafromgeom", "auto, true or false")),
        }
        match e.get("balanceinertia") {
            None => {}
            Some("true") => self.impossible = InvalidOrientation::Balanced,
            Some("false") => self.impossible = InvalidOrientation::Refused,
            Some(_) => return Err(bad("balanceinertia", "true or false")),
        }
        self.least_mass = e.number("boundmass")?.unwrap_or(self.least_mass);
        self.least_inertia = e.number("boundinertia")?.unwrap_or(self.least_inertia);
        self.groups = e.numbers("inertiagrouprange")?.unwrap_or(self.groups);
        // A negative total means: leave it.
        self.total_mass = e.number("settotalmass")?.map_or(self.total_mass, |m| (m > 0.0).then_some(m));
        Ok(())
    }

    fn options(&mut self, e: &Element, ledger: &mut ImportReport) -> Result<(), Diagnostic> {
        self.gravity = e.numbers("gravity")?.unwrap_or(self.gravity);
        self.timestep = e.number("timestep")?.unwrap_or(self.timestep);
        for fluid in ["density", "viscosity", "wind"] {
            if e.list(fluid)?.is_some_and(|l| l.iter().any(|x| *x != 0.0)) {
                ledger.not_imported(format!("option {fluid}"), "forces of the surrounding fluid", Some(&e.place));
            }
        }
        for other in ["integrator", "solver", "cone", "jacobian", "iterations", "tolerance", "impratio"] {
            if e.has(other) {
                ledger.not_imported_kind("options of MuJoCo's solver", other, Some(&e.place));
            }
        }
        for flag in e.children.iter().filter(|c| c.name == "flag") {
            for a in &flag.attributes {
                match (a.name.as_str(), a.value.as_str()) {
                    ("gravity", "disable") => self.gravity = [0.0; 3],
                    // Contact is not imported, and the other flags only select algorithms of MuJoCo.
                    ("spring" | "damper" | "passive" | "actuation" | "equality", "disable") => {
                        let what = format!("{} disabled: these forces are imported nevertheless", a.name);
                        ledger.not_imported("option flag", what, Some(&a.place));
                    }
                    _ => ledger.not_imported_kind(
                        "options of MuJoCo's solver",
                        &format!("flag {}", a.name),
                        Some(&a.place),
                    ),
                }
            }
        }
        Ok(())
    }

    /// The pose of an element: `pos`, and one of `quat`, `euler`, `axisangle`, `xyaxes`, `zaxis`.
    pub fn pose(&self, e: &Element) -> Result<Pose, Diagnostic> {
        let p = Vec3::from(e.numbers::<3>("pos")?.unwrap_or([0.0; 3]));
        Ok(Pose { R: self.orientation(e)?, p })
    }

    fn orientation(&self, e: &Element) -> Result<Mat3, Diagnostic> {
        let without = |what: &str| e.error(format!("{}: {what} has no direction", e.label()));
        let along = |v: [f64; 3], what: &str| direction(v).ok_or_else(|| without(what));
        if let Some([x, y, z, angle]) = e.numbers("axisangle")? {
            return Ok(rotation_of_axis_angle(&along([x, y, z], "axisangle")?, angle * self.angle));
        }
        if let Some([x0, x1, x2, y0, y1, y2]) = e.numbers("xyaxes")? {
            let x = along([x0, x1, x2], "xyaxes")?;
            let y = along([y0, y1, y2], "xyaxes")?;
            let y = along((y - x * x.dot(&y)).into(), "xyaxes")?;
            return Ok(Mat3::from_columns(&[x, y, x.cross(&y)]));
        }
        if let Some(z) = e.numbers::<3>("zaxis")? {
            return Ok(onto(&along(z, "zaxis")?));
        }
        if let Some(angles) = e.numbers::<3>("euler")? {
            let mut R = Mat3::identity();
            for (letter, angle) in self.euler.iter().zip(angles) {
                let axis = match letter.to_ascii_lowercase() {
                    'x' => Vec3::x(),
                    'y' => Vec3::y(),
                    _ => Vec3::z(),
                };
                let one = rotation_of_axis_angle(&axis, angle * self.angle);
                // Lower-case axes rotate with the body, upper-case axes are those of the parent.
                R = if letter.is_lowercase() { R * one } else { one * R };
            }
            return Ok(R);
        }
        match e.numbers::<4>("quat")? {
            Some(q) => rotation_of_quaternion(q).ok_or_else(|| without("quat")),
            None => Ok(Mat3::identity()),
        }
    }

    /// Bounds and balance of the inertia of one body.
    pub fn bound(&self, given: Inertia) -> Inertia {
        let mut inertia = given;
        inertia.mass = inertia.mass.max(self.least_mass);
        if self.least_inertia <= 0.0 && self.impossible == InvalidOrientation::Refused {
            return inertia;
        }
        let eigen = inertia.tensor.symmetric_eigen();
        let mut d = eigen.eigenvalues.map(|x| x.max(self.least_inertia));
        let worst = d.max();
        if self.impossible == InvalidOrientation::Balanced && d.sum() - worst < worst {
            d = Vec3::repeat(d.mean());
        }
        inertia.tensor = eigen.eigenvectors * Mat3::from_diagonal(&d) * eigen.eigenvectors.transpose();
        inertia
    }
}

/// The shortest rotation that takes z to a direction.
pub(super) fn onto(z: &Vec3) -> Mat3 {
    let axis = Vec3::z().cross(z);
    let (s, c) = (axis.norm(), z.z);
    match s > 1e-12 {
        true => rotation_of_axis_angle(&(axis / s), s.atan2(c)),
        false if c > 0.0 => Mat3::identity(),
        false => rotation_of_axis_angle(&Vec3::x(), std::f64::consts::PI),
    }
}
