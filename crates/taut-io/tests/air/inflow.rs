//! Momentum theory and linear inflow laws at a given thrust coefficient, C_T = 0.008, against roots of the quartic.

use super::{assert_close, path, text};
use taut::Solution;
use taut::analyses::simulate;
use taut_io::model::{Override, parse};

const CT: f64 = 0.008;

/// The rotor at one instant.
fn instant(text: &str, mu: f64, through: f64, collective: f64) -> Solution {
    let set = [("mu", mu), ("wind_z", -through * 210.0), ("collective", collective), ("drag", 0.0)];
    let over = |(path, value): &(&str, f64)| Override { path: path.to_string(), value: format!("{value:?}") };
    let overrides: Vec<Override> = set.iter().map(over).collect();
    let file = parse(text, &path("model.toml"), &overrides).unwrap_or_else(|all| panic!("{}", all[0]));
    let model = file.build().unwrap();
    simulate(&model, &model.initial_state(), &file.transient).unwrap()
}

/// The rotor whose collective gives C_T, by the secant method.
fn loaded(inflow: &str, mu: f64, through: f64) -> Solution {
    from_collective(inflow, mu, through, 0.15)
}

fn from_collective(inflow: &str, mu: f64, through: f64, first: f64) -> Solution {
    let text = text("hover.toml")
        .replace("wind = [0, 0,", "wind = [\"mu*speed*R\", 0,")
        .replace("wind_z = 0", "wind_z = 0\nmu = 0")
        .replace("type = \"uniform\"", inflow)
        .replace("disc = \"main\"", "disc = \"main\"\ncolumns = \"stations\"")
        .replace("\"0.1 s\"", "\"1 us\"");
    let off = |collective: f64| instant(&text, mu, through, collective).column("main.ct").unwrap()[0] - CT;
    let (mut a, mut b) = (first, first + 0.02);
    let (mut f, mut g) = (off(a), off(b));
    for _ in 0..40 {
        if g.abs() < 1e-15 || g == f {
            break;
        }
        let next = b - g * (b - a) / (g - f);
        (a, b, f, g) = (b, next, g, off(next));
    }
    assert!(g.abs() < 1e-14, "no collective: {g}");
    instant(&text, mu, through, b)
}

/// λ_i of the disc.
fn mean(found: &Solution) -> f64 {
    found.column("main.inflow").unwrap()[0] / 210.0
}

/// k_x and k_y from the induced velocity at the last stations of the blades downwind and on the advancing side.
fn gradients(found: &Solution, mean: f64) -> [f64; 2] {
    // The last of twelve Gauss points.
    let r = 0.5 + 0.5 * 0.9815606342467192;
    [0, 1].map(|blade| (found.column(&format!("wing{blade}.s12.inflow")).unwrap()[0] / (210.0 * mean) - 1.0) / r)
}

#[test]
fn momentum_theory_and_linear_laws() {
    // μ, inclination of the disc in degrees, λ_i, and k_x after Coleman, Drees, Pitt and Peters, White and Blake, Howlett.
    let rows: [(f64, f64, f64, [f64; 5]); 7] = [
        (0.0, 0.0, 0.06324555320336758, [0.0, 0.0, 0.0, 0.0, 0.0]),
        (
            0.05,
            0.0,
            0.05422880833616071,
            [0.3906544801330736, 0.5120212562962937, 0.5752862085365642, 0.9586389527541203, 0.4594943208687581],
        ),
        (
            0.1,
            2.0,
            0.03706715759092172,
            [0.6735300529616377, 0.8721411330548144, 0.9918548748544805, 1.3105219245925581, 0.8587338574188912],
        ),
        (
            0.15,
            3.0,
            0.02601168967985723,
            [0.7993610577031894, 1.0104550181222474, 1.1771563248966124, 1.3794781622060386, 0.9514800000016749],
        ),
        (
            0.2,
            5.0,
            0.019663451174402893,
            [0.8313095311204937, 1.0107696249108888, 1.2242043355440555, 1.3904159666950873, 0.9666282802203169],
        ),
        (
            0.3,
            7.0,
            0.013152008712876959,
            [0.8471622485831676, 0.9105717076552937, 1.2475493890066356, 1.3949811820649782, 0.9729862491577018],
        ),
        (
            0.4,
            10.0,
            0.00980422445347999,
            [0.8191309469912907, 0.7005066962763404, 1.206269890029323, 1.386526719066135, 0.9612281713421502],
        ),
    ];
    let laws = ["coleman", "drees", "pitt_peters", "white_blake", "howlett"];
    for (mu, degrees, induced, expected) in rows {
        let through = mu * degrees.to_radians().tan();
        assert_close(mean(&loaded("type = \"uniform\"", mu, through)), induced, 1e-10 * induced);
        for (law, k) in laws.into_iter().zip(expected) {
            let found = loaded(&format!("type = \"linear\"\nlaw = \"{law}\""), mu, through);
            assert_close(mean(&found), induced, 1e-10 * induced);
            let [kx, ky] = gradients(&found, induced);
            assert_close(kx, k, 1e-9);
            assert_close(ky, if law == "drees" { -2.0 * mu } else { 0.0 }, 1e-9);
        }
    }
}

#[test]
fn climb_and_windmill() {
    for (climb, total) in [(0.02, 0.0740312423743285), (0.05, 0.09300735254367722)] {
        assert_close(mean(&loaded("type = \"uniform\"", 0.0, climb)) + climb, total, 1e-10 * total);
    }
    // The windmill state has a negative collective; the same thrust at a positive one is a vortex ring.
    let windmill = from_collective("type = \"uniform\"", 0.0, -0.15, -0.1);
    assert_close(mean(&windmill), 0.034688711258507254, 1e-10 * 0.0347);
    assert!(windmill.warnings.is_empty(), "{:?}", windmill.warnings);
}
