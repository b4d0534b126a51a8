//! The Delassus operator G = J M⁻¹ Jᵀ of the candidate rows, under the bilateral constraints.

use crate::constraints::ElementInput;
use crate::dynamics::inactive_rows;
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates};
use crate::kkt::{Projector, RankPolicy};
use crate::laws::{FrictionBound, NormalForceSource};
use crate::model::{Model, Topology};
use crate::motion::Wrench;
use crate::state::ConstraintMode;
use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// A constraint whose mode is to be decided, and its rows among all candidate rows.
#[derive(Clone, Debug)]
pub(super) struct CandidateConstraint {
    pub c: usize,
    pub rows: Range<usize>,
    pub friction_bound: FrictionBound,
}

/// The equations with all candidates inactive, and the response to unit forces in their rows.
#[derive(Clone, Debug)]
pub(super) struct DelassusOperator {
    pub scene: MarkerKinematics,
    pub eq: Equations,
    projector: Projector,
    /// Modes with every constraint that has a law inactive.
    bilateral_modes: Vec<ConstraintMode>,
    pub candidates: Vec<CandidateConstraint>,
    /// v (or v̇) and multipliers of the bilateral constraints, per unit of each candidate row.
    row_velocities: Vec<Vec<f64>>,
    row_multipliers: Vec<Vec<f64>>,
    pub G: DMatrix<f64>,
    x: Vec<f64>,
}

impl DelassusOperator {
    pub fn new(model: &Model, scale: &[f64]) -> DelassusOperator {
        DelassusOperator {
            scene: MarkerKinematics::new(model),
            eq: Equations::new(model),
            projector: Projector::new(&model.layout, scale, &RankPolicy::default()),
            bilateral_modes: Vec::new(),
            candidates: Vec::new(),
            row_velocities: Vec::new(),
            row_multipliers: Vec::new(),
            G: DMatrix::zeros(0, 0),
            x: vec![0.0; model.sizes.v + model.rows.len()],
        }
    }

    /// Evaluates the equations with every constraint that has a law inactive.
    pub fn evaluate(&mut self, model: &Model, at: StateView) {
        self.bilateral_modes.clear();
        self.bilateral_modes.extend(model.bilateral_modes(at.modes));
        let at = StateView { modes: &self.bilateral_modes, ..at };
        assemble_positions(model, at, &mut self.scene, &mut self.eq);
        assemble_rates(model, at, &mut self.scene, &mut self.eq);
    }

    /// Factors the equations and assembles G for the rows of these constraints.
    pub fn assemble(&mut self, model: &Model, t: f64, z: &[f64], closed: &[usize]) {
        self.projector.set_inactive_rows(&inactive_rows(model, &self.bilateral_modes));
        if model.topology == Topology::Loops {
            self.projector.detect_rank(&self.eq.M, &self.eq.A);
        }
        self.projector.factor(&self.eq.M, &self.eq.A);
        self.candidates.clear();
        let mut next = 0;
        for &c in closed {
            let entry = &model.constraints[c];
            let view =
                ElementInput { t, motions: &self.scene.motions, markers: &entry.markers, z: &z[entry.z.clone()] };
            let grip = entry.kind.constraint().friction_bound(&view);
            self.candidates.push(CandidateConstraint { c, rows: next..next + entry.rows.len(), friction_bound: grip });
            next += entry.rows.len();
        }
        (self.row_velocities, self.row_multipliers) = (Vec::with_capacity(next), Vec::with_capacity(next));
        let n = model.sizes.v;
        for candidate in &self.candidates {
            let entry = &model.constraints[candidate.c];
            for i in 0..entry.rows.len() {
                self.x.fill(0.0);
                self.eq.add_inactive_row(entry, i, 1.0, &mut self.x[..n]);
                self.projector.solve(&self.eq, &mut self.x);
                self.row_velocities.push(self.x[..n].to_vec());
                self.row_multipliers.push(self.x[n..].iter().map(|mu| -mu).collect());
            }
        }
        self.G = DMatrix::zeros(next, next);
        for candidate in &self.candidates {
            let entry = &model.constraints[candidate.c];
            for (i, r) in candidate.rows.clone().enumerate() {
                for s in 0..next {
                    self.G[(r, s)] = self.eq.inactive_row_times(entry, i, &self.row_velocities[s]);
                }
            }
        }
        // Symmetric up to round-off; the solver may rely on exact symmetry.
        self.G = (&self.G + self.G.transpose()) * 0.5;
    }

