//! Resolves marker names to indices. Markers are laid out body by body.

use crate::bodies::BodyKind;
use crate::common::Named;
use crate::constraints::{Needs, Reference};
use crate::error::{BuildError, Fault, did_you_mean, element};
use crate::marker::{Axes, Frame, Marker, Place, Seen};
use crate::model::BodyEntry;
use crate::model::events::EventEntry;
use crate::motion::{Mat3, Motion, Vec3};
use crate::spec::Spec;
use crate::state::State;
use std::collections::HashMap;

/// The markers of a model under construction, with an index by name.
pub(crate) struct Names {
    pub markers: Vec<Marker>,
    /// Poses of the ground's markers.
    pub ground: Vec<Motion>,
    index: HashMap<String, usize>,
}

impl Names {
    /// Lays out the frames of the ground, then for each body its frames and the coordinates that elements refer to.
    pub fn new(
        spec: &Spec,
        events: &[EventEntry],
        bodies: &mut [BodyEntry],
        initial: &State,
    ) -> Result<Names, BuildError> {
        let mut by_name: HashMap<&str, (usize, Option<usize>)> = HashMap::new();
        for (i, b) in spec.bodies.iter().enumerate() {
            by_name.insert(&b.name, (i, None));
            // Members of a reduced set keep their own names.
            by_name.extend(b.item.members().iter().enumerate().map(|(k, m)| (m.name.as_str(), (i, Some(k)))));
        }
        let mut frames: Vec<Vec<(&Named<Frame>, Option<usize>)>> = vec![Vec::new(); bodies.len()];
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
            let Some(&(b, member)) = by_name.get(body) else {
                let hint = did_you_mean(body, spec.bodies.iter().map(|b| b.name.as_str()).chain(["ground"]));
                return Err(BuildError::MarkerOnNothing { marker: m.name.clone(), body: body.to_string(), hint });
            };
            let carrier = member.map_or(&bodies[b].kind, |k| &bodies[b].kind.members()[k].kind);
            if let Some(why) = carrier.body().frameless() {
                return Err(element("marker", &m.name, Fault::value("body", why)));
            }
            frames[b].push((m, member));
        }
        // A coordinate becomes a marker only if an element refers to it.
        let mut asked: Vec<Vec<(String, usize)>> = vec![Vec::new(); bodies.len()];
        let references = (spec.constraints.iter().flat_map(|c| c.item.constraint().markers()))
            .chain(spec.forces.iter().flat_map(|f| f.item.force().markers()))
            .chain(spec.measures.iter().flat_map(|m| m.item.markers()))
            .chain(events.iter().flat_map(EventEntry::references));
        for r in references.filter(|r| r.needs == Needs::Coordinate) {
            let Some((body, coordinate)) = r.name.rsplit_once('.') else { continue };
            let Some(&(b, member)) = by_name.get(body) else { continue };
            let found = match (&bodies[b].kind, member) {
                (BodyKind::Ritz(set), Some(member)) => set.coordinate_of(member, coordinate),
                (BodyKind::Modal(_), Some(_)) => None,
                (BodyKind::BeamNodes(nodes), Some(member)) => nodes.coordinate_of(member, coordinate),
                (kind, _) => kind.body().coordinate(coordinate),
            };
            let Some(i) = found else { continue };
            if !asked[b].iter().any(|(name, _)| name == r.name) {
                asked[b].push((r.name.to_string(), i));
            }
        }
        for (b, entry) in bodies.iter_mut().enumerate() {
            let mut own = Motion::REST;
            entry.kind.body().reference(&initial.q[entry.q.clone()], &mut own);
            let first = names.markers.len();
            names.push(entry.name.clone(), Some(b), Place::Frame(Vec3::zeros(), Axes::Aligned));
            let members = entry.kind.members().iter().enumerate();
            for (k, m) in members.filter(|(_, m)| m.kind.body().frameless().is_none()) {
                names.push(m.name.clone(), Some(b), Place::Frame(Vec3::zeros(), Axes::on(Some(k), Mat3::identity())));
            }
            for (m, member) in &frames[b] {
                if let Some(member) = member.map(|k| &entry.kind.members()[k]) {
                    own = Motion::REST;
                    member.kind.body().reference(&member.start, &mut own);
                }
                let (p, R) = frame_of(m, &own)?;
                names.push(m.name.clone(), Some(b), Place::Frame(p, Axes::on(*member, R)));
            }
            for (name, i) in asked[b].drain(..) {
                names.push(name, Some(b), Place::Coordinate(i));
            }
            entry.markers = first..names.markers.len();
        }
        Ok(names)
    }

    fn push(&mut self, name: String, body: Option<usize>, place: Place) {
        // A frame may have the name of a coordinate (`rod.x`); the key distinguishes them.
        let key = match place {
            Place::Frame(..) => name.clone(),
            Place::Coordinate(_) => format!("{name}#"),
        };
        self.index.insert(key, self.markers.len());
        self.markers.push(Marker { name, body, place });
    }

    /// The markers that an element refers to.
    pub fn resolve(
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
                let on_member = matches!(self.markers[m].place, Place::Frame(_, Axes::OfMember(_)));
                if let (Needs::Frame, Some(b), false) = (r.needs, self.markers[m].body, on_member)
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
                    own.into_iter().map(|c| b.full(&c.name)).collect::<Vec<_>>()
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
