//! Pose-dependent results: flat poses with an additional freedom, rough starts, and opposed axes.

use super::{Z, between, chain, count, counts, examine, slider_crank, spatial_four_bar, words};
use taut::analyses::{Determinacy, ExaminedPose, Persistence, RowConsistency};
use taut::{Formula, Frame, Joint, Model, PlanarBody, RigidBody, Spec};

/// A four-bar of planar bodies with its joints at the points given.
fn planar_four_bar(points: [[f64; 2]; 4]) -> Model {
    let mut spec = Spec::new();
    let p = points.map(|[x, y]| [x, y, 0.0]);
    for (k, name) in ["crank", "coupler", "rocker"].into_iter().enumerate() {
        let [x, y, _] = between(p[k], p[k + 1]);
        spec.body(name, PlanarBody::new(1.0, 0.1).at([x, y], 0.0))
            .marker(&format!("{name}.a"), Frame::world(p[k]))
            .marker(&format!("{name}.b"), Frame::world(p[k + 1]));
    }
    spec.marker("ground.a", Frame::at(p[0]))
        .marker("ground.b", Frame::at(p[3]))
        .constraint("A", Joint::pin("ground.a", "crank.a"))
        .constraint("B", Joint::pin("crank.b", "coupler.a"))
        .constraint("C", Joint::pin("coupler.b", "rocker.a"))
        .constraint("D", Joint::pin("rocker.b", "ground.b"));
    spec.build().unwrap()
}

#[test]
fn a_flat_four_bar_has_a_second_freedom_in_this_pose_only() {
    // A parallelogram lying flat: 9 velocities, 8 rows, rank 7 there and 8 elsewhere.
    let found = examine(&planar_four_bar([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [2.0, 0.0]]));
    assert_eq!(counts(&found), (count(7, 2, 1), count(8, 1, 0)));
    let [set] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!((set.persistence, &set.verdict), (Persistence::Pose, &RowConsistency::Consistent));
    assert_eq!(set.constraints, ["A", "B", "C", "D"]);
    assert_eq!(found.motions.len(), 2);
    // Standing, nothing is wrong with it.
    let found = examine(&planar_four_bar([[0.0, 0.0], [0.0, 1.0], [2.0, 1.0], [2.0, 0.0]]));
    assert_eq!(counts(&found), (count(8, 1, 0), count(8, 1, 0)));
    assert!(found.dependent.is_empty());
    assert!(found.reactions.iter().all(|r| r.determinacy == Determinacy::Unique));
    assert_eq!(words(&found), ["`crank` turns about `A` (z); `coupler`, `rocker` follow"]);
}

#[test]
fn a_flat_four_bar_in_space_separates_pose_and_design_redundancy() {
    let mut spec = Spec::new();
    chain(&mut spec, "", &[[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[Z; 4]);
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(16, 2, 4), count(17, 1, 3)));
    let of = |p: Persistence| found.dependent.iter().filter(|s| s.persistence == p).map(|s| s.redundant).sum::<usize>();
    assert_eq!((of(Persistence::Structural), of(Persistence::Pose)), (3, 1));
}

#[test]
fn a_rough_start_is_assembled_first() {
    let mut spec = slider_crank();
    spec.bodies[2].item = PlanarBody::new(0.6, 0.01).at([1.25, 0.01], 0.1).into();
    let found = examine(&spec.build().unwrap());
    assert_eq!(found.pose, ExaminedPose::Assembled);
    assert_eq!(found.here.unwrap(), count(8, 1, 0));
    assert_eq!(found.residuals[0].row, "guide.angle");
    assert_eq!(found.residuals[1].row, "wrist.x");
    assert!((found.residuals[1].position - 0.05).abs() < 1e-12);
    assert!(words(&found)[0].starts_with("`crank` turns about `main` (z)"));
}

#[test]
fn a_driven_flat_pose_is_left_in_time() {
    // The flat parallelogram with its crank driven: no pose nearby at the same time, but soon after.
    let mut spec = Spec::new();
    let p = [[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [2.0, 0.0]];
    for (k, name) in ["crank", "coupler", "rocker"].into_iter().enumerate() {
        spec.body(name, PlanarBody::new(1.0, 0.1).at([0.5 * (p[k][0] + p[k + 1][0]), 0.0], 0.0))
            .marker(&format!("{name}.a"), Frame::world([p[k][0], 0.0, 0.0]))
            .marker(&format!("{name}.b"), Frame::world([p[k + 1][0], 0.0, 0.0]));
    }
    spec.marker("ground.b", Frame::at([2.0, 0.0, 0.0]))
        .constraint("A", Joint::pin("ground", "crank.a"))
        .constraint("B", Joint::pin("crank.b", "coupler.a"))
        .constraint("C", Joint::pin("coupler.b", "rocker.a"))
        .constraint("D", Joint::pin("rocker.b", "ground.b"))
        .constraint("motor", Formula::phi("crank.theta - t").unwrap());
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(8, 1, 1), count(9, 0, 0)));
    assert_eq!(found.dependent[0].persistence, Persistence::Pose);
}

#[test]
fn opposed_axes_are_reported() {
    let mut spec = Spec::new();
    let about_x = taut::Orientation::RotationVector([std::f64::consts::PI, 0.0, 0.0]);
    spec.body("lid", RigidBody::new(1.0, [0.1; 3]))
        .marker("lid.back", Frame::at([0.0; 3]).with_orientation(about_x))
        .constraint("bolt", Joint::fixed("ground", "lid.back"));
    let found = examine(&spec.build().unwrap());
    assert_eq!(found.opposed, ["bolt"]);
    let reported = "joint `bolt` assembles with opposed axes; turn one marker by half a turn";
    assert!(found.to_string().contains(reported), "{found}");
    assert!(examine(&spatial_four_bar()).opposed.is_empty());
}

#[test]
fn rotation_residuals_are_reported_as_angles() {
    let mut spec = Spec::new();
    let angle = 2.0;
    spec.body("block", PlanarBody::new(1.0, 1.0).at([0.0, 0.0], angle))
        .constraint("weld", Joint::weld("ground", "block"));
    let found = examine(&spec.build().unwrap());
    assert_eq!((found.residuals[0].row.as_str(), found.pose), ("weld.angle", ExaminedPose::Assembled));
    assert!((found.residuals[0].position - angle).abs() < 1e-12, "{found}");
    assert!(found.opposed.is_empty());
}
