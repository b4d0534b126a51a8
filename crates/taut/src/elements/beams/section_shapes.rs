//! Sections from a material and a shape.

use super::section::Section;
use crate::error::ParameterError;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// An isotropic elastic material.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Young's modulus, Pa.
    pub E: f64,
    /// Poisson's ratio.
    pub nu: f64,
    /// Density, kg/m³.
    pub density: f64,
}

impl Material {
    /// Shear modulus.
    pub fn G(&self) -> f64 {
        0.5 * self.E / (1.0 + self.nu)
    }
}

/// The shape of a section, y and z from its centre.
///
/// ```text
///  EA, κ GA, GJ, EI;   mass ρA, inertia per length ρ (I_y + I_z), ρ I_y, ρ I_z
///  rectangle   κ = 5/6     J = a b³ (1/3 − (64/π⁵) (b/a) Σ tanh(n π a / 2b) / n⁵),  n odd, a ≥ b   (Saint-Venant)
///  circle      κ = 6 (1 + ν) / (7 + 6ν)                                                    [Cowper1966]
///  tube        κ = 6 (1 + ν)(1 + m²)² / ((7 + 6ν)(1 + m²)² + (20 + 12ν) m²),  m = inner / outer
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SectionShape {
    /// Sides along y and z, m.
    Rectangle {
        /// Along y.
        width: f64,
        /// Along z.
        height: f64,
    },
    /// A solid circle.
    Circle {
        /// Radius, m.
        radius: f64,
    },
    /// A circle with a hole.
    Tube {
        /// Outer radius, m.
        radius: f64,
        /// Thickness of the wall, m.
        #[serde(rename = "wall_thickness")]
        wall_thickness: f64,
    },
}

/// Area, second moments about y and z, torsion constant, shear factor.
struct Geometry {
    area: f64,
    I_y: f64,
    I_z: f64,
    J: f64,
    kappa: f64,
}

impl SectionShape {
    fn check(&self) -> Result<(), ParameterError> {
        match *self {
            SectionShape::Rectangle { width, height } => {
                ParameterError::check_positive("width", width)?;
                ParameterError::check_positive("height", height)
            }
            SectionShape::Circle { radius } => ParameterError::check_positive("radius", radius),
            SectionShape::Tube { radius, wall_thickness: wall } => {
                ParameterError::check_positive("radius", radius)?;
                ParameterError::check_positive("wall_thickness", wall)?;
                if wall < radius {
                    return Ok(());
                }
                Err(ParameterError::invalid(
                    "wall_thickness",
                    format!("it is {wall}; it must be less than the radius {radius}"),
                ))
            }
        }
    }

    fn geometry(&self, nu: f64) -> Geometry {
        match *self {
            SectionShape::Rectangle { width: y, height: z } => Geometry {
                area: y * z,
                I_y: y * z.powi(3) / 12.0,
                I_z: z * y.powi(3) / 12.0,
                J: torsion_constant(y.max(z), y.min(z)),
                kappa: 5.0 / 6.0,
            },
            SectionShape::Circle { radius } => tube_geometry(radius, 0.0, nu),
            SectionShape::Tube { radius, wall_thickness: wall } => tube_geometry(radius, radius - wall, nu),
        }
    }
}

fn tube_geometry(outer: f64, inner: f64, nu: f64) -> Geometry {
    let I = 0.25 * PI * (outer.powi(4) - inner.powi(4));
    let hole = (inner / outer).powi(2);
    let full = (1.0 + hole).powi(2);
    let kappa = 6.0 * (1.0 + nu) * full / ((7.0 + 6.0 * nu) * full + (20.0 + 12.0 * nu) * hole);
    Geometry { area: PI * (outer * outer - inner * inner), I_y: I, I_z: I, J: 2.0 * I, kappa }
}

/// Torsion constant of a rectangle a ≥ b.
fn torsion_constant(a: f64, b: f64) -> f64 {
    let term = |n: f64| (0.5 * n * PI * a / b).tanh() / n.powi(5);
    // Terms above n = 2000 add less than 1e-14.
    let sum: f64 = (0..1000).rev().map(|k| term(f64::from(2 * k + 1))).sum();
    a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * b / a * sum)
}

