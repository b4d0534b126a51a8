//! Formulas: LaTeX between dollar signs becomes MathML, which browsers show without a script.

use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Parser, Storage, push_mathml};

/// MathML of a formula, within a line or on a line of its own.
pub(crate) fn mathml(latex: &str, display_mode: DisplayMode) -> String {
    let storage = Storage::new();
    let mut out = String::new();
    let config = RenderConfig { display_mode, annotation: Some(latex), ..RenderConfig::default() };
    push_mathml(&mut out, Parser::new(latex, &storage), config).expect("writing to a string does not fail");
    out
}

/// The first error of a formula.
pub(crate) fn error(latex: &str) -> Option<String> {
    let storage = Storage::new();
    Parser::new(latex, &storage).find_map(|event| event.err().map(|e| format!("`{}`: {e}", latex.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_mathml_and_errors_are_found() {
        let html = mathml("A^{\\mathsf T}\\lambda", DisplayMode::Inline);
        assert!(html.starts_with("<math") && html.contains("<msup>") && html.contains('λ'), "{html}");
        assert!(error("\\frac{1}{2}").is_none());
        assert!(error("\\nosuchcommand x").is_some_and(|e| e.contains("nosuchcommand")));
    }
}
