//! A slider-crank defined by hand: the positions of its pins, measured in the picture with the scale bar, are correct.

use taut_view::film::{Film, Track};
use taut_view::scene::{Figure, Form, FrameTriad, Glyph, JointFigure, Origin, Role, Scene, Space, Spot, Visual};
use taut_view::strobe::{InstantSelection, StrobeError, StrobeOptions, TrailSelection, View, draw};

const ALIGNED: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
/// Crank and rod, m.
const LENGTHS: (f64, f64) = (0.3, 0.8);

fn spot(figure: usize, x: f64) -> Spot {
    Spot { figure, p: [x, 0.0, 0.0], q: ALIGNED }
}

fn rod(name: &str, length: f64) -> Figure {
    let form = Form::Rod { from: [0.0; 3], to: [length, 0.0, 0.0], radius: 0.01 };
    let visual = Visual { form, p: [0.0; 3], q: ALIGNED, origin: Origin::Default, colour: None };
    let pen = FrameTriad { name: format!("{name}.pen"), p: [0.5 * length, 0.1, 0.0], q: ALIGNED };
    let centre = [0.5 * length, 0.0, 0.0];
    Figure { name: name.to_string(), role: Role::Body, visuals: vec![visual], markers: vec![pen], centre }
}

fn joint(name: &str, glyph: Glyph, a: Spot, b: Spot) -> JointFigure {
    JointFigure { name: name.to_string(), glyph, kind: String::new(), spots: vec![a, b] }
}

fn turned(angle: f64) -> [f64; 4] {
    [(0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin()]
}

/// Crank pin and slider at a crank angle.
fn pins(angle: f64) -> ([f64; 2], [f64; 2]) {
    let (r, l) = LENGTHS;
    let crank = [r * angle.cos(), r * angle.sin()];
    (crank, [crank[0] + (l * l - crank[1] * crank[1]).sqrt(), 0.0])
}

fn slider_crank(space: Space) -> (Scene, Film) {
    let bare = |name: &str, role: Role| Figure {
        name: name.to_string(),
        role,
        visuals: Vec::new(),
        markers: Vec::new(),
        centre: [0.0; 3],
    };
    let scene = Scene {
        title: "Slider & <crank>".to_string(),
        space,
        gravity: [0.0, -9.81, 0.0],
        figures: vec![
            bare("ground", Role::Ground),
            rod("crank", LENGTHS.0),
            rod("rod", LENGTHS.1),
            bare("piston", Role::Body),
        ],
        joints: vec![
            joint("main", Glyph::Revolute, spot(0, 0.0), spot(1, 0.0)),
            joint("pin", Glyph::Revolute, spot(1, LENGTHS.0), spot(2, 0.0)),
            joint("wrist", Glyph::Revolute, spot(2, LENGTHS.1), spot(3, 0.0)),
            joint("guide", Glyph::PrismaticX, spot(0, 0.0), spot(3, 0.0)),
        ],
        links: Vec::new(),
        beams: Vec::new(),
        arrows: Vec::new(),
    };
    let mut film = Film { t: Vec::new(), tracks: vec![Track::default(); 4] };
    for row in 0..=60 {
        let angle = f64::from(row) * 0.05;
        let (pin, slider) = pins(angle);
        let tilt = (slider[1] - pin[1]).atan2(slider[0] - pin[0]);
        film.t.push(angle);
        let poses = [
            ([0.0; 3], ALIGNED),
            ([0.0; 3], turned(angle)),
            ([pin[0], pin[1], 0.0], turned(tilt)),
            ([slider[0], 0.0, 0.0], ALIGNED),
        ];
        for (track, (p, q)) in film.tracks.iter_mut().zip(poses) {
            track.p.push(p);
            track.q.push(q);
        }
    }
    (scene, film)
}

/// A number that an attribute of a line of the file holds.
fn number(line: &str, attribute: &str) -> Option<f64> {
    line.split(&format!(" {attribute}=\"")).nth(1)?.split('"').next()?.parse().ok()
}

/// Units of the drawing to a metre, by the scale bar: the last line before its label.
fn scale(svg: &str) -> f64 {
    let lines: Vec<&str> = svg.lines().collect();
    let label = lines.iter().position(|l| l.contains(" m</text>") || l.contains(" mm</text>")).unwrap();
    let text = lines[label].split('>').nth(1).unwrap().split('<').next().unwrap();
    let (value, unit) = text.split_once(' ').unwrap();
    let metres = value.parse::<f64>().unwrap() * if unit == "mm" { 1e-3 } else { 1.0 };
    let points = lines[label - 1].split("points=\"").nth(1).unwrap().split('"').next().unwrap();
    let x: Vec<f64> = points.split(' ').map(|p| p.split(',').next().unwrap().parse().unwrap()).collect();
    (x[1] - x[0]) / metres
}

/// Centres of the pins of the last instant: the white circles outside of any group.
fn circles(svg: &str) -> Vec<[f64; 2]> {
    let mut depth = 0;
    let mut found = Vec::new();
    for line in svg.lines() {
        match line {
            l if l.starts_with("<g ") => depth += 1,
            "</g>" => depth -= 1,
            l if l.starts_with("<circle fill=\"#ffffff\"") && depth == 0 => {
                found.push([number(l, "cx").unwrap(), number(l, "cy").unwrap()]);
            }
            _ => {}
        }
    }
    found
}

#[test]
fn pins_stand_at_their_projected_places() {
    let (scene, film) = slider_crank(Space::Planar);
    for end in [1.0, 2.35, 3.0] {
        let wish = StrobeOptions { instants: InstantSelection::Count(5), to: Some(end), ..StrobeOptions::default() };
        let svg = draw(&scene, &film, None, &wish).unwrap().to_svg();
        let (scale, found) = (scale(&svg), circles(&svg));
        let (pin, slider) = pins(end);
        let expected = [[0.0, 0.0], pin, slider];
        assert_eq!(found.len(), expected.len(), "{svg}");
        for (f, e) in found.iter().zip(expected) {
            // Relative to the main pin, y downwards; the file has two digits.
            let (dx, dy) = ((f[0] - found[0][0]) / scale, (found[0][1] - f[1]) / scale);
            assert!((dx - e[0]).abs() < 1e-3 && (dy - e[1]).abs() < 1e-3, "t = {end}: {dx}, {dy} instead of {e:?}");
        }
        // As many faded instants as there are others.
        assert_eq!(svg.lines().filter(|l| l.starts_with("<g opacity")).count(), 4 + 5);
        assert!(svg.contains("Slider &amp; &lt;crank&gt;"));
    }
}

#[test]
fn everything_is_within_the_picture_and_comes_out_the_same_twice() {
    for (space, view) in [(Space::Planar, None), (Space::Spatial, Some(View::Iso)), (Space::Spatial, Some(View::Top))] {
        let (scene, film) = slider_crank(space);
        let wish = StrobeOptions { view, size: Some((500.0, 400.0)), ..StrobeOptions::default() };
        let drawing = draw(&scene, &film, None, &wish).unwrap();
        let svg = drawing.to_svg();
        assert_eq!(svg, draw(&scene, &film, None, &wish).unwrap().to_svg());
        for points in svg.lines().filter_map(|l| l.split("points=\"").nth(1)?.split('"').next()) {
            for point in points.split(' ') {
                let (x, y) = point.split_once(',').unwrap();
                let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
                assert!((0.0..=500.0).contains(&x) && (0.0..=400.0).contains(&y), "{x}, {y}");
            }
        }
        assert!(drawing.to_png(1.0).unwrap().starts_with(b"\x89PNG"));
    }
}

#[test]
fn the_front_view_of_a_spatial_model_is_the_flat_one() {
    let (scene, film) = slider_crank(Space::Spatial);
    let wish = StrobeOptions {
        view: Some(View::Front),
        to: Some(1.0),
        trails: TrailSelection::None,
        ..StrobeOptions::default()
    };
    let svg = draw(&scene, &film, None, &wish).unwrap().to_svg();
    // Revolute joints about the line of sight are seen as circles with an edge.
    let edge = "stroke=\"#4c4f54\"";
    let seen: Vec<&str> = svg.lines().filter(|l| l.starts_with("<circle") && l.contains(edge)).collect();
    let (scale, (pin, _)) = (scale(&svg), pins(1.0));
    let at = |l: &str| [number(l, "cx").unwrap(), number(l, "cy").unwrap()];
    let last: Vec<[f64; 2]> = seen[seen.len() - 3..].iter().map(|l| at(l)).collect();
    let apart = |i: usize, j: usize| (last[i][0] - last[j][0]).hypot(last[i][1] - last[j][1]) / scale;
    let mut found = [apart(0, 1), apart(1, 2), apart(0, 2)];
    found.sort_by(f64::total_cmp);
    let (_, slider) = pins(1.0);
    assert!((pin[0].hypot(pin[1]) - LENGTHS.0).abs() < 1e-12);
    let mut expected = [LENGTHS.0, LENGTHS.1, slider[0]];
    expected.sort_by(f64::total_cmp);
    assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-3), "{found:?} {expected:?}");
}