impl Section {
    /// A section of one material and one shape; `shear` are the factors κ of Q_y and Q_z; default: those above.
    ///
    /// # Errors
    /// Values that no section can have.
    pub fn new(material: &Material, shape: &SectionShape, shear: Option<[f64; 2]>) -> Result<Section, ParameterError> {
        shape.check()?;
        ParameterError::check_positive("E", material.E)?;
        ParameterError::check_positive("density", material.density)?;
        ParameterError::check_finite("nu", &[material.nu])?;
        if !(material.nu > -1.0 && material.nu <= 0.5) {
            return Err(ParameterError::invalid(
                "nu",
                format!("it is {}; it must be above -1 and at most 0.5", material.nu),
            ));
        }
        let g = shape.geometry(material.nu);
        let [k_y, k_z] = shear.unwrap_or([g.kappa; 2]);
        ParameterError::check_positive("shear_factors", k_y)?;
        ParameterError::check_positive("shear_factors", k_z)?;
        let (E, G, rho) = (material.E, material.G(), material.density);
        let stiffness = [E * g.area, k_y * G * g.area, k_z * G * g.area, G * g.J, E * g.I_y, E * g.I_z];
        Ok(Section::diagonal(stiffness, rho * g.area, [rho * (g.I_y + g.I_z), rho * g.I_y, rho * g.I_z]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forces::Coefficients;

    const ALUMINIUM: Material = Material { E: 73e9, nu: 0.3, density: 2700.0 };

    fn stiffness(shape: SectionShape) -> [f64; 6] {
        match Section::new(&ALUMINIUM, &shape, None).unwrap().stiffness {
            Coefficients::Diagonal(k) => k,
            Coefficients::Full(_) => unreachable!(),
        }
    }

    /// The strip of the swing, \[Masarati2010\] §4.2, 1 mm thick along z.
    #[test]
    fn a_rectangle() {
        let k = stiffness(SectionShape::Rectangle { width: 5e-3, height: 1e-3 });
        let near = |x: f64, y: f64| (x / y - 1.0).abs() < 1e-12;
        assert!(near(k[0], 365000.0) && near(k[4], 73e9 * 5e-12 / 12.0) && near(k[5], 73e9 * 125e-12 / 12.0));
        assert!(near(k[1], 5.0 / 6.0 * ALUMINIUM.G() * 5e-6));
    }

    /// J = 0.140577014955… a⁴ of a square: Timoshenko and Goodier print 0.1406.
    #[test]
    fn torsion_of_rectangles() {
        assert!((torsion_constant(1.0, 1.0) - 0.140577014955).abs() < 1e-11);
        assert!((torsion_constant(10.0, 1.0) / 10.0 - 0.312).abs() < 5e-4);
    }

    #[test]
    fn hollow_circles() {
        let solid = stiffness(SectionShape::Circle { radius: 0.01 });
        let tube = stiffness(SectionShape::Tube { radius: 0.02, wall_thickness: 0.01 });
        let whole = stiffness(SectionShape::Circle { radius: 0.02 });
        for i in [0, 3, 4, 5] {
            assert!((whole[i] - solid[i] - tube[i]).abs() < 1e-9 * whole[i]);
        }
        // A thin tube has κ = 2 (1 + ν) / (4 + 3ν) [Cowper1966].
        let thin = SectionShape::Tube { radius: 1.0, wall_thickness: 1e-6 }.geometry(0.3).kappa;
        assert!((thin - 2.6 / 4.9).abs() < 1e-10);
    }

    #[test]
    fn senseless_shapes_are_refused() {
        let refused = |m: Material, s: SectionShape| Section::new(&m, &s, None).is_err();
        let circle = SectionShape::Circle { radius: 0.1 };
        assert!(refused(Material { nu: 0.6, ..ALUMINIUM }, circle));
        assert!(refused(Material { E: -1.0, ..ALUMINIUM }, circle));
        assert!(refused(ALUMINIUM, SectionShape::Tube { radius: 0.1, wall_thickness: 0.1 }));
        assert!(refused(ALUMINIUM, SectionShape::Rectangle { width: 0.1, height: f64::NAN }));
    }
}
