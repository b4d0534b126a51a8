//! The Delassus operator G = J M⁻¹ Jᵀ of the candidate rows, under the bilateral constraints.

use crate::constraints::View;
use crate::dynamics::masked;
use crate::equations::{At, Equations, Scene, carry, place};
use crate::kkt::{Policy, Projector};
use crate::laws::{Grip, Law, Press};
use crate::model::{Model, Topology};
use crate::motion::Wrench;
use crate::state::Mode;
use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// A constraint whose mode is to be decided, and its rows among all candidate rows.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub c: usize,
    pub rows: Range<usize>,
    pub grip: Grip,
}

/// The equations with all candidates inactive, and the response to unit forces in their rows.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    pub scene: Scene,
    pub eq: Equations,
    projector: Projector,
    /// Modes with every constraint that has a law inactive.
    bare: Vec<Mode>,
    pub candidates: Vec<Candidate>,
    /// v (or v̇) and multipliers of the bilateral constraints, per unit of each candidate row.
    w: Vec<Vec<f64>>,
    m: Vec<Vec<f64>>,
    pub G: DMatrix<f64>,
    x: Vec<f64>,
}

impl Answers {
    pub fn new(model: &Model, scale: &[f64]) -> Answers {
        Answers {
            scene: Scene::new(model),
            eq: Equations::new(model),
            projector: Projector::new(&model.layout, scale, &Policy::default()),
            bare: Vec::new(),
            candidates: Vec::new(),
            w: Vec::new(),
            m: Vec::new(),
            G: DMatrix::zeros(0, 0),
            x: vec![0.0; model.sizes.v + model.rows.len()],
        }
    }

    /// Evaluates the equations with every constraint that has a law inactive.
    pub fn place(&mut self, model: &Model, at: At) {
        self.bare.clear();
        let bare = |(mode, c): (&Mode, &crate::model::ConstraintEntry)| {
            if c.law == Law::Bilateral { *mode } else { Mode::Idle }
        };
        self.bare.extend(at.modes.iter().zip(&model.constraints).map(bare));
        let at = At { modes: &self.bare, ..at };
        place(model, at, &mut self.scene, &mut self.eq);
        carry(model, at, &mut self.scene, &mut self.eq);
    }

    /// Factors the equations and assembles G for the rows of these constraints.
    pub fn respond(&mut self, model: &Model, t: f64, z: &[f64], closed: &[usize]) {
        self.projector.mask(&masked(model, &self.bare));
        if model.topology == Topology::Loops {
            self.projector.examine(&self.eq.M, &self.eq.A);
        }
        self.projector.factor(&self.eq.M, &self.eq.A);
        self.candidates.clear();
        let mut next = 0;
        for &c in closed {
            let entry = &model.constraints[c];
            let view = View { t, motions: &self.scene.motions, ids: &entry.markers, z: &z[entry.z.clone()] };
            let grip = entry.kind.constraint().grip(&view);
            self.candidates.push(Candidate { c, rows: next..next + entry.rows.len(), grip });
            next += entry.rows.len();
        }
        (self.w, self.m) = (Vec::with_capacity(next), Vec::with_capacity(next));
        let n = model.sizes.v;
        for candidate in &self.candidates {
            let entry = &model.constraints[candidate.c];
            for i in 0..entry.rows.len() {
                self.x.fill(0.0);
                self.eq.add_loose(entry, i, 1.0, &mut self.x[..n]);
                self.projector.solve(&self.eq, &mut self.x);
                self.w.push(self.x[..n].to_vec());
                self.m.push(self.x[n..].iter().map(|mu| -mu).collect());
            }
        }
        self.G = DMatrix::zeros(next, next);
        for candidate in &self.candidates {
            let entry = &model.constraints[candidate.c];
            for (i, r) in candidate.rows.clone().enumerate() {
                for s in 0..next {
                    self.G[(r, s)] = self.eq.loose_times(entry, i, &self.w[s]);
                }
            }
        }
        // Symmetric up to round-off; the solver may rely on exact symmetry.
        self.G = (&self.G + self.G.transpose()) * 0.5;
    }

    /// Rates of the candidate rows.
    pub fn rates(&self, model: &Model) -> DVector<f64> {
        self.read(model, &self.eq.loose.rate)
    }

    fn read(&self, model: &Model, of: &[f64]) -> DVector<f64> {
        let rows = self.candidates.iter().flat_map(|k| model.constraints[k.c].rows.clone());
        DVector::from_iterator(self.G.nrows(), rows.map(|r| of[r]))
    }

    /// Accelerations of the candidate rows with all of them inactive, and the multipliers of the bilateral constraints.
    pub fn free_accelerations(&mut self, model: &Model) -> (DVector<f64>, Vec<f64>) {
        let n = model.sizes.v;
        self.x[..n].copy_from_slice(&self.eq.f);
        self.x[n..].copy_from_slice(&self.eq.b);
        self.projector.solve(&self.eq, &mut self.x);
        let mut a = self.read(model, &self.eq.loose.b);
        for k in &self.candidates {
            let entry = &model.constraints[k.c];
            for (i, r) in k.rows.clone().enumerate() {
                a[r] = self.eq.loose_times(entry, i, &self.x[..n]) - a[r];
            }
        }
        (a, self.x[n..].iter().map(|mu| -mu).collect())
    }

    /// out += Σ w p.
    pub fn add_motion(&self, p: &DVector<f64>, out: &mut [f64]) {
        for (p, w) in p.iter().zip(&self.w).filter(|(p, _)| **p != 0.0) {
            out.iter_mut().zip(w).for_each(|(out, w)| *out += p * w);
        }
    }

    /// Work that driven constraints do with these impulses and with the reactions in the bilateral constraints.
    pub fn driven(&self, model: &Model, p: &DVector<f64>) -> f64 {
        let own = self.read(model, &self.eq.loose.phi_t).dot(p);
        let held = |m: &Vec<f64>| m.iter().zip(&self.eq.phi_t).map(|(m, rate)| m * rate).sum::<f64>();
        -own - p.iter().zip(&self.m).filter(|(p, _)| **p != 0.0).map(|(p, m)| p * held(m)).sum::<f64>()
    }

    /// Normal force N of every candidate for given p; `held` are the multipliers of the bilateral constraints at p = 0.
    pub fn pressing(&self, model: &Model, t: f64, z: &[f64], p: &DVector<f64>, held: &[f64]) -> Vec<f64> {
        let own = |c: usize| self.candidates.iter().find(|k| k.c == c).map_or(0.0, |k| p[k.rows.start]);
        let multiplier = |row: usize| held[row] + p.iter().zip(&self.m).map(|(p, m)| p * m[row]).sum::<f64>();
        let press = |k: &Candidate| {
            let entry = &model.constraints[k.c];
            match (entry.kind.constraint().press(), entry.pressed_by) {
                (Press::OwnGap, _) => own(k.c),
                (Press::GapOf(_), Some(by)) => own(by),
                (Press::Reaction(_), Some(by)) => {
                    let of = &model.constraints[by];
                    let D = self.scene.wrenches(of, of.markers.len() - 1);
                    let mut on = Wrench::ZERO;
                    of.rows.clone().zip(D).for_each(|(r, D)| on.add(multiplier(r), D));
                    let view = View { t, motions: &self.scene.motions, ids: &entry.markers, z: &z[entry.z.clone()] };
                    entry.kind.constraint().pressed(&view, &on).0
                }
                _ => 0.0,
            }
        };
        self.candidates.iter().map(|k| press(k).max(0.0)).collect()
    }
}
