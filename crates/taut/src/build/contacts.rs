//! Determines which surfaces can touch, and creates the constraints of their contact points.

use crate::common::Named;
use crate::common::spelling::did_you_mean;
use crate::constraints::ConstraintKind;
use crate::contacts::{
    CompliantPair, ContactKind, ContactPoint, ContactRotationalFriction, ContactScale, ContactScope, ContactTangents,
    EnergyTracking, Features, RigidContact, RotationalFrictionKind, Surface,
};
use crate::error::{BuildError, ParameterError, check_unique_names, element_error};
use crate::forces::ForceKind;
use crate::laws::Friction;
use crate::model::contact_rules::{MAX_CONTACT_PAIRS, SurfaceIdentity, applicable_rule};
use crate::shapes::{Dimension, Shape, Solid, fixed_pairs};
use crate::spec::Spec;

/// The body of a marker.
fn body_of(marker: &str) -> &str {
    marker.split('.').next().unwrap_or(marker)
}

/// Adds the constraints of all contact pairs to a specification, unless there are too many.
pub(super) fn expand(spec: &mut Spec) -> Result<(), BuildError> {
    check(spec)?;
    let joined = jointed_bodies(spec);
    let together = |a: &str, b: &str| joined.iter().any(|(x, y)| (x == a && y == b) || (x == b && y == a));
    let mut pairs = Vec::new();
    for (j, second) in spec.surfaces.iter().enumerate() {
        for first in &spec.surfaces[..j] {
            let side =
                |s: &'_ Named<Surface>| (s.name.clone(), s.item.groups.clone(), body_of(&s.item.marker).to_string());
            let (x, y) = (side(first), side(second));
            let a = SurfaceIdentity { name: &x.0, groups: &x.1, body: &x.2 };
            let b = SurfaceIdentity { name: &y.0, groups: &y.1, body: &y.2 };
            let Some(rule) = applicable_rule(&spec.contacts, &a, &b, together) else { continue };
            if first.item.shape.dimension() != second.item.shape.dimension() {
                let named = matches!(spec.contacts[rule].item.between, ContactScope::Pair(..));
                if named {
                    let what = format!("`{}` and `{}` must both be planar or both be spatial", first.name, second.name);
                    return Err(element_error(
                        "contact",
                        &spec.contacts[rule].name,
                        ParameterError::invalid("between", what),
                    ));
                }
                continue;
            }
            refuse_unsupported(&spec.contacts[rule].name, first, second)?;
            if pairs.len() == MAX_CONTACT_PAIRS {
                return Ok(());
            }
            pairs.push((rule, first.clone(), second.clone()));
        }
    }
    let (mut added, mut soft) = (Vec::new(), Vec::new());
    for (rule, first, second) in pairs {
        let Named { name, item: contact } = &spec.contacts[rule];
        let name = match &contact.between {
            ContactScope::Pair(..) => name.clone(),
            _ => format!("{name}.{}-{}", first.name, second.name),
        };
        let refuse = |fault| element_error("contact", &name, fault);
        match &contact.kind {
            ContactKind::Rigid(rigid) => {
                added.extend(contact_point_constraints(&name, &first, &second, rigid).map_err(refuse)?)
            }
            ContactKind::Compliant(law) => {
                let (A, B) = flat_surface_first(&first, &second);
                let solids = [Solid::new(&A.item.shape).map_err(refuse)?, Solid::new(&B.item.shape).map_err(refuse)?];
                let (a, b) = (A.item.marker.clone(), B.item.marker.clone());
                let stored = EnergyTracking::for_shapes(&A.item.shape, &B.item.shape);
                let item = ForceKind::Compliant(CompliantPair { a, b, solids, law: *law, energy_tracking: stored });
                soft.push(Named { name: name.clone(), item });
            }
        }
    }
    spec.constraints.extend(added);
    spec.forces.extend(soft);
    Ok(())
}

/// Ellipsoids touch only half-spaces, spheres and each other; a pair that could never touch must not pass in silence.
fn refuse_unsupported(rule: &str, first: &Named<Surface>, second: &Named<Surface>) -> Result<(), BuildError> {
    let solid = |s: &Named<Surface>| Solid::new(&s.item.shape).map_err(|f| element_error("surface", &s.name, f));
    if !matches!((&first.item.shape, &second.item.shape), (Shape::Ellipsoid { .. }, _) | (_, Shape::Ellipsoid { .. }))
        || solid(first)?.can_touch(&solid(second)?)
    {
        return Ok(());
    }
    let what = format!(
        "contact between `{}` and `{}` is not supported: an ellipsoid touches half-spaces, spheres and ellipsoids only; use a `convex` \
         shape, or give rules for the other pairs by their names or groups",
        first.name, second.name
    );
    Err(element_error("contact", rule, ParameterError::invalid("between", what)))
}

/// Half-spaces and triangulated ground come first: their normals are fixed in their own axes.
fn flat_surface_first<'a>(
    first: &'a Named<Surface>,
    second: &'a Named<Surface>,
) -> (&'a Named<Surface>, &'a Named<Surface>) {
    let flat = |s: &Shape| {
        matches!(s, Shape::HalfSpace {} | Shape::HalfPlane {} | Shape::Mesh { .. } | Shape::HeightField { .. })
    };
    if flat(&second.item.shape) && !flat(&first.item.shape) { (second, first) } else { (first, second) }
}

