//! Checks that the linearised equations are time-invariant in the chosen frame.
//!
//! The state is advanced along its steady motion to times without a common period and linearised again there. Both systems must have
//! the same response, for pseudo-random loads y and complex frequencies s over the whole range of the mechanism:
//!
//! ```text
//!  T(s) u = y  and  T_later(s) u_later = Z y    →    u_later = Z u
//! ```
//!
//! Unlike matrices, responses do not depend on how rows are written, and they show a soft motion beside a stiff one. If they differ, a
//! third linearisation at a slightly later time separates round-off from a varying coefficient.

use super::pencil::Pencil;
use super::rotating_frame::{BodyFrame, RotatingFrame};
use super::velocity_blocks::{VelocityBlock, angular_velocity, velocity_blocks};
use super::{LinearError, Linearised, linearise_in};
use crate::constraints::ElementInput;
use crate::dynamics::{Dynamics, SolverSettings};
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions};
use crate::forces::ForceKind;
use crate::mathematics::magnitude::largest_magnitude;
use crate::motion::{Vec3, Wrench};
use crate::state::State;
use nalgebra::{Complex, DMatrix, DVector};

/// Largest acceleration in the frame, relative to the acting forces, of a state that counts as steady.
pub const STEADINESS_TOLERANCE: f64 = 1e-6;
/// Rates of bodies that differ by less than this, relative, are those of a motion that has not settled.
const UNSETTLED: f64 = 0.02;
/// Relative difference of responses that counts as zero.
const RESPONSE_TOLERANCE: f64 = 1e-6;
/// A difference must exceed the round-off by this factor.
const SIGNIFICANCE_FACTOR: f64 = 20.0;
/// Rotation angles in rad of the fastest and the slowest body at the check times: not simple fractions of a full turn.
const CHECK_ANGLES: [f64; 2] = [0.37, 2.1];
/// Highest test frequency, relative to the rate of the motion.
const MAX_FREQUENCY_RATIO: f64 = 1e4;
/// Times at which forces about a state of rest are checked, s.
const CHECK_TIMES_AT_REST: [f64; 2] = [0.027_182_8, 0.739_085_1];

