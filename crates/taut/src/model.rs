//! The model: elements, names, and where everything lies. Immutable and shared by threads.

use crate::bodies::{BodyKind, Quantity, Sizes, Symmetry};
use crate::constraints::{ConstraintKind, Dependence, Level, Meeting, Reference, Row, Still};
use crate::contacts::{self, Contact, SurfaceEntry};
use crate::equations::{Inertia, Layout, Tie};
use crate::error::{BuildError, Fault, did_you_mean};
use crate::events::{EventEntry, lockable};
use crate::forces::{Conservation, ForceKind};
use crate::kkt::Symbolic;
use crate::laws::{Law, Press};
use crate::marker::{Axes, Marker, Place};
use crate::measures::Measure;
use crate::motion::{Motion, Vec3};
use crate::names::{Names, body_name, element, unique};
use crate::shapes::Solid;
use crate::spec::{Named, Spec};
use crate::state::{Mode, State};
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

impl BodyEntry {
    /// The name of one of its quantities in the whole model; those of beam nodes bear the names of their nodes already.
    pub(crate) fn full(&self, quantity: &str) -> String {
        match self.kind {
            BodyKind::BeamNodes(_) => quantity.to_string(),
            _ => format!("{}.{quantity}", self.name),
        }
    }
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
    /// Range of its ends among those of all constraints.
    pub(crate) ends: Range<usize>,
    /// Blocks of A, one per body.
    pub blocks: Vec<Block>,
    /// Where its wrenches start in D.
    pub(crate) wrenches: usize,
    /// Whether its first rows hold its two markers together in one point.
    pub(crate) meeting: Meeting,
    /// The joint it is, if nothing of it is driven: what the assembly reads in place of the whole element.
    pub(crate) still: Option<Still>,
    /// How its rows come and go.
    pub law: Law,
    /// The constraint whose reaction presses its rows together.
    pub(crate) pressed_by: Option<usize>,
    /// Range in z.
    pub z: Range<usize>,
}

impl ConstraintEntry {
    /// Whether it has rows that may slip against friction.
    pub(crate) fn rubs(&self) -> bool {
        self.law.gripping_from().is_some_and(|from| from < self.rows.len())
    }

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

/// One end of a constraint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// The marker.
    pub marker: usize,
    /// The block of A it enters; none for the ground.
    pub block: Option<Block>,
    /// How it enters it.
    pub entry: Entry,
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
    /// Shapes on markers.
    pub surfaces: Vec<SurfaceEntry>,
    /// Rules for surfaces that touch.
    pub contacts: Vec<Named<Contact>>,
    /// Bodies that joints hold together; none is the ground.
    pub(crate) joined: Vec<(Option<usize>, Option<usize>)>,
    /// Points of contact whose features change with the poses.
    pub(crate) meetings: Vec<contacts::Meeting>,
    /// Events, watched by every run.
    pub events: Vec<EventEntry>,
    /// Names, levels and units of all rows.
    pub rows: Vec<Row>,
    /// Numbers of coordinates, velocities and extra states.
    pub sizes: Sizes,
    pub(crate) mass_values: usize,
    pub(crate) jacobian_values: usize,
    pub(crate) wrench_values: usize,
    /// Poses of the ground's markers, at rest for ever.
    pub(crate) ground: Vec<Motion>,
    /// Where the blocks of M and A lie.
    pub(crate) layout: Arc<Layout>,
    pub(crate) sweep: Vec<Turn>,
    /// Ends of all constraints, and their markers alone: in the order of the sweep, not scattered over the heap.
    pub(crate) ends: Vec<End>,
    pub(crate) end_markers: Vec<usize>,
    /// What each marker is on its body, without its name: for the same reason.
    pub(crate) places: Vec<Place>,
    /// Tree or loops.
    pub topology: Topology,
    initial: State,
}

impl Model {
    /// The body that owns a velocity, and which of its velocities it is.
    pub(crate) fn velocity_of(&self, v: usize) -> (usize, usize) {
        let body = self.bodies.partition_point(|b| b.v.end <= v);
        (body, v - self.bodies[body].v.start)
    }

