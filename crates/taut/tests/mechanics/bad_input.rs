//! Invalid input is rejected with an error that names the element and the remedy; nothing panics, nothing hangs.
#![allow(non_snake_case)]

mod elements;
mod mechanisms;
mod names;
mod random_models;
mod settings;

use taut::bodies::BodyKind;
use taut::{BuildError, Frame, Joint, PlanarBody, Spec};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// The error of a specification, which must contain all of `words`.
fn refused(spec: &Spec, words: &[&str]) -> BuildError {
    let error = spec.build().expect_err("this must not build");
    says(&error, words);
    error
}

fn says(error: &impl ToString, words: &[&str]) {
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
}

fn one(body: impl Into<BodyKind>) -> Spec {
    let mut spec = Spec::new();
    spec.body("rod", body);
    spec
}

/// A rod on a pin, horizontal.
fn pendulum() -> Spec {
    let mut spec = one(PlanarBody::rod(1.0, 1.0).at([0.5, 0.0], 0.0));
    spec.gravity([0.0, -9.81, 0.0])
        .marker("rod.end", Frame::at([-0.5, 0.0, 0.0]))
        .constraint("hinge", Joint::pin("ground", "rod.end"));
    spec
}
