//! The data of a modal body: nodes with masses and shapes, given or computed by reducing a beam.

use crate::beams::Beam;
use crate::error::ParameterError;
use crate::motion::{Mat3, Orientation};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// More shapes than this are taken for a typing error.
pub(crate) const MAX_SHAPES: usize = 200;

/// Where the shapes come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Flexibility {
    /// Nodes with their shapes, and the stiffness of the shapes.
    Nodes(ModalNodes),
    /// A beam, reduced to a few shapes.
    Beam(Box<ReducedBeam>),
}

/// A set of nodes and the shapes they move in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModalNodes {
    /// The nodes.
    pub nodes: Vec<ModalNode>,
    /// K: one row per shape, N/m for shapes without dimension.
    pub stiffness: Vec<Vec<f64>>,
}

/// A node: its position in the frame, its mass, and its motion in each shape.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModalNode {
    /// Position in the frame at rest, m.
    pub at: [f64; 3],
    /// Its axes at rest, relative to the frame.
    #[serde(default)]
    pub orientation: Orientation,
    /// Mass, kg; zero for a node that only has markers.
    #[serde(default)]
    pub mass: f64,
    /// Mass centre from the node, axes of the frame, m.
    #[serde(default)]
    pub com: [f64; 3],
    /// Inertia tensor about the mass centre, axes of the frame: xx, yy, zz, xy, xz, yz, kg m².
    #[serde(default)]
    pub inertia: [f64; 6],
    /// Φ: displacement in each shape, axes of the frame.
    pub phi: Vec<[f64; 3]>,
    /// Ψ: rotation in each shape, axes of the frame, rad/m; default: none.
    #[serde(default)]
    pub psi: Vec<[f64; 3]>,
}

/// A beam to be reduced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReducedBeam {
    /// The beam, in the frame of the body.
    pub beam: Beam,
    /// How the beam is supported in the frame.
    pub held: BeamSupport,
    /// Which normal modes are used.
    pub modes: ModeSelection,
    /// Masses and discs on its nodes.
    #[serde(default)]
    pub added: Vec<AddedMass>,
    /// Nodes with markers; all if empty.
    #[serde(default)]
    pub shown: Vec<usize>,
}

/// How a beam is supported in the frame while its modes are computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BeamSupport {
    /// The first node does not move.
    Cantilever,
    /// Both ends are fixed in position and may rotate about any axis, as in ball joints. The joints of the mechanism at these
    /// ends have no influence. In space the first end does not rotate about the line to the last.
    Pinned,
    /// Neither end moves.
    Clamped,
    /// Craig and Bampton: the first of these nodes does not move, each motion of the others is a constraint mode, and in the
    /// normal modes all of them are fixed.
    Interface(Vec<usize>),
}

/// Which normal modes, numbered from 1 by rising frequency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModeSelection {
    /// This number of modes, from the lowest.
    First(usize),
    /// These modes.
    Only(Vec<usize>),
}

impl ModeSelection {
    /// Their indices from 0, without repetition.
    pub(crate) fn indices(&self) -> Result<Vec<usize>, ParameterError> {
        match self {
            ModeSelection::First(n) => Ok((0..*n).collect()),
            ModeSelection::Only(list) => {
                let twice = (1..list.len()).any(|i| list[..i].contains(&list[i]));
                if twice || list.contains(&0) {
                    return Err(ParameterError::invalid(
                        "modes",
                        "modes are numbered from 1, and each may be given only once",
                    ));
                }
                Ok(list.iter().map(|i| i - 1).collect())
            }
        }
    }
}

/// A mass on a node of a beam: a point mass, or a disc about its centre.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddedMass {
    /// Which node, counted from 0.
    pub node: usize,
    /// Mass, kg.
    pub mass: f64,
    /// Its moments of inertia xx, yy, zz, axes of the frame, kg m²; in the plane only zz is used.
    #[serde(default)]
    pub inertia: [f64; 3],
}

impl AddedMass {
    /// A point mass.
    pub fn point(node: usize, mass: f64) -> AddedMass {
        AddedMass { node, mass, inertia: [0.0; 3] }
    }
}

/// Damping of the shapes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModalDamping {
    /// None.
    #[default]
    None,
    /// One ratio for all natural modes of the shapes (the frame at rest), or one for each by rising frequency.
    Ratios(Vec<f64>),
    /// C itself: one row per shape, N s/m.
    Matrix(Vec<Vec<f64>>),
}

