/** Eigenmodes and free motions: pick one and it swings in the scene. */

import type { Mode } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import { button, element, named } from '../dom.ts';
import { number, quantity } from '../math/format.ts';
import type { Store } from '../state/store.ts';
import type { Clock } from '../time/clock.ts';

function told(mode: Mode): string {
  if (mode.frequency > 0) return quantity(mode.frequency, 'Hz');
  return mode.kind;
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
  const leave = button('Back to the run', 'Leave the modes (esc)', () => {
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
      element('span', {}, told(mode)),
      element('small', {}, mode.damping === null ? '' : `damping ${number(mode.damping, 3)}`),
    );
    press.addEventListener('click', () => start(index));
    return { row: element('li', {}, press), press };
  });
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
      ? `${chosen.kind}; growth ${quantity(chosen.growth, '1/s')}. Drawn about the start of the run; the size is chosen to be seen, not the size of a real motion.`
      : 'Pick a mode to see it move about the start of the run.';
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
    element('ul', { class: 'modes' }, ...items.map(({ row }) => row)),
  );
}
