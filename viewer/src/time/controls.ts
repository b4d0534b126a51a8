/** Playback controls: start, single steps, play, speed, loop, and the current time. */

import type { Run } from '../data/run.ts';
import { element } from '../dom.ts';
import { icon, iconButton } from '../icons.ts';
import { instant } from '../math/format.ts';
import type { Store } from '../state/store.ts';
import { SPEEDS, type Clock } from './clock.ts';

export function controls(store: Store, clock: Clock, run: Run): HTMLElement {
  const span = run.end - run.begin;
  const play = iconButton('play', 'Play or pause (space)', () => clock.toggle());
  play.classList.add('play');
  const readout = element('output', { class: 'clock', 'aria-label': 'time' });
  const speed = element('select', { 'aria-label': 'playback speed', title: 'Speed (+ and −)' });
  for (const one of SPEEDS) speed.append(element('option', { value: one }, `${one} ×`));
  speed.addEventListener('change', () => store.set({ speed: Number(speed.value) }));
  const loop = iconButton('loop', 'Loop (l)', () => store.set({ loop: !store.state.loop }));

  const hasEvents = run.header.events.length > 0;
  const previousEvent = iconButton('eventBack', 'Previous event ([)', () => clock.stepEvent(-1));
  const nextEvent = iconButton('eventForward', 'Next event (])', () => clock.stepEvent(1));
  previousEvent.disabled = !hasEvents;
  nextEvent.disabled = !hasEvents;

  const showTime = (): void => {
    readout.textContent = `${instant(store.state.time, span)} s`;
  };
  const showPlay = (): void => {
    play.replaceChildren(icon(store.state.playing ? 'pause' : 'play'));
    play.setAttribute('aria-pressed', String(store.state.playing));
  };
  const showRest = (): void => {
    if (![...speed.options].some((option) => Number(option.value) === store.state.speed))
      speed.append(element('option', { value: store.state.speed }, `${store.state.speed} ×`));
    speed.value = String(store.state.speed);
    loop.setAttribute('aria-pressed', String(store.state.loop));
  };
  store.on(['time'], showTime);
  store.on(['playing'], showPlay);
  store.on(['speed', 'loop'], showRest);
  showTime();
  showPlay();
  showRest();

  return element(
    'div',
    { class: 'controls', role: 'toolbar', 'aria-label': 'Time' },
    iconButton('start', 'To the start (home)', () => clock.seek(run.begin)),
    previousEvent,
    iconButton('back', 'One frame back (left arrow)', () => clock.step(-1)),
    play,
    iconButton('forward', 'One frame forward (right arrow)', () => clock.step(1)),
    nextEvent,
    iconButton('end', 'To the end (end)', () => clock.seek(run.end)),
    readout,
    element('span', { class: 'of' }, `of ${instant(run.end, span)} s`),
    speed,
    loop,
  );
}
