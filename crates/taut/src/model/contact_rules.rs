//! Selects the contact rule for two surfaces of a model, and derives model-wide properties from the rules.

use super::{ContactSlots, Model, SurfaceEntry};
use crate::common::Named;
use crate::constraints::ConstraintKind;
use crate::contacts::{ContactKind, ContactRule, ContactScope};
use crate::laws::Friction;
use crate::shapes::Shape;

/// Maximum number of surface pairs that become constraints. With more pairs the rules apply to time stepping only.
pub const MAX_CONTACT_PAIRS: usize = 64;

/// Maximum number of excluded pairs listed by name.
const MAX_LISTED_PAIRS: usize = 3;

/// Fraction of the size of the smaller body. If a gap changes by more than this within one step, its features have
/// changed within the step.
const GAP_JUMP_FRACTION: f64 = 0.02;

/// How specific a rule is. The most specific rule wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RuleSpecificity {
    All,
    Groups,
    Pair,
}

/// The properties of a surface that rules refer to.
pub(crate) struct SurfaceIdentity<'a> {
    pub name: &'a str,
    pub groups: &'a [String],
    /// Name of the body, `ground` included.
    pub body: &'a str,
}

fn rule_specificity(between: &ContactScope, a: &SurfaceIdentity, b: &SurfaceIdentity) -> Option<RuleSpecificity> {
    let has = |s: &SurfaceIdentity, group: &String| s.groups.contains(group);
    match between {
        ContactScope::Pair(x, y) if (a.name == x && b.name == y) || (a.name == y && b.name == x) => {
            Some(RuleSpecificity::Pair)
        }
        ContactScope::Groups(x, y) if (has(a, x) && has(b, y)) || (has(a, y) && has(b, x)) => {
            Some(RuleSpecificity::Groups)
        }
        ContactScope::All => Some(RuleSpecificity::All),
        _ => None,
    }
}

/// The rule for two surfaces: the most specific one, or the last of several that are equally specific. Bodies connected
/// by a joint touch only if a rule names the pair.
pub(crate) fn applicable_rule(
    contacts: &[Named<ContactRule>],
    a: &SurfaceIdentity,
    b: &SurfaceIdentity,
    joined: impl Fn(&str, &str) -> bool,
) -> Option<usize> {
    if a.body == b.body {
        return None;
    }
    let ranks = contacts.iter().enumerate().filter_map(|(i, c)| Some((rule_specificity(&c.item.between, a, b)?, i)));
    let (rank, i) = ranks.max()?;
    (rank == RuleSpecificity::Pair || !joined(a.body, b.body)).then_some(i)
}

/// Whether the surface consists of triangles.
fn is_triangulated(s: &SurfaceEntry) -> bool {
    matches!(s.shape, Shape::Mesh { .. } | Shape::HeightField { .. })
}

/// Whether the shape has edges or an axis: it can rest on several faces and edges at once, where a ball has one contact
/// point on each.
fn has_edges_or_axis(s: &SurfaceEntry) -> bool {
    matches!(s.shape, Shape::Capsule { .. } | Shape::Box { .. } | Shape::Cylinder { .. } | Shape::Convex { .. })
}

impl Model {
    /// The rule for two surfaces, given by index, if they can touch.
    pub fn contact_rule_between(&self, a: usize, b: usize) -> Option<usize> {
        let side = |s: &'_ SurfaceEntry| s.body;
        let (x, y) = (&self.surfaces[a], &self.surfaces[b]);
        if side(x) == side(y) || x.solid.dimension() != y.solid.dimension() {
            return None;
        }
        let name = |body: Option<usize>| body.map_or("ground", |b| self.bodies[b].name.as_str());
        let one = SurfaceIdentity { name: &x.name, groups: &x.groups, body: name(x.body) };
        let other = SurfaceIdentity { name: &y.name, groups: &y.groups, body: name(y.body) };
        let joined = |_: &str, _: &str| {
            self.jointed_bodies.contains(&(x.body, y.body)) || self.jointed_bodies.contains(&(y.body, x.body))
        };
        applicable_rule(&self.contacts, &one, &other, joined)
    }

