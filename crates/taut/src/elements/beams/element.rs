//! The element: two or three nodes and as many finite volumes, which exchange internal force and moment at the cuts.

use super::cut::{CutState, MAX_NODES, SectionCut};
use super::planar::{PlanarCut, PlanarCutState};
use super::section::{Section, SectionLaw, Shear};
use crate::constraints::{ElementInput, MarkerReference};
use crate::error::ParameterError;
use crate::forces::{Conservation, ExtraStates, Force, ForceReport, NonSmooth, TangentAvailability};
use crate::motion::{Mat3, Motion, Vec3, Wrench};
use nalgebra::{Matrix6, Vector6};

/// Whether the nodes of a beam move in space or in a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MotionSpace {
    /// In space: nodes are rigid bodies.
    #[default]
    Spatial,
    /// In the xy plane: nodes are planar bodies, and the z axis of the section is the world z axis.
    Planar,
}

/// How the stresses at the cuts become forces on the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Discretisation {
    /// Finite volumes: each volume between cuts is in equilibrium.
    FiniteVolume,
    /// Virtual work: the forces are the derivatives of the strain energy.
    Variational,
}

/// A beam element between two or three frames: x along the beam, y and z those of the section.
///
/// ```text
///  at cut c, between nodes c and c + 1:   f = R σ₁…₃,  m = R σ₄…₆,  σ of the strains there   [Masarati2010] eq. (32)
///  on node c       f,   (x − x_c) × f + m                                                     eq. (31)
///  on node c + 1  −f,  −(x − x_{c+1}) × f − m
/// ```
///
/// These forces act **on** the nodes; eq. (31) has the opposite sign, on the side of the inertia terms. Three nodes:
/// \[GhiringhelliMasaratiMantegazza2000\].
///
/// Energy: V = Σ ℓ_c (½ s·C s + σ₀·s). In the plane a two-node element conserves V exactly. In space, and with three nodes, it
/// does so up to terms of second order in the rotation within an element, because finite volumes require equilibrium, not a
/// potential. The difference is counted as work, so that the energy ledger of a run balances.
///
/// A variational element uses the same strains at the same cuts; its forces are the derivatives of V:
///
/// ```text
///  on node i      −Σ_c ℓ_c Bᵢᵀ σ,    strain rate = Σ Bᵢ twistᵢ
/// ```
///
/// It conserves energy. With masses by Simpson's rule its wave speeds are accurate to order 4 \[Cohen2002\], those of finite
/// volumes with lumped masses to order 2.
#[derive(Clone, Debug)]
pub struct BeamElement {
    nodes: Vec<String>,
    discretisation: Discretisation,
    law: SectionLaw,
    cuts: Vec<SectionCut>,
    /// The same cuts in the plane; empty in space.
    planar_cuts: Vec<PlanarCut>,
}

impl BeamElement {
    /// Two-node element, unstrained in the poses `given`.
    ///
    /// # Errors
    /// The section is invalid, or nodes coincide.
    pub fn two_node(
        nodes: [&str; 2],
        given: [&Motion; 2],
        section: &Section,
        shear: Shear,
        space: MotionSpace,
    ) -> Result<BeamElement, ParameterError> {
        let cut = SectionCut::of_two(given).ok_or_else(coincident_nodes)?;
        let law = section.law((shear == Shear::Corrected).then_some(cut.weight))?;
        Ok(BeamElement::from_cuts(&nodes, space, law, vec![cut], Discretisation::FiniteVolume))
    }

    /// Between three frames, the second one in the middle.
    ///
    /// # Errors
    /// The section is invalid, or nodes coincide.
    pub fn three_node(
        nodes: [&str; 3],
        given: [&Motion; 3],
        section: &Section,
        space: MotionSpace,
    ) -> Result<BeamElement, ParameterError> {
        Ok(BeamElement::from_cuts(
            &nodes,
            space,
            section.law(None)?,
            three_node_cuts(given)?,
            Discretisation::FiniteVolume,
        ))
    }

    /// The same with forces that are the derivatives of the strain energy.
    ///
    /// # Errors
    /// The section is invalid, or nodes coincide.
    pub fn variational(
        nodes: [&str; 3],
        given: [&Motion; 3],
        section: &Section,
        space: MotionSpace,
    ) -> Result<BeamElement, ParameterError> {
        Ok(BeamElement::from_cuts(
            &nodes,
            space,
            section.law(None)?,
            three_node_cuts(given)?,
            Discretisation::Variational,
        ))
    }

    fn from_cuts(
        nodes: &[&str],
        space: MotionSpace,
        law: SectionLaw,
        cuts: Vec<SectionCut>,
        balance: Discretisation,
    ) -> BeamElement {
        let flat = match space {
            MotionSpace::Planar => cuts.iter().map(|cut| PlanarCut::new(cut, &law)).collect(),
            MotionSpace::Spatial => Vec::new(),
        };
        BeamElement {
            nodes: nodes.iter().map(|n| n.to_string()).collect(),
            discretisation: balance,
            law,
            cuts,
            planar_cuts: flat,
        }
    }

