//! The model: elements, names, and where everything lies. Immutable and shared by threads.

use crate::bodies::{BodyKind, Quantity, Sizes, Symmetry};
use crate::constraints::{ConstraintKind, Dependence, Level, Needs, Reference, Row};
use crate::error::{BuildError, Fault, did_you_mean};
use crate::forces::{Conservation, ForceKind};
use crate::kkt::Symbolic;
use crate::marker::{Axes, Frame, Marker, Place, Seen};
use crate::measures::Measure;
use crate::motion::{Mat3, Motion, Vec3};
use crate::spec::{Named, Spec};
use crate::state::{Mode, State};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A body and its place in q, v, z and M.
#[derive(Clone, Debug)]
pub struct BodyEntry {
    /// Name.
    pub name: String,
    /// The body.
    pub kind: BodyKind,
    /// Range in q.
    pub q: Range<usize>,
    /// Range in v.
    pub v: Range<usize>,
    /// Range in z.
    pub z: Range<usize>,
    /// Range in the values of M.
    pub mass: Range<usize>,
    /// Its markers; the first is its reference frame.
    pub markers: Range<usize>,
}

/// One block of A: the rows of a constraint against the velocities of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The body.
    pub body: usize,
    /// Where its values start in A (row by row).
    pub start: usize,
}

/// A constraint and its place among the rows.
#[derive(Clone, Debug)]
pub struct ConstraintEntry {
    /// Name.
    pub name: String,
    /// The constraint.
    pub kind: ConstraintKind,
    /// Range of its rows.
    pub rows: Range<usize>,
    /// Its markers.
    pub markers: Vec<usize>,
    /// For each marker the index in `blocks`; ground has none.
    pub(crate) block_of: Vec<Option<usize>>,
    /// How each marker enters its block.
    pub(crate) entry: Vec<Entry>,
    /// Blocks of A, one per body.
    pub blocks: Vec<Block>,
    /// Where its wrenches start in D.
    pub(crate) wrenches: usize,
    /// Range in z.
    pub z: Range<usize>,
}

impl ConstraintEntry {
    /// Where its wrenches lie in D: row by row, one per marker.
    pub(crate) fn wrench_range(&self) -> Range<usize> {
        self.wrenches..self.wrenches + self.rows.len() * self.markers.len()
    }
}

/// One element of the assembly's sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// A body.
    Body(usize),
    /// A constraint, right after its last body.
    Constraint(usize),
}

/// Whether a marker is the first of a constraint on its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// It sets the block.
    First,
    /// It adds to it.
    Further,
}

/// A force and its markers.
#[derive(Clone, Debug)]
pub struct ForceEntry {
    /// Name.
    pub name: String,
    /// The force.
    pub kind: ForceKind,
    /// Its markers.
    pub markers: Vec<usize>,
    /// Range in z.
    pub z: Range<usize>,
}

/// A measured coordinate of the solution.
#[derive(Clone, Debug)]
pub struct MeasureEntry {
    /// Name.
    pub name: String,
    /// What is measured.
    pub measure: Measure,
    /// Its markers.
    pub markers: Vec<usize>,
}

/// Whether the graph of bodies and constraints is a forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// No closed loop, every constraint independent by construction: A has full rank in every pose.
    Tree,
    /// Loops, or constraints nobody can vouch for.
    Loops,
}

/// A mechanism, ready to be asked.
#[derive(Clone, Debug)]
pub struct Model {
    /// Uniform gravity.
    pub gravity: Vec3,
    /// Bodies.
    pub bodies: Vec<BodyEntry>,
    /// Markers; those of the ground come first, then those of each body.
    pub markers: Vec<Marker>,
    /// Constraints.
    pub constraints: Vec<ConstraintEntry>,
    /// Forces.
    pub forces: Vec<ForceEntry>,
    /// Measured coordinates of the solution.
    pub measures: Vec<MeasureEntry>,
    /// Names, levels and units of all rows.
    pub rows: Vec<Row>,
    /// Numbers of coordinates, velocities and extra states.
    pub sizes: Sizes,
    pub(crate) mass_values: usize,
    pub(crate) jacobian_values: usize,
    pub(crate) wrench_values: usize,
    /// Poses of the ground's markers, at rest for ever.
    pub(crate) ground: Vec<Motion>,
    pub(crate) symbolic: Arc<Symbolic>,
    pub(crate) sweep: Vec<Turn>,
    /// Tree or loops.
    pub topology: Topology,
    initial: State,
}

