use super::*;
use proptest::prelude::*;

/// Reproducible pseudo-random numbers in (−1, 1).
struct RandomSource(u64);

impl RandomSource {
    fn new(seed: u64) -> RandomSource {
        RandomSource((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn matrix(&mut self, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| self.uniform())
    }
}

fn vector(x: &[f64]) -> DVector<f64> {
    DVector::from_column_slice(x)
}

fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() <= tolerance, "{found:?}\n is not {expected:?}");
    }
}

/// Largest violation of the laws, evaluated directly without projections or scaling, in the units of p or u.
fn violation(laws: &[ComplementarityLaw], p: &DVector<f64>, u: &DVector<f64>) -> f64 {
    // |p| ≤ r and, where u ≠ 0, p |u| = −r u.
    let friction = |p: &[f64], u: &[f64], r: f64| {
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let speed = norm(u);
        let against: Vec<f64> = p.iter().zip(u).map(|(p, u)| p * speed + r * u).collect();
        (norm(p) - r).max(norm(&against))
    };
    let (mut worst, mut i) = (0.0_f64, 0);
    for law in laws {
        let (p, u) = (&p.as_slice()[i..i + law.rows()], &u.as_slice()[i..i + law.rows()]);
        i += law.rows();
        let contact = (-p[0]).max(-u[0]).max((p[0] * u[0]).abs());
        let here = match *law {
            ComplementarityLaw::NonNegative => contact,
            ComplementarityLaw::Interval { lower, upper } => {
                let low = if u[0] > 0.0 { u[0].min(p[0] - lower) } else { 0.0 };
                let high = if u[0] < 0.0 { (-u[0]).min(upper - p[0]) } else { 0.0 };
                (lower - p[0]).max(p[0] - upper).max(low).max(high)
            }
            ComplementarityLaw::Disc { radius } | ComplementarityLaw::Ball { radius } => friction(p, u, radius),
            ComplementarityLaw::PlanarCone { mu } | ComplementarityLaw::Cone { mu } => {
                contact.max(friction(&p[1..], &u[1..], mu * p[0]))
            }
            ComplementarityLaw::ConeWithTorques { mu, spin, roll } => contact
                .max(friction(&p[1..3], &u[1..3], mu * p[0]))
                .max(friction(&p[3..4], &u[3..4], spin * p[0]))
                .max(friction(&p[4..], &u[4..], roll * p[0])),
        };
        worst = worst.max(here);
    }
    worst
}

#[test]
fn a_block_on_a_plane_sticks_slides_or_lifts() {
    // Mass 2 under its weight and a force along the plane; u is the acceleration.
    let G = DMatrix::identity(3, 3) * 0.5;
    let laws = [ComplementarityLaw::Cone { mu: 0.5 }];
    let answer = solve(&G, &vector(&[-10.0, 3.0, 0.0]), &laws, None).unwrap();
    near(answer.p.as_slice(), &[20.0, -6.0, 0.0], 1e-13);
    assert_eq!(answer.status, [BlockStatus::Stick]);
    let answer = solve(&G, &vector(&[-10.0, 6.0, 8.0]), &laws, None).unwrap();
    near(answer.p.as_slice(), &[20.0, -6.0, -8.0], 1e-13);
    near(answer.u.as_slice(), &[0.0, 3.0, 4.0], 1e-13);
    let BlockStatus::Slide(d) = answer.status[0] else { panic!("{:?}", answer.status) };
    near(&d, &[0.6, 0.8, 0.0], 1e-14);
    let answer = solve(&G, &vector(&[0.1, 6.0, 8.0]), &laws, None).unwrap();
    assert_eq!((answer.p.amax(), answer.status[0]), (0.0, BlockStatus::Open));
}

#[test]
fn a_ball_with_spin_bounces_on_a_rough_floor() {
    // Plastic impact of a homogeneous ball, m = 1, r = 1: G_t = 1 + 5/2; it rolls if μ ≥ (2/7) |u_t|/|u_n|.
    let G = DMatrix::from_diagonal(&vector(&[1.0, 3.5, 3.5]));
    let c = vector(&[-2.0, 0.0, 3.5]);
    let rolls = solve(&G, &c, &[ComplementarityLaw::Cone { mu: 0.51 }], None).unwrap();
    near(rolls.p.as_slice(), &[2.0, 0.0, -1.0], 1e-14);
    assert_eq!(rolls.status, [BlockStatus::Stick]);
    let slides = solve(&G, &c, &[ComplementarityLaw::Cone { mu: 0.49 }], None).unwrap();
    near(slides.p.as_slice(), &[2.0, 0.0, -0.98], 1e-14);
    assert_eq!(slides.status, [BlockStatus::Slide([0.0, 1.0, 0.0])]);
}

