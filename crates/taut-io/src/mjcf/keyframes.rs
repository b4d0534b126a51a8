//! `<keyframe>`: named poses.

use super::MjcfReader;
use crate::diagnostic::Diagnostic;
use crate::robot::xml::Element;
use crate::robot::{JointState, Tree};

/// A key.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub name: String,
    pub joints: Vec<JointState>,
    pub controls: Vec<f64>,
}

impl MjcfReader<'_> {
    /// All keys of a file, for the joints of a tree.
    pub fn keys(&mut self, root: &Element, tree: &Tree) -> Result<Vec<Key>, Diagnostic> {
        let mut keys = Vec::new();
        for (i, e) in root.all("keyframe").flat_map(|s| s.all("key")).enumerate() {
            let name = e.get("name").map_or_else(|| format!("key{i}"), str::to_string);
            let mut joints = tree.reference();
            for (what, get) in [("qpos", 0), ("qvel", 1)] {
                let Some(list) = e.list(what)? else { continue };
                let each = |state: &JointState| if get == 0 { state.q.len() } else { state.v.len() };
                let needed: usize = joints.iter().map(each).sum();
                if list.len() != needed {
                    let found = list.len();
                    return Err(e.error(format!("key `{name}`: {what} has {found} numbers, the joints have {needed}")));
                }
                let mut rest = list.into_iter();
                for state in &mut joints {
                    let numbers = if get == 0 { &mut state.q } else { &mut state.v };
                    numbers.iter_mut().zip(rest.by_ref()).for_each(|(to, x)| *to = x);
                }
            }
            if e.has("act") || e.has("mpos") || e.has("mquat") {
                self.ledger.not_imported_kind("activations and motion capture of keys", &name, Some(&e.place));
            }
            keys.push(Key { name, joints, controls: e.list("ctrl")?.unwrap_or_default() });
        }
        Ok(keys)
    }
}
