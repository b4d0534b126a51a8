//! The element: two or three nodes and as many finite volumes, which exchange internal force and moment at the cuts.
//!
//! ```text
//!  at cut c, between nodes c and c + 1:   f = R σ₁…₃,  m = R σ₄…₆,  σ of the strains there   [Masarati2010] eq. (32)
//!  on node c       f,   (x − x_c) × f + m                                                     eq. (31)
//!  on node c + 1  −f,  −(x − x_{c+1}) × f − m
//! ```
//!
//! These forces act **on** the nodes; eq. (31) has the opposite sign, on the side of the inertia terms. Three nodes:
//! \[GhiringhelliMasaratiMantegazza2000\].
//!
//! Energy: V = Σ ℓ_c (½ s·C s + σ₀·s). In the plane a two-node element conserves V exactly. In space, and with three nodes, it
//! does so up to terms of second order in the rotation within an element, because finite volumes require equilibrium, not a
//! potential. The difference is counted as work, so that the energy ledger of a run balances.
//!
//! A variational element uses the same strains at the same cuts; its forces are the derivatives of V:
//!
//! ```text
//!  on node i      −Σ_c ℓ_c Bᵢᵀ σ,    strain rate = Σ Bᵢ twistᵢ
//! ```
//!
//! It conserves energy. With masses by Simpson's rule its wave speeds are accurate to order 4 \[Cohen2002\], those of finite
//! volumes with lumped masses to order 2.

use super::cut::{Bent, Cut, MOST};
use super::planar::{FlatBent, FlatCut};
use super::section::{Law, Section, Shear};
use crate::constraints::{Reference, View};
use crate::error::Fault;
use crate::forces::{Conservation, ExtraStates, Force, Known, NonSmooth};
use crate::motion::{Mat3, Motion, Vec3, Wrench};
use nalgebra::{Matrix6, Vector6};

/// Whether the nodes of a beam move in space or in a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// In space: nodes are rigid bodies.
    #[default]
    Spatial,
    /// In the xy plane: nodes are planar bodies, and the z axis of the section is the world z axis.
    Planar,
}

/// How the stresses at the cuts become forces on the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Balance {
    /// Finite volumes: each volume between cuts is in equilibrium.
    Volumes,
    /// Virtual work: the forces are the derivatives of the strain energy.
    Potential,
}

/// A beam element between two or three frames: x along the beam, y and z those of the section.
#[derive(Clone, Debug)]
pub struct BeamElement {
    nodes: Vec<String>,
    balance: Balance,
    law: Law,
    cuts: Vec<Cut>,
    /// The same cuts in the plane; empty in space.
    flat: Vec<FlatCut>,
}

impl BeamElement {
    /// Between two frames, free of strain in the poses `given`.
    ///
    /// # Errors
    /// The section is invalid, or nodes coincide.
    pub fn two_node(
        nodes: [&str; 2],
        given: [&Motion; 2],
        section: &Section,
        shear: Shear,
        space: Space,
    ) -> Result<BeamElement, Fault> {
        let cut = Cut::of_two(given).ok_or_else(together)?;
        let law = section.law((shear == Shear::Corrected).then_some(cut.weight))?;
        Ok(BeamElement::of(&nodes, space, law, vec![cut], Balance::Volumes))
    }

    /// Between three frames, the second one in the middle.
    ///
    /// # Errors
    /// The section is invalid, or nodes coincide.
    pub fn three_node(
        nodes: [&str; 3],
        given: [&Motion; 3],
        section: &Section,
        space: Space,
    ) -> Result<BeamElement, Fault> {
        Ok(BeamElement::of(&nodes, space, section.law(None)?, parabolic(given)?, Balance::Volumes))
    }

    /// The same with forces that are the derivatives of the strain energy.
    ///
    /// # Errors
    /// The section is invalid, or nodes coincide.
    pub fn variational(
        nodes: [&str; 3],
        given: [&Motion; 3],
        section: &Section,
        space: Space,
    ) -> Result<BeamElement, Fault> {
        Ok(BeamElement::of(&nodes, space, section.law(None)?, parabolic(given)?, Balance::Potential))
    }