#[test]
fn bounded_rows_by_hand() {
    let laws = [
        ComplementarityLaw::Interval { lower: -1.0, upper: 2.0 },
        ComplementarityLaw::BILATERAL,
        ComplementarityLaw::Disc { radius: 0.5 },
    ];
    let G = DMatrix::from_diagonal(&vector(&[2.0, 4.0, 1.0, 1.0]));
    let answer = solve(&G, &vector(&[-6.0, 8.0, 3.0, 4.0]), &laws, None).unwrap();
    near(answer.p.as_slice(), &[2.0, -2.0, -0.3, -0.4], 1e-14);
    near(answer.u.as_slice(), &[-2.0, 0.0, 2.7, 3.6], 1e-14);
    assert_eq!(answer.status[..2], [BlockStatus::AtUpper, BlockStatus::Inside]);
    assert!(matches!(answer.status[2], BlockStatus::Slide(_)));
    // A bound that does not contain zero pushes by itself.
    let answer = solve(
        &DMatrix::identity(1, 1),
        &vector(&[0.0]),
        &[ComplementarityLaw::Interval { lower: 1.0, upper: 2.0 }],
        None,
    );
    let answer = answer.unwrap();
    assert_eq!((answer.p[0], answer.u[0], answer.status[0]), (1.0, 1.0, BlockStatus::AtLower));
}

/// u of the LCP by trying all 2^k sets of pushing rows; the pseudo-inverse where they depend on each other.
fn enumerate(G: &DMatrix<f64>, c: &DVector<f64>) -> Option<DVector<f64>> {
    let k = c.len();
    (0..1_usize << k).find_map(|set| {
        let on: Vec<usize> = (0..k).filter(|i| set >> i & 1 == 1).collect();
        let mut p = DVector::zeros(k);
        if !on.is_empty() {
            let part = DMatrix::from_fn(on.len(), on.len(), |i, j| G[(on[i], on[j])]);
            let right = DVector::from_fn(on.len(), |i, _| -c[on[i]]);
            let x = part.pseudo_inverse(1e-11).ok()? * right;
            on.iter().zip(x.iter()).for_each(|(&i, &x)| p[i] = x);
        }
        let u = G * &p + c;
        let pushing = on.iter().all(|&i| u[i].abs() < 1e-9);
        (pushing && p.min() > -1e-9 && u.min() > -1e-9).then_some(u)
    })
}

#[test]
fn frictionless_problems_agree_with_enumeration() {
    let mut compared = 0;
    for seed in 0..400 {
        let mut dice = RandomSource::new(seed);
        let k = 1 + seed as usize % 8;
        // Of full rank, and with fewer freedoms than rows.
        let freedoms = if seed % 3 == 0 { k.div_ceil(2) } else { k + 1 };
        let A = dice.matrix(k, freedoms);
        let G = &A * A.transpose();
        let c = &A * dice.matrix(freedoms, 1).column(0);
        let answer = solve(&G, &c, &vec![ComplementarityLaw::NonNegative; k], None).unwrap();
        assert!(answer.outcome.is_converged(), "{seed}: {:?}", answer.outcome);
        let Some(u) = enumerate(&G, &c) else { continue };
        near(answer.u.as_slice(), u.as_slice(), 1e-8);
        compared += 1;
    }
    assert!(compared > 380, "enumeration found {compared}");
}

fn random_law(dice: &mut RandomSource, kind: usize) -> ComplementarityLaw {
    let mu = dice.uniform().abs();
    match kind {
        0 => ComplementarityLaw::PlanarCone { mu },
        1 => ComplementarityLaw::Cone { mu },
        2 => ComplementarityLaw::ConeWithTorques { mu, spin: 0.1 * mu, roll: 0.05 },
        3 => ComplementarityLaw::Interval { lower: -mu, upper: 0.3 },
        4 if mu > 0.5 => ComplementarityLaw::Ball { radius: mu },
        4 => ComplementarityLaw::Disc { radius: mu },
        5 => ComplementarityLaw::BILATERAL,
        _ => ComplementarityLaw::NonNegative,
    }
}

