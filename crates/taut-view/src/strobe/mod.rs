//! Stroboscopic pictures: several instants of a motion in one drawing; early ones faded, the last one solid.
//!
//! ```text
//! Film ─▶ instants ─▶ extent, camera ─▶ sheet (scale, colours)
//! Scene at each instant ─▶ forms, beams, links, joints ─▶ shapes sorted by depth ─▶ one faded group per instant
//! ground, trails below; forces, title, scale bar and times above ─▶ Drawing ─▶ SVG or PNG
//! ```
//!
//! The same run always gives the same bytes.

mod animation;
mod annotations;
mod arrows;
mod beams;
mod camera;
mod extent;
mod floor;
mod forms;
mod ground;
mod instants;
mod joints;
mod links;
mod mesh;
mod palette;
mod trails;

pub use animation::{frames, poses};
pub use camera::View;
pub use palette::Theme;

use crate::film::Film;
use crate::scene::{Role, Scene, Space};
use camera::{Camera, Sheet, SheetPoint, Vec3};
use extent::{PlaneBounds, drawing_bounds};
use floor::SurfaceOwner;
use forms::DepthShape;
use instants::Instant;
use palette::{Palette, Tint};
use taut::Column;
use taut_io::plot::drawing::{Drawing, Fill, Shape};
use thiserror::Error;
use trails::Tracer;

/// Selection of the instants.
#[derive(Clone, Debug, PartialEq)]
pub enum InstantSelection {
    /// This many, evenly spaced.
    Count(usize),
    /// At these times, s.
    Times(Vec<f64>),
}

/// Selection of the paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TrailSelection {
    /// Markers that no element uses, else the body with the longest path.
    #[default]
    Automatic,
    /// No paths.
    None,
    /// Bodies (their mass centres), nodes, and markers as `body.marker`.
    Named(Vec<String>),
}

/// Options of the picture; the defaults suit most runs.
#[derive(Clone, Debug, PartialEq)]
pub struct StrobeOptions {
    /// Instants.
    pub instants: InstantSelection,
    /// First time, if a number of instants is given; default: start of the run.
    pub from: Option<f64>,
    /// Last time; default: when a body hinged to the ground has completed one revolution or one swing to and fro, or when a
    /// body has crossed the picture twice.
    pub to: Option<f64>,
    /// The instant drawn solid; default: the last one.
    pub at: Option<f64>,
    /// Paths.
    pub trails: TrailSelection,
    /// View direction of a spatial model; default: isometric. Default for a planar model: its plane.
    pub view: Option<View>,
    /// Width and height; default: the height fits the motion.
    pub size: Option<(f64, f64)>,
    /// Colours.
    pub theme: Theme,
    /// Title; default: title of the model.
    pub title: Option<String>,
}

impl Default for StrobeOptions {
    fn default() -> StrobeOptions {
        StrobeOptions {
            instants: InstantSelection::Count(9),
            from: None,
            to: None,
            at: None,
            trails: TrailSelection::Automatic,
            view: None,
            size: None,
            theme: Theme::Light,
            title: None,
        }
    }
}

/// Why a picture cannot be drawn.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StrobeError {
    /// The run is empty.
    #[error("there is no instant to show")]
    Empty,
    /// A time outside the run.
    #[error("there is no instant at {t} s: the run is from {first} s to {last} s")]
    Time {
        /// The requested value.
        t: f64,
        /// Start of the run.
        first: f64,
        /// Its end.
        last: f64,
    },
    /// An interval that ends before it starts.
    #[error("the last instant, {to} s, is before the first, {from} s")]
    Backwards {
        /// The requested value.
        from: f64,
        /// The requested value.
        to: f64,
    },
    /// A trail of an unknown body, node or marker.
    #[error("there is no body, node or marker `{name}`")]
    UnknownTrail {
        /// The requested value.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
}

/// Default width of a picture, and bounds of its default height.
const WIDTH: f64 = 800.0;
const HEIGHTS: (f64, f64) = (260.0, 760.0);
/// Radius of a pin.
const PIN_RADIUS: f64 = 4.0;
/// Lowest and highest opacity of the faded instants.
const OPACITY_RANGE: (f64, f64) = (0.14, 0.5);