impl ModalDamping {
    /// C. With a ratio ζ for each mode x of K x = ω² M x: C = Σ 2 ζ ω (M x)(M x)ᵀ, xᵀ M x = 1.
    pub(super) fn matrix(&self, M: &DMatrix<f64>, K: &DMatrix<f64>) -> Result<DMatrix<f64>, ParameterError> {
        let n = K.nrows();
        match self {
            ModalDamping::None => Ok(DMatrix::zeros(n, n)),
            ModalDamping::Matrix(rows) => symmetric_matrix("damping", rows, n),
            ModalDamping::Ratios(given) => {
                ParameterError::check_finite("damping", given)?;
                if !matches!(given.len(), 1) && given.len() != n || given.iter().any(|z| *z < 0.0) {
                    let what = format!("one ratio for all, or one for each of the {n} shapes, none negative");
                    return Err(ParameterError::invalid("damping", what));
                }
                let singular =
                    || ParameterError::invalid("damping", "damping ratios need a mass that moves in every shape");
                let L = M.clone().cholesky().ok_or_else(singular)?.l();
                let mut half = K.clone();
                L.solve_lower_triangular_mut(&mut half);
                let mut half = half.transpose();
                L.solve_lower_triangular_mut(&mut half);
                let found = ((&half + half.transpose()) * 0.5).symmetric_eigen();
                let mut order: Vec<usize> = (0..n).collect();
                order.sort_by(|i, j| found.eigenvalues[*i].total_cmp(&found.eigenvalues[*j]));
                let mut C = DMatrix::zeros(n, n);
                for (k, i) in order.into_iter().enumerate() {
                    let zeta = given.get(k).or(given.first()).copied().unwrap_or(0.0);
                    let Mx = &L * found.eigenvectors.column(i);
                    C += &Mx * Mx.transpose() * (2.0 * zeta * found.eigenvalues[i].max(0.0).sqrt());
                }
                Ok(C)
            }
        }
    }
}

/// A symmetric matrix from its rows.
pub(super) fn symmetric_matrix(
    field: &'static str,
    rows: &[Vec<f64>],
    n: usize,
) -> Result<DMatrix<f64>, ParameterError> {
    if rows.len() != n || rows.iter().any(|r| r.len() != n) {
        return Err(ParameterError::invalid(
            field,
            format!("there are {n} shapes: it must have {n} rows of {n} numbers"),
        ));
    }
    rows.iter().try_for_each(|r| ParameterError::check_finite(field, r))?;
    let found = DMatrix::from_fn(n, n, |i, j| rows[i][j]);
    if (&found - found.transpose()).amax() > 1e-9 * found.amax() {
        return Err(ParameterError::invalid(field, "the matrix must be symmetric"));
    }
    Ok((&found + found.transpose()) * 0.5)
}

impl ModalNodes {
    /// Rejects values that no body can have.
    pub(super) fn check(&self) -> Result<(), ParameterError> {
        let n = self.nodes.first().map_or(0, |node| node.phi.len());
        if n > MAX_SHAPES {
            return Err(ParameterError::invalid("shapes", format!("there are {n}, more than {MAX_SHAPES}")));
        }
        for node in &self.nodes {
            if node.phi.len() != n || !(node.psi.is_empty() || node.psi.len() == n) {
                let what =
                    format!("the first node has {n} shapes; every `phi` must have as many, and `psi` as well or none");
                return Err(ParameterError::invalid("phi", what));
            }
            ParameterError::check_finite("at", &node.at)?;
            ParameterError::check_finite("com", &node.com)?;
            node.phi.iter().try_for_each(|x| ParameterError::check_finite("phi", x))?;
            node.psi.iter().try_for_each(|x| ParameterError::check_finite("psi", x))?;
            node.orientation.matrix().map_err(|what| ParameterError::invalid("orientation", what))?;
            ParameterError::check_finite("mass", &[node.mass])?;
            if node.mass < 0.0 {
                return Err(ParameterError::invalid("mass", format!("it is {}; it must not be negative", node.mass)));
            }
            // No stricter test: a node may represent a disc, a rod, or in the plane only a moment of inertia about z.
            ParameterError::check_finite("inertia", &node.inertia)?;
            let [xx, yy, zz, xy, xz, yz] = node.inertia;
            let J = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            if J.symmetric_eigenvalues().min() < -1e-12 * J.amax() {
                return Err(ParameterError::invalid(
                    "inertia",
                    "a moment of inertia would be negative; check the signs of the products",
                ));
            }
        }
        Ok(())
    }
}
