//! The frames of an animation, or poses beside each other: the same camera and scale for all, one instant each.

use super::arrows::Arrows;
use super::camera::{Camera, View};
use super::extent::drawing_bounds;
use super::floor::SurfaceOwner;
use super::instants::Instant;
use super::{
    StrobeError, StrobeOptions, TrailSelection, annotations, depth_sorted, fitted_sheet, floor, forms, ground, picture,
    tints, trails,
};
use crate::film::Film;
use crate::scene::{Scene, Space};
use taut_io::plot::drawing::Drawing;

/// What is written on a frame: the title and the time, or a caption of its own.
enum Labels<'a> {
    Times,
    Captions(&'a [String]),
}

/// Draws a run at these times, in ascending order, with the trails so far. Options about instants are ignored.
///
/// # Errors
/// No times, or trails that the run does not contain.
pub fn frames(scene: &Scene, film: &Film, times: &[f64], wish: &StrobeOptions) -> Result<Vec<Drawing>, StrobeError> {
    draw_frames(scene, film, times, wish, Labels::Times)
}

/// Draws all poses of a film, each with its caption instead of a title and a time, and without trails.
///
/// # Errors
/// The film is empty.
pub fn poses(
    scene: &Scene,
    film: &Film,
    captions: &[String],
    wish: &StrobeOptions,
) -> Result<Vec<Drawing>, StrobeError> {
    let wish = StrobeOptions { trails: TrailSelection::None, ..wish.clone() };
    draw_frames(scene, film, &film.t, &wish, Labels::Captions(captions))
}

fn draw_frames(
    scene: &Scene,
    film: &Film,
    times: &[f64],
    wish: &StrobeOptions,
    labels: Labels,
) -> Result<Vec<Drawing>, StrobeError> {
    let Some(first) = times.first().copied().filter(|_| !film.t.is_empty()) else { return Err(StrobeError::Empty) };
    let tracers = trails::select_trails(scene, film, &wish.trails)?;
    let instants: Vec<Instant> = times.iter().map(|t| Instant::of(film, *t)).collect();
    let last = times[times.len() - 1];
    let whole: Vec<_> = tracers.iter().flat_map(|t| trails::path(film, t.figure, &t.p, first, last)).collect();
    let (camera, space) = match (scene.space, wish.view) {
        (Space::Planar, None) => (Camera::planar(), Space::Planar),
        (_, view) => (Camera::of(view.unwrap_or(View::Iso), scene.gravity), Space::Spatial),
    };
    let more = [whole, floor::corners(scene, &instants, &instants[0], &camera)].concat();
    let (sheet, size) = fitted_sheet(drawing_bounds(scene, &instants, &camera, &more), camera, space, wish);
    let tints = tints(scene, &sheet.ink);
    let title = wish.title.as_deref().unwrap_or(&scene.title);
    let mut drawings = Vec::with_capacity(times.len());
    for (i, (t, now)) in times.iter().zip(&instants).enumerate() {
        let mut shapes = Vec::new();
        floor::draw_grids(scene, &instants, now, &sheet, &mut shapes);
        floor::draw_edge_on(SurfaceOwner::Ground, scene, now, &sheet, &mut shapes);
        let mut fixed = Vec::new();
        for visual in scene.figures.iter().take(1).flat_map(|f| &f.visuals) {
            forms::draw(visual, now.pose(0), &sheet, &sheet.ink.metal, &mut fixed);
        }
        shapes.extend(depth_sorted(fixed, space));
        ground::supports(scene, &instants, &sheet, &mut shapes);
        let paths = tracers.iter().map(|tracer| trails::path(film, tracer.figure, &tracer.p, first, *t));
        shapes.extend(paths.enumerate().map(|(i, p)| trails::draw(&p, i, &sheet)));
        shapes.extend(picture(scene, now, &tints, &tracers, &sheet));
        let time = [(*t, 1.0)];
        let (title, shown) = match labels {
            Labels::Times => (title, &time[..]),
            Labels::Captions(all) => (all.get(i).map_or("", String::as_str), &[][..]),
        };
        annotations::draw(title, size, shown, &sheet, &Arrows::default(), &mut shapes);
        let title = title.to_string();
        drawings.push(Drawing { width: size.0, height: size.1, title, paper: sheet.ink.paper, shapes });
    }
    Ok(drawings)
}