impl Linearised<'_> {
    /// Checks that the state is steady and that the coefficients of its small motions are constant.
    ///
    /// # Errors
    /// [`LinearError::Unsteady`], [`LinearError::TimeVarying`], and [`LinearError::BodyFrameModes`] if mode shapes rotate with their body.
    pub fn check_time_invariance(&self) -> Result<(), LinearError> {
        self.check_steady()?;
        self.check_shape_frames()?;
        if self.state.v.iter().all(|v| *v == 0.0) {
            return self.check_forces_time_invariant();
        }
        for tau in self.check_times() {
            let (later, Z) = self.linearise_later(tau)?;
            let found = self.response_difference(&later, &Z)?;
            if found.iter().all(|apart| *apart <= RESPONSE_TOLERANCE) {
                continue;
            }
            // Nearly the same time: a difference between these two is round-off.
            let (again, with) = self.linearise_later(tau * (1.0 + 1e-7))?;
            let noise =
                later.response_difference_at(&self.test_frequencies(), &again, &relative_transforms(&Z, &with))?;
            let second = self.response_difference(&again, &with)?;
            let varying =
                found.iter().zip(&second).zip(&noise).filter(|((one, two), noise)| {
                    one.min(**two) > RESPONSE_TOLERANCE.max(SIGNIFICANCE_FACTOR * **noise)
                });
            let most = varying.fold(0.0_f64, |a, ((one, _), _)| a.max(*one));
            if most > 0.0 {
                return Err(LinearError::TimeVarying { fraction: most, remedy: self.remedy() });
            }
        }
        Ok(())
    }

    fn check_steady(&self) -> Result<(), LinearError> {
        if self.unsteadiness.is_nan() || self.unsteadiness > STEADINESS_TOLERANCE {
            let remedy = match (self.turning, self.state.v.iter().all(|v| *v == 0.0)) {
                (Some(t), _) => {
                    format!("it is not a steady rotation about this axis at {} rad/s{}", t.rate, self.rate_hint(t))
                }
                (None, at_rest) => match (self.driven_row(), at_rest) {
                    (None, true) => "--static finds the equilibrium near it".to_string(),
                    (None, false) => format!("--static finds the equilibrium near it; {}", self.remedy()),
                    // Drivers move bodies also in an equilibrium of the forces, which is then no state of rest.
                    (Some((row, rate)), true) => format!(
                        "`{row}` moves at {rate}, so nothing rests; describe a steady rotation in its frame (--rotating-about), or                          use `taut floquet` for a periodic motion"
                    ),
                    (Some(_), false) => self.remedy(),
                },
            };
            return Err(LinearError::Unsteady { fraction: self.unsteadiness, remedy });
        }
        Ok(())
    }

    /// Modal amplitudes belong to the axes of their body, so the body must rotate with the frame.
    fn check_shape_frames(&self) -> Result<(), LinearError> {
        let rate = self.turning.map_or(Ok(Vec3::zeros()), |t| t.omega())?;
        for (b, frame) in self.model.bodies.iter().zip(&self.body_frames) {
            let omega = if *frame == BodyFrame::Fixed { Vec3::zeros() } else { rate };
            let (q, v) = (&self.state.q[b.q.clone()], &self.state.v[b.v.clone()]);
            let [first, VelocityBlock::FrameIndependent(count)] = velocity_blocks(b, v)[..] else { continue };
            let w = angular_velocity(first, q, v).unwrap_or_else(Vec3::zeros);
            if count > 0 && (w - omega).norm() > STEADINESS_TOLERANCE * (w.norm() + omega.norm()) {
                let remedy = frame_options(&w);
                return Err(LinearError::BodyFrameModes { body: b.name.clone(), rate: (w - omega).norm(), remedy });
            }
        }
        Ok(())
    }

    /// About a state of rest a force law may depend on time, such as a pulsating stiffness. Signals of forces and drivers are inputs and
    /// keep their present values.
    fn check_forces_time_invariant(&self) -> Result<(), LinearError> {
        let (model, state) = (self.model, &self.state);
        let mut moved = state.clone();
        let scales = self.displacement_scales();
        let x = test_vector(self.n(), 0);
        for b in &model.bodies {
            let delta: Vec<f64> = b.v.clone().map(|i| 1e-3 * scales[i] * x[i]).collect();
            b.kind.body().displace(&mut moved.q[b.q.clone()], &delta);
            b.v.clone().for_each(|i| moved.v[i] += 1e-3 * scales[i] * x[i]);
        }
        let scene_of = |state: &State| {
            let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
            assemble_positions(model, StateView::from(state), &mut scene, &mut eq);
            scene
        };
        let (here, there) = (scene_of(state), scene_of(&moved));
        for f in &model.forces {
            match &f.kind {
                ForceKind::Applied(_) | ForceKind::Motor(_) => continue,
                ForceKind::Spring(spring) if spring.drive.is_some() => continue,
                _ => {}
            }
            let change = |t: f64| -> (Vec<f64>, f64) {
                let exerted = |scene: &MarkerKinematics| {
                    let mut on = vec![Wrench::ZERO; f.markers.len()];
                    let view =
                        ElementInput { t, motions: &scene.motions, markers: &f.markers, z: &state.z[f.z.clone()] };
                    f.kind.force().apply(&view, &mut on);
                    on.iter().flat_map(|w| [w.f.x, w.f.y, w.f.z, w.m.x, w.m.y, w.m.z]).collect::<Vec<f64>>()
                };
                let (before, after) = (exerted(&here), exerted(&there));
                let size = after.iter().chain(&before).fold(0.0_f64, |a, x| a.max(x.abs()));
                (after.iter().zip(&before).map(|(a, b)| a - b).collect(), size)
            };
            let (now, size) = change(state.t);
            for tau in CHECK_TIMES_AT_REST {
                let (later, _) = change(state.t + tau);
                let largest = now.iter().chain(&later).fold(0.0_f64, |a, x| a.max(x.abs()));
                let off = now.iter().zip(&later).fold(0.0_f64, |a, (x, y)| a.max((x - y).abs()));
                if off > RESPONSE_TOLERANCE * largest && off > 1e-12 * size {
                    let remedy = format!("the law of `{}` depends on time; --frozen uses its present value", f.name);
                    return Err(LinearError::TimeVarying { fraction: off / largest, remedy });
                }
            }
        }
        Ok(())
    }

    /// Check times: after a fraction of a turn of the fastest and the slowest body, or of a displacement by one length.
    fn check_times(&self) -> Vec<f64> {
        let mut rates: Vec<f64> = self.angular_velocities().iter().map(|(_, w)| w.norm()).collect();
        rates.extend(self.turning.map(|t| t.rate.abs()));
        let fastest = rates.iter().fold(0.0_f64, |a, w| a.max(*w));
        rates.retain(|w| *w > 1e-6 * fastest);
        let slowest = rates.iter().fold(fastest, |a, w| a.min(*w));
        let mut times: Vec<f64> = Vec::new();
        if fastest > 0.0 {
            times.extend([CHECK_ANGLES[0] / fastest, CHECK_ANGLES[1] / slowest]);
        }
        let lengths = self.displacement_scales();
        let along = self.state.v.iter().zip(&lengths).fold(0.0_f64, |a, (v, l)| a.max((v / l).abs()));
        if along > 1e3 * fastest || fastest == 0.0 {
            times.extend([0.37 / along, 1.3 / along]);
        }
        times
    }

    /// The linearisation later on, and Z.
    fn linearise_later(&self, tau: f64) -> Result<(Linearised<'_>, Vec<DMatrix<f64>>), LinearError> {
        let (state, Z) = self.advanced_state(tau);
        let mut dynamics = Dynamics::at(self.model, &state, &SolverSettings::default());
        dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z)?;
        let (vdot, lambda) = (dynamics.vdot.clone(), dynamics.lambda.clone());
        let later = linearise_in(self.model, &state, (&vdot, &lambda), self.turning, self.body_frames.clone())?;
        // Rows that no longer hold also show that the motion is not steady.
        let size = self.displacement_scales().iter().fold(f64::INFINITY, |a, l| a.min(*l));
        let held = later.row_uses.iter().zip(&later.eq.phi).filter(|(row, _)| row.position());
        let open = held.fold(0.0_f64, |a, (_, phi)| a.max(phi.abs())) / size;
        let fraction = later.unsteadiness.max(open);
        if fraction.is_nan() || fraction > STEADINESS_TOLERANCE {
            return Err(LinearError::Unsteady {
                fraction,
                remedy: format!("{tau:.2e} s later its motion is different; {}", self.remedy()),
            });
        }
        Ok((later, Z))
    }

    /// The largest relative difference of the responses of two linearisations, at every frequency.
    fn response_difference(&self, later: &Linearised, Z: &[DMatrix<f64>]) -> Result<Vec<f64>, LinearError> {
        self.response_difference_at(&self.test_frequencies(), later, Z)
    }

    fn response_difference_at(
        &self,
        at: &[f64],
        later: &Linearised,
        Z: &[DMatrix<f64>],
    ) -> Result<Vec<f64>, LinearError> {
        let (n, places) = (self.n(), self.unknown_ranges());
        let scales = self.displacement_scales();
        let real = |x: f64| Complex::new(x, 0.0);
        let turned = |x: &[Complex<f64>]| {
            let mut out = x.to_vec();
            for (b, Z) in self.model.bodies.iter().zip(Z) {
                let own = DVector::from_column_slice(&x[b.v.clone()]);
                out[b.v.clone()].copy_from_slice((Z.map(real) * own).as_slice());
            }
            out
        };
        let (mut here, mut there) = (Pencil::<Complex<f64>>::new(self)?, Pencil::<Complex<f64>>::new(later)?);
        let mut all = Vec::new();
        for s in at {
            let mut most = 0.0_f64;
            let s = Complex::new(0.6, 0.8) * *s;
            if here.factor(s, String::new).is_err() || there.factor(s, String::new).is_err() {
                all.push(0.0);
                continue;
            }
            for which in 0..2 {
                let x: Vec<f64> = test_vector(n, which).iter().zip(&scales).map(|(x, s)| x * s).collect();
                let mut u: Vec<Complex<f64>> = self.times_mass(&x).into_iter().map(real).collect();
                let mut w = turned(&u);
                for side in [&mut u, &mut w] {
                    side.resize(places.z.end, real(0.0));
                    side[places.z.clone()].iter_mut().zip(&self.active_states).for_each(|(z, alive)| {
                        *z = real(if *alive == super::Alive::Yes { 1.0 } else { 0.0 });
                    });
                }
                here.solve(&mut u)?;
                there.solve(&mut w)?;
                let (xi, later) = (turned(&u[..n]), &w[..n]);
                let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0_f64, f64::max);
                let size = largest(&mut xi.iter().zip(&scales).map(|(x, s)| x.norm() / s));
                let off = largest(&mut xi.iter().zip(later).zip(&scales).map(|((a, b), s)| (a - b).norm() / s));
                if size > 0.0 && size.is_finite() {
                    most = most.max(off / size);
                }
                let (z, later) = (&u[places.z.clone()], &w[places.z.clone()]);
                let size = largest(&mut z.iter().map(|z| z.norm()));
                let off = largest(&mut z.iter().zip(later).map(|(a, b)| (a - b).norm()));
                if size > 0.0 && size.is_finite() {
                    most = most.max(off / size);
                }
            }
            all.push(most);
        }
        Ok(all)
    }

    /// Test frequencies, one per decade, over the range estimated from diagonals and angular velocities.
    fn test_frequencies(&self) -> Vec<f64> {
        let mut rates: Vec<f64> = self.angular_velocities().iter().map(|(_, w)| w.norm()).collect();
        rates.extend(self.turning.map(|t| t.rate.abs()));
        for (b, entry) in self.model.bodies.iter().enumerate() {
            let Some(start) = self.tangent.pattern.start(b, b) else { continue };
            for i in 0..entry.v.len() {
                let at = i * entry.v.len() + i;
                let m = self.eq.M[entry.mass.start + at];
                if m > 0.0 {
                    rates.extend([(self.tangent.K[start + at].abs() / m).sqrt(), self.tangent.C[start + at].abs() / m]);
                }
            }
        }
        rates.extend(self.tangent.z_by_z.iter().map(|z| z.abs()));
        let highest = rates.iter().copied().filter(|w| w.is_finite()).fold(0.0_f64, f64::max);
        // Stiff elements show at lower frequencies too, through their flexibility; far above, the response of held nodes is only round-off.
        let fastest = self.check_times().iter().fold(0.0_f64, |a, tau| a.max(1.0 / tau));
        let highest = if fastest > 0.0 { highest.min(MAX_FREQUENCY_RATIO * fastest) } else { highest };
        let highest = if highest > 0.0 { highest } else { 1.0 };
        let spun = rates.iter().take(self.model.bodies.len() + 1).copied().filter(|w| *w > 0.0).fold(highest, f64::min);
        let lowest = rates.iter().copied().filter(|w| *w > 1e-7 * highest).fold(spun, f64::min).max(1e-9 * highest);
        let decades = (highest / lowest).log10() + 2.0;
        let count = decades.ceil() as usize;
        (0..=count).map(|k| 0.01 * lowest * 10.0_f64.powf(decades * k as f64 / count as f64)).collect()
    }

    /// Angular velocities of all bodies that have one, with their names.
    fn angular_velocities(&self) -> Vec<(&str, Vec3)> {
        let of = |b: &crate::model::BodyEntry| {
            let (q, v) = (&self.state.q[b.q.clone()], &self.state.v[b.v.clone()]);
            let all = velocity_blocks(b, v);
            let w = all.first().and_then(|piece| angular_velocity(*piece, q, v));
            w.map(|w| (0, w))
        };
        self.model.bodies.iter().filter_map(|b| of(b).map(|(_, w)| (b.name.as_str(), w))).collect()
    }

    /// A hint for a frame in which the coefficients may be constant.
    fn remedy(&self) -> String {
        let fastest = self
            .angular_velocities()
            .into_iter()
            .fold(("", Vec3::zeros()), |a, x| if x.1.norm() > a.1.norm() { x } else { a });
        match self.turning {
            Some(t) => {
                let other = self.rate_hint(t);
                if other.is_empty() {
                    "anisotropic parts exist both in the fixed and in the rotating frame: no rotating frame makes the \
                     coefficients constant; --frozen uses their present values"
                        .to_string()
                } else {
                    format!("the frame rotates at {} rad/s{other}", t.rate)
                }
            }
            None if fastest.1.norm() > 0.0 => {
                let axis = fastest.1.normalize();
                let frame = frame_options(&fastest.1);
                format!(
                    "use the frame that rotates with `{}`: {frame}{}",
                    fastest.0,
                    self.other_rates_hint(&axis, fastest.1.norm())
                )
            }
            None => "--frozen uses their present values".to_string(),
        }
    }

    /// The row that a driver moves fastest, and its rate with unit; none if nothing is driven.
    fn driven_row(&self) -> Option<(String, String)> {
        let (rate, row) = largest_magnitude(&self.eq.phi_t);
        (rate > 0.0).then(|| (self.model.row_name(row), format!("{rate:.6} {}/s", self.model.rows[row].unit)))
    }

    /// Names a body that rotates about the axis of the frame at another rate, with this rate.
    fn rate_hint(&self, t: RotatingFrame) -> String {
        let Some(e) = Vec3::from(t.axis).try_normalize(0.0) else { return String::new() };
        let off = |w: &Vec3| (w.dot(&e) - t.rate).abs() > STEADINESS_TOLERANCE * (w.norm() + t.rate.abs());
        let turning: Vec<(&str, Vec3)> =
            self.angular_velocities().into_iter().filter(|(_, w)| w.norm() > 0.0).collect();
        let Some((name, w)) = turning.iter().find(|(_, w)| off(w)) else { return String::new() };
        let rate = w.dot(&e);
        // Rates that nearly agree: the motion relative to the frame has not died out, and no rate of the frame helps.
        let near = |w: &Vec3| (w.dot(&e) - rate).abs() <= UNSETTLED * rate.abs();
        match turning.iter().find(|(_, w)| near(w) && w.dot(&e) != rate) {
            Some((other, at)) => format!(
                ", but `{name}` rotates about its axis at {rate:.6} rad/s and `{other}` at {:.6} rad/s: the motion has not \
                 settled; take a later time, or --static",
                at.dot(&e)
            ),
            None => {
                let others = self.other_rates_hint(&e, rate);
                format!(", but `{name}` rotates about its axis at {rate} rad/s: --rate {rate}{others}")
            }
        }
    }

    /// What to do if bodies rotate about an axis at other rates than this one: each of them gives a frame, and the advice for one must not
    /// lead back to the other.
    fn other_rates_hint(&self, axis: &Vec3, rate: f64) -> String {
        let all = self.angular_velocities().into_iter().filter(|(_, w)| w.norm() > 0.0);
        let differs = |w: &Vec3| (w.dot(axis) - rate).abs() > UNSETTLED * rate.abs().max(w.norm());
        match all.into_iter().find(|(_, w)| differs(w)) {
            Some((other, w)) => format!(
                " (`{other}` rotates at {:.6} rad/s: if neither rate is that of a steady motion, no rotating frame helps; use `taut floquet` \
                 for a periodic motion)",
                w.dot(axis)
            ),
            None => String::new(),
        }
    }
}

/// The command-line options that define a frame.
fn frame_options(w: &Vec3) -> String {
    let largest = w.amax();
    let axis = (0..3).find(|k| (0..3).all(|i| i == *k || w[i].abs() <= 1e-9 * largest));
    match axis {
        Some(k) => format!("--rotating-about {} --rate {}", ["x", "y", "z"][k], w[k]),
        None => format!("--rotating-about {},{},{} --rate {}", w.x, w.y, w.z, w.norm()),
    }
}

/// Reproducible pseudo-random numbers.
fn test_vector(n: usize, which: usize) -> Vec<f64> {
    (0..n).map(|i| ((i as f64 + 1.0) * (1.618_033_989 + 0.414_213_562 * which as f64)).sin()).collect()
}

/// Z from one later time to another.
fn relative_transforms(Z: &[DMatrix<f64>], again: &[DMatrix<f64>]) -> Vec<DMatrix<f64>> {
    Z.iter().zip(again).map(|(Z, again)| again * Z.transpose()).collect()
}