impl Model {
    pub(crate) fn build(spec: &Spec) -> Result<Model, BuildError> {
        if spec.gravity.iter().any(|g| !g.is_finite()) {
            return Err(BuildError::Gravity);
        }
        unique("bodies", spec.bodies.iter().map(|b| b.name.as_str()))?;
        unique("markers", spec.markers.iter().map(|b| b.name.as_str()))?;
        unique("constraints", spec.constraints.iter().map(|b| b.name.as_str()))?;
        unique("forces", spec.forces.iter().map(|b| b.name.as_str()))?;
        unique("measures", spec.measures.iter().map(|b| b.name.as_str()))?;

        let mut sizes = Sizes::default();
        let mut mass_values = 0;
        let mut bodies = Vec::with_capacity(spec.bodies.len());
        for Named { name, item } in &spec.bodies {
            if name == "ground" || name.is_empty() || name.contains('.') {
                let why = "it must not be `ground`, not be empty, and contain no dot";
                return Err(BuildError::BadName { name: name.clone(), family: "a body", why });
            }
            item.body().check().map_err(|f| element("body", name, f))?;
            let s = item.body().sizes();
            bodies.push(BodyEntry {
                name: name.clone(),
                kind: item.clone(),
                q: sizes.q..sizes.q + s.q,
                v: sizes.v..sizes.v + s.v,
                z: sizes.z..sizes.z + s.z,
                mass: mass_values..mass_values + s.v * s.v,
                markers: 0..0,
            });
            mass_values += s.v * s.v;
            sizes = Sizes { q: sizes.q + s.q, v: sizes.v + s.v, z: sizes.z + s.z };
        }

        let mut initial = State { t: 0.0, q: vec![0.0; sizes.q], v: vec![0.0; sizes.v], ..State::default() };
        initial.z = vec![0.0; sizes.z];
        for b in &bodies {
            let z = &mut initial.z[b.z.clone()];
            b.kind.body().initial(&mut initial.q[b.q.clone()], &mut initial.v[b.v.clone()], z);
        }

        let mut names = Names::new(spec, &mut bodies, &initial)?;
        let mut constraints = Vec::with_capacity(spec.constraints.len());
        let (mut rows, mut jacobian_values, mut wrench_values) = (Vec::new(), 0, 0);
        for Named { name, item } in &spec.constraints {
            let c = item.constraint();
            c.check().map_err(|f| element("constraint", name, f))?;
            let markers = names.resolve("constraint", name, &c.markers(), &bodies)?;
            let own = c.rows();
            let (mut blocks, mut block_of): (Vec<Block>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
            for &m in &markers {
                block_of.push(names.markers[m].body.map(|body| {
                    blocks.iter().position(|b| b.body == body).unwrap_or_else(|| {
                        blocks.push(Block { body, start: jacobian_values });
                        jacobian_values += own.len() * bodies[body].v.len();
                        blocks.len() - 1
                    })
                }));
            }
            // Coordinates of one body may well be related to each other; its frames cannot move against each other.
            let frames = markers.iter().all(|m| matches!(names.markers[*m].place, Place::Frame(..)));
            let alone = markers.len() > 1 && frames && block_of.iter().all(|b| *b == block_of[0]);
            if markers.is_empty() {
                let fault = Fault::value("markers", "the constraint names no marker; it must act on something");
                return Err(element("constraint", name, fault));
            }
            if blocks.is_empty() || alone {
                let body = names.markers[markers[0]].body.map_or("ground", |b| &bodies[b].name).to_string();
                return Err(BuildError::SelfJoint { name: name.clone(), body });
            }
            let entry = (0..block_of.len())
                .map(|k| if block_of[..k].contains(&block_of[k]) { Entry::Further } else { Entry::First })
                .collect();
            let z = sizes.z..sizes.z + c.states();
            sizes.z = z.end;
            let first = rows.len();
            rows.extend(own);
            let rows = first..rows.len();
            let wrenches = wrench_values;
            wrench_values += rows.len() * markers.len();
            let (name, kind) = (name.clone(), item.clone());
            constraints.push(ConstraintEntry { name, kind, rows, markers, block_of, entry, blocks, wrenches, z });
        }

        let mut forces = Vec::with_capacity(spec.forces.len());
        for Named { name, item } in &spec.forces {
            let f = item.force();
            f.check().map_err(|e| element("force", name, e))?;
            let markers = names.resolve("force", name, &f.markers(), &bodies)?;
            let z = sizes.z..sizes.z + f.states();
            sizes.z = z.end;
            forces.push(ForceEntry { name: name.clone(), kind: item.clone(), markers, z });
        }
        let mut measures = Vec::with_capacity(spec.measures.len());
        for Named { name, item } in &spec.measures {
            let markers = names.resolve("measure", name, &item.markers(), &bodies)?;
            measures.push(MeasureEntry { name: name.clone(), measure: item.clone(), markers });
        }

        initial.z.resize(sizes.z, 0.0);
        initial.modes = vec![Mode::Active; constraints.len()];
        let body_sizes: Vec<usize> = bodies.iter().map(|b| b.v.len()).collect();
        let edges: Vec<(usize, Vec<Block>, bool)> = constraints
            .iter()
            .map(|c| (c.rows.len(), c.blocks.clone(), c.block_of.iter().any(Option::is_none) || c.blocks.len() < 2))
            .collect();
        let symbolic = Arc::new(Symbolic::new(&body_sizes, &edges));
        let topology = topology(bodies.len(), &constraints);
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
        for (c, entry) in constraints.iter().enumerate() {
            let last = entry.blocks.iter().map(|b| b.body).max();
            last.iter().for_each(|b| after[*b].push(c));
        }
        let turns = |(b, after): (usize, Vec<usize>)| {
            std::iter::once(Turn::Body(b)).chain(after.into_iter().map(Turn::Constraint))
        };
        let sweep = after.into_iter().enumerate().flat_map(turns).collect();
        let mut model = Model {
            gravity: Vec3::from(spec.gravity),
            bodies,
            ground: names.ground,
            markers: names.markers,
            constraints,
            forces,
            measures,
            rows,
            sizes,
            mass_values,
            jacobian_values,
            wrench_values,
            symbolic,
            sweep,
            topology,
            initial: State::default(),
        };
        model.initial = initial;
        crate::equations::settle(&model.clone(), &mut model.initial);
        Ok(model)
    }

    /// The state given in the model: positions and velocities as written, not yet assembled.
    pub fn initial_state(&self) -> State {
        self.initial.clone()
    }

    /// Refuses a state of the wrong size.
    pub fn check_state(&self, s: &State) -> Result<(), BuildError> {
        let pairs = [
            ("coordinates", s.q.len(), self.sizes.q),
            ("velocities", s.v.len(), self.sizes.v),
            ("extra states", s.z.len(), self.sizes.z),
            ("modes", s.modes.len(), self.constraints.len()),
        ];
        match pairs.into_iter().find(|(_, found, needed)| found != needed) {
            Some((what, found, needed)) => Err(BuildError::WrongSize { what, found, needed }),
            None => Ok(()),
        }
    }

    /// The body of that name.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }

    /// The marker of that name.
    pub fn marker(&self, name: &str) -> Option<usize> {
        self.markers.iter().position(|m| m.name == name)
    }

    /// The constraint of that name.
    pub fn constraint(&self, name: &str) -> Option<usize> {
        self.constraints.iter().position(|c| c.name == name)
    }

    /// The constraint that owns a row.
    pub fn owner(&self, row: usize) -> &ConstraintEntry {
        let i = self.constraints.partition_point(|c| c.rows.end <= row);
        &self.constraints[i]
    }

    /// `constraint.row`, the name of a row.
    pub fn row_name(&self, row: usize) -> String {
        format!("{}.{}", self.owner(row).name, self.rows[row].name)
    }

    /// Name and unit of every coordinate, then of every velocity.
    pub fn state_names(&self) -> (Vec<Quantity>, Vec<Quantity>) {
        let full = |b: &BodyEntry, x: Vec<Quantity>| -> Vec<Quantity> {
            x.into_iter().map(|x| Quantity { name: format!("{}.{}", b.name, x.name), unit: x.unit }).collect()
        };
        let q = self.bodies.iter().flat_map(|b| full(b, b.kind.body().coordinates())).collect();
        let v = self.bodies.iter().flat_map(|b| full(b, b.kind.body().velocities())).collect();
        (q, v)
    }

    /// Unit of the coordinate that a marker stands for; of a length where it is a frame.
    pub(crate) fn coordinate_unit(&self, marker: usize) -> &'static str {
        let Marker { body: Some(body), place: Place::Coordinate(i), .. } = &self.markers[marker] else { return "m" };
        self.bodies[*body].kind.body().coordinates().get(*i).map_or("1", |c| c.unit)
    }