    pub(crate) fn build(spec: &Spec, mut events: Vec<EventEntry>) -> Result<Model, BuildError> {
        if spec.gravity.iter().any(|g| !g.is_finite()) {
            return Err(BuildError::Gravity);
        }
        unique("bodies", spec.bodies.iter().map(|b| b.name.as_str()))?;
        unique("markers", spec.markers.iter().map(|b| b.name.as_str()))?;
        unique("constraints", spec.constraints.iter().map(|b| b.name.as_str()))?;
        unique("forces", spec.forces.iter().map(|b| b.name.as_str()))?;
        unique("measures", spec.measures.iter().map(|b| b.name.as_str()))?;
        unique("events", spec.events.iter().map(|b| b.name.as_str()))?;

        let mut sizes = Sizes::default();
        let mut mass_values = 0;
        let mut bodies = Vec::with_capacity(spec.bodies.len());
        for Named { name, item } in &spec.bodies {
            body_name(name)?;
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

        let mut names = Names::new(spec, &events, &mut bodies, &initial)?;
        let mut constraints = Vec::with_capacity(spec.constraints.len());
        let (mut rows, mut ends, mut jacobian_values, mut wrench_values) = (Vec::new(), Vec::new(), 0, 0);
        for Named { name, item } in &spec.constraints {
            let c = item.constraint();
            c.check().map_err(|f| element("constraint", name, f))?;
            let markers = names.resolve("constraint", name, &c.markers(), &bodies)?;
            let own = c.rows();
            let (mut blocks, mut block_of): (Vec<Block>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
            for &m in &markers {
                // A body without velocities has no block: its numbers are read, not moved.
                let moves = names.markers[m].body.filter(|b| !bodies[*b].v.is_empty());
                block_of.push(moves.map(|body| {
                    blocks.iter().position(|b| b.body == body).unwrap_or_else(|| {
                        blocks.push(Block { body, start: jacobian_values });
                        jacobian_values += own.len() * bodies[body].v.len();
                        blocks.len() - 1
                    })
                }));
            }
            // Coordinates of one body may well be related to each other; its frames cannot move against each other, but
            // a formula may hold them against the world.
            let formula = matches!(item, ConstraintKind::Formula(_));
            let frames = !formula && markers.iter().all(|m| matches!(names.markers[*m].place, Place::Frame(..)));
            let set = blocks.iter().any(|b| !bodies[b.body].kind.members().is_empty());
            let alone = markers.len() > 1 && frames && !set && block_of.iter().all(|b| *b == block_of[0]);
            if markers.is_empty() {
                let fault = Fault::value("markers", "the constraint names no marker; it must act on something");
                return Err(element("constraint", name, fault));
            }
            if blocks.is_empty() || alone {
                let body = names.markers[markers[0]].body.map_or("ground", |b| &bodies[b].name).to_string();
                return Err(BuildError::SelfJoint { name: name.clone(), body });
            }
            let end = |k: usize| End {
                marker: markers[k],
                block: block_of[k].map(|b| blocks[b]),
                entry: if block_of[..k].contains(&block_of[k]) { Entry::Further } else { Entry::First },
            };
            let first = ends.len();
            ends.extend((0..markers.len()).map(end));
            let own_ends = first..ends.len();
            let z = sizes.z..sizes.z + c.states();
            sizes.z = z.end;
            let first = rows.len();
            rows.extend(own);
            let rows = first..rows.len();
            let wrenches = wrench_values;
            wrench_values += rows.len() * markers.len();
            let (name, kind) = (name.clone(), item.clone());
            let meeting = match c.meeting() {
                Meeting::InPoint if frames && markers.len() == 2 => Meeting::InPoint,
                _ => Meeting::Apart,
            };
            constraints.push(ConstraintEntry {
                name,
                kind,
                rows,
                markers,
                ends: own_ends,
                blocks,
                wrenches,
                meeting,
                still: item.still(),
                law: c.law(),
                pressed_by: None,
                z,
            });
        }
        press(&mut constraints)?;

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

        let mut surfaces = Vec::with_capacity(spec.surfaces.len());
        for Named { name, item } in &spec.surfaces {
            let marker = names.resolve("surface", name, &[Reference::frame(&item.marker)], &bodies)?[0];
            surfaces.push(SurfaceEntry {
                name: name.clone(),
                marker,
                body: names.markers[marker].body,
                solid: Solid::new(&item.shape).map_err(|f| element("surface", name, f))?,
                shape: item.shape.clone(),
                groups: item.groups.clone(),
            });
        }
        events.iter_mut().try_for_each(|e| e.resolve(&mut names, &bodies, &constraints))?;

        initial.z.resize(sizes.z, 0.0);
        let start = |c: &ConstraintEntry| if let Law::Unilateral(_) = c.law { Mode::Idle } else { Mode::Active };
        initial.modes = constraints.iter().map(start).collect();
        for name in &spec.unlocked {
            let c = lockable(name, &constraints).map_err(|fault| element("constraint", name, fault))?;
            initial.modes[c] = Mode::Idle;
        }
        let body_sizes: Vec<usize> = bodies.iter().map(|b| b.v.len()).collect();
        let edges: Vec<(usize, Vec<Block>, bool)> = constraints
            .iter()
            .map(|c| {
                (
                    c.rows.len(),
                    c.blocks.clone(),
                    ends[c.ends.clone()].iter().any(|e| e.block.is_none()) || c.blocks.len() < 2,
                )
            })
            .collect();
        let joined = constraints
            .iter()
            .filter(|c| matches!(c.kind, ConstraintKind::Joint(_)))
            .filter_map(|c| Some((names.markers[*c.markers.first()?].body, names.markers[*c.markers.get(1)?].body)))
            .collect();
        let topology = topology(&bodies, &constraints, &names.markers);
        let layout = Arc::new(Layout {
            bodies: bodies.iter().map(|b| Inertia { v: b.v.clone(), mass: b.mass.clone() }).collect(),
            constraints: constraints.iter().map(|c| Tie { rows: c.rows.clone(), blocks: c.blocks.clone() }).collect(),
            velocities: sizes.v,
            levels: rows.iter().map(|r| r.level).collect(),
            symmetry: symmetry(&bodies),
            topology,
            symbolic: Arc::new(Symbolic::new(&body_sizes, &edges)),
        });
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
            places: names.markers.iter().map(|m| m.place.clone()).collect(),
            markers: names.markers,
            meetings: contacts::meetings(&constraints),
            constraints,
            forces,
            measures,
            surfaces,
            contacts: spec.contacts.clone(),
            joined,
            events,
            rows,
            sizes,
            mass_values,
            jacobian_values,
            wrench_values,
            layout,
            sweep,
            end_markers: ends.iter().map(|e: &End| e.marker).collect(),
            ends,
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
            x.into_iter().map(|x| Quantity { name: b.full(&x.name), unit: x.unit }).collect()
        };
        let q = self.bodies.iter().flat_map(|b| full(b, b.kind.body().coordinates())).collect();
        let v = self.bodies.iter().flat_map(|b| full(b, b.kind.body().velocities())).collect();
        (q, v)
    }

    /// Unit of the coordinate that a marker stands for; of a length where it is a frame.
    pub(crate) fn coordinate_unit(&self, marker: usize) -> &'static str {
        let Marker { body: Some(body), place: Place::Coordinate(_), name } = &self.markers[marker] else { return "m" };
        let kind = &self.bodies[*body].kind;
        let (owner, short) = name.rsplit_once('.').unwrap_or_default();
        let own = kind.body().coordinates();
        if let Some(own) = own.iter().find(|c| owner == self.bodies[*body].name && c.name == short) {
            return own.unit;
        }
        // A coordinate of a member, under its own name.
        let member = kind.members().iter().find(|m| m.name == owner);
        let named = |m: &BodyKind| m.body().coordinates().into_iter().find(|c| c.name == short).map(|c| c.unit);
        member.and_then(|m| named(&m.kind)).unwrap_or("1")
    }

