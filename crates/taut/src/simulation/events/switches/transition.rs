//! The transition at an event: impacts, then the modes that follow, then the events to report.

use super::{Paradox, Switches};
use crate::dynamics::Dynamics;
use crate::equations::At;
use crate::interruption;
use crate::laws::Law;
use crate::model::Model;
use crate::simulation::events::answers::Answers;
use crate::simulation::events::decide::{Decision, Verdict};
use crate::simulation::events::impact::{Lingering, Setting};
use crate::simulation::events::report::Report;
use crate::simulation::events::seize::Here;
use crate::simulation::events::strike::strike;
use crate::simulation::events::{Happening, Occurrence, TOUCH, Trouble};
use crate::solution::worst;
use crate::state::Mode;

/// Most impacts at one moment.
const MOST_ROUNDS: usize = 100;

/// State of the impulse that helps where Coulomb's law has no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Help {
    Asked,
    Given,
}

impl Switches {
    /// Decides all modes at a state. Velocities jump where gaps close with a speed; the modes follow from the new velocities.
    pub fn transition(
        &mut self,
        d: &mut Dynamics,
        t: f64,
        q: &[f64],
        v: &mut [f64],
        z: &[f64],
    ) -> Result<Report, Trouble> {
        let mut report = Report::default();
        let Some(mut answers) = self.answers.take() else { return Ok(report) };
        let result = self.decide(&mut answers, d, t, q, v, z, &mut report);
        self.answers = Some(answers);
        result?;
        Ok(report)
    }

    /// Impacts until no gap closes with a speed, then the modes.
    fn decide(
        &mut self,
        answers: &mut Answers,
        d: &mut Dynamics,
        t: f64,
        q: &[f64],
        v: &mut [f64],
        z: &[f64],
        report: &mut Report,
    ) -> Result<(), Trouble> {
        let model = d.model;
        let before = d.modes.clone();
        answers.place(model, At { t, q, v, z, modes: &before });
        let closed = |c: &usize| match model.constraints[*c].law {
            Law::Unilateral(_) => {
                before[*c] != Mode::Idle || answers.eq.loose.phi[model.constraints[*c].rows.start] <= TOUCH
            }
            _ => before[*c] != Mode::Idle,
        };
        let closed: Vec<usize> = self.watched.iter().copied().filter(closed).collect();
        answers.respond(model, t, z, &closed);
        let (mut jammed, mut rebound) = (None, Vec::new());
        for round in 0.. {
            let u = answers.rates(model);
            let speed = worst(v).0;
            let (free, held) = answers.free_accelerations(model);
            let setting = Setting { model, answers, t, z, speed, free: &free, effort: self.effort };
            let impulses = match jammed {
                Some((c, Help::Asked)) => {
                    jammed = Some((c, Help::Given));
                    Some(setting.jammed(&u, c).ok_or(Trouble::Paradox(c))?)
                }
                _ => setting.is_due(&u).then(|| setting.impulses(&u)),
            };
            if let Some(impulses) = impulses {
                if round > MOST_ROUNDS || interruption::is_asked() {
                    return Err(Trouble::Endless(closed));
                }
                rebound.extend(strike(answers, model, &impulses, t, v, report));
                answers.place(model, At { t, q, v, z, modes: &before });
                continue;
            }
            let (u, free, held) = match setting.lingering(&u, &rebound) {
                None => (u, free, held),
                Some(Lingering { p, losses }) => {
                    answers.add_motion(&p, v);
                    report.work += answers.driven(model, &p);
                    report.losses.extend(losses);
                    answers.place(model, At { t, q, v, z, modes: &before });
                    let (free, held) = answers.free_accelerations(model);
                    (answers.rates(model), free, held)
                }
            };
            let verdict = Decision { model, answers, t, z, u: u.clone(), free, held, speed }.verdict();
            match (verdict, jammed) {
                (Ok(verdict), _) => {
                    report.several = verdict.several.map(|c| model.constraints[c].name.clone());
                    let here = Here { model, t, q, z, before: &before };
                    let Verdict { modes, .. } = here.seize(answers, &u, verdict, v, report);
                    let gaps = |c: &&usize| model.constraints[**c].law != Law::Gripping;
                    self.watched.iter().filter(gaps).for_each(|c| d.modes[*c] = Mode::Idle);
                    closed.iter().copied().zip(modes).for_each(|(c, mode)| d.modes[c] = mode);
                    self.verify(d, t, q, v, z, answers);
                    break;
                }
                (Err(Trouble::Paradox(c)), None) if self.paradox == Paradox::Impulse => {
                    jammed = Some((c, Help::Asked));
                }
                (Err(trouble), _) => return Err(trouble),
            }
        }
        self.tell(model, &before, &d.modes, t, report);
        self.arm(d, t, q, v, z);
        Ok(())
    }

    /// Reports the events between the modes before and after.
    fn tell(&self, model: &Model, before: &[Mode], after: &[Mode], t: f64, report: &mut Report) {
        let slides = |m: Mode| matches!(m, Mode::Sliding(_));
        for &c in &self.watched {
            let entry = &model.constraints[c];
            let (a, b) = (before[c], after[c]);
            let grips = entry.law.gripping_from().is_some_and(|from| from < entry.rows.len());
            let rests = report.occurrences.iter().any(|o| o.index == c && o.what == Happening::Rests);
            let mut put = |what| report.occurrences.push(Occurrence::new(&entry.name, c, t, what));
            match (a == Mode::Idle, b == Mode::Idle) {
                (true, false) if !rests => put(Happening::Closes),
                (false, true) => put(Happening::Opens),
                _ => {}
            }
            if grips && b != Mode::Idle {
                match (slides(a), slides(b)) {
                    (false, true) => put(Happening::Slips),
                    (true, false) => put(Happening::Sticks),
                    (true, true)
                        if a.slip()
                            .zip(b.slip())
                            .is_some_and(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() < 0.0) =>
                    {
                        put(Happening::Slips);
                    }
                    _ => {}
                }
            }
        }
    }
}