#[test]
fn random_problems_with_friction_obey_every_law() {
    for seed in 0..600 {
        let mut dice = RandomSource::new(seed);
        let blocks = 1 + seed as usize % 7;
        let laws: Vec<ComplementarityLaw> =
            (0..blocks).map(|i| random_law(&mut dice, (seed as usize / 7 + 3 * i) % 5)).collect();
        let k = laws.iter().map(ComplementarityLaw::rows).sum();
        let freedoms = 3 * (1 + seed as usize % 5);
        let A = dice.matrix(k, freedoms);
        let G = &A * A.transpose();
        let c = &A * dice.matrix(freedoms, 1).column(0);
        let answer = solve(&G, &c, &laws, None).unwrap();
        assert!(answer.outcome.is_converged(), "{seed}: {:?}\n{laws:?}", answer.outcome);
        let size = 1.0 + answer.p.amax();
        let wrong = violation(&laws, &answer.p, &answer.u);
        assert!(wrong < 2e-12 * size * size, "{seed}: {wrong:e}\n{laws:?}");
    }
}

#[test]
fn strong_friction_is_solved_where_few_starts_lead_to_the_solution() {
    // Six rows of full rank: a solution exists. Of one of these problems about one start in a hundred finds it.
    for seed in 0..1000 {
        let mut dice = RandomSource::new(seed);
        let laws = [(); 2].map(|()| ComplementarityLaw::Cone { mu: 3.0 * dice.uniform().abs() });
        let A = dice.matrix(6, 6);
        let c = &A * dice.matrix(6, 1).column(0);
        let answer = solve(&(&A * A.transpose()), &c, &laws, None).unwrap();
        assert!(answer.outcome.is_converged(), "{seed}: {:?}", answer.outcome);
        assert!(violation(&laws, &answer.p, &answer.u) < 1e-11 * (1.0 + answer.p.amax().powi(2)), "{seed}");
    }
}

/// A box, half sides x, y, z, mass 1, on its four lower corners.
fn box_on_plane(x: f64, y: f64, z: f64) -> DMatrix<f64> {
    let inertia = [y * y + z * z, x * x + z * z, x * x + y * y].map(|s| s / 3.0);
    let mut A = DMatrix::zeros(12, 6);
    for (corner, (sx, sy)) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate() {
        let r = nalgebra::Vector3::new(sx * x, sy * y, -z);
        let axes = [nalgebra::Vector3::z(), nalgebra::Vector3::x(), nalgebra::Vector3::y()];
        for (i, e) in axes.iter().enumerate() {
            let turn = r.cross(e);
            for a in 0..3 {
                A[(3 * corner + i, a)] = e[a];
                A[(3 * corner + i, 3 + a)] = turn[a] / inertia[a].sqrt();
            }
        }
    }
    A
}

#[test]
fn corners_of_a_box_share_their_load_alike() {
    let A = box_on_plane(1.0, 1.0, 0.5);
    let G = &A * A.transpose();
    let laws = [ComplementarityLaw::Cone { mu: 0.4 }; 4];
    // At rest, and pushed to slide along x without tipping.
    let rest = solve(&G, &(&A * vector(&[0.0, 0.0, -8.0, 0.0, 0.0, 0.0])), &laws, None).unwrap();
    for corner in 0..4 {
        near(&rest.p.as_slice()[3 * corner..3 * corner + 3], &[2.0, 0.0, 0.0], 1e-12);
    }
    assert_eq!(rest.status, [BlockStatus::Stick; 4]);
    let slide = solve(&G, &(&A * vector(&[5.0, 0.0, -8.0, 0.0, 0.0, 0.0])), &laws, None).unwrap();
    assert!(slide.outcome.is_converged());
    let p = slide.p.as_slice();
    // Front and rear corners carry 2 ± 0.4·8·0.5/4, from the moment of friction about the mass centre.
    for (corner, pn) in [2.4, 1.6, 1.6, 2.4].into_iter().enumerate() {
        near(&p[3 * corner..3 * corner + 3], &[pn, -0.4 * pn, 0.0], 1e-11);
    }
    near(slide.u.as_slice(), &[0.0, 1.8, 0.0].repeat(4), 1e-12);
}

