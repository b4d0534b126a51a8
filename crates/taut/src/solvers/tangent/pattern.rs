//! The sparsity pattern of the derivatives, determined once per model.

use crate::bodies::DisplacementKind;
use crate::model::Model;
use nalgebra::DMatrix;
use std::collections::BTreeSet;
use std::ops::Range;

/// A block: the derivative of the equations of one body with respect to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TangentBlock {
    /// The body whose equations are differentiated.
    pub row: usize,
    /// The perturbed body.
    pub column: usize,
    /// Index of its first value.
    pub start: usize,
}

/// Blocks of K and C, and positions of the values that belong to extra states.
#[derive(Clone, Debug, Default)]
pub struct TangentPattern {
    /// The blocks, ordered by row and column.
    pub blocks: Vec<TangentBlock>,
    /// Number of values.
    pub values: usize,
    /// Velocity and state of each value of ∂r/∂z.
    pub r_by_z: Vec<(usize, usize)>,
    /// State and velocity of each value of ∂ż/∂δ and ∂ż/∂v.
    pub z_by_v: Vec<(usize, usize)>,
    /// Distance in that list between the values of one state for successive velocities of a body.
    pub(crate) stride: Vec<usize>,
    /// State and state of each value of ∂ż/∂z.
    pub z_by_z: Vec<(usize, usize)>,
    /// Index of the first block of each block row, and the total number of blocks.
    first_block_of_row: Vec<usize>,
    /// The kind of displacement along each velocity.
    pub(crate) displacement_kinds: Vec<DisplacementKind>,
    /// Bodies on which each force acts; each once.
    pub(super) bodies_of_force: Vec<Vec<usize>>,
    /// Forces and constraints of each body.
    pub(super) forces: Vec<Vec<usize>>,
    pub(super) constraints: Vec<Vec<usize>>,
    /// Elements with extra states, with their first values in the three lists: bodies, then forces.
    pub(super) owners: Vec<StateOwner>,
}

/// An element with extra states, and the positions of their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateOwner {
    pub element: StateElement,
    pub bodies: Vec<usize>,
    pub r: usize,
    pub g: usize,
    pub z: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StateElement {
    Body(usize),
    Force(usize),
}

impl StateOwner {
    /// Its states.
    pub fn states(&self, model: &Model) -> Range<usize> {
        match self.element {
            StateElement::Body(b) => model.bodies[b].z.clone(),
            StateElement::Force(f) => model.forces[f].z.clone(),
        }
    }
}

impl TangentPattern {
    /// The blocks of a model.
    pub fn new(model: &Model) -> TangentPattern {
        let moved = |markers: &[usize]| {
            let mut bodies: Vec<usize> = Vec::new();
            for b in markers.iter().filter_map(|m| model.markers[*m].body) {
                if !bodies.contains(&b) && !model.bodies[b].v.is_empty() {
                    bodies.push(b);
                }
            }
            bodies
        };
        let mut found = TangentPattern {
            bodies_of_force: model.forces.iter().map(|f| moved(&f.markers)).collect(),
            forces: vec![Vec::new(); model.bodies.len()],
            constraints: vec![Vec::new(); model.bodies.len()],
            displacement_kinds: model
                .bodies
                .iter()
                .flat_map(|b| b.v.clone().map(|i| b.kind.body().displacement_kind(i - b.v.start)))
                .collect(),
            ..TangentPattern::default()
        };
        let mut joined: BTreeSet<(usize, usize)> = BTreeSet::new();
        joined.extend((0..model.bodies.len()).filter(|b| !model.bodies[*b].v.is_empty()).map(|b| (b, b)));
        let mut join = |bodies: &[usize]| {
            bodies.iter().for_each(|a| joined.extend(bodies.iter().map(|b| (*a, *b))));
        };
        for (i, bodies) in found.bodies_of_force.iter().enumerate() {
            join(bodies);
            bodies.iter().for_each(|b| found.forces[*b].push(i));
        }
        for (i, c) in model.constraints.iter().enumerate() {
            let bodies: Vec<usize> = c.blocks.iter().map(|b| b.body).collect();
            join(&bodies);
            bodies.iter().for_each(|b| found.constraints[*b].push(i));
        }
        let size = |b: usize| model.bodies[b].v.len();
        for (row, column) in joined {
            found.blocks.push(TangentBlock { row, column, start: found.values });
            found.values += size(row) * size(column);
        }
        let before = |row: usize| found.blocks.partition_point(|pair| pair.row < row);
        found.first_block_of_row = (0..=model.bodies.len()).map(before).collect();
        found.lay_out_states(model);
        found
    }

    /// Lays out the values that belong to extra states.
    fn lay_out_states(&mut self, model: &Model) {
        let bodies = (0..model.bodies.len()).map(|b| (StateElement::Body(b), model.bodies[b].z.clone(), vec![b]));
        let forces = model.forces.iter().enumerate();
        let forces = forces.map(|(i, f)| (StateElement::Force(i), f.z.clone(), self.bodies_of_force[i].clone()));
        let all: Vec<_> = bodies.chain(forces).filter(|(_, z, _)| !z.is_empty()).collect();
        for (element, states, bodies) in all {
            let bodies: Vec<usize> = bodies.into_iter().filter(|b| !model.bodies[*b].v.is_empty()).collect();
            self.owners.push(StateOwner {
                element,
                bodies: bodies.clone(),
                r: self.r_by_z.len(),
                g: self.z_by_v.len(),
                z: self.z_by_z.len(),
            });
            for v in bodies.iter().flat_map(|b| model.bodies[*b].v.clone()) {
                self.r_by_z.extend(states.clone().map(|z| (v, z)));
                self.z_by_v.extend(states.clone().map(|z| (z, v)));
                self.stride.extend(states.clone().map(|_| states.len()));
            }
            for column in states.clone() {
                self.z_by_z.extend(states.clone().map(|row| (row, column)));
            }
        }
    }

    /// Start of the block of these two bodies.
    pub fn start(&self, row: usize, column: usize) -> Option<usize> {
        let pairs = &self.blocks[self.first_block_of_row[row]..self.first_block_of_row[row + 1]];
        pairs.binary_search_by_key(&column, |pair| pair.column).ok().map(|k| pairs[k].start)
    }

    /// Values laid out like K, as a dense matrix.
    pub fn dense(&self, model: &Model, values: &[f64]) -> DMatrix<f64> {
        let mut dense = DMatrix::zeros(model.sizes.v, model.sizes.v);
        for pair in &self.blocks {
            let (rows, columns) = (&model.bodies[pair.row].v, &model.bodies[pair.column].v);
            for (j, column) in columns.clone().enumerate() {
                for (i, row) in rows.clone().enumerate() {
                    dense[(row, column)] = values[pair.start + j * rows.len() + i];
                }
            }
        }
        dense
    }
}
