use super::*;
use crate::constraints::conformance::{Rig, check_power_balance, resultant, smooth_frame};
use crate::forces::Coefficients;
use crate::motion::Orientation;
use nalgebra::Rotation3;

const IDS: [usize; 3] = [0, 1, 2];

fn pose(p: [f64; 3], r: [f64; 3]) -> Motion {
    Motion { p: Vec3::from(p), R: Rotation3::new(Vec3::from(r)).into_inner(), ..Motion::REST }
}

/// Symmetric, positive definite, fully coupled, with magnitudes as in slender beams.
fn coupled(k: [f64; 6]) -> Coefficients {
    let entry = |i: usize, j: usize| if i == j { k[i] } else { 0.15 * (k[i] * k[j]).sqrt() / (1.0 + (i + j) as f64) };
    Coefficients::Full(Box::new(std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))))
}

fn section() -> Section {
    Section {
        stiffness: coupled([400.0, 150.0, 120.0, 3.0, 5.0, 7.0]),
        elastic_centre: [0.02, -0.01],
        shear_centre: [-0.03, 0.015],
        prestress: [1.0, -0.5, 0.3, 0.1, 0.2, -0.4],
        mass: 1.0,
        inertia: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        ..Section::default()
    }
}

fn viscous() -> Section {
    Section { damping: 0.02, viscosity: coupled([0.3, 0.2, 0.1, 0.02, 0.03, 0.01]), ..section() }
}

/// A twisted arc, one metre between nodes.
fn given() -> [Motion; 3] {
    [
        pose([0.0, 0.0, 0.0], [0.0, 0.0, 0.2]),
        pose([1.0, 0.1, 0.0], [0.2, 0.1, 0.1]),
        pose([2.1, 0.1, 0.1], [0.3, 0.0, -0.3]),
    ]
}

fn two(section: &Section) -> BeamElement {
    let [a, b, _] = given();
    BeamElement::two_node(["a", "b"], [&a, &b], section, Shear::Corrected, MotionSpace::Spatial).unwrap()
}

fn three(section: &Section) -> BeamElement {
    let [a, b, c] = given();
    BeamElement::three_node(["a", "b", "c"], [&a, &b, &c], section, MotionSpace::Spatial).unwrap()
}

fn variational(section: &Section) -> BeamElement {
    let [a, b, c] = given();
    BeamElement::variational(["a", "b", "c"], [&a, &b, &c], section, MotionSpace::Spatial).unwrap()
}

fn elements() -> Vec<BeamElement> {
    let (elastic, viscous) = (section(), viscous());
    vec![two(&elastic), two(&viscous), three(&elastic), three(&viscous), variational(&elastic), variational(&viscous)]
}

fn apply(element: &BeamElement, motions: &[Motion]) -> Vec<Wrench> {
    let mut on = vec![Wrench::ZERO; motions.len()];
    element.apply(&ElementInput::new(0.0, motions, &IDS[..motions.len()], &[]), &mut on);
    on
}

/// Three frames on smooth paths with arbitrary rotations.
fn motions(n: usize, t: f64) -> Vec<Motion> {
    (1..=n as u32).map(|seed| smooth_frame(seed)(t)).collect()
}

/// One generic configuration, computed independently from eqs. (31)-(37) with the errata.
#[test]
fn the_published_equations() {
    let K =
        [365000.0, 280.9594186834166, 11.264347383832177, 0.04085192307692308, 0.03041666666666667, 0.7604166666666669];
    let section = Section::diagonal(K, 1.0, [1.0; 3]);
    let straight = [Motion::REST, Motion { p: Vec3::new(0.18, 0.0, 0.0), ..Motion::REST }];
    let [a, b] = [&straight[0], &straight[1]];
    let element = BeamElement::two_node(["a", "b"], [a, b], &section, Shear::Plain, MotionSpace::Spatial).unwrap();
    let x2 = [0.25813847495066317, 0.2675113629356312, -0.04664609653594238];
    let now = [pose([0.1, 0.2, -0.1], [0.15, -0.25, 0.35]), pose(x2, [0.05, -0.4, 0.5])];
    let strain = element.strains(&ElementInput::new(0.0, &now, &IDS[..2], &[])).next().unwrap();
    let e = [-0.0006345287108160402, -0.020854175521010706, -0.03478956328904616];
    let k = [-0.5598087346207133, -0.6671697817523825, 0.9613896730143877];
    for i in 0..3 {
        assert!((strain[i] - e[i]).abs() < 1e-12 && (strain[3 + i] - k[i]).abs() < 1e-12);
    }
    let on = apply(&element, &now);
    let f1 = Vec3::new(196.67026108826357, 95.2409629231474, 76.97006561542726);
    let m1 = Vec3::new(0.27943166827122273, -0.6930556715459658, 0.21021669587447955);
    let m2 = Vec3::new(-0.1645547749542639, -0.985746997375954, 1.5735665586495975);
    // Eq. (31) has the sign of the inertia terms: the opposite acts on the nodes. Round-off of 1e-16 in the strain is about
    // 1e-10 N.
    assert!((on[0].f + f1).norm() < 1e-9 && (on[1].f - f1).norm() < 1e-9, "{on:?}");
    assert!((on[0].m + m1).norm() < 1e-10 && (on[1].m + m2).norm() < 1e-10, "{on:?}");
}