    /// Pairs of surfaces that a rule for groups or for all surfaces covers, but that never touch because a joint
    /// connects their bodies: the rule and the two surfaces.
    pub fn pairs_excluded_by_joints(&self) -> Vec<(&str, &str, &str)> {
        let mut found = Vec::new();
        if self.contacts.is_empty() {
            return found;
        }
        for (j, y) in self.surfaces.iter().enumerate() {
            for x in &self.surfaces[..j] {
                let joined =
                    self.jointed_bodies.contains(&(x.body, y.body)) || self.jointed_bodies.contains(&(y.body, x.body));
                if !joined || x.solid.dimension() != y.solid.dimension() {
                    continue;
                }
                let name = |body: Option<usize>| body.map_or("ground", |b| self.bodies[b].name.as_str());
                let side = |s: &'_ SurfaceEntry| name(s.body).to_string();
                let (of_x, of_y) = (side(x), side(y));
                let one = SurfaceIdentity { name: &x.name, groups: &x.groups, body: &of_x };
                let other = SurfaceIdentity { name: &y.name, groups: &y.groups, body: &of_y };
                if applicable_rule(&self.contacts, &one, &other, |_, _| true).is_some() {
                    continue;
                }
                if let Some(i) = applicable_rule(&self.contacts, &one, &other, |_, _| false) {
                    found.push((self.contacts[i].name.as_str(), x.name.as_str(), y.name.as_str()));
                }
            }
        }
        found
    }

    /// A notice about these pairs, if there are any.
    pub fn excluded_pairs_notice(&self) -> Option<String> {
        let pairs = self.pairs_excluded_by_joints();
        let (rule, a, b) = pairs.first()?;
        let more = match pairs.len() - 1 {
            0 => String::new(),
            n => {
                let listed = pairs[1..].iter().take(MAX_LISTED_PAIRS).map(|(_, a, b)| format!("`{a}` and `{b}`"));
                let rest = if n > MAX_LISTED_PAIRS {
                    format!(", and {} more pairs", n - MAX_LISTED_PAIRS)
                } else {
                    String::new()
                };
                format!("; the same holds for {}{rest}", listed.collect::<Vec<_>>().join(", "))
            }
        };
        Some(format!(
            "surfaces `{a}` and `{b}` never touch, although the contact rule `{rule}` covers them, because a joint connects their \
             bodies{more}; add a rule with between = [\"{a}\", \"{b}\"] if they should touch"
        ))
    }

    /// Number of surface pairs that can touch, counted up to [`MAX_CONTACT_PAIRS`] + 1.
    pub fn count_contact_pairs(&self) -> usize {
        let n = self.surfaces.len();
        let pairs = (0..n).flat_map(|b| (0..b).map(move |a| (a, b)));
        if self.contacts.is_empty() {
            0
        } else {
            pairs.filter(|(a, b)| self.contact_rule_between(*a, *b).is_some()).take(MAX_CONTACT_PAIRS + 1).count()
        }
    }

    /// The first pair of surfaces, by name, that event-driven simulation can treat only with a very large number of
    /// events: a body with edges or an axis in contact with triangulated ground, with friction or restitution.
    pub fn costly_contact_pair(&self) -> Option<(&str, &str)> {
        let n = self.surfaces.len();
        let mut pairs = (0..n).flat_map(|b| (0..b).map(move |a| (a, b)));
        let toils = |(a, b): &(usize, usize)| {
            let (x, y) = (&self.surfaces[*a], &self.surfaces[*b]);
            let kinds = (is_triangulated(x) && has_edges_or_axis(y)) || (has_edges_or_axis(x) && is_triangulated(y));
            kinds
                && self.contact_rule_between(*a, *b).is_some_and(|rule| match &self.contacts[rule].item.kind {
                    ContactKind::Rigid(rigid) => rigid.friction != Friction::NONE || rigid.impact.restitution > 0.0,
                    ContactKind::Compliant(_) => false,
                })
        };
        let (a, b) = pairs.find(toils)?;
        Some((&self.surfaces[a].name, &self.surfaces[b].name))
    }

    /// The residual of a gap after a step, m, above which its contact features must have changed: the smallest
    /// threshold of all pairs.
    pub(crate) fn gap_jump_threshold(&self) -> f64 {
        self.contact_slots.iter().map(|meeting| self.pair_gap_jump_threshold(meeting)).fold(f64::INFINITY, f64::min)
    }

    fn pair_gap_jump_threshold(&self, meeting: &ContactSlots) -> f64 {
        let first = meeting.slots.first().map(|c| &self.constraints[*c].kind);
        if let Some(ConstraintKind::Contact(point)) = first {
            GAP_JUMP_FRACTION * point.smaller_size()
        } else {
            f64::INFINITY
        }
    }

    /// The row whose gap residual exceeds the threshold of its pair, if any.
    pub(crate) fn row_with_gap_jump(&self, phi: &[f64]) -> Option<usize> {
        let row = |c: &usize| self.constraints[*c].rows.start;
        let far = |m: &ContactSlots| m.slots.iter().map(row).find(|r| phi[*r].abs() > self.pair_gap_jump_threshold(m));
        self.contact_slots.iter().find_map(far)
    }
}