    fn of(nodes: &[&str], space: Space, law: Law, cuts: Vec<Cut>, balance: Balance) -> BeamElement {
        let flat = match space {
            Space::Planar => cuts.iter().map(|cut| FlatCut::new(cut, &law)).collect(),
            Space::Spatial => Vec::new(),
        };
        BeamElement { nodes: nodes.iter().map(|n| n.to_string()).collect(), balance, law, cuts, flat }
    }

    /// Internal force and moment N, Q_y, Q_z, M_x, M_y, M_z at each cut, axes of the section.
    pub fn stresses<'a>(&'a self, at: &'a View) -> impl Iterator<Item = [f64; 6]> + 'a {
        self.cuts.iter().map(|cut| self.stress(cut, at, &cut.bend(at)).into())
    }

    /// Strains e, k at each cut.
    pub fn strains<'a>(&'a self, at: &'a View) -> impl Iterator<Item = [f64; 6]> + 'a {
        self.cuts.iter().map(|cut| cut.bend(at).strain.into())
    }

    /// Length of beam that each cut represents.
    pub(super) fn weights(&self) -> Vec<f64> {
        self.cuts.iter().map(|c| c.weight).collect()
    }

    #[inline(always)]
    fn stress(&self, cut: &Cut, at: &View, bent: &Bent) -> Vector6<f64> {
        let elastic = self.law.C * bent.strain + self.law.prestress;
        match &self.law.viscous {
            Some(viscous) => elastic + viscous * cut.strain_rate(at, bent),
            None => elastic,
        }
    }

    /// Forces on the nodes by virtual work.
    fn give_back(&self, at: &View, on: &mut [Wrench]) {
        for (_, cut, bent) in self.flat(at) {
            cut.give_back(at, &bent, on);
        }
        for (_, cut) in self.spatial() {
            let bent = cut.bend(at);
            cut.give_back(at, &bent, &self.stress(cut, at, &bent), on);
        }
    }

    /// The planar cuts with their current strains; none in space.
    #[inline(always)]
    fn flat<'a>(&'a self, at: &'a View) -> impl Iterator<Item = (usize, &'a FlatCut, FlatBent)> {
        let line = self.flat.first().map(|cut| cut.line(at));
        self.flat.iter().enumerate().filter_map(move |(c, cut)| Some((c, cut, cut.bend(line.as_ref()?))))
    }

    /// The spatial cuts; none in the plane.
    fn spatial(&self) -> impl Iterator<Item = (usize, &Cut)> {
        let count = if self.flat.is_empty() { self.cuts.len() } else { 0 };
        self.cuts[..count].iter().enumerate()
    }

    /// Which derivatives the element provides.
    fn known(&self) -> Known {
        if self.law.viscous.is_some() { Known::Exactly } else { Known::OfPoses }
    }

    /// Whether the element conserves energy.
    fn exact(&self) -> bool {
        self.flat.len() == 1 || self.balance == Balance::Potential
    }
}

/// The cuts of three nodes, at the Gauss points.
fn parabolic(given: [&Motion; 3]) -> Result<Vec<Cut>, Fault> {
    let xi = 1.0 / 3.0_f64.sqrt();
    [-xi, xi].into_iter().map(|xi| Cut::of_three(given, xi).ok_or_else(together)).collect()
}

fn together() -> Fault {
    Fault::value("elements", "nodes of an element coincide; give a line or curve of nonzero length")
}

/// σ in world axes: force and moment.
#[inline(always)]
fn carried(R: &Mat3, sigma: &Vector6<f64>) -> (Vec3, Vec3) {
    (R * Vec3::new(sigma[0], sigma[1], sigma[2]), R * Vec3::new(sigma[3], sigma[4], sigma[5]))
}