    /// Rates of the candidate rows.
    pub fn rates(&self, model: &Model) -> DVector<f64> {
        self.gather_rows(model, &self.eq.inactive.rate)
    }

    fn gather_rows(&self, model: &Model, of: &[f64]) -> DVector<f64> {
        let rows = self.candidates.iter().flat_map(|k| model.constraints[k.c].rows.clone());
        DVector::from_iterator(self.G.nrows(), rows.map(|r| of[r]))
    }

    /// Accelerations of the candidate rows with all of them inactive, and the multipliers of the bilateral constraints.
    pub fn free_accelerations(&mut self, model: &Model) -> (DVector<f64>, Vec<f64>) {
        let n = model.sizes.v;
        self.x[..n].copy_from_slice(&self.eq.f);
        self.x[n..].copy_from_slice(&self.eq.b);
        self.projector.solve(&self.eq, &mut self.x);
        let mut a = self.gather_rows(model, &self.eq.inactive.b);
        for k in &self.candidates {
            let entry = &model.constraints[k.c];
            for (i, r) in k.rows.clone().enumerate() {
                a[r] = self.eq.inactive_row_times(entry, i, &self.x[..n]) - a[r];
            }
        }
        (a, self.x[n..].iter().map(|mu| -mu).collect())
    }

    /// out += Σ w p.
    pub fn add_velocity_change(&self, p: &DVector<f64>, out: &mut [f64]) {
        for (p, w) in p.iter().zip(&self.row_velocities).filter(|(p, _)| **p != 0.0) {
            out.iter_mut().zip(w).for_each(|(out, w)| *out += p * w);
        }
    }

    /// Work that driven constraints do with these impulses and with the reactions in the bilateral constraints.
    pub fn driver_work(&self, model: &Model, p: &DVector<f64>) -> f64 {
        let own = self.gather_rows(model, &self.eq.inactive.phi_t).dot(p);
        let held = |m: &Vec<f64>| m.iter().zip(&self.eq.phi_t).map(|(m, rate)| m * rate).sum::<f64>();
        -own - p.iter().zip(&self.row_multipliers).filter(|(p, _)| **p != 0.0).map(|(p, m)| p * held(m)).sum::<f64>()
    }

    /// Normal force N of every candidate for given p; `held` are the multipliers of the bilateral constraints at p = 0.
    pub fn normal_forces(&self, model: &Model, t: f64, z: &[f64], p: &DVector<f64>, held: &[f64]) -> Vec<f64> {
        let own = |c: usize| self.candidates.iter().find(|k| k.c == c).map_or(0.0, |k| p[k.rows.start]);
        let multiplier =
            |row: usize| held[row] + p.iter().zip(&self.row_multipliers).map(|(p, m)| p * m[row]).sum::<f64>();
        let press = |k: &CandidateConstraint| {
            let entry = &model.constraints[k.c];
            match (entry.kind.constraint().normal_force_source(), entry.normal_force_constraint) {
                (NormalForceSource::OwnGap, _) => own(k.c),
                (NormalForceSource::GapOf(_), Some(by)) => own(by),
                (NormalForceSource::Reaction(_), Some(by)) => {
                    let of = &model.constraints[by];
                    let D = self.scene.wrenches(of, of.markers.len() - 1);
                    let mut on = Wrench::ZERO;
                    of.rows.clone().zip(D).for_each(|(r, D)| on.add_scaled(multiplier(r), D));
                    let view = ElementInput {
                        t,
                        motions: &self.scene.motions,
                        markers: &entry.markers,
                        z: &z[entry.z.clone()],
                    };
                    entry.kind.constraint().normal_force(&view, &on).0
                }
                _ => 0.0,
            }
        };
        self.candidates.iter().map(|k| press(k).max(0.0)).collect()
    }
}
