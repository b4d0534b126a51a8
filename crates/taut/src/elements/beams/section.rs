//! The section of a beam: its material law, and its mass per length.

use crate::error::ParameterError;
use crate::forces::Coefficients;
use nalgebra::{Matrix6, Vector6};
use serde::{Deserialize, Serialize};

/// The section of a beam: its material law and its inertia.
///
/// ```text
///  σ = C s + Σ ṡ + σ₀        σ = (N, Qy, Qz, Mx, My, Mz)   s = (e, k), axes of the section, x along the beam
///  C = Tᵀ C' T               C' about the centres: e_x there is e_x + k_y z_e − k_z y_e,
///                            e_y is e_y − k_x z_s,  e_z is e_z + k_x y_s
/// ```
///
/// e: elastic centre, where a normal force causes no bending; s: shear centre, where a shear force causes no torsion.
///
/// **Shear of a two-node element.** It evaluates the moment in its middle only, as if it were constant, and is too stiff in
/// bending under shear (shear locking). In a straight element of length ℓ the moment is M(x) = M + x B σ, B σ = (0, Q_z, −Q_y),
/// and its complementary energy gains ℓ³/24 (B σ)·F (B σ), with F = C⁻¹. Therefore F' = F + ℓ²/12 Bᵀ F B makes it exact for
/// loads on its nodes, with any coupling in C; without coupling this is 1/GA' = 1/GA + ℓ²/(12 EI), as \[Masarati2010\],
/// appendix, requires.
///
/// # Examples
///
/// ```
/// use taut::beams::{Material, Section, SectionShape};
///
/// let steel = Material { E: 210e9, nu: 0.3, density: 7850.0 };
/// let bar = Section::new(&steel, &SectionShape::Rectangle { width: 0.02, height: 0.04 }, None)?;
/// assert!((bar.mass - 7850.0 * 0.02 * 0.04).abs() < 1e-9); // kg/m
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// EA, GA_y, GA_z, GJ, EI_y, EI_z about the centres below, or the whole matrix C': N, N m, N m².
    pub stiffness: Coefficients,
    /// y and z of the elastic centre, m.
    #[serde(default)]
    pub elastic_centre: [f64; 2],
    /// y and z of the shear centre, m.
    #[serde(default)]
    pub shear_centre: [f64; 2],
    /// σ₀: internal force and moment of the given shape, N and N m.
    #[serde(default)]
    pub prestress: [f64; 6],
    /// Viscous stresses per strain rate as a factor of C, s.
    #[serde(default)]
    pub damping: f64,
    /// Further viscous stresses per strain rate: N s, N m s, N m² s.
    #[serde(default)]
    pub viscosity: Coefficients,
    /// Mass per length, kg/m.
    pub mass: f64,
    /// y and z of the mass centre, m.
    #[serde(default)]
    pub mass_centre: [f64; 2],
    /// Inertia per length about the mass centre: xx, yy, zz, xy, xz, yz, kg m.
    pub inertia: [f64; 6],
}

/// Whether the shear stiffness of two-node elements is corrected for the moment that varies along them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shear {
    /// Corrected: slender elements do not lock.
    #[default]
    Corrected,
    /// The shear stiffness of the section.
    Plain,
}

/// The material law of an element.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SectionLaw {
    pub C: Matrix6<f64>,
    pub viscous: Option<Matrix6<f64>>,
    pub prestress: Vector6<f64>,
}

impl Section {
    /// Without couplings: EA, GA_y, GA_z, GJ, EI_y, EI_z; mass per length, inertia per length xx, yy, zz.
    pub fn diagonal(stiffness: [f64; 6], mass: f64, [xx, yy, zz]: [f64; 3]) -> Section {
        let stiffness = Coefficients::Diagonal(stiffness);
        Section { stiffness, mass, inertia: [xx, yy, zz, 0.0, 0.0, 0.0], ..Section::default() }
    }

    /// The same with viscous stresses proportional to the elastic ones.
    pub fn damped(mut self, factor: f64) -> Section {
        self.damping = factor;
        self
    }

    /// Rejects values that no section can have.
    pub(super) fn check(&self) -> Result<(), ParameterError> {
        let C = self.stiffness.matrix();
        self.stiffness.check("stiffness")?;
        if C.cholesky().is_none() {
            let what = "it must be positive definite: EA, GA_y, GA_z, GJ, EI_y and EI_z are all needed";
            return Err(ParameterError::invalid("stiffness", what));
        }
        ParameterError::check_finite("elastic_centre", &self.elastic_centre)?;
        ParameterError::check_finite("shear_centre", &self.shear_centre)?;
        ParameterError::check_finite("mass_centre", &self.mass_centre)?;
        ParameterError::check_finite("prestress", &self.prestress)?;
        ParameterError::check_finite("damping", &[self.damping])?;
        if self.damping < 0.0 {
            return Err(ParameterError::invalid("damping", format!("it is {}; it must not be negative", self.damping)));
        }
        self.viscosity.check("viscosity")?;
        ParameterError::check_positive("mass", self.mass)
    }

