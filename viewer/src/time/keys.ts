/** Keys of the page, in one table that the help overlay prints. */

import { SHOWN, type Store } from '../state/store.ts';
import type { Stage } from '../scene/stage.ts';
import { steerByKey } from '../scene/steer.ts';
import { findElement } from '../data/find.ts';
import type { Run } from '../data/run.ts';
import type { Clock } from './clock.ts';

export const KEYS: [string, string][] = [
  ['Space', 'play, pause'],
  ['← →', 'one frame back, forward'],
  ['↑ ↓', 'ten frames forward, back'],
  ['Page up, Page down', 'a tenth of the run back, forward'],
  ['Home, End', 'to the start, to the end'],
  ['[ ]', 'previous, next event'],
  ['+ −', 'faster, slower'],
  ['l', 'loop'],
  ['Shift + arrows', 'rotate the view (move it in the planar view)'],
  ['i o', 'zoom in, out'],
  ['1 2 3 4', 'front, side, top, oblique view'],
  ['0', 'fit the whole motion'],
  ['9', 'fit the model at this instant'],
  ['n p', 'select the next, the previous body or joint'],
  ['f', 'follow the selected body'],
  ['r', 'reaction arrows'],
  ['c', 'contact force arrows'],
  ['v', 'velocity arrows'],
  ['m', 'marker frames'],
  ['t', 'path of the selected body'],
  ['d', 'light or dark theme'],
  ['b', 'larger text for projectors'],
  ['Esc', 'close, clear the selection'],
  ['?', 'this list'],
];

export interface KeyTargets {
  stage: Stage | null;
  help: () => void;
  theme: () => void;
  size: () => void;
  escape: () => boolean;
}

/** Names that the keys n and p select in turn. */
function pickable(run: Run): string[] {
  const { scene } = run.header;
  const bodies = scene.figures.filter(({ role }) => role === 'body').map(({ name }) => name);
  return [...bodies, ...scene.beams.map(({ name }) => name), ...scene.joints.map(({ name }) => name)];
}

export function bindKeys(store: Store, clock: Clock, run: Run, targets: KeyTargets): void {
  const flip = (kind: (typeof SHOWN)[number]): void => store.show(kind, !store.state.shown[kind]);
  const pickNext = (direction: 1 | -1): void => {
    const names = pickable(run);
    if (names.length === 0) return;
    const now = names.indexOf(store.state.picked?.name ?? '');
    const next = now < 0 ? (direction > 0 ? 0 : names.length - 1) : (now + direction + names.length) % names.length;
    store.set({ picked: findElement(run, names[next]) });
  };
  const follow = (): void => {
    const { picked, follow: now } = store.state;
    store.set({
      follow: now !== null ? null : picked && (picked.kind === 'body' || picked.kind === 'beam') ? picked.name : null,
    });
  };
  const leap = (run.end - run.begin) / 10;
  const table: Record<string, () => void> = {
    ' ': () => clock.toggle(),
    ArrowLeft: () => clock.step(-1),
    ArrowRight: () => clock.step(1),
    ArrowUp: () => clock.step(10),
    ArrowDown: () => clock.step(-10),
    PageUp: () => clock.seek(store.state.time - leap),
    PageDown: () => clock.seek(store.state.time + leap),
    Home: () => clock.seek(run.begin),
    End: () => clock.seek(run.end),
    '[': () => clock.stepEvent(-1),
    ']': () => clock.stepEvent(1),
    '+': () => clock.changeSpeed(1),
    '=': () => clock.changeSpeed(1),
    '-': () => clock.changeSpeed(-1),
    l: () => store.set({ loop: !store.state.loop }),
    '1': () => targets.stage?.view('front'),
    '2': () => targets.stage?.view('side'),
    '3': () => targets.stage?.view('top'),
    '4': () => targets.stage?.view('iso'),
    '0': () => targets.stage?.view('fit'),
    '9': () => targets.stage?.view('instant'),
    n: () => pickNext(1),
    p: () => pickNext(-1),
    f: follow,
    r: () => flip('reactions'),
    c: () => flip('contacts'),
    v: () => flip('velocities'),
    m: () => flip('markers'),
    t: () => flip('trails'),
    d: targets.theme,
    b: targets.size,
    '?': targets.help,
  };

  document.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement | null;
    const slider = target instanceof HTMLInputElement && target.type === 'range';
    const timeSlider = slider && target.closest('.timeline') !== null;
    const typing =
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLInputElement && target.type !== 'checkbox' && !timeSlider);
    if (event.key === 'Escape') {
      if (!targets.escape()) store.set({ picked: null, follow: null });
      return;
    }
    if (typing || event.ctrlKey || event.metaKey) return;
    // Space and arrow keys belong to a focused button, tab or separator.
    const own = target?.closest('[role="separator"], [role="tab"], summary, input[type="checkbox"], button');
    if (own && (event.key === ' ' || event.key === 'Enter')) return;
    if (target?.closest('[role="separator"], [role="tab"]') && event.key.startsWith('Arrow')) return;
    if (targets.stage && steerByKey(event, targets.stage.eye, targets.stage.canvas.clientHeight)) {
      targets.stage.touch();
      event.preventDefault();
      return;
    }
    if (event.altKey || (event.shiftKey && event.key.startsWith('Arrow'))) return;
    const action = table[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
