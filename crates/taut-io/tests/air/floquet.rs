//! Floquet exponents of blades in the air.

use super::{assert_close, model, text};
use taut::analyses::{FloquetModes, PeriodicSettings, floquet, periodic};
use taut_io::model::ModelFile;

const SPEED: f64 = 35.0;

/// The modes about the periodic motion near the start.
fn modes(file: &ModelFile) -> FloquetModes {
    let model = file.build().unwrap_or_else(|d| panic!("{d}"));
    let period = std::f64::consts::TAU / SPEED;
    let settings = PeriodicSettings { transient: file.transient.clone(), ..PeriodicSettings::with_period(period) };
    floquet(&periodic(&model, &model.initial_state(), &settings).unwrap()).unwrap()
}

/// The flapping blade without pitch and downwash, with the sine polar: its exact linear equation is
/// b'' + γ/8 (1 + 4/3 μ sin ψ) b' + (ν² + γ/8 (4/3 μ cos ψ + μ² sin 2ψ)) b = 0 \[PetersHohenemser1971\].
fn flap(lock: f64, nu: f64, mu: f64) -> FloquetModes {
    let text =
        text("flap.toml").replace("type = \"linear\"", "type = \"sine\"").replace("stations = 16", "stations = 4");
    let values = [lock, nu * nu - 1.0, mu].map(|x| format!("{x:?}"));
    let set = [("lock", &*values[0]), ("spring", &*values[1]), ("mu", &*values[2]), ("lambda", "0"), ("pitch", "0")];
    modes(&model(&text, &set))
}

/// Exponents by Omega of the flap motion: real parts, the larger first, and the frequency on the principal branch.
fn exponents(found: &FloquetModes) -> ([f64; 2], f64) {
    // The held shaft angle has the multiplier one exactly.
    let flap = found.modes.iter().filter(|m| m.exponent.norm() > 1e-9);
    let list: Vec<_> = flap.map(|m| (m.exponent.re / SPEED, m.principal_frequency / SPEED)).collect();
    let mut real: Vec<f64> = list.iter().map(|x| x.0).collect();
    real.sort_by(|a, b| b.total_cmp(a));
    ([real[0], real[real.len() - 1]], list[0].1)
}

