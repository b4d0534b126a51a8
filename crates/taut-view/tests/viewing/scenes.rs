//! Scenes of known models: elements and positions, compared with the result table.

use crate::common::{TemporaryFolder, load, run, run_scene};
use taut::motion::{Vec3, rotation_of_quaternion};
use taut_io::results::Format;
use taut_view::ViewError;
use taut_view::film::Film;
use taut_view::scene::{ArrowKind, Form, Glyph, LineStyle, Origin, Role, SectionOutline, Space, Spot};
use taut_view::scene_graph::{FilmRows, RunScene};

fn figure(stage: &RunScene, name: &str) -> usize {
    stage.scene.figures.iter().position(|f| f.name == name).unwrap()
}

/// Where a spot is in the world.
fn world(film: &Film, spot: &Spot, row: usize) -> Vec3 {
    let (p, q) = film.pose(spot.figure, row);
    Vec3::from(p) + rotation_of_quaternion(&q) * Vec3::from(spot.p)
}

/// Origins of all bodies that have columns of their own equal them; quaternions are of unit length and never jump.
fn agrees(stage: &RunScene) {
    let film = stage.film(FilmRows::All);
    assert_eq!(film.t, stage.run.column("t").unwrap());
    let mut compared = 0;
    for (i, f) in stage.scene.figures.iter().enumerate() {
        for (axis, short) in ["x", "y", "z"].iter().enumerate() {
            if let Ok(column) = stage.run.column(&format!("{}.{short}", f.name)) {
                for (row, x) in column.iter().enumerate() {
                    assert!((film.pose(i, row).0[axis] - x).abs() < 1e-14 * (1.0 + x.abs()), "{} row {row}", f.name);
                }
                compared += 1;
            }
        }
        for pair in film.tracks[i].q.windows(2) {
            let dot: f64 = pair[0].iter().zip(&pair[1]).map(|(a, b)| a * b).sum();
            assert!(dot > 0.0 && (pair[1].iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
    assert!(compared > 1, "nothing to compare");
    // Frames that the run recorded are where the scene puts them.
    for (i, f) in stage.scene.figures.iter().enumerate().skip(1) {
        for marker in &f.markers {
            let Ok(x) = stage.run.column(&format!("{}.x", marker.name)) else { continue };
            let y = stage.run.column(&format!("{}.y", marker.name)).unwrap();
            let spot = Spot { figure: i, p: marker.p, q: marker.q };
            for row in (0..x.len()).step_by(7) {
                let at = world(&film, &spot, row);
                assert!((at.x - x[row]).abs() + (at.y - y[row]).abs() < 1e-12, "{}", marker.name);
            }
        }
    }
    // What a joint holds together meets.
    for joint in &stage.scene.joints {
        let meets = matches!(joint.glyph, Glyph::Revolute | Glyph::Spherical | Glyph::Universal | Glyph::Fixed);
        if let (true, [a, b]) = (meets, joint.spots.as_slice()) {
            let apart = (world(&film, a, film.t.len() - 1) - world(&film, b, film.t.len() - 1)).norm();
            assert!(apart < 1e-6, "{}: {apart}", joint.name);
        }
    }
}

#[test]
fn four_bar() {
    let scratch = TemporaryFolder::new("four_bar");
    let stage = run_scene(&scratch, "four_bar.toml", &[]);
    agrees(&stage);
    assert_eq!(stage.scene.space, Space::Planar);
    assert_eq!(stage.scene.figures[0].role, Role::Ground);
    assert_eq!(stage.scene.joints.iter().filter(|j| j.glyph == Glyph::Revolute).count(), 4);
    let reactions = stage.scene.arrows.iter().filter(|a| a.load == ArrowKind::Reaction);
    assert!(reactions.clone().count() >= 4);
    for arrow in reactions {
        arrow.vector.iter().filter(|c| !c.is_empty()).for_each(|c| drop(stage.run.column(c).unwrap()));
    }
}

#[test]
fn bricard() {
    let scratch = TemporaryFolder::new("bricard");
    let stage = run_scene(&scratch, "iftomm_a04_bricard.toml", &[("settings.duration", "1 s")]);
    agrees(&stage);
    assert_eq!(stage.scene.space, Space::Spatial);
    assert_eq!(stage.scene.joints.iter().filter(|j| j.glyph == Glyph::Revolute).count(), 6);
    assert_eq!(stage.scene.figures.len(), 6);
}

#[test]
fn a_block_touches_with_its_corners() {
    let scratch = TemporaryFolder::new("ball");
    let stage = run_scene(&scratch, "contact/block_drops.toml", &[]);
    agrees(&stage);
    let contacts: Vec<_> = stage.scene.arrows.iter().filter(|a| a.load == ArrowKind::Contact).collect();
    assert!(!contacts.is_empty());
    let points = stage.contact_points().unwrap();
    let last = stage.rows() - 1;
    let mut pressed = 0;
    for arrow in contacts {
        let at = arrow.at.as_ref().unwrap();
        let value = |name: &String| points.iter().find(|c| c.name == *name).unwrap().data[last];
        let point = Vec3::from(at.each_ref().map(value));
        let (p, _) = stage.film(FilmRows::Chosen(&[last])).pose(arrow.spot.figure, 0);
        let three = |short: char| {
            Vec3::from(["x", "y", "z"].map(|x| stage.run.column(&format!("{}.{short}{x}", arrow.name)).unwrap()[last]))
        };
        let (force, moment, lever) = (three('f'), three('m'), point - Vec3::from(p));
        assert!((lever.cross(&force) - moment).norm() < 1e-6, "{}", arrow.name);
        if force.norm() > 1e-9 {
            // A corner of the box, on the floor.
            assert!((lever.abs() - Vec3::new(0.2, 0.15, 0.1)).norm() < 1e-6 && point.z.abs() < 1e-6, "{point}");
            pressed += 1;
        }
    }
    assert!(pressed >= 3, "{pressed} corners press");
}

#[test]
fn ball_and_floor() {
    let scratch = TemporaryFolder::new("bounce");
    let stage = run_scene(&scratch, "contact/bouncing_ball.toml", &[]);
    agrees(&stage);
    let ball = &stage.scene.figures[figure(&stage, "ball")];
    assert!(ball.visuals.iter().any(|v| v.form == Form::Sphere { radius: 0.1 }));
    assert!(stage.scene.figures[0].visuals.iter().any(|v| v.form == Form::HalfSpace));
}

#[test]
fn swing() {
    let scratch = TemporaryFolder::new("swing");
    let stage = run_scene(&scratch, "papers/masarati_swing_4.toml", &[("settings.duration", "0.1 s")]);
    agrees(&stage);
    let [beam] = stage.scene.beams.as_slice() else { panic!("one beam") };
    assert!(beam.nodes.len() > 4 && beam.nodes.len() == beam.q.len());
    assert!(beam.nodes.iter().all(|n| stage.scene.figures[*n].role == Role::Node));
    // Along x of each node lies its neighbour.
    let film = stage.film(FilmRows::Chosen(&[0]));
    for pair in beam.nodes.windows(2) {
        let (a, q) = film.pose(pair[0], 0);
        let along = Vec3::from(film.pose(pair[1], 0).0) - Vec3::from(a);
        let x = rotation_of_quaternion(&q).column(0).dot(&along) / along.norm();
        assert!(x > 0.99, "{x}");
    }
    assert!(matches!(beam.section, SectionOutline::Circle { .. } | SectionOutline::Rectangle { .. }));
}

#[test]
fn a_modal_swing_is_a_tube_too() {
    let scratch = TemporaryFolder::new("modal");
    let stage = run_scene(&scratch, "papers/masarati_swing_modal.toml", &[("settings.duration", "0.05 s")]);
    let [beam] = stage.scene.beams.as_slice() else { panic!("one beam") };
    assert!(beam.nodes.iter().all(|n| stage.scene.figures[*n].role == Role::Station));
    let film = stage.film(FilmRows::All);
    let moves = |figure: usize| {
        (Vec3::from(film.tracks[figure].p[0]) - Vec3::from(*film.tracks[figure].p.last().unwrap())).norm()
    };
    assert!(beam.nodes.iter().any(|n| moves(*n) > 1e-6));
}

#[test]
fn rotor_and_robot() {
    for name in ["rotor.toml", "robot_arm.toml"] {
        let scratch = TemporaryFolder::new("spatial");
        let stage = run_scene(&scratch, name, &[("settings.duration", "0.2 s")]);
        agrees(&stage);
        assert_eq!(stage.scene.space, Space::Spatial);
        assert!(stage.scene.arrows.iter().any(|a| a.load == ArrowKind::Velocity));
    }
}

#[test]
fn every_description_of_a_rotation_gives_the_same_film() {
    let mut films = Vec::new();
    for rotation in ["quaternion", "euler_parameters", "rodrigues", "euler_angles"] {
        let scratch = TemporaryFolder::new("charts");
        let changes = [("settings.duration", "0.5 s"), ("top.rotation_parameters", rotation)];
        let stage = run_scene(&scratch, "heavy_top.toml", &changes);
        films.push(stage.film(FilmRows::All));
    }
    let last = films[0].t.len() - 1;
    for film in &films[1..] {
        for figure in 0..film.tracks.len() {
            let ((p, q), (a, b)) = (films[0].pose(figure, last), film.pose(figure, last));
            let apart = (Vec3::from(p) - Vec3::from(a)).norm();
            let dot: f64 = q.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!(apart < 1e-5 && dot.abs() > 1.0 - 1e-8, "{apart} {dot}");
        }
    }
}

#[test]
fn springs_and_ropes_are_lines() {
    let scratch = TemporaryFolder::new("lines");
    let stage = run_scene(&scratch, "contact/pulley.toml", &[("settings.duration", "0.1 s")]);
    assert!(stage.scene.links.iter().any(|l| l.line == LineStyle::Rope && l.spots.len() > 1));
    let stage = run_scene(&scratch, "adams_spring.toml", &[("settings.duration", "0.1 s")]);
    assert!(stage.scene.links.iter().any(|l| matches!(l.line, LineStyle::Spring | LineStyle::SpringDamper)));
}

#[test]
fn without_positions_the_remedy_is_reported() {
    let scratch = TemporaryFolder::new("bare");
    let file = load("four_bar.toml", &[("outputs.columns", "[\"reactions\"]"), ("settings.duration", "0.1 s")]);
    run(&file, &scratch.join("run"), Format::Csv);
    let refused = RunScene::open(&scratch.join("run")).unwrap_err();
    assert!(matches!(refused, ViewError::NoState { .. }));
    let said = refused.to_string();
    assert!(said.contains("columns") && said.contains("run the model again") && !said.contains('\n'), "{said}");
    assert!(RunScene::open(&scratch.join("nothing")).is_err());
}

/// Forms of a figure.
fn forms<'a>(stage: &'a RunScene, name: &str) -> Vec<&'a Form> {
    stage.scene.figures[figure(stage, name)].visuals.iter().map(|v| &v.form).collect()
}

#[test]
fn a_slider_without_looks_is_a_block_along_its_guide() {
    let scratch = TemporaryFolder::new("slider_look");
    let stage = run_scene(&scratch, "slider_crank.toml", &[]);
    let slider = stage.scene.joints.iter().find(|j| j.glyph == Glyph::PrismaticX).unwrap();
    let moving = slider.spots.iter().find(|s| s.figure != 0).unwrap();
    let visuals = &stage.scene.figures[moving.figure].visuals;
    assert!(visuals.iter().all(|v| !matches!(v.form, Form::Sphere { .. })), "{visuals:?}");
    let block = visuals.iter().find(|v| matches!(v.form, Form::Box { .. }) && v.origin == Origin::Default).unwrap();
    let Form::Box { size } = block.form else { unreachable!() };
    // Small against the mechanism, longer along the guide than across it.
    assert!(size[0] > size[1] && size[0] < 0.06, "{size:?}");
}

#[test]
fn a_rope_runs_over_a_disc_and_its_masses_do_not_cover_it() {
    let scratch = TemporaryFolder::new("pulley_look");
    let stage = run_scene(&scratch, "contact/pulley.toml", &[]);
    let disc = |form: &Form| matches!(form, Form::Cylinder { radius, .. } if (radius - 0.1).abs() < 1e-12);
    assert_eq!(stage.scene.figures[0].visuals.iter().filter(|v| disc(&v.form)).count(), 1);
    for name in ["light", "heavy"] {
        assert!(matches!(forms(&stage, name)[..], [Form::Sphere { radius }] if *radius < 0.1), "{name}");
    }
}

#[test]
fn coupler_points_have_bars_and_far_pointers_have_none() {
    let scratch = TemporaryFolder::new("arms");
    let stage = run_scene(&scratch, "four_bar.toml", &[]);
    let mut bars = 0;
    for f in &stage.scene.figures {
        for marker in &f.markers {
            let ends = |v: &&taut_view::scene::Visual| matches!(v.form, Form::Rod { to, .. } if to == marker.p);
            bars += usize::from(f.visuals.iter().filter(ends).count() == 2);
        }
    }
    assert_eq!(bars, 1);
    let scratch = TemporaryFolder::new("far");
    let stage = run_scene(&scratch, "double_wishbone.toml", &[("settings.duration", "0.1 s")]);
    for form in forms(&stage, "upright") {
        assert!(!matches!(form, Form::Rod { from, to, .. } if from[1].max(to[1]) > 0.9), "{form:?}");
    }
}

#[test]
fn bodies_that_hardly_move_keep_the_size_of_their_mass() {
    let scratch = TemporaryFolder::new("floor");
    let stage = run_scene(&scratch, "contact/journal.toml", &[("settings.duration", "1 s")]);
    assert!(matches!(forms(&stage, "wheel")[..], [Form::Sphere { radius }] if (0.19..0.21).contains(radius)));
    let scratch = TemporaryFolder::new("mount");
    let stage = run_scene(&scratch, "engine_mount.toml", &[("settings.duration", "0.1 s")]);
    assert!(matches!(forms(&stage, "engine")[..], [Form::Ellipsoid { radii }] if radii.iter().all(|r| *r > 0.1)));
}