#[test]
fn three_sliding_contacts_agree_with_another_formulation() {
    // Reference: De Saxcé's form of the same law, μ p_n ≥ |p_t| and u_n + μ |u_t| ≥ μ |u_t| complementary in the Lorentz
    // cone, by Fischer's and Burmeister's function and SciPy's least_squares; twelve starts agreed to 1e-14.
    let A = DMatrix::from_fn(9, 7, |i, j| (1.3 * ((i + 1) * (j + 1)) as f64 + 0.4 * i as f64).sin());
    let v = DVector::from_fn(7, |j, _| 3.0 * (0.9 * 2.0 * (j + 1) as f64).cos());
    let laws = [0.3, 0.6, 0.9].map(|mu| ComplementarityLaw::Cone { mu });
    let answer = solve(&(&A * A.transpose()), &(&A * v), &laws, None).unwrap();
    assert!(answer.outcome.is_converged(), "{:?}", answer.outcome);
    let reference = [
        [0.8912907687243615, 0.12143028927330152, 0.2382238777792766],
        [0.7258125530873142, 0.21978678009683547, -0.3759563295032421],
        [0.36876459737226, -0.3101009301423002, 0.1182672779247566],
    ];
    near(answer.p.as_slice(), reference.as_flattened(), 1e-13);
    assert!(answer.status.iter().all(|status| matches!(status, BlockStatus::Slide(_))));
}

#[test]
fn torques_of_a_contact_by_hand() {
    // Uncoupled rows: weight 2, free sliding velocity 3, spin and rolling that stick or slip.
    let G = DMatrix::from_diagonal(&vector(&[1.0, 1.0, 1.0, 10.0, 10.0, 10.0]));
    let laws = [ComplementarityLaw::ConeWithTorques { mu: 0.5, spin: 0.1, roll: 0.05 }];
    let answer = solve(&G, &vector(&[-2.0, 3.0, 0.0, 5.0, 0.3, 0.4]), &laws, None).unwrap();
    near(answer.p.as_slice(), &[2.0, -1.0, 0.0, -0.2, -0.03, -0.04], 1e-14);
    assert_eq!(answer.status, [BlockStatus::Slide([1.0, 0.0, 0.0])]);
    assert_eq!(answer.spin_and_rolling, [(0, [BlockStatus::Slide([1.0, 0.0, 0.0]), BlockStatus::Stick])]);
    let answer = solve(&G, &vector(&[-2.0, 0.5, 0.0, -1.0, 3.0, 4.0]), &laws, None).unwrap();
    near(answer.p.as_slice(), &[2.0, -0.5, 0.0, 0.1, -0.06, -0.08], 1e-14);
    assert!(matches!(answer.spin_and_rolling[0].1, [BlockStatus::Stick, BlockStatus::Slide(_)]));
}

#[test]
fn units_of_rows_do_not_matter() {
    let A = box_on_plane(1.0, 0.7, 0.5);
    let c = &A * vector(&[5.0, 2.0, -8.0, 0.3, -0.2, 1.0]);
    let one = solve(&(&A * A.transpose()), &c, &[ComplementarityLaw::Cone { mu: 0.4 }; 4], None).unwrap();
    // Newtons and millimetres; then each normal row in another unit, with μ adapted.
    for (normal, tangent) in [(1e-3, 1e-3), (1e6, 1.0), (1.0, 1e5)] {
        let unit = DMatrix::from_diagonal(&vector(&[normal, tangent, tangent].repeat(4)));
        let A = &unit * &A;
        let laws = [ComplementarityLaw::Cone { mu: 0.4 * normal / tangent }; 4];
        let other = solve(&(&A * A.transpose()), &(&unit * &c), &laws, None).unwrap();
        assert!(other.outcome.is_converged());
        near((&unit * &other.p).as_slice(), one.p.as_slice(), 1e-10);
    }
}

#[test]
fn a_warm_start_keeps_what_the_laws_leave_open() {
    // Two parallel supports of one load: any division of the load is a solution; the start selects one.
    let G = DMatrix::from_element(2, 2, 1.0);
    let laws = [ComplementarityLaw::NonNegative; 2];
    let c = vector(&[-4.0, -4.0]);
    // The null-space component can be as large as round-off divided by ρ = 1e-4.
    for (start, share) in [([0.0, 0.0], [2.0, 2.0]), ([3.0, 1.0], [3.0, 1.0]), ([2.5, 0.5], [3.0, 1.0])] {
        let answer = solve(&G, &c, &laws, Some(&vector(&start))).unwrap();
        assert!(answer.outcome.is_converged());
        near(answer.p.as_slice(), &share, 1e-11);
    }
}

