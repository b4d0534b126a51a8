//! The gallery page refers only to existing pictures and models.

use std::path::{Path, PathBuf};

/// Largest picture, bytes.
const LARGEST: u64 = 150_000;

/// What stands between two texts, everywhere in a page.
fn between<'a>(page: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    page.split(open).skip(1).filter_map(|rest| rest.split(close).next()).collect()
}

#[test]
fn every_picture_of_the_gallery_exists_and_so_does_its_model() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = std::fs::read_to_string(docs.join("gallery.md")).unwrap();
    let pictures = between(&page, "](gallery/", ")");
    let models = between(&page, "](../models/", ")");
    let models: Vec<&&str> = models.iter().filter(|m| m.ends_with(".toml")).collect();
    assert!(pictures.len() >= 16, "{}", pictures.len());
    assert_eq!(pictures.len(), models.len());
    for (picture, model) in pictures.iter().zip(models) {
        let path = docs.join("gallery").join(picture);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{picture}: {e}"));
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"), "{picture}");
        assert!((text.len() as u64) < LARGEST, "{picture} has {} bytes", text.len());
        assert!(docs.join("../models").join(model).is_file(), "{model}");
        assert_eq!(Path::new(picture).file_stem(), Path::new(model).file_stem());
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(docs.join("gallery")).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| !pictures.iter().any(|p| f.ends_with(p)));
    assert!(files.is_empty(), "pictures that the page does not show: {files:?}");
}