    /// C about the line of the beam.
    pub(super) fn stiffness_matrix(&self) -> Matrix6<f64> {
        let ([y_e, z_e], [y_s, z_s]) = (self.elastic_centre, self.shear_centre);
        let mut T = Matrix6::identity();
        (T[(0, 4)], T[(0, 5)]) = (z_e, -y_e);
        (T[(1, 3)], T[(2, 3)]) = (-z_s, y_s);
        T.transpose() * self.stiffness.matrix() * T
    }

    /// The material law of an element; `length` is that of a two-node element whose shear stiffness is corrected.
    pub(super) fn law(&self, length: Option<f64>) -> Result<SectionLaw, ParameterError> {
        self.check()?;
        let singular = || ParameterError::invalid("stiffness", "the matrix cannot be inverted");
        let mut C = self.stiffness_matrix();
        if let Some(length) = length {
            let F = C.cholesky().ok_or_else(singular)?.inverse();
            let mut B = Matrix6::zeros();
            (B[(4, 2)], B[(5, 1)]) = (1.0, -1.0);
            let corrected = F + B.transpose() * F * B * (length * length / 12.0);
            C = corrected.cholesky().ok_or_else(singular)?.inverse();
        }
        let viscous = C * self.damping + self.viscosity.matrix();
        let viscous = (viscous.amax() > 0.0).then_some(viscous);
        Ok(SectionLaw { C, viscous, prestress: Vector6::from(self.prestress) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const K: [f64; 6] = [365000.0, 116987.18, 116987.18, 0.0409, 0.0304166667, 0.7604166667];

    fn section() -> Section {
        Section::diagonal(K, 0.0135, [1e-8, 1e-9, 9e-9])
    }

    #[test]
    fn each_plane_of_shear_is_corrected_by_its_own_bending() {
        let (C, l) = (section().law(Some(0.18)).unwrap().C, 0.18_f64);
        let with = |GA: f64, EI: f64| 1.0 / (1.0 / GA + l * l / (12.0 * EI));
        assert!((C[(1, 1)] / with(K[1], K[5]) - 1.0).abs() < 1e-13);
        assert!((C[(2, 2)] / with(K[2], K[4]) - 1.0).abs() < 1e-13);
        for i in [0, 3, 4, 5] {
            assert!((C[(i, i)] / K[i] - 1.0).abs() < 1e-13);
        }
        assert_eq!(section().law(None).unwrap().C[(1, 1)], K[1]);
    }

    /// With an offset line, a normal strain causes the force EA and bending; a force at the centre causes no bending.
    #[test]
    fn offsets_couple_as_statics_asks() {
        let mut s = section();
        (s.elastic_centre, s.shear_centre) = ([0.01, -0.02], [0.003, 0.004]);
        let C = s.stiffness_matrix();
        // N at the elastic centre has the moments M_y = z N, M_z = −y N about the line, and makes no curvature.
        let pull = Vector6::new(1.0, 0.0, 0.0, 0.0, -0.02, -0.01);
        // Off the centre by a centimetre a newton would bend by 0.3 rad/m.
        let strain = C.cholesky().unwrap().solve(&pull);
        assert!(strain.fixed_rows::<3>(3).norm() < 1e-12 && (strain[0] * K[0] - 1.0).abs() < 1e-6);
        // Q_y at the shear centre has the moment −z Q_y, Q_z there y Q_z, and they cause no torsion.
        let shear = Vector6::new(0.0, 1.0, 1.0, -0.004 + 0.003, 0.0, 0.0);
        assert!(C.cholesky().unwrap().solve(&shear)[3].abs() < 1e-12);
    }

    /// Rotating the section by a quarter turn exchanges the planes; the correction must rotate with it.
    #[test]
    fn the_correction_does_not_depend_on_the_axes() {
        let mut Q = Matrix6::zeros();
        for b in [0, 3] {
            Q[(b, b)] = 1.0;
            let (s, c) = 0.6_f64.sin_cos();
            (Q[(b + 1, b + 1)], Q[(b + 1, b + 2)], Q[(b + 2, b + 1)], Q[(b + 2, b + 2)]) = (c, s, -s, c);
        }
        let turned = Q * section().stiffness.matrix() * Q.transpose();
        let full = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (turned[(i, j)] + turned[(j, i)])));
        let there = Section { stiffness: Coefficients::Full(Box::new(full)), ..section() };
        let here = section().law(Some(0.1)).unwrap().C;
        let back = Q.transpose() * there.law(Some(0.1)).unwrap().C * Q;
        assert!((back - here).amax() < 1e-10 * here.amax());
    }

    #[test]
    fn senseless_sections_are_refused() {
        let mut s = section();
        s.damping = -1.0;
        assert!(s.check().is_err());
        assert!(Section { mass: 0.0, ..section() }.check().is_err());
        assert!(Section::diagonal([1.0, 1.0, 0.0, 1.0, 1.0, 1.0], 1.0, [1.0; 3]).check().is_err());
        assert!(Section::diagonal([1.0, 1.0, f64::NAN, 1.0, 1.0, 1.0], 1.0, [1.0; 3]).check().is_err());
    }
}