/// Draws a run. Forces at the solid instant are drawn if their columns are given, together with `t`.
///
/// # Errors
/// Instants or trails that the run does not contain.
pub fn draw(
    scene: &Scene,
    film: &Film,
    forces: Option<&[Column]>,
    wish: &StrobeOptions,
) -> Result<Drawing, StrobeError> {
    let (times, solid) = instants::select_instants(scene, film, wish)?;
    let tracers = trails::select_trails(scene, film, &wish.trails)?;
    let instants: Vec<Instant> = times.iter().map(|t| Instant::of(film, *t)).collect();
    let (first, last) = (times[0], times[times.len() - 1]);
    let paths: Vec<Vec<Vec3>> = tracers.iter().map(|t| trails::path(film, t.figure, &t.p, first, last)).collect();
    let (camera, space) = match (scene.space, wish.view) {
        (Space::Planar, None) => (Camera::planar(), Space::Planar),
        (_, view) => (Camera::of(view.unwrap_or(View::Iso), scene.gravity), Space::Spatial),
    };
    let more = [paths.concat(), floor::corners(scene, &instants, &instants[solid], &camera)].concat();
    let (sheet, size) = fitted_sheet(drawing_bounds(scene, &instants, &camera, &more), camera, space, wish);

    let mut shapes = Vec::new();
    let resting = &instants[solid];
    floor::draw_grids(scene, &instants, resting, &sheet, &mut shapes);
    floor::draw_edge_on(SurfaceOwner::Ground, scene, resting, &sheet, &mut shapes);
    let mut fixed = Vec::new();
    for visual in scene.figures.iter().take(1).flat_map(|f| &f.visuals) {
        forms::draw(visual, resting.pose(0), &sheet, &sheet.ink.metal, &mut fixed);
    }
    shapes.extend(depth_sorted(fixed, space));
    ground::supports(scene, &instants, &sheet, &mut shapes);
    let opacities: Vec<f64> = (0..times.len()).map(|k| opacity(k, solid, times.len())).collect();
    let tints = tints(scene, &sheet.ink);
    let order = (0..times.len()).filter(|k| *k != solid).chain([solid]);
    let mut trail: Vec<Shape> = paths.iter().enumerate().map(|(i, p)| trails::draw(p, i, &sheet)).collect();
    for k in order {
        let pieces = picture(scene, &instants[k], &tints, &tracers, &sheet);
        if k == solid {
            // Trails are drawn above the faded instants and below the solid one.
            shapes.append(&mut trail);
            shapes.extend(pieces);
        } else {
            shapes.push(Shape::Group { shapes: pieces, opacity: opacities[k] });
        }
    }
    for (i, tracer) in tracers.iter().enumerate() {
        let at = sheet.project(&resting.point(tracer.figure, &tracer.p));
        shapes.push(Shape::Circle { at, radius: 2.4, fill: Fill::Flat(sheet.ink.trail(i)), edge: None });
    }
    let arrows = forces.map(|columns| arrows::draw(scene, columns, resting, &sheet)).unwrap_or_default();
    shapes.extend(arrows.shapes.iter().cloned());
    let title = wish.title.as_deref().unwrap_or(&scene.title);
    let stamps: Vec<(f64, f64)> = times.iter().copied().zip(opacities).collect();
    annotations::draw(title, size, &stamps, &sheet, &arrows, &mut shapes);
    Ok(Drawing { width: size.0, height: size.1, title: title.to_string(), paper: sheet.ink.paper, shapes })
}

/// Fits the motion into the picture; without a given size, fits the height of the picture to the motion.
fn fitted_sheet((l, b, r, t): PlaneBounds, camera: Camera, space: Space, wish: &StrobeOptions) -> (Sheet, SheetPoint) {
    use annotations::{BOTTOM_MARGIN, SIDE_MARGIN, TOP_MARGIN};
    let (wide, high) = ((r - l).max(1e-9), (t - b).max(1e-9));
    let margins = (2.0 * SIDE_MARGIN, TOP_MARGIN + BOTTOM_MARGIN);
    let (width, height) = wish.size.unwrap_or_else(|| {
        let free = (WIDTH - margins.0) * high / wide + margins.1;
        (WIDTH, free.clamp(HEIGHTS.0, HEIGHTS.1).round())
    });
    let room = ((width - margins.0).max(20.0), (height - margins.1).max(20.0));
    let scale = (room.0 / wide).min(room.1 / high);
    let middle = (SIDE_MARGIN + 0.5 * room.0, TOP_MARGIN + 0.5 * room.1);
    let origin = (middle.0 - scale * 0.5 * (l + r), middle.1 + scale * 0.5 * (b + t));
    let inner = (SIDE_MARGIN, TOP_MARGIN - 16.0, SIDE_MARGIN + room.0, TOP_MARGIN + room.1 + 12.0);
    let ink = Palette::of(wish.theme);
    (Sheet { camera, space, scale, origin, pin: PIN_RADIUS, ink, inner }, (width, height))
}