/// Exponents over the advance ratio against DOP853 and Hill's matrix; γ = 12 is locked to half a revolution from μ = 0.3 to 0.75.
#[test]
fn exponents_over_the_advance_ratio() {
    let rows: [(f64, f64, f64, [f64; 2], f64); 40] = [
        (6.0, 1.0, 0.0, [-0.375, -0.375], 0.072975189113),
        (6.0, 1.0, 0.1, [-0.375, -0.375], 0.0740377346038),
        (6.0, 1.0, 0.2, [-0.375, -0.375], 0.0767249695298),
        (6.0, 1.0, 0.3, [-0.375, -0.375], 0.0796775434858),
        (6.0, 1.0, 0.4, [-0.375, -0.375], 0.080880910651),
        (6.0, 1.0, 0.5, [-0.375, -0.375], 0.0774947780345),
        (6.0, 1.0, 0.75, [-0.3233581526495, -0.4266418473505], 0.0),
        (6.0, 1.0, 1.0, [-0.1985284365181, -0.5514715634819], 0.0),
        (6.0, 1.0, 1.25, [-0.0751460578908, -0.6748539421093], 0.0),
        (6.0, 1.0, 1.5, [0.0561946929488, -0.8061946929488], 0.0),
        (8.0, 1.0, 0.0, [-0.5, -0.5], 0.1339745962156),
        (8.0, 1.0, 0.1, [-0.5, -0.5], 0.1364724135535),
        (8.0, 1.0, 0.2, [-0.5, -0.5], 0.1431929499445),
        (8.0, 1.0, 0.3, [-0.5, -0.5], 0.1520755169942),
        (8.0, 1.0, 0.4, [-0.5, -0.5], 0.1602085365254),
        (8.0, 1.0, 0.5, [-0.5, -0.5], 0.1639377511386),
        (8.0, 1.0, 0.75, [-0.5, -0.5], 0.1122438540165),
        (8.0, 1.0, 1.0, [-0.2839602236101, -0.7160397763899], 0.0),
        (8.0, 1.0, 1.25, [-0.0993573394436, -0.9006426605564], 0.0),
        (8.0, 1.0, 1.5, [0.0751718837837, -1.0751718837839], 0.0),
        (12.0, 1.0, 0.0, [-0.75, -0.75], 0.3385621722339),
        (12.0, 1.0, 0.1, [-0.75, -0.75], 0.359429958287),
        (12.0, 1.0, 0.2, [-0.75, -0.75], 0.4452195267521),
        (12.0, 1.0, 0.3, [-0.610372931098, -0.889627068902], 0.5),
        (12.0, 1.0, 0.4, [-0.5424235781687, -0.9575764218313], 0.5),
        (12.0, 1.0, 0.5, [-0.4966868757378, -1.0033131242622], 0.5),
        (12.0, 1.0, 0.75, [-0.4572700198385, -1.0427299801615], 0.5),
        (12.0, 1.0, 1.0, [-0.75, -0.75], 0.2427682419246),
        (12.0, 1.0, 1.25, [-0.1812042902048, -1.3187957097954], 0.0),
        (12.0, 1.0, 1.5, [0.0906136082791, -1.5906136082829], 0.0),
        (12.0, 1.15, 0.0, [-0.75, -0.75], 0.1282202112919),
        (12.0, 1.15, 0.1, [-0.75, -0.75], 0.1353155178282),
        (12.0, 1.15, 0.2, [-0.75, -0.75], 0.1531282456442),
        (12.0, 1.15, 0.3, [-0.75, -0.75], 0.1739081989306),
        (12.0, 1.15, 0.4, [-0.75, -0.75], 0.1882187295118),
        (12.0, 1.15, 0.5, [-0.75, -0.75], 0.1835838412724),
        (12.0, 1.15, 0.75, [-0.5639198907969, -0.9360801092031], 0.0),
        (12.0, 1.15, 1.0, [-0.3075875730943, -1.1924124269058], 0.0),
        (12.0, 1.15, 1.25, [-0.0939374730825, -1.4060625269175], 0.0),
        (12.0, 1.15, 1.5, [0.1171816852246, -1.6171816852247], 0.0),
    ];
    for (lock, nu, mu, real, frequency) in rows {
        let (found, omega) = exponents(&flap(lock, nu, mu));
        assert_close(found[0], real[0], 1e-7);
        assert_close(found[1], real[1], 1e-7);
        assert_close(omega.abs(), frequency, 1e-7);
    }
}

/// The first advance ratio with a multiplier of size one.
#[test]
fn the_critical_advance_ratio() {
    let rows = [
        (6.0, 1.0, 1.394706337424139),
        (8.0, 1.0, 1.391886123234626),
        (12.0, 1.0, 1.4117415166749798),
        (12.0, 1.15, 1.3619567145199356),
    ];
    for (lock, nu, mu) in rows {
        for side in [-1.0, 1.0] {
            let (found, _) = exponents(&flap(lock, nu, mu + side * 2e-7));
            assert!(side * found[0] > 0.0, "{lock} {nu} {mu} {side}: {found:?}");
        }
    }
}

