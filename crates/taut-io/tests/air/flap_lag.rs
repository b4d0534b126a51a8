//! Flap and lag of a spring-hinged blade in hover after Ormiston and Hodges (1972), with the full section law and with that of small
//! angles; eigenvalues by symbolic derivatives and complex steps.

use super::{assert_close, eigenvalues, model, rotating, text};
use taut::analyses::Transient;
use taut_io::model::ModelFile;

/// The model with the section law of small angles: φ = θ − α is known for an untwisted blade.
fn small_angles() -> String {
    let phi = "(pitch - alpha)";
    let lift = format!("slope*(pitch/([1 rad])*cos{phi} - sin{phi}) + drag*cos{phi}^2*sin{phi}");
    let polar = format!("type = \"formula\"\ncl = \"{lift}\"\ncd = \"drag*cos{phi}^3\"");
    text("flap_lag.toml").replace("type = \"linear\"\nslope = \"slope\"\ndrag = \"drag\"", &polar)
}

fn blade(text: &str, p: f64, lag: f64, pitch: f64) -> ModelFile {
    let [p, lag, pitch] = [p, lag, pitch].map(|x| format!("{x:?}"));
    model(text, &[("p", &p), ("omega_lag", &lag), ("pitch", &pitch)])
}

/// Flap and lead angles of the equilibrium in turning axes.
fn equilibrium(file: &ModelFile) -> [f64; 2] {
    let model = file.build().unwrap();
    let (state, _) = rotating().state(&model, &model.initial_state(), &Transient::default()).unwrap();
    // The third body, half a radius from the axis.
    let p = &state.q[14..17];
    [(p[2] / 0.5).asin(), p[1].atan2(p[0])]
}

/// p, ω_ζ, collective in degrees, flap and lead angle, eigenvalues of lag and flap.
type Row = (f64, f64, f64, [f64; 2], [[f64; 2]; 2]);

fn check(text: &str, rows: &[Row]) {
    for (p, lag, degrees, angles, expected) in rows {
        let file = blade(text, *p, *lag, degrees.to_radians());
        let found = eigenvalues(&file, rotating());
        assert_eq!(found.len(), 2);
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert_close(*found, *expected, 1e-6);
        }
        for (found, expected) in equilibrium(&file).iter().zip(angles) {
            assert_close(*found, *expected, 1e-8);
        }
    }
}

#[test]
fn full_angles() {
    let rows = [
        (
            1.15,
            1.15,
            10.0,
            [0.050557920561568756, -0.0038999261743452667],
            [[-0.000104523422746583, 1.1514199656629305], [-0.31429062084594483, 1.107018347373574]],
        ),
        (
            1.15,
            1.15,
            25.0,
            [0.14974432280100727, -0.017367045911354555],
            [[0.006652029419820404, 1.1613507641369845], [-0.319563478243283, 1.1129879594474565]],
        ),
        (
            1.15,
            1.4,
            15.0,
            [0.08258050031413568, -0.005043662113430162],
            [[-0.001998126508555742, 1.4001226879412936], [-0.31225527424615407, 1.1127706990537403]],
        ),
        (
            1.1,
            0.7,
            15.0,
            [0.09023352967459924, -0.02013456522603161],
            [[-0.005528559341649142, 0.7069530449832108], [-0.30851658265016396, 1.0507907108364118]],
        ),
        (
            1.2,
            1.3,
            20.0,
            [0.10645312694426695, -0.009442467601421216],
            [[0.0019364454361905092, 1.3024895744879705], [-0.3160311929381858, 1.1666563827121683]],
        ),
    ];
    check(&text("flap_lag.toml"), &rows);
}

#[test]
fn small_angles_as_published() {
    let rows = [
        (
            1.15,
            1.15,
            10.0,
            [0.05043682853160967, -0.003884313763840587],
            [[-0.0001015963608028414, 1.1514134571921508], [-0.3166807993903398, 1.1063328375047554]],
        ),
        (
            1.15,
            1.15,
            25.0,
            [0.1484629016829989, -0.017159703884560402],
            [[0.006308618563045182, 1.1612087730694207], [-0.33236333698085885, 1.1090369190267175]],
        ),
        (
            1.15,
            1.4,
            15.0,
            [0.0822059950781376, -0.005009645696309262],
            [[-0.0019522598367414032, 1.4001101068831312], [-0.3175991443424063, 1.1112128626945386]],
        ),
        (
            1.1,
            0.7,
            15.0,
            [0.08982454186958116, -0.019999129507354732],
            [[-0.005490778359424069, 0.7069558235486677], [-0.3138507701028138, 1.0491489764781121]],
        ),
        (
            1.2,
            1.3,
            20.0,
            [0.1057515972750038, -0.009353197322662751],
            [[0.001891074401845553, 1.3025271951402473], [-0.32490940125298867, 1.1640280169089765]],
        ),
    ];
    check(&small_angles(), &rows);
}

/// The least collective with an unstable pair.
#[test]
fn boundaries() {
    // p, ω_ζ, with small angles, with full angles.
    let rows = [
        ((4.0_f64 / 3.0).sqrt(), (4.0_f64 / 3.0).sqrt(), 0.18246694945963596, 0.18259948886082553),
        (1.15, 1.1, 0.19143041164424757, 0.19156069054665434),
        (1.15, 1.15, 0.18250739154334497, 0.1826291099723785),
        (1.15, 1.2, 0.19266262776035895, 0.19280983710382363),
        (1.1, 1.1, 0.189881438022401, 0.18986770376999845),
        (1.2, 1.2, 0.18633116547329961, 0.18657058279481015),
        (1.15, 1.3, 0.2886047788957614, 0.2899008993330554),
    ];
    let (small, full) = (small_angles(), text("flap_lag.toml"));
    for (p, lag, of_small, of_full) in rows {
        for (text, pitch) in [(&small, of_small), (&full, of_full)] {
            for side in [-1.0, 1.0] {
                let found = eigenvalues(&blade(text, p, lag, pitch + side * 1e-5), rotating());
                assert!(side * found[0][0] > 0.0, "{p} {lag} {pitch} {side}: {found:?}");
            }
        }
    }
}

/// The lowest boundary is near p = ω_ζ = √(4/3).
#[test]
fn the_least_boundary() {
    let (p, lag, pitch) = (1.1544306536930709, 1.1521454663411705, 0.18244748246498202);
    let growth = |p: f64, lag: f64, pitch: f64| eigenvalues(&blade(&small_angles(), p, lag, pitch), rotating())[0][0];
    assert!(growth(p, lag, pitch + 1e-6) > 0.0 && growth(p, lag, pitch - 1e-6) < 0.0);
    for [a, b] in [[0.02, 0.0], [-0.02, 0.0], [0.0, 0.004], [0.0, -0.004]] {
        assert!(growth(p + a, lag + b, pitch + 1e-6) < 0.0, "{a} {b}");
    }
}