    /// Whether any body has a non-symmetric mass matrix.
    pub fn symmetry(&self) -> Symmetry {
        let odd = |b: &BodyEntry| b.kind.body().symmetry() == Symmetry::NonSymmetric;
        if self.bodies.iter().any(odd) { Symmetry::NonSymmetric } else { Symmetry::Symmetric }
    }

    /// Whether anything can add or take energy: open forces, rows that move with time.
    pub(crate) fn forces_conserve(&self) -> Conservation {
        let open = |f: &ForceEntry| f.kind.force().conserves() == Conservation::Open;
        if self.forces.iter().any(open) { Conservation::Open } else { Conservation::Conservative }
    }

    /// Whether a row is held at this level.
    #[inline(always)]
    pub(crate) fn holds(&self, row: usize, level: Level) -> bool {
        match level {
            Level::Position => self.rows[row].level == Level::Position,
            Level::Velocity => self.rows[row].level != Level::Acceleration,
            Level::Acceleration => true,
        }
    }
}

fn element(family: &'static str, name: &str, fault: Fault) -> BuildError {
    BuildError::Element { family, name: name.to_string(), fault }
}

fn unique<'a>(family: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), BuildError> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(BuildError::DuplicateName { name: name.to_string(), family });
        }
    }
    Ok(())
}