    /// The body that a marker sits on, or the member of a reduced set; none is the ground.
    pub(crate) fn carrier(&self, marker: usize) -> Option<&BodyKind> {
        let Marker { body: Some(body), place, .. } = &self.markers[marker] else { return None };
        let kind = &self.bodies[*body].kind;
        match place {
            Place::Frame(_, Axes::OfMember(at)) => kind.members().get(at.0).map(|m| &m.kind),
            _ => Some(kind),
        }
    }

    /// Whether any body has a non-symmetric mass matrix.
    pub fn symmetry(&self) -> Symmetry {
        self.layout.symmetry
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

/// Looks up the constraints whose reactions press.
fn press(constraints: &mut [ConstraintEntry]) -> Result<(), BuildError> {
    for i in 0..constraints.len() {
        let (Press::Reaction(by) | Press::GapOf(by)) = constraints[i].kind.constraint().press() else { continue };
        let Some(found) = constraints.iter().position(|c| c.name == by) else {
            let hint = did_you_mean(by, constraints.iter().map(|c| c.name.as_str()));
            let fault = Fault::value("joint", format!("there is no constraint `{by}`{hint}"));
            return Err(element("constraint", &constraints[i].name, fault));
        };
        let reaction = matches!(constraints[i].kind.constraint().press(), Press::Reaction(_));
        if reaction && constraints[found].law != Law::Bilateral {
            let what = format!("`{by}` comes and goes; only what holds for ever presses by its reaction");
            return Err(element("constraint", &constraints[i].name, Fault::value("joint", what)));
        }
        constraints[i].pressed_by = Some(found);
    }
    Ok(())
}

/// A forest has, in every component (the ground is one node), one constraint fewer than nodes.
fn topology(entries: &[BodyEntry], constraints: &[ConstraintEntry], markers: &[Marker]) -> Topology {
    let bodies = entries.len();
    // No motion of frames meets the norm of a body's own parameters: it is independent of all that holds frames.
    let norm = |c: &ConstraintEntry| matches!(c.kind, ConstraintKind::UnitNorm(_));
    let mut by_coordinate = vec![false; bodies];
    for m in constraints.iter().filter(|c| !norm(c)).flat_map(|c| &c.markers) {
        if let Marker { body: Some(b), place: Place::Coordinate(_), .. } = markers[*m] {
            by_coordinate[b] = true;
        }
    }
    let mut parent: Vec<usize> = (0..=bodies).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for c in constraints.iter().filter(|c| !norm(c) || by_coordinate[c.blocks[0].body]) {
        // Shapes may leave rows without a motion of their own.
        let set = c.blocks.iter().any(|b| !entries[b.body].kind.members().is_empty());
        let unknown = c.law != Law::Bilateral || c.kind.constraint().dependence() == Dependence::Unknown;
        if set || unknown || c.blocks.len() > 2 {
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

fn symmetry(bodies: &[BodyEntry]) -> Symmetry {
    let odd = |b: &BodyEntry| b.kind.body().symmetry() == Symmetry::NonSymmetric;
    if bodies.iter().any(odd) { Symmetry::NonSymmetric } else { Symmetry::Symmetric }
}
