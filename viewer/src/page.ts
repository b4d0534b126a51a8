/** The page: scene on the left, plots and tables on the right, time and health below. */

import { ghostTitles, strangers, titleOf } from './data/compare.ts';
import { findElement } from './data/find.ts';
import type { Run } from './data/run.ts';
import { button, element, named } from './dom.ts';
import { iconButton } from './icons.ts';
import { stopBanner, toneOf, toneOfVerdict, verdictBanner } from './panels/banner.ts';
import { helpDialog } from './panels/help.ts';
import { healthStrip } from './panels/health.ts';
import { modesPanel } from './panels/modes.ts';
import { summaryPanel } from './panels/summary.ts';
import { splitter, tabs } from './panels/frame.ts';
import { PlotBoard } from './plots/board.ts';
import { Stage } from './scene/stage.ts';
import { sceneTools } from './scene/tools.ts';
import { readPalette } from './state/palette.ts';
import { startState, Store, type Picked } from './state/store.ts';
import { Clock } from './time/clock.ts';
import { controls } from './time/controls.ts';
import { bindKeys } from './time/keys.ts';
import { FrameRate } from './time/framerate.ts';
import { timeline } from './time/timeline.ts';

export interface Page {
  store: Store;
  clock: Clock;
  stage: Stage | null;
  /** Resolved when the first frame is on the screen. */
  shown: Promise<void>;
  drawNow(): void;
  find(name: string): Picked | null;
  plot(columns: string[]): number;
  plots(): string[][];
  stats(): ReturnType<Window['taut']['stats']>;
}

function hasWebGl(): boolean {
  try {
    return document.createElement('canvas').getContext('webgl2') !== null;
  } catch {
    return false;
  }
}

