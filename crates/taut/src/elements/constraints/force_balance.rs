//! The balance of the forces on a body without mass.

use super::balanced_load::{BalancedLoad, LoadRows};
use super::user::UserConstraint;
use super::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerKind, MarkerReference, NonSmooth, RowInfo,
    RowLevel, RowTerms,
};
use crate::error::ParameterError;
use crate::motion::Wrench;
use std::sync::Arc;

/// A free motion of the body: along an axis of a marker, or about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BalanceAxis {
    /// A displacement.
    Along(usize),
    /// A rotation.
    About(usize),
}

impl BalanceAxis {
    fn row(self, level: RowLevel) -> RowInfo {
        let name = match self {
            BalanceAxis::Along(i) => ["x", "y", "z"][i],
            BalanceAxis::About(i) => ["about_x", "about_y", "about_z"][i],
        };
        let unit = if matches!(self, BalanceAxis::Along(_)) { "m" } else { "rad" };
        RowInfo { name, level, unit }
    }
}

/// The forces on a body without mass balance each other along its free motions.
///
/// ```text
///  elastic forces only   φ = e·Σ f / k            along an axis e
///                        φ = e·Σ (m + r×f) / k    about it, r from the point on the axis
///  with dampers          ψ, the same sum          k: the stiffness or damping at the start
/// ```
///
/// The rows are those of f itself: with them, M v̇ = f + Aᵀλ reads 0 = 0 + Kᵀλ for the body, so that λ = 0 wherever they determine its
/// motion. The build adds the constraint as `body.balance`; all derivatives come from the number type.
#[derive(Clone, Debug)]
pub struct ForceBalance {
    body: String,
    axes_of: String,
    about: String,
    axes: Vec<BalanceAxis>,
    scales: Vec<f64>,
    level: RowLevel,
    loads: Vec<BalancedLoad>,
    markers: Vec<(String, MarkerKind)>,
    terms: Vec<BalanceTerm>,
}

/// One force: its rows, the places of its markers among those of the balance, and the place of its turn counter.
#[derive(Clone, Debug)]
struct BalanceTerm {
    rows: UserConstraint,
    places: Vec<usize>,
    state: Option<usize>,
}

/// Rows and markers of a term on the stack.
const MAX_ROWS: usize = 6;
const MAX_MARKERS: usize = 5;

impl ForceBalance {
    /// The balance of these forces on a body along and about axes of the marker `axes_of`, through the origin of `about`.
    pub(crate) fn new(
        body: &str,
        (axes_of, about): (&str, &str),
        axes: Vec<BalanceAxis>,
        loads: Vec<BalancedLoad>,
    ) -> ForceBalance {
        let level = if loads.iter().any(BalancedLoad::is_damped) { RowLevel::Velocity } else { RowLevel::Position };
        let scales = vec![1.0; axes.len()];
        let mut balance = ForceBalance {
            body: body.to_string(),
            axes_of: axes_of.to_string(),
            about: about.to_string(),
            axes,
            scales,
            level,
            loads,
            markers: Vec::new(),
            terms: Vec::new(),
        };
        balance.set_terms();
        balance
    }

    /// The same with other factors of its rows.
    pub(crate) fn scaled(mut self, scales: Vec<f64>) -> ForceBalance {
        self.scales = scales;
        self.set_terms();
        self
    }

    fn set_terms(&mut self) {
        (self.markers, self.terms) = (Vec::new(), Vec::new());
        let mut states = 0;
        for load in &self.loads {
            let mut own = load.markers();
            own.extend([&self.body, &self.axes_of, &self.about].map(|name| (name.clone(), MarkerKind::Frame)));
            let place = |m: &(String, MarkerKind)| {
                self.markers.iter().position(|x| x == m).unwrap_or_else(|| {
                    self.markers.push(m.clone());
                    self.markers.len() - 1
                })
            };
            let places = own.iter().map(place).collect();
            let references: Vec<MarkerReference> =
                own.iter().map(|(name, kind)| MarkerReference { name, kind: *kind }).collect();
            let rows = LoadRows { load: load.clone(), axes: self.axes.clone(), scales: self.scales.clone() };
            let state = load.counter().map(|_| {
                states += 1;
                states - 1
            });
            self.terms.push(BalanceTerm {
                rows: UserConstraint::new(&references, self.level, Arc::new(rows)),
                places,
                state,
            });
        }
    }

