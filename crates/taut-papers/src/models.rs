//! The folder `models` at build time: model files and the files they include.

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// The text of a file by its path within the folder: `papers/newhart_pendulum.toml`.
pub fn text(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(p, _)| *p == path).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_by_their_paths() {
        assert!(text("four_bar.toml").is_some_and(|t| t.contains("[bodies")));
        assert!(text("papers/newhart_pendulum.toml").is_some() && text("newhart_pendulum.toml").is_none());
    }
}
