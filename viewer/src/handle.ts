/** `window.taut`: interface for programs, so that tests can query what is drawn instead of inspecting pixels. */

import type { Point, Turn } from './data/contract.ts';
import type { Page } from './page.ts';
import { SHOWN, type Shown } from './state/store.ts';

export interface Handle {
  ready: Promise<void>;
  time(): number;
  seek(t: number): void;
  play(): void;
  pause(): void;
  pick(name: string): boolean;
  picked(): string | null;
  /** Pose taken from the matrices that are drawn (`q` is null for nodes, which are drawn only by their beam). */
  drawn(name: string): { p: Point; q: Turn | null } | null;
  /** A point of the window at which a click selects this element. */
  project(name: string): { x: number; y: number } | null;
  show(kind: string, on: boolean): void;
  plot(columns: string[]): number;
  plots(): string[][];
  /** Milliseconds between frames while playing, milliseconds of work per frame, and counts of the renderer. */
  stats(): {
    frameMs: number;
    workMs: number;
    frames: number;
    drawCalls: number;
    geometries: number;
    textures: number;
    triangles: number;
    loadMs: number;
  };
}

declare global {
  interface Window {
    taut: Handle;
  }
}

export function offerHandle(opened: Promise<Page>): void {
  let page: Page | null = null;
  const ready = opened.then((made) => {
    page = made;
    return made.shown;
  });
  ready.catch(() => undefined);
  const now = (): Page => {
    if (!page) throw new Error('the page is not ready: await taut.ready');
    return page;
  };
  window.taut = {
    ready,
    time: () => now().store.state.time,
    seek: (t) => {
      now().clock.seek(t);
      now().drawNow();
    },
    play: () => now().clock.play(),
    pause: () => now().clock.pause(),
    pick: (name) => {
      const found = now().find(name);
      now().store.set({ picked: found });
      return found !== null;
    },
    picked: () => now().store.state.picked?.name ?? null,
    drawn: (name) => {
      now().drawNow();
      return now().stage?.drawn(name) ?? null;
    },
    project: (name) => {
      now().drawNow();
      return now().stage?.project(name) ?? null;
    },
    show: (kind, on) => {
      if (!(SHOWN as readonly string[]).includes(kind))
        throw new Error(`unknown kind ${kind}; known are ${SHOWN.join(', ')}`);
      now().store.show(kind as Shown, on);
      now().drawNow();
    },
    plot: (columns) => now().plot(columns),
    plots: () => now().plots(),
    stats: () => now().stats(),
  };
}