fn contact_point_constraints(
    name: &str,
    first: &Named<Surface>,
    second: &Named<Surface>,
    rigid: &RigidContact,
) -> Result<Vec<Named<ConstraintKind>>, ParameterError> {
    let (A, B) = flat_surface_first(first, second);
    let (a, b) = (&A.item.shape, &B.item.shape);
    let tangents = match (rigid.friction == Friction::NONE, a.dimension()) {
        (true, _) if rigid.torsional_friction == 0.0 && rigid.rolling_friction == 0.0 => ContactTangents::None,
        (_, Dimension::Two) => ContactTangents::Planar,
        (_, Dimension::Three) => ContactTangents::Spatial,
    };
    let round = |s: &Shape| matches!(s, Shape::Cylinder { .. });
    let (x, y) = (Solid::new(a)?, Solid::new(b)?);
    let fixed = if round(a) || round(b) { None } else { fixed_pairs(&x, &y) };
    let nearest = |slot| Features::Nearest { a: x.clone(), b: y.clone(), slot };
    let features: Vec<Features> = match fixed {
        Some(pairs) => pairs.into_iter().map(Features::Fixed).collect(),
        None => (0..max_contact_points(a, b)).map(nearest).collect(),
    };
    let many = features.len() > 1;
    let resists = [
        (RotationalFrictionKind::Spin, rigid.torsional_friction, "spin"),
        (RotationalFrictionKind::Roll, rigid.rolling_friction, "roll"),
    ];
    let moving = features.iter().any(|f| matches!(f, Features::Nearest { .. }));
    if moving && resists.iter().any(|(_, arm, _)| *arm > 0.0) {
        let what = "in event-driven runs, torsional and rolling friction need surfaces whose contact features never change (spheres, \
                    capsules, boxes on half-spaces, spheres on spheres); use time stepping for other shapes";
        return Err(ParameterError::invalid("spin or roll", what));
    }
    let mut all = Vec::new();
    for (i, features) in features.into_iter().enumerate() {
        let point = ContactPoint {
            a: A.item.marker.clone(),
            b: B.item.marker.clone(),
            features,
            tangents,
            impact: rigid.impact,
            friction: rigid.friction,
            scale: ContactScale::default(),
        };
        let name = if many { format!("{name}.{}", i + 1) } else { name.to_string() };
        for (turn, arm, short) in resists.into_iter().filter(|(turn, arm, _)| {
            *arm > 0.0 && (*turn, a.dimension()) != (RotationalFrictionKind::Spin, Dimension::Two)
        }) {
            let item = ContactRotationalFriction { point: point.clone(), gap: name.clone(), kind: turn, arm };
            all.push(Named { name: format!("{name}.{short}"), item: ConstraintKind::ContactRotationalFriction(item) });
        }
        all.push(Named { name, item: ConstraintKind::Contact(point) });
    }
    Ok(all)
}

/// Maximum number of simultaneous contact points of two shapes.
fn max_contact_points(a: &Shape, b: &Shape) -> usize {
    let ball = |s: &Shape| matches!(s, Shape::Sphere { .. } | Shape::Circle { .. } | Shape::Ellipsoid { .. });
    let rough = |s: &Shape| matches!(s, Shape::Mesh { .. } | Shape::HeightField { .. });
    let rod = |s: &Shape| matches!(s, Shape::Capsule { .. });
    match a.dimension() {
        _ if (ball(a) || ball(b)) && !rough(a) && !rough(b) => 1,
        Dimension::Two => 2,
        Dimension::Three if (rod(a) || rod(b)) && !rough(a) && !rough(b) => 2,
        Dimension::Three => 4,
    }
}

/// Pairs of bodies connected by joints.
fn jointed_bodies(spec: &Spec) -> Vec<(String, String)> {
    let joint = |c: &Named<ConstraintKind>| match &c.item {
        ConstraintKind::Joint(joint) => {
            let bodies: Vec<String> =
                crate::constraints::Constraint::markers(joint).iter().map(|m| body_of(m.name).to_string()).collect();
            (bodies.len() == 2).then(|| (bodies[0].clone(), bodies[1].clone()))
        }
        _ => None,
    };
    spec.constraints.iter().filter_map(joint).collect()
}

fn check(spec: &Spec) -> Result<(), BuildError> {
    check_unique_names("surfaces", spec.surfaces.iter().map(|s| s.name.as_str()))?;
    check_unique_names("contacts", spec.contacts.iter().map(|c| c.name.as_str()))?;
    for s in &spec.surfaces {
        s.item.shape.check().map_err(|f| element_error("surface", &s.name, f))?;
    }
    let surfaces = || spec.surfaces.iter().map(|s| s.name.as_str());
    let groups = || spec.surfaces.iter().flat_map(|s| s.item.groups.iter().map(String::as_str));
    for Named { name, item } in &spec.contacts {
        let missing = |what: &str, wanted: &str, hint: String| {
            element_error(
                "contact",
                name,
                ParameterError::invalid("between", format!("there is no {what} `{wanted}`{hint}")),
            )
        };
        item.check().map_err(|f| element_error("contact", name, f))?;
        match &item.between {
            ContactScope::Pair(a, b) => {
                for wanted in [a, b] {
                    if !surfaces().any(|s| s == wanted) {
                        return Err(missing("surface", wanted, did_you_mean(wanted, surfaces())));
                    }
                }
                if a == b {
                    let what = format!("`{a}` is named twice; a surface does not touch itself");
                    return Err(element_error("contact", name, ParameterError::invalid("between", what)));
                }
            }
            ContactScope::Groups(a, b) => {
                for wanted in [a, b] {
                    if !groups().any(|g| g == wanted) {
                        return Err(missing("group of surfaces", wanted, did_you_mean(wanted, groups())));
                    }
                }
            }
            ContactScope::All => {}
        }
    }
    Ok(())
}
