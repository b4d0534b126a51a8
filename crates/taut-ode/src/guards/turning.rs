//! Guards that turn back between three samples of equal sign.
//!
//! A parabola through the samples predicts whether the function reaches zero between them. If so, the minimum is searched until
//! the sign changes or the function turns away.

use crate::root_finding::{Bracket, LocalMinimum, MinimumSearch};

/// A minimum is searched if a parabola predicts it below this share of the smallest sample.
const PREDICTED_MINIMUM_SHARE: f64 = 0.5;

/// Three points around the minimum of the magnitude that a parabola predicts between three points of equal sign. The middle
/// one may have the other sign.
pub(super) fn bracket_minimum<E>(
    points: LocalMinimum,
    value: &mut impl FnMut(f64) -> Result<f64, E>,
) -> Result<Option<LocalMinimum>, E> {
    let Some((vertex, bottom)) = points.vertex() else { return Ok(None) };
    let least = points.g.iter().fold(f64::INFINITY, |least, g| least.min(g.abs()));
    if bottom > PREDICTED_MINIMUM_SHARE * least {
        return Ok(None);
    }
    let [l, m, r] = points.t;
    let g = value(vertex)?;
    // The minimum need not be any of the three points.
    let between = if (vertex - m) * (r - l) > 0.0 {
        LocalMinimum { t: [m, vertex, r], g: [points.g[1], g, points.g[2]] }
    } else {
        LocalMinimum { t: [l, vertex, m], g: [points.g[0], g, points.g[1]] }
    };
    let through = g * points.g[1] <= 0.0;
    Ok([between, points].into_iter().find(|dip| through || dip.is_minimum()))
}

/// The first change of sign of a function that may turn back between three points of equal sign.
pub(super) fn turning_bracket<E>(
    points: LocalMinimum,
    value: &mut impl FnMut(f64) -> Result<f64, E>,
) -> Result<Option<Bracket>, E> {
    let Some(dip) = bracket_minimum(points, value)? else { return Ok(None) };
    let (far, g_far) = if dip.g[1] * points.g[1] <= 0.0 {
        (dip.t[1], dip.g[1])
    } else {
        match dip.search(0.0, value)? {
            MinimumSearch::Crosses(t, g) => (t, g),
            MinimumSearch::StaysAway | MinimumSearch::Touches(_) => return Ok(None),
        }
    };
    let [l, m, r] = points.t;
    let past_middle = (far - m) * (r - l) > 0.0;
    let (near, g_near) = if past_middle { (m, points.g[1]) } else { (l, points.g[0]) };
    Ok(Some(Bracket { near, far, g_near, g_far }))
}