/// A forest has, in every component (the ground is one node), one constraint fewer than nodes.
fn topology(bodies: usize, constraints: &[ConstraintEntry]) -> Topology {
    let mut parent: Vec<usize> = (0..=bodies).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for c in constraints {
        if c.kind.constraint().dependence() == Dependence::Unknown || c.blocks.len() > 2 {
            return Topology::Loops;
        }
        let a = c.blocks[0].body;
        let b = c.blocks.get(1).map_or(bodies, |b| b.body);
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        if a == b {
            return Topology::Loops;
        }
        parent[a] = b;
    }
    Topology::Tree
}

/// Markers under construction, and how names find them.
struct Names {
    markers: Vec<Marker>,
    ground: Vec<Motion>,
    index: HashMap<String, usize>,
}

impl Names {
    /// Lays out the frames of the ground, then of each body, then the coordinates that elements ask for.
    fn new(spec: &Spec, bodies: &mut [BodyEntry], initial: &State) -> Result<Names, BuildError> {
        let by_name: HashMap<&str, usize> = spec.bodies.iter().enumerate().map(|(i, b)| (b.name.as_str(), i)).collect();
        let mut frames: Vec<Vec<&Named<Frame>>> = vec![Vec::new(); bodies.len()];
        let mut names = Names { markers: Vec::new(), ground: Vec::new(), index: HashMap::new() };
        names.push("ground".to_string(), None, Place::Frame(Vec3::zeros(), Axes::Aligned));
        names.ground.push(Motion::REST);
        for m in &spec.markers {
            let Some((body, _)) = m.name.rsplit_once('.') else {
                let why = "write `body.marker` or `ground.marker`";
                return Err(BuildError::BadName { name: m.name.clone(), family: "a marker", why });
            };
            if body == "ground" {
                let (p, R) = frame_of(m, &Motion::REST)?;
                names.push(m.name.clone(), None, Place::Frame(p, Axes::of(R)));
                names.ground.push(Motion { p, R, ..Motion::REST });
                continue;
            }
            let Some(&b) = by_name.get(body) else {
                let hint = did_you_mean(body, spec.bodies.iter().map(|b| b.name.as_str()).chain(["ground"]));
                return Err(BuildError::MarkerOnNothing { marker: m.name.clone(), body: body.to_string(), hint });
            };
            if let Some(why) = bodies[b].kind.body().frameless() {
                return Err(element("marker", &m.name, Fault::value("body", why)));
            }
            frames[b].push(m);
        }
        // Coordinates are markers only where something asks for them.
        let mut asked: Vec<Vec<(String, usize)>> = vec![Vec::new(); bodies.len()];
        let references = (spec.constraints.iter().flat_map(|c| c.item.constraint().markers()))
            .chain(spec.forces.iter().flat_map(|f| f.item.force().markers()))
            .chain(spec.measures.iter().flat_map(|m| m.item.markers()));
        for r in references.filter(|r| r.needs == Needs::Coordinate) {
            let Some((body, coordinate)) = r.name.rsplit_once('.') else { continue };
            let Some(&b) = by_name.get(body) else { continue };
            let Some(i) = bodies[b].kind.body().coordinate(coordinate) else { continue };
            if !asked[b].iter().any(|(name, _)| name == r.name) {
                asked[b].push((r.name.to_string(), i));
            }
        }
        for (b, entry) in bodies.iter_mut().enumerate() {
            let mut own = Motion::REST;
            entry.kind.body().reference(&initial.q[entry.q.clone()], &mut own);
            let first = names.markers.len();
            names.push(entry.name.clone(), Some(b), Place::Frame(Vec3::zeros(), Axes::Aligned));
            for m in &frames[b] {
                let (p, R) = frame_of(m, &own)?;
                names.push(m.name.clone(), Some(b), Place::Frame(p, Axes::of(R)));
            }
            for (name, i) in asked[b].drain(..) {
                names.push(name, Some(b), Place::Coordinate(i));
            }
            entry.markers = first..names.markers.len();
        }
        Ok(names)
    }

