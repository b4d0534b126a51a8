/** Advances the time while playing, and the phase of a mode. */

import { rowAt } from '../data/rows.ts';
import type { Run } from '../data/run.ts';
import type { Store } from '../state/store.ts';

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Clock {
  private before: number | null = null;

  constructor(
    private readonly store: Store,
    private readonly run: Run,
  ) {}

  tick(now: number): void {
    const passed = this.before === null ? 0 : Math.min(0.25, (now - this.before) / 1000);
    this.before = now;
    const { playing, mode, time, speed, loop } = this.store.state;
    if (mode) {
      if (playing)
        this.store.set({ mode: { ...mode, phase: (mode.phase + 2 * Math.PI * mode.rate * passed) % (2 * Math.PI) } });
      return;
    }
    if (!playing) return;
    const { begin, end } = this.run;
    const next = time + passed * speed;
    if (next < end) this.store.set({ time: next });
    else if (loop && end > begin) this.store.set({ time: begin + ((next - begin) % (end - begin)) });
    else this.store.set({ time: end, playing: false });
  }

  play(): void {
    const { time } = this.store.state;
    this.before = null;
    if (time >= this.run.end) this.store.set({ time: this.run.begin });
    this.store.set({ playing: true });
  }

  pause(): void {
    this.store.set({ playing: false });
  }

  toggle(): void {
    if (this.store.state.playing) this.pause();
    else this.play();
  }

  seek(time: number): void {
    this.store.set({ time: Math.max(this.run.begin, Math.min(this.run.end, time)) });
  }

  /** Moves by `count` rows of the film. */
  step(count: number): void {
    const t = this.run.filmTimes;
    if (t.length === 0) return;
    const { time } = this.store.state;
    const row = rowAt(t, time);
    const onRow = t[row] === time;
    const next = count < 0 && !onRow ? row + count + 1 : row + count;
    this.pause();
    this.seek(t[Math.max(0, Math.min(t.length - 1, next))]);
  }

  /** Moves to the next (1) or previous (-1) event. */
  stepEvent(direction: 1 | -1): void {
    const { time } = this.store.state;
    const slack = 1e-9 * Math.max(1, this.run.end - this.run.begin);
    let best: number | null = null;
    for (const { t } of this.run.header.events) {
      const ahead = direction > 0 ? t > time + slack : t < time - slack;
      if (ahead && (best === null || (t - best) * direction < 0)) best = t;
    }
    if (best === null) return;
    this.pause();
    this.seek(best);
  }

  changeSpeed(direction: 1 | -1): void {
    const { speed } = this.store.state;
    const faster = SPEEDS.find((one) => one > speed * 1.0001);
    const slower = [...SPEEDS].reverse().find((one) => one < speed * 0.9999);
    const next = direction > 0 ? faster : slower;
    if (next !== undefined) this.store.set({ speed: next });
  }
}
