//! What is known about the determinacy of reactions.

use super::determinacy;
use crate::analyses::AnalysisError;
use crate::model::Model;
use crate::state::State;
use serde::Serialize;

/// Whether the reactions of a joint are determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JointDeterminacy {
    /// Every component is unique.
    Unique,
    /// Some components are.
    Partly,
    /// No component is.
    NotUnique,
    /// It is not known.
    NotExamined,
}

impl JointDeterminacy {
    /// Of a joint with this many components, of which so many are not unique.
    pub(super) fn of(open: usize, components: usize) -> JointDeterminacy {
        match open {
            0 => JointDeterminacy::Unique,
            n if n == components => JointDeterminacy::NotUnique,
            _ => JointDeterminacy::Partly,
        }
    }
}

impl std::fmt::Display for JointDeterminacy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            JointDeterminacy::Unique => "unique",
            JointDeterminacy::Partly => "partly unique",
            JointDeterminacy::NotUnique => "not unique",
            JointDeterminacy::NotExamined => "not examined",
        })
    }
}

/// One component of a reaction.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ComponentDeterminacy {
    /// `hinge.fx`, as in the columns of a run; `rod.f` for a constraint of one row that acts along no axis.
    pub name: String,
    /// The constraint.
    pub constraint: String,
    /// `N` or `N m`.
    pub unit: &'static str,
    /// The set of components with which it trades load, by index; none if it is unique.
    pub set: Option<usize>,
    /// Its value: with the given multipliers.
    pub value: f64,
    /// Its value in the distribution of least Σ x², 1 N counted as 1 N m; NaN if it is too ill-conditioned to compute.
    pub minimum_norm: f64,
    /// Its value if joints share by their stiffness; none if no joint with which it trades load has one.
    pub stiffness: Option<f64>,
    /// Whether its range is computed; `notes` say why not.
    pub range_computed: bool,
    /// Its least admissible value, where gaps only push and friction is limited; none if it has no lower bound.
    pub least: Option<f64>,
    /// Its largest admissible value; none if it has no upper bound.
    pub most: Option<f64>,
}

/// A combination of components that is unique although its components are not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UniqueCombination {
    /// Components with their coefficients.
    pub terms: Vec<(String, f64)>,
    /// Its value.
    pub value: f64,
}

/// Components that trade load with each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LoadTradingSet {
    /// The components.
    pub components: Vec<String>,
    /// Self-stresses: changes of the components that no body notices.
    pub stresses: Vec<Vec<(String, f64)>>,
    /// Combinations that are unique. Every unique combination of the set is a sum of multiples of these.
    pub combinations: Vec<UniqueCombination>,
}

/// Determinacy of one joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct JointReport {
    /// The constraint.
    pub constraint: String,
    /// Whether its components in world axes are unique.
    pub label: JointDeterminacy,
    /// Components in the axes of its first marker that are not unique.
    pub not_unique_in_joint_axes: Vec<String>,
    /// Directions, as unit vectors in world axes, along which the force is unique although its components are not.
    pub unique_directions: Vec<[f64; 3]>,
}

/// The determinacy of all reactions at a state. The default is that of reactions that were not examined.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeterminacyReport {
    /// Whether the reactions were examined; `notes` say why not.
    pub examined: bool,
    /// The active constraints.
    pub joints: Vec<JointReport>,
    /// All components of their reactions, in world axes.
    pub components: Vec<ComponentDeterminacy>,
    /// Sets of components that trade load.
    pub sets: Vec<LoadTradingSet>,
    /// What was not computed, and why.
    pub notes: Vec<String>,
}

impl DeterminacyReport {
    /// The report of a state; where [`determinacy`] fails, it says that nothing was examined, and why.
    pub fn at(model: &Model, state: &State, lambda: &[f64]) -> DeterminacyReport {
        determinacy(model, state, lambda).unwrap_or_else(|e| DeterminacyReport::not_examined(&e))
    }

    /// The report of a state that cannot be examined.
    pub fn not_examined(reason: &AnalysisError) -> DeterminacyReport {
        DeterminacyReport { notes: vec![reason.to_string()], ..DeterminacyReport::default() }
    }

    /// Whether every reaction is known to be unique.
    pub fn all_unique(&self) -> bool {
        self.examined && self.sets.is_empty()
    }

    /// The label of a constraint.
    pub fn label(&self, constraint: &str) -> JointDeterminacy {
        if !self.examined {
            return JointDeterminacy::NotExamined;
        }
        self.joints.iter().find(|j| j.constraint == constraint).map_or(JointDeterminacy::Unique, |j| j.label)
    }

    /// A component by its name.
    pub fn component(&self, name: &str) -> Option<&ComponentDeterminacy> {
        self.components.iter().find(|c| c.name == name)
    }
}