#[test]
fn what_has_no_solution_is_reported() {
    let stalled = |G: &[f64], c: &[f64], laws: &[ComplementarityLaw]| {
        let answer = solve(&DMatrix::from_row_slice(c.len(), c.len(), G), &vector(c), laws, None).unwrap();
        matches!(answer.outcome, SolverOutcome::Stalled { residual, .. } if residual > 1e-7)
    };
    // Painlevé's rod while sliding: with p_t = μ p_n the normal row has G_nn + μ G_nt < 0.
    assert!(stalled(&[1.0 - 2.0 * 0.9], &[-1.0], &[ComplementarityLaw::NonNegative]));
    // The same beside a bilateral row.
    assert!(stalled(
        &[-0.5, 0.1, 0.1, 1.0],
        &[-1.0, 0.3],
        &[ComplementarityLaw::NonNegative, ComplementarityLaw::BILATERAL]
    ));
    // A row with G = 0 that would have to open; two walls that approach each other with a rigid body between them.
    assert!(stalled(&[0.0], &[-1.0], &[ComplementarityLaw::NonNegative]));
    assert!(stalled(&[1.0, -1.0, -1.0, 1.0], &[-1.0, -1.0], &[ComplementarityLaw::NonNegative; 2]));
    // Contradictory bilateral rows.
    assert!(stalled(&[1.0, 1.0, 1.0, 1.0], &[1.0, -1.0], &[ComplementarityLaw::BILATERAL; 2]));
    // A planar cone whose normal row has G_nn = 0 but whose tangential row has not.
    assert!(stalled(&[0.0, 0.0, 0.0, 1.0], &[-1.0, 1.0], &[ComplementarityLaw::PlanarCone { mu: 0.5 }]));
}

#[test]
fn one_wedge_with_a_positive_matrix_always_has_a_solution() {
    // Strong coupling and strong friction, G_nn − μ |G_nt| < 0, which includes tangential impacts without collision.
    let G = DMatrix::from_row_slice(2, 2, &[1.0, 0.9, 0.9, 1.0]);
    for mu in [0.1, 1.0, 2.0, 10.0] {
        for (n, t) in [(-1.0, 5.0), (-1.0, -5.0), (-1e-9, 1.0), (-1e-9, -1.0), (0.0, 1.0)] {
            let (c, laws) = (vector(&[n, t]), [ComplementarityLaw::PlanarCone { mu }]);
            let answer = solve(&G, &c, &laws, None).unwrap();
            assert!(answer.outcome.is_converged(), "{mu} {c}");
            assert!(violation(&laws, &answer.p, &answer.u) < 1e-11, "{mu} {c} {}", answer.p);
        }
    }
}

#[test]
fn senseless_input_is_refused() {
    let G = DMatrix::identity(1, 1);
    let law = [ComplementarityLaw::NonNegative];
    assert!(matches!(solve(&G, &vector(&[1.0, 2.0]), &law, None), Err(ComplementarityError::Size { .. })));
    assert!(matches!(solve(&G, &vector(&[f64::NAN]), &law, None), Err(ComplementarityError::NotFinite { .. })));
    assert!(matches!(solve(&G, &vector(&[1.0]), &law, Some(&vector(&[]))), Err(ComplementarityError::Size { .. })));
    assert!(matches!(
        solve(&G, &vector(&[1.0]), &[ComplementarityLaw::Disc { radius: -1.0 }], None),
        Err(ComplementarityError::Law { .. })
    ));
    let nothing = solve(&DMatrix::zeros(0, 0), &vector(&[]), &[], None).unwrap();
    assert_eq!(nothing.outcome, SolverOutcome::Converged { residual: 0.0 });
}

proptest! {
    #[test]
    fn any_single_cone_obeys_its_law(
        a in prop::array::uniform12(-1.0_f64..1.0),
        v in prop::array::uniform4(-1.0_f64..1.0),
        mu in 0.0_f64..5.0,
        unit in -6.0_f64..6.0,
    ) {
        let A = DMatrix::from_row_slice(3, 4, &a) * 10.0_f64.powf(unit);
        let (G, laws) = (&A * A.transpose(), [ComplementarityLaw::Cone { mu }]);
        let answer = solve(&G, &(&A * vector(&v)), &laws, None).unwrap();
        prop_assert!(answer.outcome.is_converged(), "{:?}", answer.outcome);
    }

    #[test]
    fn scaling_c_scales_the_solution(seed in 0_u64..10_000, power in -200_i32..200) {
        let mut dice = RandomSource::new(seed);
        let laws = [ComplementarityLaw::Cone { mu: 0.5 }, ComplementarityLaw::PlanarCone { mu: 0.3 }, ComplementarityLaw::NonNegative];
        let A = dice.matrix(6, 9);
        let (G, c) = (&A * A.transpose(), &A * dice.matrix(9, 1).column(0));
        let one = solve(&G, &c, &laws, None).unwrap();
        let factor = 2.0_f64.powi(power);
        let other = solve(&G, &(&c * factor), &laws, None).unwrap();
        near((other.p / factor).as_slice(), one.p.as_slice(), 1e-10);
    }
}