    fn push(&mut self, name: String, body: Option<usize>, place: Place) {
        // A frame may bear the name of a coordinate (`rod.x`); the key keeps them apart.
        let key = match place {
            Place::Frame(..) => name.clone(),
            Place::Coordinate(_) => format!("{name}#"),
        };
        self.index.insert(key, self.markers.len());
        self.markers.push(Marker { name, body, place });
    }

    fn resolve(
        &mut self,
        family: &'static str,
        name: &str,
        wanted: &[Reference],
        bodies: &[BodyEntry],
    ) -> Result<Vec<usize>, BuildError> {
        let mut found = Vec::with_capacity(wanted.len());
        for r in wanted {
            let (key, other) = match r.needs {
                Needs::Frame => (r.name.to_string(), format!("{}#", r.name)),
                Needs::Coordinate => (format!("{}#", r.name), r.name.to_string()),
            };
            if let Some(&m) = self.index.get(&key) {
                if let (Needs::Frame, Some(b)) = (r.needs, self.markers[m].body)
                    && let Some(why) = bodies[b].kind.body().frameless()
                {
                    return Err(element(family, name, Fault::value("marker", why)));
                }
                found.push(m);
                continue;
            }
            let is_coordinate = r
                .name
                .rsplit_once('.')
                .is_some_and(|(b, c)| bodies.iter().any(|e| e.name == b && e.kind.body().coordinate(c).is_some()));
            let (name, marker) = (name.to_string(), r.name.to_string());
            return Err(if self.index.contains_key(&other) || (r.needs == Needs::Frame && is_coordinate) {
                let (found, needed) = match r.needs {
                    Needs::Frame => ("coordinate", "frame"),
                    Needs::Coordinate => ("frame", "coordinate"),
                };
                BuildError::WrongMarker { family, name, marker, found, needed }
            } else {
                let coordinates = bodies.iter().flat_map(|b| {
                    let own = b.kind.body().coordinates();
                    own.into_iter().map(|c| format!("{}.{}", b.name, c.name)).collect::<Vec<_>>()
                });
                let known: Vec<String> = match r.needs {
                    Needs::Frame => self.markers.iter().map(|m| m.name.clone()).collect(),
                    Needs::Coordinate => coordinates.collect(),
                };
                let hint = did_you_mean(r.name, known.iter().map(String::as_str));
                BuildError::UnknownMarker { family, name, marker, hint }
            });
        }
        Ok(found)
    }
}

/// p_BM and R_BM of a frame.
fn frame_of(m: &Named<Frame>, own: &Motion) -> Result<(Vec3, Mat3), BuildError> {
    Fault::finite("at", &m.item.at).map_err(|f| element("marker", &m.name, f))?;
    let R = m.item.orientation.matrix().map_err(|e| element("marker", &m.name, Fault::value("orientation", e)))?;
    let p = Vec3::from(m.item.at);
    Ok(match m.item.seen {
        Seen::FromBody => (p, R),
        Seen::FromWorld if own.R == Mat3::identity() => (p - own.p, R),
        Seen::FromWorld => (own.R.tr_mul(&(p - own.p)), own.R.tr_mul(&R)),
    })
}
