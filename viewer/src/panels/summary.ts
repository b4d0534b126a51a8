/** Summary of the run: degrees of freedom, method, warnings, extremes, events, versions, model file. */

import type { Arrow, Extreme, RunEvent, Warned } from '../data/contract.ts';
import { ghostTitles } from '../data/compare.ts';
import type { Run } from '../data/run.ts';
import { button, element, named, shorten } from '../dom.ts';
import { instant, number, quantity } from '../math/format.ts';
import type { Clock } from '../time/clock.ts';
import { facts, sortable } from './table.ts';

/** Extremes without those that are always zero. */
export function telling(extremes: Extreme[]): Extreme[] {
  return extremes.filter(({ least, largest }) => least !== 0 || largest !== 0);
}

/** What stands beside the extremes of a reaction that the equations do not determine; by name of its arrow. */
export function remarks(arrows: Pick<Arrow, 'name' | 'determinacy'>[]): Map<string, string> {
  const open = arrows.filter(({ determinacy }) => determinacy !== undefined);
  return new Map(open.map(({ name, determinacy }) => [name, determinacy === 'partly' ? 'partly unique' : 'not unique']));
}

/** Time and element of a warning. */
function since(cause: Warned, span: number): string {
  const where = cause.element ? `, ${shorten(cause.element, 100)}` : '';
  return `${cause.t === null ? '' : `from ${instant(cause.t, span)} s on`}${where}: ${shorten(cause.message, 2000)}`;
}

export function summaryPanel(run: Run, ghosts: Run[], clock: Clock, pick: (name: string) => void): HTMLElement {
  const { summary, extremes, events, table, health } = run.header;
  const span = run.end - run.begin;
  const root = element('div', { class: 'summary' });
  const section = (title: string, ...content: (HTMLElement | null)[]): void => {
    root.append(element('h2', {}, title), ...content.filter((one) => one !== null));
  };
  const jump = (t: number, name: string | null): void => {
    clock.pause();
    clock.seek(t);
    if (name !== null) pick(name);
  };
  const when = (t: number, name: string | null): HTMLElement =>
    button(`${instant(t, span)} s`, `Jump to ${instant(t, span)} s`, () => jump(t, name));

  const kept =
    table.thinned === 'none'
      ? `${table.rows} rows`
      : `${table.rows} of ${table.of} rows, thinned to the extremes of time intervals`;
  section(
    'Run',
    facts([
      ...(summary.verdict
        ? ([['verdict of the audit', summary.cause ? `${summary.verdict}, ${since(summary.cause, span)}` : summary.verdict]] as [
            string,
            string,
          ][])
        : []),
      ['outcome', shorten(summary.outcome, 200)],
      ...(summary.message ? ([['message', shorten(summary.message, 2000)]] as [string, string][]) : []),
      ['freedoms', shorten(summary.freedoms, 500)],
      ['method', shorten(summary.method, 500)],
      ['time', `${instant(run.begin, span)} s to ${instant(run.end, span)} s`],
      ['stored in this page', `${kept}, ${run.filmTimes.length} frames`],
      ...ghostTitles(run, ghosts).map((title): [string, string] => ['compared with', shorten(title, 200)]),
    ]),
  );
  if (health.trouble) {
    const { trouble } = health;
    root.append(
      element(
        'p',
        { class: 'warning bad' },
        when(trouble.t, trouble.element),
        ' ',
        named(trouble.element),
        `: ${shorten(trouble.message, 2000)}`,
      ),
    );
  }
  if (summary.warnings.length > 0) {
    section('Warnings');
    for (const warning of summary.warnings.slice(0, 200)) {
      root.append(
        element(
          'p',
          { class: warning.severity === 'wrong' ? 'warning bad' : 'warning', dir: 'auto' },
          warning.t !== null && when(warning.t, null),
          ' ',
          shorten(warning.message, 2000),
        ),
      );
    }
  }
  const lively = telling(extremes);
  const open = remarks(run.header.scene.arrows);
  const remark = (row: Extreme): string => (row.kind === 'reaction' ? (open.get(row.name) ?? '') : '');
  if (extremes.length > 0) {
    section(
      'Extremes at output rows',
      sortable<Extreme>(
        lively,
        [
          { head: 'element', kind: 'text', value: (row) => row.name, show: (row) => pickButton(row.name, pick) },
          { head: 'quantity', kind: 'text', value: (row) => `${row.kind} ${row.quantity}` },
          {
            head: 'largest',
            kind: 'number',
            value: (row) => row.largest,
            show: (row) => quantity(row.largest, row.unit),
          },
          { head: 'at', kind: 'number', value: (row) => row.largest_at, show: (row) => when(row.largest_at, row.name) },
          { head: 'least', kind: 'number', value: (row) => row.least, show: (row) => quantity(row.least, row.unit) },
          { head: 'at', kind: 'number', value: (row) => row.least_at, show: (row) => when(row.least_at, row.name) },
          ...(lively.some((row) => remark(row) !== '')
            ? [
                {
                  head: 'determinacy',
                  kind: 'text' as const,
                  value: remark,
                  show: (row: Extreme) => element('span', { class: 'open' }, remark(row)),
                },
              ]
            : []),
        ],
        'Extremes of reactions and forces at output rows',
      ),
      lively.length < extremes.length
        ? element('small', {}, `without ${extremes.length - lively.length} that are always zero`)
        : null,
    );
  }
  if (events.length > 0) {
    const impulses = events.some(({ impulse }) => impulse !== null);
    const losses = events.some(({ lost }) => lost !== null);
    section(
      'Events',
      sortable<RunEvent>(
        events,
        [
          { head: 'time', kind: 'number', value: (row) => row.t, show: (row) => when(row.t, row.name) },
          { head: 'what', kind: 'text', value: (row) => row.what },
          { head: 'element', kind: 'text', value: (row) => row.name, show: (row) => pickButton(row.name, pick) },
          ...(impulses
            ? [
                {
                  head: 'impulse [N s]',
                  kind: 'number' as const,
                  value: (row: RunEvent) => row.impulse ?? NaN,
                  show: (row: RunEvent) => number(row.impulse),
                },
              ]
            : []),
          ...(losses
            ? [
                {
                  head: 'lost [J]',
                  kind: 'number' as const,
                  value: (row: RunEvent) => row.lost ?? NaN,
                  show: (row: RunEvent) => number(row.lost),
                },
              ]
            : []),
        ],
        'Events',
      ),
    );
  }
  const short = (pairs: [string, string][]): [string, string][] =>
    pairs.map(([what, value]) => [what, shorten(value, 1000)]);
  if (summary.settings.length > 0)
    root.append(element('details', {}, element('summary', {}, 'Settings'), facts(short(summary.settings))));
  if (summary.statistics.length > 0) section('Statistics', facts(short(summary.statistics)));
  section(
    'Provenance',
    facts([
      ...short(summary.versions),
      ...(summary.started ? ([['started', summary.started]] as [string, string][]) : []),
      ...(summary.ended ? ([['ended', summary.ended]] as [string, string][]) : []),
      ['model, SHA-256', summary.model_sha256],
    ]),
  );
  section(
    'Model file',
    element('pre', { class: 'model', tabindex: 0, 'aria-label': 'Text of the model file' }, summary.model),
  );
  return root;
}

function pickButton(name: string, pick: (name: string) => void): HTMLElement {
  const made = element('button', { type: 'button' }, named(name));
  made.addEventListener('click', () => pick(name));
  return made;
}