    /// Internal force and moment N, Q_y, Q_z, M_x, M_y, M_z at each cut, axes of the section.
    pub fn stresses<'a>(&'a self, at: &'a ElementInput) -> impl Iterator<Item = [f64; 6]> + 'a {
        self.cuts.iter().map(|cut| self.stress(cut, at, &cut.evaluate(at)).into())
    }

    /// Strains e, k at each cut.
    pub fn strains<'a>(&'a self, at: &'a ElementInput) -> impl Iterator<Item = [f64; 6]> + 'a {
        self.cuts.iter().map(|cut| cut.evaluate(at).strain.into())
    }

    /// Length of beam that each cut represents.
    pub(super) fn cut_lengths(&self) -> Vec<f64> {
        self.cuts.iter().map(|c| c.weight).collect()
    }

    #[inline(always)]
    fn stress(&self, cut: &SectionCut, at: &ElementInput, bent: &CutState) -> Vector6<f64> {
        let elastic = self.law.C * bent.strain + self.law.prestress;
        match &self.law.viscous {
            Some(viscous) => elastic + viscous * cut.strain_rate(at, bent),
            None => elastic,
        }
    }

    /// Forces on the nodes by virtual work.
    fn apply_variational(&self, at: &ElementInput, on: &mut [Wrench]) {
        for (_, cut, bent) in self.planar_states(at) {
            cut.add_variational_forces(at, &bent, on);
        }
        for (_, cut) in self.spatial_cuts() {
            let bent = cut.evaluate(at);
            cut.add_variational_forces(at, &bent, &self.stress(cut, at, &bent), on);
        }
    }

    /// The planar cuts with their current strains; none in space.
    #[inline(always)]
    fn planar_states<'a>(
        &'a self,
        at: &'a ElementInput,
    ) -> impl Iterator<Item = (usize, &'a PlanarCut, PlanarCutState)> {
        let line = self.planar_cuts.first().map(|cut| cut.nodes_from_base(at));
        self.planar_cuts.iter().enumerate().filter_map(move |(c, cut)| Some((c, cut, cut.evaluate(line.as_ref()?))))
    }

    /// The spatial cuts; none in the plane.
    fn spatial_cuts(&self) -> impl Iterator<Item = (usize, &SectionCut)> {
        let count = if self.planar_cuts.is_empty() { self.cuts.len() } else { 0 };
        self.cuts[..count].iter().enumerate()
    }

    /// Which derivatives the element provides.
    fn tangent_availability(&self) -> TangentAvailability {
        if self.law.viscous.is_some() { TangentAvailability::Full } else { TangentAvailability::PosesOnly }
    }

    /// Whether the element conserves energy.
    fn is_conservative(&self) -> bool {
        self.planar_cuts.len() == 1 || self.discretisation == Discretisation::Variational
    }
}

/// The cuts of three nodes, at the Gauss points.
fn three_node_cuts(given: [&Motion; 3]) -> Result<Vec<SectionCut>, ParameterError> {
    let xi = 1.0 / 3.0_f64.sqrt();
    [-xi, xi].into_iter().map(|xi| SectionCut::of_three(given, xi).ok_or_else(coincident_nodes)).collect()
}

fn coincident_nodes() -> ParameterError {
    ParameterError::invalid("elements", "nodes of an element coincide; give a line or curve of nonzero length")
}

/// σ in world axes: force and moment.
#[inline(always)]
fn rotate_to_world(R: &Mat3, sigma: &Vector6<f64>) -> (Vec3, Vec3) {
    (R * Vec3::new(sigma[0], sigma[1], sigma[2]), R * Vec3::new(sigma[3], sigma[4], sigma[5]))
}

