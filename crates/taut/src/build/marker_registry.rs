//! Resolves marker names to indices. Markers are laid out body by body.

use crate::bodies::BodyKind;
use crate::common::Named;
use crate::common::spelling::did_you_mean;
use crate::constraints::{MarkerKind, MarkerReference};
use crate::error::{BuildError, ParameterError, element_error};
use crate::marker::{Frame, FrameReference, Marker, MarkerAxes, MarkerPlacement};
use crate::model::events::EventEntry;
use crate::model::{BodyEntry, ConstraintEntry, FormulaMeasureEntry};
use crate::motion::{Mat3, Motion, Vec3};
use crate::spec::Spec;
use crate::state::State;
use std::collections::HashMap;

/// The markers of a model under construction, with an index by name.
pub(crate) struct MarkerRegistry {
    pub markers: Vec<Marker>,
    /// Poses of the ground's markers.
    pub ground: Vec<Motion>,
    index: HashMap<String, usize>,
}

impl MarkerRegistry {
    /// Lays out the frames of the ground, then for each body its frames and the coordinates that elements refer to.
    pub fn new(
        spec: &Spec,
        (events, formula_measures): (&[EventEntry], &[FormulaMeasureEntry]),
        bodies: &mut [BodyEntry],
        initial: &State,
    ) -> Result<MarkerRegistry, BuildError> {
        let mut by_name: HashMap<&str, (usize, Option<usize>)> = HashMap::new();
        for (i, b) in spec.bodies.iter().enumerate() {
            by_name.insert(&b.name, (i, None));
            // Members of a reduced set keep their own names.
            by_name.extend(b.item.members().iter().enumerate().map(|(k, m)| (m.name.as_str(), (i, Some(k)))));
        }
        let mut frames: Vec<Vec<(&Named<Frame>, Option<usize>)>> = vec![Vec::new(); bodies.len()];
        let mut names = MarkerRegistry { markers: Vec::new(), ground: Vec::new(), index: HashMap::new() };
        names.push("ground".to_string(), None, MarkerPlacement::Frame(Vec3::zeros(), MarkerAxes::Aligned));
        names.ground.push(Motion::REST);
        for m in &spec.markers {
            let Some((body, _)) = m.name.rsplit_once('.') else {
                let why = "write `body.marker` or `ground.marker`";
                return Err(BuildError::BadName { name: m.name.clone(), family: "a marker", why });
            };
            if body == "ground" {
                let (p, R) = frame_in_body(m, &Motion::REST)?;
                names.push(m.name.clone(), None, MarkerPlacement::Frame(p, MarkerAxes::of(R)));
                names.ground.push(Motion { p, R, ..Motion::REST });
                continue;
            }
            let Some(&(b, member)) = by_name.get(body) else {
                let hint = did_you_mean(body, spec.bodies.iter().map(|b| b.name.as_str()).chain(["ground"]));
                return Err(BuildError::UnknownBody { marker: m.name.clone(), body: body.to_string(), hint });
            };
            let carrier = member.map_or(&bodies[b].kind, |k| &bodies[b].kind.members()[k].kind);
            if let Some(why) = carrier.body().no_frame_reason() {
                return Err(element_error("marker", &m.name, ParameterError::invalid("body", why)));
            }
            frames[b].push((m, member));
        }
        // A reaction that a force reads has a place among the markers of the ground; the dynamics set its values.
        let read = spec.forces.iter().flat_map(|f| f.item.force().markers());
        for r in read.filter(|r| r.kind == MarkerKind::Reaction) {
            let name = reaction_key(r.name);
            if !names.index.contains_key(&name) {
                names.push(name, None, MarkerPlacement::Frame(Vec3::zeros(), MarkerAxes::Aligned));
                names.ground.push(Motion::REST);
            }
        }
        // A coordinate becomes a marker only if an element refers to it.
        let mut requested: Vec<Vec<(String, usize)>> = vec![Vec::new(); bodies.len()];
        let references = (spec.constraints.iter().flat_map(|c| c.item.constraint().markers()))
            .chain(spec.forces.iter().flat_map(|f| f.item.force().markers()))
            .chain(spec.measures.iter().flat_map(|m| m.item.markers()))
            .chain(events.iter().flat_map(EventEntry::references))
            .chain(formula_measures.iter().flat_map(|m| m.expression.references()));
        for r in references.filter(|r| r.kind == MarkerKind::Coordinate) {
            let Some((body, coordinate)) = r.name.rsplit_once('.') else { continue };
            let Some(&(b, member)) = by_name.get(body) else { continue };
            let found = match (&bodies[b].kind, member) {
                (BodyKind::Ritz(set), Some(member)) => set.coordinate_of(member, coordinate),
                (BodyKind::Modal(_), Some(_)) => None,
                (BodyKind::BeamNodes(nodes), Some(member)) => nodes.coordinate_of(member, coordinate),
                (kind, _) => kind.body().coordinate_index(coordinate),
            };
            let Some(i) = found else { continue };
            if !requested[b].iter().any(|(name, _)| name == r.name) {
                requested[b].push((r.name.to_string(), i));
            }
        }
        for (b, entry) in bodies.iter_mut().enumerate() {
            let mut own = Motion::REST;
            entry.kind.body().frame_pose(&initial.q[entry.q.clone()], &mut own);
            let first = names.markers.len();
            names.push(entry.name.clone(), Some(b), MarkerPlacement::Frame(Vec3::zeros(), MarkerAxes::Aligned));
            let members = entry.kind.members().iter().enumerate();
            for (k, m) in members.filter(|(_, m)| m.kind.body().no_frame_reason().is_none()) {
                names.push(
                    m.name.clone(),
                    Some(b),
                    MarkerPlacement::Frame(Vec3::zeros(), MarkerAxes::on_body_or_member(Some(k), Mat3::identity())),
                );
            }
            for (m, member) in &frames[b] {
                if let Some(member) = member.map(|k| &entry.kind.members()[k]) {
                    own = Motion::REST;
                    member.kind.body().frame_pose(&member.start, &mut own);
                }
                let (p, R) = frame_in_body(m, &own)?;
                names.push(
                    m.name.clone(),
                    Some(b),
                    MarkerPlacement::Frame(p, MarkerAxes::on_body_or_member(*member, R)),
                );
            }
            for (name, i) in requested[b].drain(..) {
                names.push(name, Some(b), MarkerPlacement::Coordinate(i));
            }
            entry.markers = first..names.markers.len();
        }
        Ok(names)
    }

