//! Names that are valid in model files: letters, digits, `_` and `-`, unique among elements of one kind.

use super::import_report::ImportReport;
use std::collections::{HashMap, HashSet};

/// Assigns unique names to elements of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
    /// Where to go on counting, so that a million equal names do not take a million tries each.
    counts: HashMap<String, usize>,
}

impl Names {
    /// A valid, unique name close to the wanted one.
    pub fn assign(&mut self, wanted: &str, ledger: &mut ImportReport) -> String {
        let plain = plain(wanted);
        let given = self.unused_name(&plain);
        if given != wanted && !wanted.is_empty() {
            ledger.note(format!("`{wanted}` is called `{given}` here"));
        }
        given
    }

    /// An unused name: the wanted one, or that with a number.
    pub fn unused_name(&mut self, wanted: &str) -> String {
        if self.taken.insert(wanted.to_string()) {
            return wanted.to_string();
        }
        let mut count = self.counts.get(wanted).copied().unwrap_or(2);
        loop {
            let tried = format!("{wanted}_{count}");
            count += 1;
            if self.taken.insert(tried.clone()) {
                self.counts.insert(wanted.to_string(), count);
                return tried;
            }
        }
    }
}

fn plain(wanted: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name: String = wanted.chars().map(letter).collect();
    match name.as_str() {
        "" => "unnamed".to_string(),
        "ground" | "t" => format!("{name}_"),
        _ if name.starts_with(|c: char| c.is_ascii_digit()) => format!("_{name}"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_unique() {
        let (mut names, mut ledger) = (Names::default(), ImportReport::default());
        assert_eq!(names.assign("arm/link.1", &mut ledger), "arm_link_1");
        assert_eq!(names.assign("arm_link_1", &mut ledger), "arm_link_1_2");
        assert_eq!(names.assign("ground", &mut ledger), "ground_");
        assert_eq!(names.assign("7dof", &mut ledger), "_7dof");
        assert_eq!(names.assign("", &mut ledger), "unnamed");
        assert_eq!(ledger.into_lists().1.len(), 4);
    }
}