impl Force for BeamElement {
    fn markers(&self) -> Vec<Reference<'_>> {
        self.nodes.iter().map(|n| Reference::frame(n)).collect()
    }

    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn apply(&self, at: &View, on: &mut [Wrench]) {
        on.fill(Wrench::ZERO);
        if self.balance == Balance::Potential {
            return self.give_back(at, on);
        }
        for (c, cut, bent) in self.flat(at) {
            let (f, moments) = cut.wrenches(at, &bent, c);
            for (k, sign) in [(0, 1.0), (1, -1.0)] {
                let w = &mut on[c + k];
                w.f.x += sign * f.x;
                w.f.y += sign * f.y;
                w.m.z += sign * moments[k];
            }
        }
        for (c, cut) in self.spatial() {
            let bent = cut.bend(at);
            let (f, m) = carried(&bent.R, &self.stress(cut, at, &bent));
            on[c].add(1.0, &Wrench { f, m: (bent.x - at[c].p).cross(&f) + m });
            on[c + 1].add(-1.0, &Wrench { f, m: (bent.x - at[c + 1].p).cross(&f) + m });
        }
    }

    fn potential(&self, at: &View) -> f64 {
        let stored = |cut: &Cut| {
            let s = cut.bend(at).strain;
            cut.weight * s.dot(&(self.law.C * s * 0.5 + self.law.prestress))
        };
        let flat = self.flat(at).map(|(_, cut, bent)| cut.weight * cut.stored(&bent));
        flat.sum::<f64>() + self.spatial().map(|(_, cut)| stored(cut)).sum::<f64>()
    }

    fn work_rate(&self, at: &View, on: &[Wrench]) -> f64 {
        if self.conserves() == Conservation::Conservative {
            return 0.0;
        }
        let flat = |(_, cut, bent): (usize, &FlatCut, FlatBent)| -> f64 {
            let rate = cut.strain_rate(at, &bent);
            cut.weight * if self.exact() { -cut.dissipated(&rate) } else { rate.dot(&cut.elastic(&bent)) }
        };
        let spatial = |cut: &Cut| -> f64 {
            let bent = cut.bend(at);
            let rate = cut.strain_rate(at, &bent);
            cut.weight
                * match (&self.law.viscous, self.exact()) {
                    (Some(viscous), true) => -rate.dot(&(viscous * rate)),
                    (None, true) => 0.0,
                    (_, false) => rate.dot(&(self.law.C * bent.strain + self.law.prestress)),
                }
        };
        let spent = self.flat(at).map(flat).sum::<f64>() + self.spatial().map(|(_, c)| spatial(c)).sum::<f64>();
        let power = || on.iter().enumerate().map(|(k, w)| at[k].power(w)).sum::<f64>();
        if self.exact() { spent } else { spent + power() }
    }

    fn conserves(&self) -> Conservation {
        if self.exact() && self.law.viscous.is_none() { Conservation::Conservative } else { Conservation::Open }
    }

    fn tangent(&self, at: &View, pose: &mut [Matrix6<f64>], twist: &mut [Matrix6<f64>]) -> Known {
        if self.balance == Balance::Potential {
            self.flat(at).for_each(|(_, cut, bent)| cut.tangent_of_potential(at, &bent, pose, twist));
            for (_, cut) in self.spatial() {
                let bent = cut.bend(at);
                let sigma = self.stress(cut, at, &bent);
                cut.tangent_of_potential(at, &bent, &self.law, &sigma, pose, twist);
            }
            return self.known();
        }
        for (c, cut, bent) in self.flat(at) {
            cut.tangent(at, &bent, c, pose, twist);
        }
        for (c, cut) in self.spatial() {
            let n = cut.nodes();
            let bent = cut.bend(at);
            let (f, m) = carried(&bent.R, &self.stress(cut, at, &bent));
            let turning = cut.turning(at, &bent);
            let B = cut.strain_matrix(&bent, &turning);
            // δσ by the poses and by the twists of the nodes.
            let mut by_pose: [Matrix6<f64>; MOST] = B.map(|B| self.law.C * B);
            let mut by_twist = [Matrix6::zeros(); MOST];
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
                    moment -= f_cross * (sign * (cut.share(i) - own));
                }
            }
        }
        self.known()
    }
}

impl ExtraStates for BeamElement {}
impl NonSmooth for BeamElement {}

#[cfg(test)]
mod tests;