    /// The input of each term.
    fn each(&self, at: &ElementInput, mut with: impl FnMut(usize, &BalanceTerm, &ElementInput)) {
        for (i, term) in self.terms.iter().enumerate() {
            let mut markers = [0; MAX_MARKERS];
            term.places.iter().zip(&mut markers).for_each(|(place, id)| *id = at.markers[*place]);
            let z = term.state.filter(|s| *s < at.z.len()).map_or(&[][..], |s| &at.z[s..=s]);
            let own = ElementInput { markers: &markers[..term.places.len()], z, ..*at };
            with(i, term, &own);
        }
    }
}

/// The terms of the rows of one force.
struct TermValues {
    phi: [f64; MAX_ROWS],
    D: [Wrench; MAX_ROWS * MAX_MARKERS],
    phi_t: [f64; MAX_ROWS],
    c: [f64; MAX_ROWS],
}

impl TermValues {
    fn zero() -> TermValues {
        let zero = [0.0; MAX_ROWS];
        TermValues { phi: zero, D: [Wrench::ZERO; MAX_ROWS * MAX_MARKERS], phi_t: zero, c: zero }
    }

    fn rows(&mut self) -> RowTerms<'_> {
        RowTerms { phi: &mut self.phi, D: &mut self.D, phi_t: &mut self.phi_t, c: &mut self.c }
    }
}

impl Constraint for ForceBalance {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.markers.iter().map(|(name, kind)| MarkerReference { name, kind: *kind }).collect()
    }

    fn rows(&self) -> Vec<RowInfo> {
        self.axes.iter().map(|axis| axis.row(self.level)).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.terms.iter().try_for_each(|term| term.rows.check())
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (n, m) = (at.len(), self.axes.len());
        rows.phi[..m].fill(0.0);
        rows.phi_t[..m].fill(0.0);
        rows.D[..n * m].fill(Wrench::ZERO);
        self.each(at, |_, term, own| {
            let mut part = TermValues::zero();
            term.rows.position_terms(own, &mut part.rows());
            for r in 0..m {
                rows.phi[r] += part.phi[r];
                rows.phi_t[r] += part.phi_t[r];
                for (k, place) in term.places.iter().enumerate() {
                    rows.D[r * n + place].add_scaled(1.0, &part.D[r * term.places.len() + k]);
                }
            }
        });
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let m = self.axes.len();
        rows.c[..m].fill(0.0);
        if self.level != RowLevel::Position {
            rows.phi_t[..m].fill(0.0);
        }
        self.each(at, |_, term, own| {
            let mut part = TermValues::zero();
            if self.level != RowLevel::Position {
                term.rows.position_terms(own, &mut part.rows());
            }
            term.rows.velocity_terms(own, &mut part.rows());
            for r in 0..m {
                rows.c[r] += part.c[r];
                if self.level != RowLevel::Position {
                    rows.phi_t[r] += part.phi_t[r];
                }
            }
        });
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for ForceBalance {
    fn state_count(&self) -> usize {
        self.terms.iter().filter(|term| term.state.is_some()).count()
    }

    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        self.each(at, |i, term, own| {
            if let (Some(state), Some(counter)) = (term.state, self.loads[i].counter()) {
                counter.initialise_states(own, &mut z[state..=state]);
            }
        });
    }

    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        self.each(at, |i, term, own| {
            if let (Some(state), Some(counter)) = (term.state, self.loads[i].counter()) {
                counter.state_rates(own, &mut zdot[state..=state]);
            }
        });
    }

    fn angle_markers(&self) -> Vec<[usize; 2]> {
        let counted = |(i, term): (usize, &BalanceTerm)| {
            let own = self.loads[i].counter().map_or(Vec::new(), |c| c.angle_markers());
            own.into_iter().map(|pair| pair.map(|k| term.places[k])).collect::<Vec<_>>()
        };
        self.terms.iter().enumerate().flat_map(counted).collect()
    }
}

impl NonSmooth for ForceBalance {}
impl FrictionLaw for ForceBalance {}