function firstTheme(): 'light' | 'dark' {
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function buildPage(root: HTMLElement, run: Run, ghosts: Run[]): Page {
  const html = document.documentElement;
  const store = new Store({ ...startState(run.begin), theme: firstTheme() });
  html.dataset.theme = store.state.theme;
  const clock = new Clock(store, run);
  const { summary } = run.header;

  const canvas = element('canvas', {
    tabindex: 0,
    role: 'img',
    'aria-label': 'Scene: shift and arrow keys rotate the view, n and p select bodies and joints',
  });
  const scene = element('section', { class: 'scene', 'aria-label': 'Scene' });
  const stage = hasWebGl() ? new Stage(canvas, run, ghosts, store) : null;
  const find = (name: string): Picked | null => findElement(run, name);
  const board = new PlotBoard(store, clock, run, ghosts);
  const tools = stage ? sceneTools(store, stage, run, ghosts) : null;
  if (stage && tools) scene.append(canvas, stage.labels.root, tools.tools, tools.legend);
  else
    scene.append(
      element(
        'p',
        { class: 'without' },
        'This browser does not support WebGL, so the scene is empty. Plots and summary still work.',
      ),
    );

  const side = tabs([
    { label: 'Plots', content: board.root },
    { label: 'Summary', content: summaryPanel(run, ghosts, clock, (name) => store.set({ picked: find(name) })) },
    ...(run.header.modes.length > 0 && stage ? [{ label: 'Modes', content: modesPanel(store, clock, run) }] : []),
  ]);

  const help = helpDialog();
  const setTheme = (theme: 'light' | 'dark'): void => {
    html.dataset.theme = theme;
    store.set({ theme });
  };
  const flipTheme = (): void => setTheme(store.state.theme === 'dark' ? 'light' : 'dark');
  window
    .matchMedia('(prefers-color-scheme: dark)')
    .addEventListener('change', (event) => setTheme(event.matches ? 'dark' : 'light'));
  const flipSize = (): void => {
    const size = store.state.size === 'large' ? 'normal' : 'large';
    html.dataset.size = size;
    store.set({ size });
  };

  const top = element(
    'header',
    { class: 'top' },
    element('h1', {}, named(titleOf(run))),
    ghosts.length > 0 &&
      element('span', { class: 'versus' }, 'compared with ', named(ghostTitles(run, ghosts).join(', '))),
    summary.verdict &&
      element(
        'span',
        { class: `chip ${toneOfVerdict(summary.verdict)}`, title: 'Verdict of the audit of this run' },
        named(summary.verdict),
      ),
    element('span', { class: `chip ${toneOf(summary.outcome)}` }, named(summary.outcome)),
    element('span', { class: 'facts', dir: 'auto' }, `${summary.freedoms} · ${summary.method}`.slice(0, 300)),
    iconButton('theme', 'Light or dark theme (d)', flipTheme),
    iconButton('large', 'Larger text for projectors (b)', flipSize),
    iconButton('help', 'Keys (?)', () => help.showModal()),
  );

  const line = timeline(store, clock, run);
  const health = healthStrip(store, clock, run, line.root, (name) => store.set({ picked: find(name) }));
  const bottom = element(
    'footer',
    { class: 'bottom' },
    element('div', { class: 'timerow' }, controls(store, clock, run), line.legend),
    health.root,
  );
  const work = element('main', { class: 'work' }, scene, null, side);
  scene.after(splitter(work));
  const jump = (t: number, name: string | null): void => {
    clock.pause();
    clock.seek(t);
    if (name !== null) store.set({ picked: find(name) });
  };
  const banner = stopBanner(run, jump);
  const verdict = verdictBanner(run, jump);
  const unlike = ghosts.map((ghost) => strangers(run, ghost)).find((text) => text !== null) ?? null;
  const notice: HTMLElement | null = unlike
    ? element(
        'div',
        { class: 'banner notice', role: 'status' },
        element('p', { dir: 'auto' }, unlike),
        button('Hide', 'Hide this message', () => notice?.remove()),
      )
    : null;
  root.replaceChildren(
    element('div', { class: 'page' }, element('div', { class: 'above' }, top, verdict, banner, notice), work, bottom),
    help,
  );

  bindKeys(store, clock, run, {
    stage,
    help: () => help.showModal(),
    theme: flipTheme,
    size: flipSize,
    escape: () => {
      if (help.open) return true;
      const open = document.querySelector<HTMLDetailsElement>('details.menu[open]');
      if (open) open.open = false;
      if (store.state.mode) {
        store.set({ mode: null, playing: false });
        return true;
      }
      return open !== null || board.escape();
    },
  });

  const repaint = (): void => {
    stage?.recolour(readPalette());
    line.redraw();
    health.redraw();
    board.repaint();
  };
  store.on(['theme', 'size'], repaint);
  let fitted = false;
  const resized = (): void => {
    const { clientWidth, clientHeight } = scene;
    if (stage && clientWidth > 0 && clientHeight > 0) {
      stage.resize(clientWidth, clientHeight);
      if (!fitted) stage.firstLook();
      fitted = true;
      stage.draw(performance.now());
    }
    line.redraw();
    health.redraw();
  };
  new ResizeObserver(resized).observe(scene);
  repaint();
  resized();

  const frameRate = new FrameRate();
  let loadMs = 0;
  const shown = new Promise<void>((resolve) => {
    const tick = (now: number): void => {
      clock.tick(now);
      stage?.sharpen(frameRate.note(now, store.state.playing));
      stage?.draw(now);
      if (loadMs === 0) {
        loadMs = performance.now();
        resolve();
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });

  return {
    store,
    clock,
    stage,
    shown,
    drawNow: () => {
      stage?.draw(performance.now());
    },
    find,
    plot: (columns) => board.plot(columns),
    plots: () => board.columns(),
    stats: () => {
      const held = stage?.info() ?? { drawCalls: 0, geometries: 0, textures: 0, triangles: 0 };
      const frames = stage?.spent.frames ?? 0;
      return {
        frameMs: frameRate.mean(),
        workMs: stage && frames > 0 ? stage.spent.drawMs / frames : 0,
        frames,
        ...held,
        loadMs,
      };
    },
  };
}