#[test]
fn the_given_shape_bears_the_prestress_alone() {
    for (element, n) in [(two(&section()), 2), (three(&section()), 3)] {
        let view = given();
        for stress in element.stresses(&ElementInput::new(0.0, &view[..n], &IDS[..n], &[])) {
            for (found, expected) in stress.iter().zip(section().prestress) {
                assert!((found - expected).abs() < 1e-13, "{stress:?}");
            }
        }
    }
}

#[test]
fn wrenches_are_in_equilibrium_and_turn_with_the_beam() {
    for element in elements() {
        let n = element.nodes.len();
        let here = motions(n, 0.7);
        let on = apply(&element, &here);
        let sum = resultant(&here, &on);
        let size: f64 = on.iter().map(|w| w.f.norm() + w.m.norm()).sum();
        assert!(sum.f.norm() + sum.m.norm() < 1e-13 * size, "{sum:?}");
        let R = Orientation::RotationVector([1.2, -0.7, 2.0]).matrix().unwrap();
        let shift = Vec3::new(3.0, -2.0, 5.0);
        let turned = |m: &Motion| Motion { R: R * m.R, p: R * m.p + shift, w: R * m.w, v: R * m.v, ..*m };
        let there: Vec<Motion> = here.iter().map(turned).collect();
        for (a, b) in on.iter().zip(apply(&element, &there)) {
            assert!((R * a.f - b.f).norm() + (R * a.m - b.m).norm() < 1e-12 * size);
        }
    }
}

#[test]
fn what_is_stored_and_what_is_spent_make_up_the_whole() {
    for element in elements() {
        let n = element.nodes.len() as u32;
        check_power_balance(&Rig::new((1..=n).map(smooth_frame).collect()), &element);
    }
}

/// A frame on a smooth path in the xy plane.
fn in_the_plane(seed: u32) -> Box<dyn Fn(f64) -> Motion> {
    let k = f64::from(seed);
    Box::new(move |t| {
        let angle = 0.6 * (1.3 * t + k).sin();
        let R = Rotation3::new(Vec3::new(0.0, 0.0, angle)).into_inner();
        let p = Vec3::new(k + 0.3 * (t * k).sin(), 0.4 * (0.7 * t + 2.0 * k).cos(), 0.0);
        let v = Vec3::new(0.3 * k * (t * k).cos(), -0.28 * (0.7 * t + 2.0 * k).sin(), 0.0);
        Motion { R, p, v, w: Vec3::new(0.0, 0.0, 0.78 * (1.3 * t + k).cos()), ..Motion::REST }
    })
}

#[test]
fn in_the_plane_two_nodes_conserve() {
    let [a, b] = [pose([0.0; 3], [0.0, 0.0, 0.3]), pose([1.0, 0.2, 0.0], [0.0, 0.0, -0.1])];
    let make =
        |s: &Section| BeamElement::two_node(["a", "b"], [&a, &b], s, Shear::Corrected, MotionSpace::Planar).unwrap();
    let rig = || Rig::new(vec![in_the_plane(1), in_the_plane(2)]);
    let uncoupled = Section::diagonal([400.0, 150.0, 120.0, 3.0, 5.0, 7.0], 1.0, [1.0; 3]);
    assert_eq!(make(&uncoupled).conservation(), Conservation::Conservative);
    check_power_balance(&rig(), &make(&uncoupled));
    check_power_balance(&rig(), &make(&uncoupled.clone().damped(0.05)));
    // The work that the spatial equations report must be zero here.
    let spatial = in_space(&make(&uncoupled));
    let here = [in_the_plane(1)(0.4), in_the_plane(2)(0.4)];
    let view = ElementInput::new(0.0, &here, &IDS[..2], &[]);
    assert!(spatial.nonconservative_power(&view, &apply(&spatial, &here)).abs() < 1e-12);
}

/// The element with the spatial equations.
fn in_space(element: &BeamElement) -> BeamElement {
    BeamElement { planar_cuts: Vec::new(), ..element.clone() }
}

/// An arc in the plane.
fn flat_arc() -> [Motion; 3] {
    [pose([0.0; 3], [0.0, 0.0, 0.3]), pose([1.0, 0.2, 0.0], [0.0, 0.0, 0.1]), pose([2.1, 0.2, 0.0], [0.0, 0.0, -0.1])]
}

