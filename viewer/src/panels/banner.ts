/** Banner with the reason why a run stopped, visible without opening a tab. */

import type { Verdict } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import { button, element, named, shorten } from '../dom.ts';
import { instant } from '../math/format.ts';

/** Colour of the outcome; a stop by an event is not an error. */
export function toneOf(outcome: string): '' | 'plain' | 'bad' {
  return outcome === 'finished' ? '' : outcome === 'stopped by an event' ? 'plain' : 'bad';
}

/** Messages of a stopped run: that of the run, and that of its first problem if it differs. */
export function reasons(run: Pick<Run, 'header'>): string[] {
  const { summary, health } = run.header;
  if (toneOf(summary.outcome) !== 'bad') return [];
  const said = [summary.message, health.trouble?.message ?? null].filter(
    (text): text is string => text !== null && text.trim() !== '',
  );
  const different = [...new Set(said)];
  const causes = different.filter((text) => !different.some((other) => other !== text && other.includes(text)));
  return causes.length > 0 ? causes : ['The run stopped without giving a reason.'];
}

/** Colour of the verdict of the audit. */
export function toneOfVerdict(verdict: Verdict): '' | 'doubtful' | 'bad' {
  return verdict === 'sound' ? '' : verdict === 'doubtful' ? 'doubtful' : 'bad';
}

/** Banner with the reason why the verdict is not sound. */
export function verdictBanner(run: Run, jump: (t: number, name: string | null) => void): HTMLElement | null {
  const { verdict, cause } = run.header.summary;
  if (!cause || !verdict || verdict === 'sound') return null;
  const span = run.end - run.begin;
  const t = cause.t ?? run.begin;
  const where = cause.element ?? null;
  const banner: HTMLElement = element(
    'div',
    { class: `banner ${toneOfVerdict(verdict)}`, role: 'alert' },
    element('strong', {}, named(verdict)),
    element(
      'p',
      { dir: 'auto', title: shorten(cause.message, 1000) },
      `from ${instant(t, span)} s on: ${shorten(cause.message, 600)}`,
    ),
    button('Go there', `Jump to ${instant(t, span)} s${where ? ` and select ${shorten(where, 60)}` : ''}`, () =>
      jump(t, where),
    ),
    button('Hide', 'Hide this message', () => banner.remove()),
  );
  return banner;
}

export function stopBanner(run: Run, jump: (t: number, name: string | null) => void): HTMLElement | null {
  const causes = reasons(run);
  if (causes.length === 0) return null;
  const { summary, health } = run.header;
  const span = run.end - run.begin;
  const t = health.trouble?.t ?? run.end;
  const where = health.trouble?.element || null;
  const banner: HTMLElement = element(
    'div',
    { class: 'banner', role: 'alert' },
    element('strong', {}, named(summary.outcome)),
    element(
      'p',
      { dir: 'auto', title: shorten(causes.join(' '), 1000) },
      `at ${instant(t, span)} s: ${shorten(causes.join(' '), 600)}`,
    ),
    button('Go there', `Jump to ${instant(t, span)} s${where ? ` and select ${shorten(where, 60)}` : ''}`, () =>
      jump(t, where),
    ),
    button('Hide', 'Hide this message', () => banner.remove()),
  );
  return banner;
}
