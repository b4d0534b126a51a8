/** Eigenmodes and free motions: select one to animate it in the scene. */

import type { Mode } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import { button, element, named } from '../dom.ts';
import { number, quantity } from '../math/format.ts';
import type { Store } from '../state/store.ts';
import type { Clock } from '../time/clock.ts';

function describe(mode: Mode): string {
  if (mode.frequency > 0) return quantity(mode.frequency, 'Hz');
  return mode.kind;
}

/** Damping ratios below this are round-off of the eigenvalues. */
const NO_DAMPING = 1e-9;

function cleared(value: number): number {
  return Math.abs(value) < NO_DAMPING ? 0 : value;
}

/** Damping as text; empty for motions without damping ratio. */
export function dampingText(damping: number | null): string {
  if (damping === null) return '';
  return `damping ${number(cleared(damping), 3)}`;
}

/**
 * Free motions are those that the joints permit at the start; they are described in words. An eigenmode may be free too
 * (of an unconnected body), but it has a number.
 */
export function isFree(mode: Pick<Mode, 'kind' | 'label'>): boolean {
  return mode.kind === 'free' && !/^mode \d+$/.test(mode.label);
}

export function modesPanel(store: Store, clock: Clock, run: Run): HTMLElement {
  const { modes } = run.header;
  const amplitude = element('input', {
    type: 'range',
    min: -1.5,
    max: 0.8,
    step: 0.02,
    value: 0,
    'aria-label': 'amplitude of the mode',
  });
  const rate = element('input', {
    type: 'range',
    min: -1,
    max: 0.7,
    step: 0.02,
    value: -0.2,
    'aria-label': 'speed of the mode',
  });
  const amplitudeText = element('output');
  const rateText = element('output');
  const leave = button('Back to the run', 'Return to the run (esc)', () => {
    clock.pause();
    store.set({ mode: null });
  });
  const readings = (): { amplitude: number; rate: number } => ({
    amplitude: 10 ** Number(amplitude.value),
    rate: 10 ** Number(rate.value),
  });
  const start = (index: number): void => {
    store.set({ mode: { index, phase: 0, ...readings() }, playing: true });
  };
  const items = modes.map((mode, index) => {
    const press = element(
      'button',
      { type: 'button', 'aria-pressed': 'false' },
      named(mode.label, '', 240),
      element('span', {}, describe(mode)),
      element('small', {}, dampingText(mode.damping)),
    );
    press.addEventListener('click', () => start(index));
    return { row: element('li', {}, press), press, free: isFree(mode) };
  });
  const group = (title: string, words: string, rows: HTMLElement[]): HTMLElement[] =>
    rows.length === 0
      ? []
      : [
          element('h2', {}, title),
          element('p', { class: 'hint' }, words),
          element('ul', { class: 'modes', 'aria-label': title }, ...rows),
        ];
  const change = (): void => {
    const { mode } = store.state;
    if (mode) store.set({ mode: { ...mode, ...readings() } });
    show();
  };
  amplitude.addEventListener('input', change);
  rate.addEventListener('input', change);

  const note = element('p', { class: 'hint' });
  const show = (): void => {
    const { mode } = store.state;
    const now = readings();
    amplitudeText.textContent = `× ${number(now.amplitude, 2)}`;
    rateText.textContent = `${number(now.rate, 2)} turns/s`;
    leave.disabled = mode === null;
    items.forEach(({ press }, index) => press.setAttribute('aria-pressed', String(mode?.index === index)));
    const chosen = mode ? modes[mode.index] : undefined;
    note.textContent = chosen
      ? `${isFree(chosen) ? 'Free motion' : `${chosen.kind}; growth ${quantity(cleared(chosen.growth), '1/s')}`}. Drawn about the start of the run, with an arbitrary amplitude.`
      : 'Select a mode to animate it about the start of the run.';
  };
  store.on(['mode'], show);
  show();
  return element(
    'div',
    {},
    element(
      'div',
      { class: 'modeplay' },
      element('span', {}, 'amplitude'),
      amplitude,
      amplitudeText,
      element('span', {}, 'speed'),
      rate,
      rateText,
    ),
    leave,
    note,
    ...group(
      'Eigenmodes',
      'Small motions about the linearised state, with frequency and damping.',
      items.filter(({ free }) => !free).map(({ row }) => row),
    ),
    ...group(
      'Free motions',
      'Motions that the joints permit at the start of the run. They do not depend on masses or forces, so they have no frequency.',
      items.filter(({ free }) => free).map(({ row }) => row),
    ),
  );
}
