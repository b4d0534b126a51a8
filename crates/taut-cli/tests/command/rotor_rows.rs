//! Ground resonance, shaken pendulums and turning beams over whole ranges of speed, from model files.
//!
//! References: multiblade matrix of the linear equations, equal to the monodromy of single blades to 1e-14 (all dampers); DOP853
//! monodromy against Hill's matrix to 2e-12 (one damper inoperative); the quartic of \[ColemanFeingold1958\]; DOP853 and Hill's matrix
//! (pendulum).

use crate::common::Folder;
use crate::scenes::{multipliers, number};
use serde_json::Value;

fn model(name: &str) -> String {
    format!("{}/../../models/modes/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// Distance of the nearest of some complex numbers.
fn nearest(all: &[[f64; 2]], [re, im]: [f64; 2]) -> f64 {
    all.iter().map(|m| (m[0] - re).hypot(m[1] - im)).fold(f64::INFINITY, f64::min)
}

/// Eigenvalues of Hammond's rotor in multiblade coordinates.
fn eigenvalues(folder: &Folder, changes: &[&str]) -> Vec<[f64; 2]> {
    let file = model("hammond_rotor");
    let set: Vec<&str> = changes.iter().flat_map(|change| ["--set", change]).collect();
    let words = ["modes", &file, "--json", "-n", "20", "--rotating-about", "z", "--multiblade", "blade"];
    let found: Value = folder.done(&[&words[..], &set].concat()).json();
    let one = |m: &Value| [0, 1].map(|k| number(&m["eigenvalue"][k]));
    found["modes"].as_array().unwrap().iter().map(one).collect()
}

/// Cyclic lag and support: rpm, then real and imaginary parts.
const ALL_DAMPERS: [(&str, [[f64; 2]; 4]); 4] = [
    (
        "150",
        [
            [-3.3928824418672523, 11.23366091842619],
            [-1.2971832007244104, 12.099338914714062],
            [-2.5075161945436526, 16.22651401532873],
            [-3.403564478024741, 22.775815830256075],
        ],
    ),
    (
        "200",
        [
            [-3.199264318046327, 11.78281652087588],
            [-0.9921780088281591, 15.836369189808758],
            [-3.5038386353002893, 16.26286154226229],
            [-2.905865352985278, 29.223853283677194],
        ],
    ),
    (
        "300",
        [
            [-3.0672094597602197, 11.775243810970284],
            [-4.133153463794352, 18.140199132085034],
            [-0.7351851985829887, 21.44341069624345],
            [-2.6655981930224857, 43.31334039116641],
        ],
    ),
    (
        "350",
        [
            [-3.0561927998581533, 11.770935311924992],
            [-3.763259801467081, 18.213674212573448],
            [-1.1555716997175436, 25.02816406475273],
            [-2.626122014117282, 50.44897131898325],
        ],
    ),
];

/// One damper inoperative: rpm, the multiplier of the least damped mode, real parts of all pairs of exponents.
const ONE_INOPERATIVE: [(&str, [f64; 2], [f64; 6]); 8] = [
    (
        "100",
        [-0.1619579119111934, 0.8973150785206768],
        [
            -3.7800191686042046,
            -2.6858760261380437,
            -1.9896647971743373,
            -1.962382441992304,
            -1.8749423803816723,
            -0.1538654838134337,
        ],
    ),
    (
        "150",
        [-0.18006482025367254, 0.8911434500296204],
        [
            -3.3077711166064026,
            -3.062611125258985,
            -2.503395204764731,
            -1.874942380381675,
            -1.4599269916382809,
            -0.2381034794550158,
        ],
    ),
    (
        "200",
        [-0.21351570868645237, 0.9506138811794482],
        [
            -3.43318984300322,
            -3.1873112125774674,
            -2.5080669980169064,
            -1.8749423803816712,
            -1.3564447545886955,
            -0.08679510953743572,
        ],
    ),
    (
        "225",
        [-0.24466272616162055, 1.0154439037984866],
        [
            -4.103238095907936,
            -3.124153101141301,
            -2.3859029561748555,
            -1.8749423803816727,
            -1.12179257365598,
            0.16327880915629042,
        ],
    ),
    (
        "275",
        [-0.3828767138053627, 0.9865508664521618],
        [
            -4.309256445216457,
            -3.077422316153891,
            -2.2454676351737453,
            -1.8749423803816716,
            -1.1991217927018905,
            0.2594602715221461,
        ],
    ),
    (
        "300",
        [-0.3935438416319924, 0.9327799278919033],
        [
            -4.093481481887159,
            -3.067379290027909,
            -2.238846008933589,
            -1.8749423803816718,
            -1.2337232736759853,
            0.06162213680079568,
        ],
    ),
    (
        "350",
        [-0.3605735537561139, 0.8797946956747698],
        [
            -3.76149971473405,
            -3.056332457481274,
            -2.2011058649659034,
            -1.874942380381673,
            -1.258670367331394,
            -0.29419951321125803,
        ],
    ),
    (
        "400",
        [-0.33499549335052853, 0.8661463332464601],
        [
            -3.635180083889067,
            -3.050669467298472,
            -2.1568917260260716,
            -1.8749423803816765,
            -1.2357346066791295,
            -0.4933320338311275,
        ],
    ),
];

#[test]
fn ground_resonance_over_rotor_speed() {
    let folder = Folder::new("ground_rows");
    for (rpm, expected) in ALL_DAMPERS {
        let found = eigenvalues(&folder, &[&format!("W={rpm} rpm")]);
        for e in expected {
            assert!(nearest(&found, e) < 1e-7 * e[0].hypot(e[1]), "{rpm} rpm: {e:?} in {found:?}");
        }
    }
    let file = model("hammond_rotor");
    for (rpm, multiplier, expected) in ONE_INOPERATIVE {
        let speed = format!("W={rpm} rpm");
        let words = ["floquet", &file, "--json", "--period", "2*pi/W", "--set", "c0=0", "--set", &speed];
        let json = folder.done(&words).json();
        let (found, period) = (multipliers(&json), number(&json["period"]));
        assert!(nearest(&found, multiplier) < 1e-6, "{rpm} rpm: {found:?}");
        let mut real: Vec<f64> = found.iter().map(|[re, im]| re.hypot(*im).ln() / period).collect();
        real.sort_by(f64::total_cmp);
        for (found, e) in real.iter().zip(expected.iter().flat_map(|e| [e, e])) {
            assert!((found - e).abs() < 1e-6, "{rpm} rpm: {found} {e}");
        }
    }
}

/// The largest growth with one inoperative damper is 0.3258147327461264 at 254.5842913335698 rpm.
#[test]
fn the_worst_speed_with_one_inoperative_damper() {
    let folder = Folder::new("worst");
    let file = model("hammond_rotor");
    let growth = |rpm: f64| {
        let speed = format!("W={rpm:?} rpm");
        let words = ["floquet", &file, "--json", "--period", "2*pi/W", "--set", "c0=0", "--set", &speed];
        let modes = folder.done(&words).json();
        modes["modes"].as_array().unwrap().iter().map(|m| number(&m["exponent"][0])).fold(f64::MIN, f64::max)
    };
    let [before, worst, behind] = [-0.5, 0.0, 0.5].map(|apart| growth(254.5842913335698 + apart));
    assert!((worst - 0.3258147327461264).abs() < 1e-6 && before < worst && behind < worst, "{before} {worst} {behind}");
}

/// Classical ground resonance, three blades: both ends of the range with complex roots, and the largest growth in it.
#[test]
fn the_unstable_range_of_colemans_rotor() {
    let folder = Folder::new("coleman_range");
    let values = ["N=3", "mb=30", "Sb=75", "Ib=250", "r=0.2", "kb=1500", "cb=0", "c0=0", "mx=1200.000001", "my=1200"];
    let more = ["cx=0", "cy=0", "kx=1.2e6", "ky=1.2e6"];
    let growth = |speed: f64| {
        let set: Vec<&str> = values.iter().chain(&more).copied().collect();
        let speed = format!("W={speed:?}");
        eigenvalues(&folder, &[&set[..], &[&speed]].concat()).iter().map(|m| m[0]).fold(f64::MIN, f64::max)
    };
    for (edge, into) in [(30.231090463203397, 1.0), (51.9172072536679, -1.0)] {
        let [inside, outside] = [1.0, -1.0].map(|side| growth(edge * (1.0 + side * into * 1e-7)));
        assert!(inside > 1e-3 && outside < 1e-4, "{edge}: {inside} {outside}");
    }
    let worst = growth(41.440972739045165);
    assert!((worst / 3.7158702356124005 - 1.0).abs() < 1e-8, "{worst}");
}

/// Near the second region of instability, and at the least speed at which the pendulum stands upside down (Z = 30 mm): there both
/// multipliers are one.
#[test]
fn the_pendulum_near_its_second_region_and_upside_down() {
    let folder = Folder::new("mathieu_rows");
    let file = model("mathieu_pendulum");
    let at = |changes: &[&str]| {
        let set: Vec<&str> = changes.iter().flat_map(|change| ["--set", change]).collect();
        multipliers(&folder.done(&[&["floquet", &file, "--json", "--period", "2*pi/w"], &set[..]].concat()).json())
    };
    let found = at(&["w=4.4", "Z=0.08"]);
    assert!(nearest(&found, [0.9997755368713086, 0.02118669095638104]) < 1e-8, "{found:?}");
    let found = at(&["swing=pi", "Z=0.03", "w=104.48510774575739"]);
    let sum: f64 = found.iter().map(|m| m[0]).sum();
    assert!((sum - 2.0).abs() < 1e-8, "{found:?}");
}

/// The motion of a mode as a run: hanging straight, the growing mode of the first region changes its sign every period.
#[test]
fn the_motion_of_a_mode_is_a_run() {
    let folder = Folder::new("mode_run");
    let file = model("mathieu_pendulum");
    let words = ["floquet", &file, "--period", "2*pi/w"];
    folder.done(&[&words[..], &["--mode", "1", "-o", "mode.run"]].concat());
    let text = String::from_utf8(folder.read("mode.run/table.csv")).unwrap();
    let angle = |row: usize| text.lines().nth(1 + row).unwrap().rsplit(',').next().unwrap().parse::<f64>().unwrap();
    assert!(text.lines().next().unwrap().ends_with("pendulum.theta") && angle(0).abs() > 0.05, "{text}");
    assert!((angle(60) + angle(0)).abs() < 1e-6 && (angle(120) - angle(0)).abs() < 1e-6, "{text}");
    for (more, message) in [(&["--mode", "5", "-o", "m.run"][..], "no mode 5"), (&["-o", "m.svg"][..], "--mode")] {
        let run = folder.taut(&[&words[..], more].concat());
        assert!(run.code != 0 && run.err.contains(message), "{run:?}");
    }
}
