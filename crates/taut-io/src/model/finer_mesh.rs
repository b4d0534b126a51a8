//! The same model with twice as many elements in every beam.
//!
//! Node k of a beam becomes node 2k, wherever the model refers to it.

use super::ModelFile;
use serde_json::Value as Json;
use taut::{Measure, Spec};

/// A beam whose nodes are renamed.
struct RefinedBeam {
    /// `arm_`, the beginning of the names of its nodes.
    prefix: String,
    /// The number of its last node.
    last: usize,
}

impl ModelFile {
    /// The model with twice as many elements per beam. None without beams, or if a beam cannot be refined: the states of its nodes
    /// are given one by one, or the model refers to one of its elements.
    pub fn with_finer_beams(&self) -> Option<ModelFile> {
        if self.spec.beams.is_empty() || self.spec.beams.iter().any(|b| !b.item.node_states.is_empty()) {
            return None;
        }
        let beams: Vec<RefinedBeam> = self
            .spec
            .beams
            .iter()
            .map(|b| RefinedBeam { prefix: format!("{}_", b.name), last: b.item.node_count() - 1 })
            .collect();
        let mut spec = self.spec.clone();
        spec.beams.iter_mut().for_each(|b| b.item.elements *= 2);
        let mut text = serde_json::to_value(&spec).ok()?;
        let elements: Vec<String> = self.spec.beams.iter().map(|b| format!("{}.e", b.name)).collect();
        if refers_to_element(&text, &elements) {
            return None;
        }
        rename(&mut text, &beams);
        let mut finer = self.clone();
        finer.spec = serde_json::from_value::<Spec>(text).ok()?;
        for placed in &mut finer.start {
            let mut measure = serde_json::to_value(&placed.target.coordinate).ok()?;
            rename(&mut measure, &beams);
            placed.target.coordinate = serde_json::from_value::<Measure>(measure).ok()?;
        }
        Some(finer)
    }
}

/// Whether a text names an element such as `arm.e3`.
fn refers_to_element(value: &Json, elements: &[String]) -> bool {
    let names_one = |s: &str| {
        let follows = |(i, p): (usize, &str)| {
            let rest = &s[i + p.len()..];
            let before = s[..i].chars().next_back();
            rest.starts_with(|c: char| c.is_ascii_digit()) && !before.is_some_and(is_part_of_name)
        };
        elements.iter().any(|e| s.match_indices(e.as_str()).any(follows))
    };
    match value {
        Json::String(s) => names_one(s),
        Json::Array(list) => list.iter().any(|x| refers_to_element(x, elements)),
        Json::Object(fields) => fields.values().any(|x| refers_to_element(x, elements)),
        _ => false,
    }
}

/// Renames nodes in all texts; elements of other kinds keep their names.
fn rename(value: &mut Json, beams: &[RefinedBeam]) {
    match value {
        Json::String(s) => *s = renamed(s, beams),
        Json::Array(list) => list.iter_mut().for_each(|x| rename(x, beams)),
        Json::Object(fields) => {
            for (key, x) in fields.iter_mut() {
                let own_name = key == "name" && x.as_str().is_some_and(|s| !s.contains('.'));
                if !own_name {
                    rename(x, beams);
                }
            }
        }
        _ => {}
    }
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// A text in which `arm_3` is `arm_6`.
fn renamed(text: &str, beams: &[RefinedBeam]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part_of_name(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let node = |b: &RefinedBeam| {
            let k: usize = word.strip_prefix(&b.prefix)?.parse().ok()?;
            (k <= b.last).then(|| format!("{}{}", b.prefix, 2 * k))
        };
        // A word after a dot is part of another name.
        let is_first = !out.ends_with('.');
        out.push_str(&beams.iter().filter(|_| is_first).find_map(node).unwrap_or_else(|| word.to_string()));
        let next = after.chars().next().map_or(0, char::len_utf8);
        out.push_str(&after[..next]);
        rest = &after[next..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_keep_their_places() {
        let beams = [RefinedBeam { prefix: "arm_".to_string(), last: 4 }];
        for (from, to) in [
            ("arm_4", "arm_8"),
            ("arm_4.tip", "arm_8.tip"),
            ("2*arm_2.x - arm_40.x + my_arm_2", "2*arm_4.x - arm_40.x + my_arm_2"),
            ("other.arm_2", "other.arm_2"),
            ("arm_0", "arm_0"),
        ] {
            assert_eq!(renamed(from, &beams), to);
        }
        let mut text = serde_json::json!({ "name": "arm_2", "item": { "marker": "arm_2", "name": "arm_2.tip" } });
        rename(&mut text, &beams);
        assert_eq!(text, serde_json::json!({ "name": "arm_2", "item": { "marker": "arm_4", "name": "arm_4.tip" } }));
        assert!(refers_to_element(&serde_json::json!(["arm.e3.N"]), &["arm.e".to_string()]));
        assert!(!refers_to_element(&serde_json::json!(["arm.end", "farm.e3"]), &["arm.e".to_string()]));
    }
}
