//! Elements whose function is written in Python, or compiled by Numba: forces, constraints and signals.
#![allow(unsafe_code)]

use crate::callbacks::{Markers, call};
use crate::errors::ModelError;
use crate::numerical_constraint::{FunctionLevel, NumericalConstraint};
use pyo3::prelude::*;
use std::sync::Arc;
use taut::Signal;
use taut::constraints::{
    ConstraintKind, ElementInput, MarkerKind, MarkerReference, Prescription, RotationMask, RowLevel,
};
use taut::forces::{ForceKind, UserForce, UserLoad};
use taut::motion::{Vec3, Wrench};
use taut::scalar::Jet;
use taut_constrain::stencils::{SIXTH_ORDER, SIXTH_ORDER_SECOND};
use taut_io::model::ModelFile;

/// Step of the differences of a signal, s; a power of two is exact.
const SIGNAL_STEP: f64 = 1.0 / 1024.0;
/// Numbers per marker that a compiled function reads: p, R by rows, v, w.
const NUMBERS_PER_MARKER: usize = 18;

/// A function of an element: family, name of the element, markers (or the field of a signal), function or address, number of rows,
/// level of a constraint.
#[derive(FromPyObject)]
pub(crate) struct ElementFunction(String, String, Vec<String>, Py<PyAny>, usize, String);

impl ElementFunction {
    /// The same function once more.
    pub fn clone_ref(&self, py: Python<'_>) -> ElementFunction {
        let ElementFunction(family, name, markers, function, rows, level) = self;
        ElementFunction(family.clone(), name.clone(), markers.clone(), function.clone_ref(py), *rows, level.clone())
    }
}

/// Adds the functions to a model that was read.
pub(crate) fn add_functions(file: &mut ModelFile, functions: Vec<ElementFunction>) -> PyResult<()> {
    for ElementFunction(family, name, markers, function, rows, level) in functions {
        let taken = file.spec.forces.iter().map(|f| &f.name).chain(file.spec.constraints.iter().map(|c| &c.name));
        if family != "signal" && taken.into_iter().any(|other| *other == name) {
            return Err(ModelError::new_err(format!("the name `{name}` is used twice; choose another name")));
        }
        let kinds: Vec<(String, MarkerKind)> = markers.iter().map(|m| (m.clone(), marker_kind(file, m))).collect();
        let references: Vec<MarkerReference> =
            kinds.iter().map(|(name, kind)| MarkerReference { name, kind: *kind }).collect();
        let address = Python::attach(|py| function.bind(py).extract::<usize>().ok());
        match (family.as_str(), address) {
            ("force", Some(0)) => return Err(ModelError::new_err(format!("force `{name}`: 0 is no address"))),
            ("force", Some(address)) => {
                let load = CompiledForce { address };
                file.spec.force(&name, UserForce::new(&references, load));
            }
            ("force", None) => {
                let kinds = kinds.iter().map(|(_, kind)| *kind).collect();
                file.spec
                    .force(&name, UserForce::new(&references, PythonForce { name: name.clone(), function, kinds }));
            }
            ("constraint", _) => {
                let level = if level == "velocity" { RowLevel::Velocity } else { RowLevel::Position };
                let level = FunctionLevel { level, rows };
                let constraint = NumericalConstraint::new(name.clone(), kinds, level, function);
                file.spec.constraint(&name, ConstraintKind::Custom(Arc::new(constraint)));
            }
            ("signal", _) => set_signal(file, &name, &markers.join("."), function)?,
            (other, _) => return Err(ModelError::new_err(format!("a {other} cannot be a function"))),
        }
    }
    Ok(())
}

/// A name such as `cart.x` is a coordinate if the body has one of that name.
fn marker_kind(file: &ModelFile, name: &str) -> MarkerKind {
    let coordinate = name.rsplit_once('.').is_some_and(|(body, short)| {
        let owner = file.spec.bodies.iter().find(|b| b.name == body);
        owner.is_some_and(|b| b.item.body().coordinate_index(short).is_some())
    });
    if coordinate { MarkerKind::Coordinate } else { MarkerKind::Frame }
}

/// Sets the wrenches of all markers from numbers: one, three or six per marker.
fn set_wrenches(on: &mut [Wrench], numbers: &[f64]) {
    let width = numbers.len() / on.len().max(1);
    for (w, x) in on.iter_mut().zip(numbers.chunks_exact(width.max(1))) {
        *w = match x {
            [s] => Wrench::force(Vec3::new(*s, 0.0, 0.0)),
            [x, y, z] => Wrench::force(Vec3::new(*x, *y, *z)),
            [x, y, z, a, b, c] => Wrench { f: Vec3::new(*x, *y, *z), m: Vec3::new(*a, *b, *c) },
            _ => Wrench::ZERO,
        };
    }
}

/// A force written in Python.
#[derive(Debug)]
struct PythonForce {
    name: String,
    function: Py<PyAny>,
    kinds: Vec<MarkerKind>,
}

