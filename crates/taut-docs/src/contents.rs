//! The contents of the site: sections and their pages.

/// A section of the contents.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Its title.
    pub title: &'static str,
    /// Its pages, by their paths without extension.
    pub pages: &'static [&'static str],
}

/// All pages, in the order in which they are read. Pages named `reference/…` are generated.
pub const CONTENTS: &[Section] = &[
    Section { title: "Start", pages: &["index", "tutorial", "gallery", "view"] },
    Section {
        title: "How to",
        pages: &[
            "how-to/mechanism",
            "how-to/vehicle",
            "how-to/rotor",
            "how-to/robot",
            "how-to/contact-scene",
            "how-to/sweep",
            "how-to/cluster",
            "how-to/teaching",
            "how-to/trust-a-force",
            "how-to/pitch-link",
        ],
    },
    Section {
        title: "Analyses",
        pages: &[
            "contact",
            "robots",
            "kinematics",
            "statics",
            "modes",
            "air",
            "periodic",
            "laboratory",
            "python",
            "constrain",
        ],
    },
    Section {
        title: "Reference",
        pages: &["model-file", "reference/fields", "reference/commands", "results", "integrators", "glossary"],
    },
    Section {
        title: "Theory and trust",
        pages: &["theory", "notation", "trust", "validation", "limits", "papers", "papers/claims"],
    },
];
