//! The format of an output file, chosen by its extension.

use crate::exit::CliError;
use std::path::Path;

/// Format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Scalable.
    Svg,
    /// Pixels.
    Png,
}

impl PictureFormat {
    /// By the extension.
    ///
    /// # Errors
    /// Any extension other than .svg and .png.
    pub fn of(path: &Path) -> Result<PictureFormat, CliError> {
        match extension(path).as_deref() {
            Some("svg") => Ok(PictureFormat::Svg),
            Some("png") => Ok(PictureFormat::Png),
            _ => {
                let help = "use the extension .svg or .png";
                Err(CliError::with_help(format!("{}: unknown picture format", path.display()), help))
            }
        }
    }
}

/// Format of a result that can be drawn or tabulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramFormat {
    /// A diagram.
    Svg,
    /// A table.
    Csv,
}

impl DiagramFormat {
    /// By the extension; none without a file. `what` names the result in the error.
    ///
    /// # Errors
    /// Any extension other than .svg and .csv.
    pub fn of(path: Option<&Path>, what: &str) -> Result<Option<DiagramFormat>, CliError> {
        let Some(path) = path else { return Ok(None) };
        match extension(path).as_deref() {
            Some("svg") => Ok(Some(DiagramFormat::Svg)),
            Some("csv") => Ok(Some(DiagramFormat::Csv)),
            _ => Err(CliError::with_help(format!("unknown format of the {what}"), "use the extension .svg or .csv")),
        }
    }
}

/// The extension in lower case.
fn extension(path: &Path) -> Option<String> {
    path.extension().map(|e| e.to_string_lossy().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_decide_in_any_case() {
        assert_eq!(PictureFormat::of(Path::new("a.SVG")).ok(), Some(PictureFormat::Svg));
        assert_eq!(PictureFormat::of(Path::new("a.b.png")).ok(), Some(PictureFormat::Png));
        assert!(PictureFormat::of(Path::new("svg")).is_err() && PictureFormat::of(Path::new("a.csv")).is_err());
        assert_eq!(DiagramFormat::of(None, "diagram").ok(), Some(None));
        assert_eq!(DiagramFormat::of(Some(Path::new("a.csv")), "diagram").ok(), Some(Some(DiagramFormat::Csv)));
        assert!(DiagramFormat::of(Some(Path::new("a.png")), "diagram").is_err());
    }
}