/// Which of the frequencies |ω + n| the mode shows, and with what part of its motion, most first.
#[test]
fn the_frequency_among_its_multiples() {
    let rows: [(f64, f64, [f64; 3], [f64; 3]); 21] = [
        (6.0, 0.1, [0.925962265396, 1.925962265396, 0.074037734604], [0.998037678302, 0.001183208131, 0.000492796762]),
        (6.0, 0.2, [0.92327503047, 1.92327503047, 1.07672496953], [0.989193048324, 0.004718186617, 0.00418259926]),
        (6.0, 0.3, [0.920322456514, 1.079677543486, 1.920322456514], [0.966850104176, 0.01859333083, 0.010445743312]),
        (6.0, 0.4, [0.919119089349, 1.080880910651, 1.919119089349], [0.924587506821, 0.050507855732, 0.017821460662]),
        (6.0, 0.5, [0.922505221965, 1.077494778035, 1.922505221965], [0.857012578085, 0.106214110747, 0.025673527072]),
        (6.0, 0.75, [1.0, 1.0, 2.0], [0.470212089621, 0.470212089621, 0.026446696419]),
        (6.0, 1.0, [1.0, 1.0, 2.0], [0.456008654331, 0.456008654331, 0.041404782905]),
        (8.0, 0.1, [0.863527586446, 1.863527586446, 0.136472413554], [0.995323451404, 0.002224580627, 0.002187030971]),
        (8.0, 0.2, [0.856807050056, 1.856807050056, 0.143192949944], [0.978971668013, 0.008890662451, 0.008331111524]),
        (8.0, 0.3, [0.847924483006, 1.847924483006, 0.152075516994], [0.946630330456, 0.019761865754, 0.017225911187]),
        (8.0, 0.4, [0.839791463475, 1.160208536525, 1.839791463475], [0.896535935096, 0.041293616256, 0.033970120491]),
        (8.0, 0.5, [0.836062248861, 1.163937751139, 1.836062248861], [0.830962732902, 0.080327733563, 0.049760469131]),
        (8.0, 0.75, [0.887756145983, 1.112243854017, 1.887756145983], [0.609722004869, 0.251028088959, 0.073732562475]),
        (8.0, 1.0, [1.0, 1.0, 2.0], [0.429014503923, 0.429014503923, 0.062179550081]),
        (12.0, 0.1, [0.640570041713, 0.359429958287, 1.640570041713], [0.926651524563, 0.066193850253, 0.006036897827]),
        (12.0, 0.2, [0.554780473248, 0.445219526752, 1.554780473248], [0.642124184652, 0.320653369289, 0.021503650628]),
        (12.0, 0.3, [0.5, 0.5, 1.5], [0.461279057925, 0.461279057925, 0.038316748344]),
        (12.0, 0.4, [0.5, 0.5, 1.5], [0.437131217951, 0.437131217951, 0.061810988514]),
        (12.0, 0.5, [0.5, 0.5, 1.5], [0.408501680813, 0.408501680813, 0.089246824758]),
        (12.0, 0.75, [0.5, 0.5, 1.5], [0.314653009351, 0.314653009351, 0.1752201347]),
        (12.0, 1.0, [0.757231758075, 1.242768241925, 0.242768241925], [0.333297991574, 0.250503606788, 0.197496412326]),
    ];
    for (lock, mu, frequencies, shares) in rows {
        let found = flap(lock, 1.0, mu);
        let mode = found.modes.iter().filter(|m| m.exponent.norm() > 1e-9);
        let mode = mode.max_by(|a, b| a.exponent.re.total_cmp(&b.exponent.re)).unwrap();
        for k in 0..3 {
            let harmonic = &mode.harmonics[k];
            assert_close(harmonic.frequency.abs() / SPEED, frequencies[k], 1e-6);
            assert_close(harmonic.share, shares[k], 1e-6);
        }
    }
}

/// Flap with dynamic inflow in hover \[PittPeters1981\]: multiblade matrices of the linear theory, by Omega. The frequencies of cyclic
/// modes are those of axes that do not turn, known up to one per revolution.
#[test]
fn flap_with_dynamic_inflow() {
    let found = modes(&model(&text("flap_inflow.toml"), &[]));
    let expected = [
        (-0.4701988656787729, 0.853200841909069),
        (-0.4281957714045151, 0.0),
        (-1.0076063348289293, 0.15128380883970471),
        (-0.45652061984050685, 1.86434961595368),
        (-0.22698586300942758, 0.01563342479338435),
        // The differential motion has no inflow.
        (-0.5, 0.9233092656309692),
    ];
    assert_eq!(found.dimension, 12);
    for (re, im) in expected {
        let wrapped = (im - f64::round(im)).abs();
        let near = found.modes.iter().any(|m| {
            (m.exponent.re / SPEED - re).abs() < 1e-8 && (m.principal_frequency.abs() / SPEED - wrapped).abs() < 1e-8
        });
        let all: Vec<_> = found.modes.iter().map(|m| m.exponent / SPEED).collect();
        assert!(near, "{re} {im}: {all:?}");
    }
}