impl Force for BeamElement {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.nodes.iter().map(|n| MarkerReference::frame(n)).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        on.fill(Wrench::ZERO);
        if self.discretisation == Discretisation::Variational {
            return self.apply_variational(at, on);
        }
        for (c, cut, bent) in self.planar_states(at) {
            let (f, moments) = cut.wrenches(at, &bent, c);
            for (k, sign) in [(0, 1.0), (1, -1.0)] {
                let w = &mut on[c + k];
                w.f.x += sign * f.x;
                w.f.y += sign * f.y;
                w.m.z += sign * moments[k];
            }
        }
        for (c, cut) in self.spatial_cuts() {
            let bent = cut.evaluate(at);
            let (f, m) = rotate_to_world(&bent.R, &self.stress(cut, at, &bent));
            on[c].add_scaled(1.0, &Wrench { f, m: (bent.x - at[c].p).cross(&f) + m });
            on[c + 1].add_scaled(-1.0, &Wrench { f, m: (bent.x - at[c + 1].p).cross(&f) + m });
        }
    }

    fn potential(&self, at: &ElementInput) -> f64 {
        let stored = |cut: &SectionCut| {
            let s = cut.evaluate(at).strain;
            cut.weight * s.dot(&(self.law.C * s * 0.5 + self.law.prestress))
        };
        let flat = self.planar_states(at).map(|(_, cut, bent)| cut.weight * cut.stored_energy(&bent));
        flat.sum::<f64>() + self.spatial_cuts().map(|(_, cut)| stored(cut)).sum::<f64>()
    }

    fn nonconservative_power(&self, at: &ElementInput, on: &[Wrench]) -> f64 {
        if self.conservation() == Conservation::Conservative {
            return 0.0;
        }
        let flat = |(_, cut, bent): (usize, &PlanarCut, PlanarCutState)| -> f64 {
            let rate = cut.strain_rate(at, &bent);
            cut.weight
                * if self.is_conservative() {
                    -cut.dissipated_power(&rate)
                } else {
                    rate.dot(&cut.elastic_stress(&bent))
                }
        };
        let spatial = |cut: &SectionCut| -> f64 {
            let bent = cut.evaluate(at);
            let rate = cut.strain_rate(at, &bent);
            cut.weight
                * match (&self.law.viscous, self.is_conservative()) {
                    (Some(viscous), true) => -rate.dot(&(viscous * rate)),
                    (None, true) => 0.0,
                    (_, false) => rate.dot(&(self.law.C * bent.strain + self.law.prestress)),
                }
        };
        let spent =
            self.planar_states(at).map(flat).sum::<f64>() + self.spatial_cuts().map(|(_, c)| spatial(c)).sum::<f64>();
        let power = || on.iter().enumerate().map(|(k, w)| at[k].power(w)).sum::<f64>();
        if self.is_conservative() { spent } else { spent + power() }
    }

    fn conservation(&self) -> Conservation {
        if self.is_conservative() && self.law.viscous.is_none() {
            Conservation::Conservative
        } else {
            Conservation::NonConservative
        }
    }

    fn tangent(&self, at: &ElementInput, pose: &mut [Matrix6<f64>], twist: &mut [Matrix6<f64>]) -> TangentAvailability {
        if self.discretisation == Discretisation::Variational {
            self.planar_states(at).for_each(|(_, cut, bent)| cut.variational_tangent(at, &bent, pose, twist));
            for (_, cut) in self.spatial_cuts() {
                let bent = cut.evaluate(at);
                let sigma = self.stress(cut, at, &bent);
                cut.variational_tangent(at, &bent, &self.law, &sigma, pose, twist);
            }
            return self.tangent_availability();
        }
        for (c, cut, bent) in self.planar_states(at) {
            cut.tangent(at, &bent, c, pose, twist);
        }
        for (c, cut) in self.spatial_cuts() {
            let n = cut.nodes();
            let bent = cut.evaluate(at);
            let (f, m) = rotate_to_world(&bent.R, &self.stress(cut, at, &bent));
            let turning = cut.section_rotation(at, &bent);
            let B = cut.strain_matrix(&bent, &turning);
            // δσ by the poses and by the twists of the nodes.
            let mut by_pose: [Matrix6<f64>; MAX_NODES] = B.map(|B| self.law.C * B);
            let mut by_twist = [Matrix6::zeros(); MAX_NODES];
            if let Some(viscous) = &self.law.viscous {
                let rate = cut.strain_rate_by_pose(at, &bent, &turning);
                for i in 0..n {
                    by_pose[i] += viscous * rate[i];
                    by_twist[i] = viscous * B[i];
                }
            }
            let (f_cross, m_cross) = (f.cross_matrix(), m.cross_matrix());
            for i in 0..n {
                for block in [&mut by_pose[i], &mut by_twist[i]] {
                    let force = bent.R * block.fixed_rows::<3>(0);
                    let moment = bent.R * block.fixed_rows::<3>(3);
                    block.fixed_rows_mut::<3>(0).copy_from(&force);
                    block.fixed_rows_mut::<3>(3).copy_from(&moment);
                }
                // The section rotates, and σ with it.
                let mut turned = by_pose[i].fixed_view_mut::<3, 3>(0, 3);
                turned -= f_cross * turning.G[i];
                let mut turned = by_pose[i].fixed_view_mut::<3, 3>(3, 3);
                turned -= m_cross * turning.G[i];
            }
            for (k, sign) in [(c, 1.0), (c + 1, -1.0)] {
                let arm = (bent.x - at[k].p).cross_matrix();
                let about = |block: &Matrix6<f64>| {
                    let mut found = *block;
                    let mut moment = found.fixed_rows_mut::<3>(3);
                    moment += arm * block.fixed_rows::<3>(0);
                    found
                };
                for i in 0..n {
                    pose[k * n + i] += about(&by_pose[i]) * sign;
                    twist[k * n + i] += about(&by_twist[i]) * sign;
                    // The arm x − x_k changes with the nodes.
                    let own = if i == k { 1.0 } else { 0.0 };
                    let mut moment = pose[k * n + i].fixed_view_mut::<3, 3>(3, 0);
                    moment -= f_cross * (sign * (cut.shape_value(i) - own));
                }
            }
        }
        self.tangent_availability()
    }
}

impl ExtraStates for BeamElement {}
impl ForceReport for BeamElement {}
impl NonSmooth for BeamElement {}

#[cfg(test)]
mod tests;
