//! Every model of the folder `models` gives a scene and can be packed.

use crate::common::{TemporaryFolder, load, models, start};
use std::path::{Path, PathBuf};
use taut_view::pack::{BUDGET, decode, pack};
use taut_view::scene::{Form, Role};
use taut_view::scene_graph::{FilmRows, RunScene};

fn list(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.file_name().is_some_and(|n| n != "parts") => found.extend(list(&path)),
            false if path.extension().is_some_and(|e| e == "toml") => found.push(path),
            _ => {}
        }
    }
    found.sort();
    found
}

#[test]
fn all_are_staged_and_packed() {
    let scratch = TemporaryFolder::new("models");
    let (mut failed, mut bare) = (Vec::new(), Vec::new());
    let all = list(&models());
    assert!(all.len() > 90, "{} models", all.len());
    for path in &all {
        let name = path.strip_prefix(models()).unwrap().display().to_string();
        let folder = scratch.join("run");
        let tried = start(&load(&name, &[]), &folder).and_then(|()| {
            let stage = RunScene::open(&folder).map_err(|e| e.to_string())?;
            let packed = pack(&stage, BUDGET).map_err(|e| e.to_string())?;
            let (header, _) = decode(&packed).map_err(|e| e.to_string())?;
            Ok((stage, header))
        });
        match tried {
            Err(why) => failed.push(format!("{name}: {why}")),
            Ok((stage, header)) => {
                assert_eq!(header["scene"]["figures"].as_array().unwrap().len(), stage.scene.figures.len());
                bare.extend(unseen(&stage).into_iter().map(|figure| format!("{name}: {figure}")));
            }
        }
        std::fs::remove_dir_all(&folder).ok();
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), all.len(), failed.join("\n"));
    assert!(bare.is_empty(), "not drawn:\n{}", bare.join("\n"));
}

/// Bodies that neither have a form of a sensible size nor belong to a beam.
fn unseen(stage: &RunScene) -> Vec<String> {
    let film = stage.film(FilmRows::Chosen(&[0]));
    let bodies = stage.scene.figures.iter().enumerate().filter(|(_, f)| f.role != Role::Ground);
    let unseen = bodies.filter(|(i, f)| {
        let of_beam = stage.scene.beams.iter().any(|b| b.nodes.contains(i) || b.name == f.name);
        let placed = film.pose(*i, 0).0.iter().all(|x| x.is_finite());
        !(placed && (of_beam || f.visuals.iter().any(|v| sensible(&v.form))))
    });
    unseen.map(|(_, f)| f.name.clone()).collect()
}

fn sensible(form: &Form) -> bool {
    let all = |sizes: &[f64]| sizes.iter().all(|x| x.is_finite() && *x > 0.0);
    match form {
        Form::Box { size } => all(size),
        Form::Sphere { radius } => all(&[*radius]),
        Form::Cylinder { radius, length } | Form::Capsule { radius, length } => all(&[*radius, *length]),
        Form::Ellipsoid { radii } => all(radii),
        Form::Rod { from, to, radius } => all(&[*radius]) && from != to,
        Form::Polygon { points } => points.len() > 2,
        Form::Mesh { triangles, .. } => !triangles.is_empty(),
        Form::HalfSpace | Form::HalfPlane => true,
    }
}