    /// The markers that hold reactions, with the constraints.
    pub fn reactions(&self, constraints: &[ConstraintEntry]) -> Vec<(usize, usize)> {
        let marker = |(c, entry): (usize, &ConstraintEntry)| Some((*self.index.get(&reaction_key(&entry.name))?, c));
        constraints.iter().enumerate().filter_map(marker).collect()
    }

    fn push(&mut self, name: String, body: Option<usize>, place: MarkerPlacement) {
        // A frame may have the name of a coordinate (`rod.x`); the key distinguishes them.
        let key = match place {
            MarkerPlacement::Frame(..) => name.clone(),
            MarkerPlacement::Coordinate(_) => format!("{name}#"),
        };
        self.index.insert(key, self.markers.len());
        self.markers.push(Marker { name, body, placement: place });
    }

    /// The markers that an element refers to.
    pub fn resolve(
        &mut self,
        family: &'static str,
        name: &str,
        wanted: &[MarkerReference],
        bodies: &[BodyEntry],
    ) -> Result<Vec<usize>, BuildError> {
        let mut found = Vec::with_capacity(wanted.len());
        for r in wanted {
            let (key, other) = match r.kind {
                MarkerKind::Frame => (r.name.to_string(), format!("{}#", r.name)),
                MarkerKind::Coordinate => (format!("{}#", r.name), r.name.to_string()),
                MarkerKind::Reaction => (reaction_key(r.name), String::new()),
            };
            if let Some(&m) = self.index.get(&key) {
                let on_member = matches!(self.markers[m].placement, MarkerPlacement::Frame(_, MarkerAxes::OfMember(_)));
                if let (MarkerKind::Frame, Some(b), false) = (r.kind, self.markers[m].body, on_member)
                    && let Some(why) = bodies[b].kind.body().no_frame_reason()
                {
                    return Err(element_error(family, name, ParameterError::invalid("marker", why)));
                }
                found.push(m);
                continue;
            }
            let is_coordinate = r.name.rsplit_once('.').is_some_and(|(b, c)| {
                bodies.iter().any(|e| e.name == b && e.kind.body().coordinate_index(c).is_some())
            });
            let (name, marker) = (name.to_string(), r.name.to_string());
            return Err(if self.index.contains_key(&other) || (r.kind == MarkerKind::Frame && is_coordinate) {
                let (found, needed) = match r.kind {
                    MarkerKind::Frame => ("coordinate", "frame"),
                    MarkerKind::Coordinate | MarkerKind::Reaction => ("frame", "coordinate"),
                };
                BuildError::WrongMarker { family, name, marker, found, needed }
            } else {
                let coordinates = bodies.iter().flat_map(|b| {
                    let own = b.kind.body().coordinates();
                    own.into_iter().map(|c| b.qualified_name(&c.name)).collect::<Vec<_>>()
                });
                let known: Vec<String> = match r.kind {
                    MarkerKind::Frame => self.markers.iter().map(|m| m.name.clone()).collect(),
                    MarkerKind::Coordinate | MarkerKind::Reaction => coordinates.collect(),
                };
                let hint = did_you_mean(r.name, known.iter().map(String::as_str));
                BuildError::UnknownMarker { family, name, marker, hint }
            });
        }
        Ok(found)
    }
}

/// The name of the marker that holds a reaction.
fn reaction_key(constraint: &str) -> String {
    format!("{constraint}#reaction")
}

/// p_BM and R_BM of a frame.
fn frame_in_body(m: &Named<Frame>, own: &Motion) -> Result<(Vec3, Mat3), BuildError> {
    ParameterError::check_finite("at", &m.item.at).map_err(|f| element_error("marker", &m.name, f))?;
    let R = m
        .item
        .orientation
        .matrix()
        .map_err(|e| element_error("marker", &m.name, ParameterError::invalid("orientation", e)))?;
    let p = Vec3::from(m.item.at);
    Ok(match m.item.relative_to {
        FrameReference::Body => (p, R),
        FrameReference::World if own.R == Mat3::identity() => (p - own.p, R),
        FrameReference::World => (own.R.tr_mul(&(p - own.p)), own.R.tr_mul(&R)),
    })
}
