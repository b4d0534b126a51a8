//! Cost of the three forms of Gauss' principle over n velocities and m rows ([FumagalliMasarati2009] §6).

use super::timing::{solution_time, test_equations};
use super::{Claim, Outline};
use crate::reproduce::operations::{by_factor, by_multipliers, by_root};
use taut::formulations::Method;
use taut_io::plot::{Figure, Marks, Panel, Scale, Series};

/// Operation count of a method for n and m, as given in the paper.
type OperationCount = fn(f64, f64) -> f64;

const METHODS: [(Method, &str, Option<OperationCount>); 7] = [
    (Method::Cholesky, "Cholesky, eq. (23)", Some(by_factor)),
    (Method::UdwadiaKalabaSpectral, "root, spectral", Some(|n, m| by_root(12.0, n, m))),
    (Method::UdwadiaKalabaSchur, "root, Schur", Some(|n, m| by_root(50.0 / 3.0, n, m))),
    (Method::UdwadiaKalabaDenmanBeavers, "root, Denman-Beavers", None),
    (Method::Regularised, "regularised, eq. (46)", Some(by_multipliers)),
    (Method::NullSpace, "null space", None),
    (Method::Partitioning, "partitioning", None),
];

const SIZES: [(usize, usize); 8] = [(10, 2), (15, 14), (30, 6), (30, 24), (100, 10), (100, 50), (100, 90), (200, 20)];

pub fn outline() -> Outline {
    let methods = METHODS[1..].iter().map(|(_, name, _)| *name);
    Outline {
        title: "Square root, Cholesky's factor, regularised multipliers",
        statement: "Fumagalli & Masarati 2009, section 6: the Cholesky form (23) costs much less than a square root (6), \
            and the regularised form (46) even less. Times are relative to (23); the ratio of the paper's operation \
            counts is in brackets.",
        head: ["n", "m", "(23), us"].into_iter().chain(methods).map(str::to_string).collect(),
        row_names: SIZES.iter().map(|(n, _)| n.to_string()).collect(),
    }
}

/// Times all methods, relative to the Cholesky form in the same row.
pub fn measure() -> Claim {
    let mut cells = Vec::new();
    let mut lines: Vec<Series> =
        METHODS.iter().map(|(_, name, _)| Series { label: name.to_string(), x: Vec::new(), y: Vec::new() }).collect();
    for (n, m) in SIZES {
        let full = test_equations(n, m);
        let seconds: Vec<f64> =
            METHODS.iter().map(|(method, ..)| solution_time(*method, &full).unwrap_or(f64::NAN)).collect();
        let of = |count: &OperationCount| count(n as f64, m as f64);
        let paper = |i: usize| METHODS[i].2.as_ref().zip(METHODS[0].2.as_ref()).map(|(c, r)| of(c) / of(r));
        let mut row = vec![m.to_string(), format!("{:.1}", seconds[0] * 1e6)];
        for i in 1..METHODS.len() {
            let counted = paper(i).map_or(String::new(), |p| format!(" ({p:.1})"));
            row.push(format!("{:.2}{counted}", seconds[i] / seconds[0]));
        }
        cells.push(row);
        // One curve over n, with about n/10 rows.
        if m * 10 == n || (n, m) == (10, 2) || (n, m) == (30, 6) {
            for (line, s) in lines.iter_mut().zip(&seconds) {
                line.x.push(n as f64);
                line.y.push(s * 1e6);
            }
        }
    }
    let panel = Panel { label: "time of one solution".to_string(), unit: "us".to_string(), series: lines };
    let figure = Figure::new("velocities n, with n/10 to n/5 rows", "1", vec![panel])
        .titled("Gauss' principle: roots, Cholesky's factor, multipliers")
        .sized(820.0, 340.0)
        .scaled(Scale::Logarithmic, Scale::Logarithmic)
        .marked(Marks::Points);
    Claim { outline: outline(), cells, figure: Some(("claims_gauss.svg", figure)) }
}
