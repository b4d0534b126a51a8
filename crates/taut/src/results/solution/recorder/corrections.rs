//! The multipliers of the projections, and Gauss' function.

use super::sink::ColumnSink;
use crate::dynamics::Dynamics;
use crate::results::solution::label::ColumnLabel;

/// Columns of the projection that led to the recorded state. Without a projection they are zero.
pub(super) fn correction_columns(d: &Dynamics, sink: &mut ColumnSink) {
    let found = d.corrections();
    for c in &d.model.constraints {
        for r in c.rows.clone() {
            let row = &d.model.rows[r];
            // W = M gives μ the unit of an impulse; other norms have units of their own.
            let (mu, nu) = match row.unit {
                "rad" => ("N m s", "kg m²"),
                _ => ("N s", "kg m"),
            };
            let mut put = |symbol: &str, unit, x: f64, of: &str| {
                sink.put("constraint", unit, x, || {
                    let meaning = format!(
                        "multiplier of row `{}` of constraint `{}` in the projection of {of}",
                        row.name, c.name
                    );
                    ColumnLabel::new(format!("{}.{symbol}_{}", c.name, row.name), meaning)
                });
            };
            put("mu", mu, found.map_or(0.0, |x| x.mu[r]), "the velocities");
            put("nu", nu, found.map_or(0.0, |x| x.nu[r]), "the positions");
        }
    }
    sink.put("solver", "W/s", d.gaussian().unwrap_or(f64::NAN), || {
        ColumnLabel::new("gaussian", "Gauss' function of the accelerations, (v̇ − a)ᵀ M (v̇ − a)/2")
    });
    sink.put("solver", "J", found.map_or(0.0, |x| x.gaussian), || {
        ColumnLabel::new(
            "gaussian.velocity",
            "half the square of the velocity correction in the norm of the projection",
        )
    });
}