#[test]
fn in_the_plane_as_in_space() {
    let given = flat_arc();
    let [a, b, c] = [&given[0], &given[1], &given[2]];
    for section in [section(), viscous()] {
        let two = BeamElement::two_node(["a", "b"], [a, b], &section, Shear::Corrected, MotionSpace::Planar).unwrap();
        let three = BeamElement::three_node(["a", "b", "c"], [a, b, c], &section, MotionSpace::Planar).unwrap();
        let variational = BeamElement::variational(["a", "b", "c"], [a, b, c], &section, MotionSpace::Planar).unwrap();
        for flat in [two, three, variational] {
            let n = flat.nodes.len();
            let spatial = in_space(&flat);
            for t in [0.3, 1.7, 4.1] {
                let here: Vec<Motion> = (1..=n as u32).map(|seed| in_the_plane(seed)(t)).collect();
                let view = ElementInput::new(0.0, &here, &IDS[..n], &[]);
                let (on, expected) = (apply(&flat, &here), apply(&spatial, &here));
                for (w, e) in on.iter().zip(&expected) {
                    let off = (w.f.xy() - e.f.xy()).norm() + (w.m.z - e.m.z).abs();
                    assert!(off < 1e-12 * (e.f.norm() + e.m.norm()), "{w:?} {e:?}");
                }
                assert!((flat.potential(&view) / spatial.potential(&view) - 1.0).abs() < 1e-13);
                let (work, books) =
                    (flat.nonconservative_power(&view, &on), spatial.nonconservative_power(&view, &expected));
                assert!((work - books).abs() < 1e-11 * view[0].power(&on[0]).abs().max(1.0), "{work} {books}");
                let blocks = || vec![Matrix6::zeros(); n * n];
                let [mut pose, mut twist, mut pose_s, mut twist_s] = [blocks(), blocks(), blocks(), blocks()];
                flat.tangent(&view, &mut pose, &mut twist);
                spatial.tangent(&view, &mut pose_s, &mut twist_s);
                let size = pose_s.iter().chain(&twist_s).map(|b| b.amax()).fold(0.0, f64::max);
                for (x, e) in pose.iter().zip(&pose_s).chain(twist.iter().zip(&twist_s)) {
                    for (i, j) in [0, 1, 5].into_iter().flat_map(|i| [0, 1, 5].map(|j| (i, j))) {
                        assert!((x[(i, j)] - e[(i, j)]).abs() < 1e-12 * size, "{i} {j}: {x} {e}");
                    }
                }
            }
        }
    }
}

/// One component of one node changed: 0..6 its pose, 6..12 its twist.
fn moved(here: &[Motion], node: usize, k: usize, h: f64) -> Vec<Motion> {
    let mut there = here.to_vec();
    let m = &mut there[node];
    match k / 3 {
        0 => m.p[k] += h,
        1 => m.R = Rotation3::new(Vec3::from_fn(|i, _| if i == k - 3 { h } else { 0.0 })).into_inner() * m.R,
        2 => m.v[k - 6] += h,
        _ => m.w[k - 9] += h,
    }
    there
}

#[test]
fn the_tangent_agrees_with_differences() {
    for element in elements() {
        let n = element.nodes.len() as u32;
        differs_rightly(&element, (1..=n).map(smooth_frame).collect(), &[0, 1, 2, 3, 4, 5]);
    }
    let [a, b, c] = flat_arc();
    for section in [section(), viscous()] {
        let flat = BeamElement::variational(["a", "b", "c"], [&a, &b, &c], &section, MotionSpace::Planar).unwrap();
        differs_rightly(&flat, (1..=3).map(in_the_plane).collect(), &[0, 1, 5]);
    }
}

/// Checks the derivatives of these components of the wrenches by these components of poses and twists.
fn differs_rightly(element: &BeamElement, moving: Vec<Box<dyn Fn(f64) -> Motion>>, among: &[usize]) {
    let n = moving.len();
    for step in 0..5 {
        let (mut pose, mut twist) = (vec![Matrix6::zeros(); n * n], vec![Matrix6::zeros(); n * n]);
        let here: Vec<Motion> = moving.iter().map(|m| m(0.3 + 0.9 * f64::from(step))).collect();
        let known = element.tangent(&ElementInput::new(0.0, &here, &IDS[..n], &[]), &mut pose, &mut twist);
        assert_ne!(known, TangentAvailability::Unavailable);
        let size = pose.iter().chain(&twist).map(|b| b.amax()).fold(0.0, f64::max);
        let columns: Vec<usize> = among.iter().copied().chain(among.iter().map(|c| c + 6)).collect();
        for (j, c) in (0..n).flat_map(|j| columns.iter().map(move |c| (j, *c))) {
            let at = |h: f64| apply(element, &moved(&here, j, c, h));
            let h = 1e-3;
            let [p2, p1, m1, m2] = [2.0 * h, h, -h, -2.0 * h].map(at);
            for k in 0..n {
                let block = if c < 6 { &pose[k * n + j] } else { &twist[k * n + j] };
                for i in among.iter().copied() {
                    let part = |w: &Wrench| if i < 3 { w.f[i] } else { w.m[i - 3] };
                    let near = part(&p1[k]) - part(&m1[k]);
                    let slope = (8.0 * near - (part(&p2[k]) - part(&m2[k]))) / (12.0 * h);
                    let error = (block[(i, c % 6)] - slope).abs();
                    assert!(error < 1e-9 * size, "{k} {j} {i} {c}: {} is not {slope}", block[(i, c % 6)]);
                }
            }
        }
    }
}
