//! Closed forms, orders of convergence, and what must never happen.

mod friction;
mod impacts;
mod order;
mod piles;
mod rows;
mod rules;
mod sleep;

use crate::contacts::{ContactRule, RigidContact, Surface};
use crate::shapes::Shape;
use crate::{Model, RigidBody, Spec};

/// Standard gravity along −z.
const G: f64 = 9.81;

/// A sphere of density 1000 kg/m³.
fn sphere(radius: f64) -> RigidBody {
    let m = 4.0 / 3.0 * std::f64::consts::PI * 1000.0 * radius.powi(3);
    RigidBody::new(m, [0.4 * m * radius * radius; 3])
}

/// A block of that density.
fn block([x, y, z]: [f64; 3]) -> RigidBody {
    let m = 1000.0 * x * y * z;
    RigidBody::new(m, [(y * y + z * z) * m / 12.0, (x * x + z * z) * m / 12.0, (x * x + y * y) * m / 12.0])
}

/// Shapes on the markers of these names, with one rule for all.
fn on(spec: &mut Spec, shapes: &[(&str, Shape)], rule: RigidContact) {
    for (marker, shape) in shapes {
        spec.surface(marker, Surface::new(marker, shape.clone()));
    }
    spec.contact("all", ContactRule::all(rule));
}

/// No rebound, one coefficient of friction.
fn plastic(mu: f64) -> RigidContact {
    RigidContact::SMOOTH.friction(mu)
}

/// Slope of log error over log h by least squares.
fn slope(h: &[f64], error: &[f64]) -> f64 {
    let n = h.len() as f64;
    let (x, y): (Vec<f64>, Vec<f64>) = (h.iter().map(|h| h.ln()).collect(), error.iter().map(|e| e.ln()).collect());
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let above: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    above / x.iter().map(|x| (x - mx).powi(2)).sum::<f64>()
}