impl UserLoad for PythonForce {
    fn wrench(&self, at: &ElementInput, on: &mut [Wrench]) {
        let n = at.len();
        let mut out = vec![0.0; 6 * n];
        // Forces alone, or forces and moments; coordinates take one number each.
        let coordinates = self.kinds.iter().all(|kind| *kind == MarkerKind::Coordinate);
        let allowed: &[usize] = if coordinates { &[n, 3 * n, 6 * n] } else { &[3 * n, 6 * n] };
        let count =
            call(&self.name, at.t, allowed, &mut out, |py| self.function.bind(py).call1((at.t, Markers::of(at))));
        set_wrenches(on, &out[..count]);
    }
}

/// A force compiled by Numba: `void f(double t, const double *markers, double *wrenches)`.
#[derive(Debug)]
struct CompiledForce {
    address: usize,
}

impl UserLoad for CompiledForce {
    fn wrench(&self, at: &ElementInput, on: &mut [Wrench]) {
        let mut seen = vec![0.0; NUMBERS_PER_MARKER * at.len()];
        let mut out = vec![0.0; 6 * at.len()];
        for (k, x) in seen.chunks_exact_mut(NUMBERS_PER_MARKER).enumerate() {
            let m = &at[k];
            x[..3].copy_from_slice(m.p.as_slice());
            x[3..12].copy_from_slice(m.R.transpose().as_slice());
            x[12..15].copy_from_slice(m.v.as_slice());
            x[15..].copy_from_slice(m.w.as_slice());
        }
        // SAFETY: the address is that of a function with this signature, which the user states by passing it; it reads 18 and
        // writes 6 numbers per marker.
        let function: extern "C" fn(f64, *const f64, *mut f64) = unsafe { std::mem::transmute(self.address) };
        function(at.t, seen.as_ptr(), out.as_mut_ptr());
        set_wrenches(on, &out);
    }
}

/// A signal written in Python; its derivatives are differences of sixth order.
fn signal(name: &str, function: Py<PyAny>) -> Signal {
    let label = name.to_string();
    Signal::custom(name, move |t: Jet| {
        let f = |s: f64| {
            let mut out = [0.0];
            call(&label, s, &[1], &mut out, |py| function.bind(py).call1((s,)));
            out[0]
        };
        let h = SIGNAL_STEP;
        // Both stencils use the same points; that of the second derivative begins with t itself.
        let y = SIXTH_ORDER_SECOND.map(|(k, _)| f(t.f + k * h));
        let at = |point: f64| SIXTH_ORDER_SECOND.iter().position(|(k, _)| *k == point).map_or(f64::NAN, |i| y[i]);
        let first = SIXTH_ORDER.iter().map(|(k, weight)| weight * at(*k)).sum::<f64>() / h;
        let second = SIXTH_ORDER_SECOND.iter().zip(y).map(|((_, weight), y)| weight * y).sum::<f64>() / (180.0 * h * h);
        Jet { f: y[0], df: first * t.df, ddf: second * t.df * t.df + first * t.ddf }
    })
}

/// Replaces the signal in a field of an element.
fn set_signal(file: &mut ModelFile, name: &str, field: &str, function: Py<PyAny>) -> PyResult<()> {
    let new = signal(name, function);
    let follow = |p: &mut Prescription, word: &str, new: Signal| -> bool {
        match (word, &mut *p) {
            ("position", Prescription::Position(s))
            | ("velocity", Prescription::Velocity(s))
            | ("acceleration", Prescription::Acceleration(s)) => *s = new,
            // The reader takes a constant position as fixed.
            ("position", Prescription::Fixed) => *p = Prescription::Position(new),
            _ => return false,
        }
        true
    };
    let constraint = file.spec.constraints.iter_mut().find(|c| c.name == name);
    let done = match constraint.map(|c| &mut c.item) {
        Some(ConstraintKind::Relation(r)) => follow(&mut r.follows, field, new),
        Some(ConstraintKind::Joint(j)) => match field.split_once('.') {
            Some(("rotation", word)) => match &mut j.rotation {
                RotationMask::About(p) | RotationMask::Locked(p) => follow(p, word, new),
                _ => false,
            },
            Some(("slide" | "translation", word)) => {
                let free = |p: &&mut Prescription| !matches!(p, Prescription::Free | Prescription::Fixed);
                j.translation.iter_mut().find(free).is_some_and(|p| follow(p, word, new))
            }
            _ => false,
        },
        _ => match file.spec.forces.iter_mut().find(|f| f.name == name).map(|f| &mut f.item) {
            Some(ForceKind::Applied(f)) => {
                let (word, axis) = field.split_once('.').unwrap_or((field, "0"));
                let axis: usize = axis.parse().unwrap_or(3);
                let list = if word == "torque" { &mut f.torque } else { &mut f.force };
                list.get_mut(axis).map(|s| *s = new).is_some()
            }
            Some(ForceKind::Motor(m)) if field == "command" => {
                m.command = new;
                true
            }
            _ => false,
        },
    };
    match done {
        true => Ok(()),
        false => Err(ModelError::new_err(format!(
            "`{name}`: `{field}` cannot be a function; write an expression of t, or use a force or constraint with a function"
        ))),
    }
}
