//! Hover with the section law of small angles, which textbooks use: F_n = ½ρc a U_T (U_T θ − U_P), F_l = −(½ρc a U_P (θ U_T − U_P) +
//! ½ρc cd U_T²). A polar by formula yields it exactly for an untwisted blade, since φ = θ − α is known.

use super::{assert_close, eigenvalues, model, rotating, run, text};

/// The rotor in hover with that law.
fn rotor() -> String {
    let phi = "(collective - alpha)";
    let lift = format!("slope*(collective/([1 rad])*cos{phi} - sin{phi}) + drag*cos{phi}^2*sin{phi}");
    let polar = format!("type = \"formula\"\ncl = \"{lift}\"\ncd = \"drag*cos{phi}^3\"");
    text("hover.toml").replace("type = \"sine\"\nslope = \"slope\"\ndrag = \"drag\"", &polar)
}

/// C_P = λ C_T + σ cd/8.
#[test]
fn uniform_inflow() {
    let found = run(&model(&rotor(), &[]));
    assert_close(found.last("main.inflow").unwrap() / 210.0, 0.051261851010512574, 1e-10);
    assert_close(found.last("main.ct").unwrap(), 0.005255554738047978, 1e-11);
    assert_close(found.last("main.cq").unwrap(), 0.0003694094639594089, 1e-12);
    assert_close(found.last("main.figure_of_merit").unwrap(), 0.7292976770866159, 1e-9);
}

/// θ r − λ constant along the blade: the inflow of annuli is uniform too. The twist makes the sine polar yield that load.
#[test]
fn ideal_twist() {
    let twist = "twist = \"atan2(lam, x/R) + asin((tip - lam)/sqrt((x/R)^2 + lam^2))\"";
    let text = text("hover.toml")
        .replace("control = \"collective\"", twist)
        .replace("[params]", "[params]\nlam = 0.05557083514369239\ntip = \"6 deg\"");
    for inflow in ["uniform", "annular"] {
        let found = run(&model(&text.replace("\"uniform\"", &format!("\"{inflow}\"")), &[("drag", "0")]));
        assert_close(found.last("main.ct").unwrap(), 0.006176235437134875, 1e-12);
        assert_close(found.last("main.inflow").unwrap() / 210.0, 0.05557083514369239, 1e-12);
    }
}

/// The planform of Caradonna and Tung (NASA TM 81232), thin-airfoil slope: C_T without and with tip loss, induced power with it.
#[test]
fn annuli() {
    let rows = [
        ("5 deg", 0.003243800933812429, 0.0030189534333231087, 0.00013605405590579522),
        ("8 deg", 0.006409219931142639, 0.005898446793653625, 0.0003791889927602678),
        ("12 deg", 0.01119686961520646, 0.010218372911978803, 0.0008859125770506572),
    ];
    let ends: Vec<String> = (1..=10).map(|k| format!("5*(1 - 0.25^{k})")).collect();
    let text = rotor()
        .replace("stations = 12", &format!("stations = 8\npanel_ends = {ends:?}"))
        .replace("\"0.1 s\"", "\"1 us\"");
    for (collective, plain, prandtl, power) in rows {
        let set = [
            ("drag", "0"),
            ("blades", "2"),
            ("sigma", "0.1061032953945969"),
            ("root", "1/6"),
            ("collective", collective),
        ];
        let found = run(&model(&text.replace("\"uniform\"", "\"annular\""), &set));
        assert_close(found.last("main.ct").unwrap(), plain, 1e-9 * plain);
        let found = run(&model(&text.replace("\"uniform\"", "\"annular\"\ntip_loss = \"prandtl\""), &set));
        assert_close(found.last("main.ct").unwrap(), prandtl, 1e-8 * prandtl);
        assert_close(found.last("main.cq").unwrap(), power, 1e-7 * power);
    }
}

/// After a step of collective, the Riccati equation of dynamic inflow, and its rate for small changes.
#[test]
fn dynamic_inflow_follows_a_step() {
    let initial = "type = \"pitt_peters\"\ninitial = [\"0.035752436364617536*speed*R\", 0, 0]";
    let text = rotor()
        .replace("type = \"uniform\"", initial)
        .replace("every = \"0.05 s\"", "times = [0, \"1/35\", \"2/35\", \"4/35\", \"8/35\", \"16/35\"]")
        .replace("\"0.1 s\"", "\"16/35\"");
    let set = [("drag", "0"), ("slope", "5.7")];
    let found = run(&model(&text, &set));
    let rows = [
        (0.035752436364617536, 0.006535824106559124),
        (0.03978452779466269, 0.006076165683533977),
        (0.04270974926115776, 0.005742690436353539),
        (0.046284612105339504, 0.00533515607211682),
        (0.048918469292752544, 0.005034896352751734),
        (0.049675868626190105, 0.004948552828739852),
    ];
    let (inflow, ct) = (found.column("main.inflow").unwrap(), found.column("main.ct").unwrap());
    for (k, (lambda, thrust)) in rows.into_iter().enumerate() {
        assert_close(inflow[k] / 210.0, lambda, 1e-9 * lambda);
        assert_close(ct[k], thrust, 1e-9 * thrust);
    }
}

/// The rate of small changes of the mean inflow per radian, 3π/8 (4λ + σa/4), with small and with full angles; the start of a
/// run without `initial` is the steady inflow, 0.0497 λ.
#[test]
fn the_rate_of_dynamic_inflow() {
    let full = text("hover.toml");
    for (text, rate, lambda) in
        [(rotor(), 0.3685935027620606, 0.04971797060818416), (full, 0.36759942365965237, 0.04978438051175259)]
    {
        let file = model(&text.replace("\"uniform\"", "\"pitt_peters\""), &[("drag", "0"), ("slope", "5.7")]);
        let found = eigenvalues(&file, rotating());
        assert_close(found[0][0] / 35.0, -rate, 1e-10);
        assert_eq!(found[0][1], 0.0);
        assert_close(run(&file).last("main.inflow").unwrap() / 210.0, lambda, 1e-9);
    }
}
