//! Files of other programs, taken in by `include`.

use crate::diagnostic::Diagnostic;
use std::path::Path;
use taut::Spec;

/// What another program's file holds.
#[derive(Clone, Debug)]
pub(crate) struct Imported {
    pub spec: Spec,
    /// What was left behind, said as warnings.
    pub left: Vec<Diagnostic>,
}

/// Reads the text of a file.
pub(crate) type Reader = fn(&str, &Path) -> Result<Imported, Diagnostic>;

/// How to read a file of that name, if it is another program's.
pub(crate) fn reader(path: &Path) -> Option<Reader> {
    let _ = path;
    None
}

/// Adds the elements of an imported mechanism, named and placed as its part says.
pub(crate) fn merge(spec: &mut Spec, other: Spec, part: &super::expand::Part) {
    let _ = part;
    spec.gravity(other.gravity);
    spec.bodies.extend(other.bodies);
    spec.markers.extend(other.markers);
    spec.constraints.extend(other.constraints);
    spec.forces.extend(other.forces);
    spec.measures.extend(other.measures);
}