/// The solid instant is opaque; the others fade with their distance from it.
fn opacity(k: usize, solid: usize, count: usize) -> f64 {
    if k == solid {
        return 1.0;
    }
    let farthest = solid.max(count - 1 - solid).max(1) as f64;
    OPACITY_RANGE.1 - (OPACITY_RANGE.1 - OPACITY_RANGE.0) * (k.abs_diff(solid) as f64 - 1.0) / (farthest - 1.0).max(1.0)
}

/// Bodies of one kind (`link1`, `link2` …) share a colour.
fn tints(scene: &Scene, ink: &Palette) -> Vec<Tint> {
    let mut kinds: Vec<&str> = Vec::new();
    let mut tints = Vec::with_capacity(scene.figures.len());
    for figure in &scene.figures {
        if figure.role == Role::Ground {
            tints.push(ink.metal);
            continue;
        }
        let kind = figure.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        let number = kinds.iter().position(|k| *k == kind).unwrap_or_else(|| {
            kinds.push(kind);
            kinds.len() - 1
        });
        let own = figure.visuals.iter().find_map(|v| v.colour.as_deref());
        tints.push(ink.body(own, number));
    }
    tints
}

/// All moving parts at one instant.
fn picture(scene: &Scene, instant: &Instant, tints: &[Tint], tracers: &[Tracer], sheet: &Sheet) -> Vec<Shape> {
    let (mut bodies, mut lines, mut tops) = (Vec::new(), Vec::new(), Vec::new());
    for tracer in tracers.iter().filter(|t| t.needs_bar) {
        tracer_bars(scene, tracer, instant, &tints[tracer.figure], sheet, &mut bodies);
    }
    for (i, figure) in scene.figures.iter().enumerate().skip(1) {
        for visual in &figure.visuals {
            forms::draw(visual, instant.pose(i), sheet, &tints[i], &mut bodies);
        }
    }
    let mut surfaces = Vec::new();
    floor::draw_edge_on(SurfaceOwner::Bodies, scene, instant, sheet, &mut surfaces);
    bodies.extend(surfaces.into_iter().map(|shape| DepthShape { depth: f64::INFINITY, shape }));
    for beam in &scene.beams {
        let tint = beam.nodes.first().map_or(sheet.ink.metal, |n| tints[*n]);
        beams::draw(beam, instant, sheet, &tint, &mut bodies);
    }
    for link in &scene.links {
        links::draw(link, scene, instant, sheet, &mut lines);
    }
    for joint in &scene.joints {
        joints::draw(joint, scene, instant, sheet, &mut tops);
    }
    match sheet.space {
        // Planar: in layers.
        Space::Planar => {
            let mut all = depth_sorted(bodies, Space::Planar);
            all.extend(lines.into_iter().chain(tops).map(|p| p.shape));
            all
        }
        Space::Spatial => depth_sorted(bodies.into_iter().chain(lines).chain(tops).collect(), Space::Spatial),
    }
}

/// Thin bars from a traced point to the joints of its body.
fn tracer_bars(
    scene: &Scene,
    tracer: &Tracer,
    instant: &Instant,
    tint: &Tint,
    sheet: &Sheet,
    out: &mut Vec<DepthShape>,
) {
    let p = instant.point(tracer.figure, &tracer.p);
    let mut ends: Vec<Vec3> = Vec::new();
    for spot in scene.joints.iter().flat_map(|j| &j.spots).filter(|s| s.figure == tracer.figure) {
        let end = instant.spot(spot).0;
        if ends.iter().all(|e| (e - end).norm() * sheet.scale > 1.0) {
            ends.push(end);
        }
    }
    if ends.is_empty() {
        ends.push(instant.point(tracer.figure, &scene.figures[tracer.figure].centre));
    }
    for end in ends.iter().take(2) {
        forms::bar(end, &p, 0.5 * sheet.pin, sheet, tint, out);
    }
}

/// Sorts by depth, farthest first; planar shapes keep their order.
fn depth_sorted(mut pieces: Vec<DepthShape>, space: Space) -> Vec<Shape> {
    if space == Space::Spatial {
        pieces.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    }
    pieces.into_iter().map(|p| p.shape).collect()
}