#[test]
fn what_is_not_there_is_refused() {
    let (scene, film) = slider_crank(Space::Planar);
    let refused = |wish: StrobeOptions| draw(&scene, &film, None, &wish).unwrap_err();
    let wish = StrobeOptions { trails: TrailSelection::Named(vec!["nobody".to_string()]), ..StrobeOptions::default() };
    assert!(matches!(refused(wish), StrobeError::UnknownTrail { known, .. } if known.contains(&"rod.pen".to_string())));
    let wish = StrobeOptions { instants: InstantSelection::Times(vec![0.0, 9.0]), ..StrobeOptions::default() };
    assert!(matches!(refused(wish), StrobeError::Time { t, .. } if t == 9.0));
    let wish = StrobeOptions { from: Some(2.0), to: Some(1.0), ..StrobeOptions::default() };
    assert!(matches!(refused(wish), StrobeError::Backwards { .. }));
    assert_eq!(
        refused(StrobeOptions { instants: InstantSelection::Times(Vec::new()), ..StrobeOptions::default() }),
        StrobeError::Empty
    );
    assert_eq!(draw(&scene, &Film::default(), None, &StrobeOptions::default()).unwrap_err(), StrobeError::Empty);
}

#[test]
fn a_picture_of_one_instant_has_no_faded_ones() {
    let (scene, film) = slider_crank(Space::Planar);
    let wish = StrobeOptions { instants: InstantSelection::Count(1), to: Some(2.0), ..StrobeOptions::default() };
    let svg = draw(&scene, &film, None, &wish).unwrap().to_svg();
    assert!(!svg.contains("<g "), "{svg}");
    assert!(svg.contains("t = 2 s"));
}
