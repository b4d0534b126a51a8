/** All plots: those chosen by name, and those of the element selected in the scene. */

import type { Column } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import { button, element, shorten } from '../dom.ts';
import type { Picked, Store } from '../state/store.ts';
import type { Clock } from '../time/clock.ts';
import { grouped, lively, type Group } from './groups.ts';
import type { PlotPanel } from './panel.ts';
import { PhasePlot } from './phase.ts';
import { columnSearch } from './search.ts';
import { SpectrumPlot } from './spectrumplot.ts';
import { TimePlot } from './timeplot.ts';

const MOST_PICKED = 8;

export class PlotBoard {
  readonly root = element('div', { class: 'board' });
  private readonly list = element('div', { class: 'plots' });
  private readonly hint = element(
    'p',
    { class: 'hint' },
    'Click a body or joint in the scene to plot its motion and reactions, or search for a column above.',
  );
  private panels: { panel: PlotPanel; from: 'named' | 'picked' }[] = [];
  private current: PlotPanel | null = null;
  private readonly reset: HTMLButtonElement;
  private readonly search: { root: HTMLElement; input: HTMLInputElement };
  private width = 0;

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly run: Run,
    private readonly ghosts: Run[],
  ) {
    this.search = columnSearch(run, 'Search for a column to plot …', (name, fresh) => this.take(name, fresh));
    this.search.input.title = 'Enter adds the column to the selected plot, shift and enter to a new one';
    this.reset = button('Whole time', 'Show the whole run in all plots', () => store.set({ zoom: null }));
    this.reset.hidden = true;
    const bar = element(
      'div',
      { class: 'plotbar' },
      this.search.root,
      button('New plot', 'The next column opens a new plot', () => {
        this.choose(null);
        this.search.input.focus();
      }),
      button('Phase', 'Phase portrait: one column over another', () => this.phase()),
      button('Spectrum', 'Spectrum of the selected plot', () => this.spectrum()),
      this.reset,
    );
    this.root.append(bar, this.hint, this.list);
    store.on(['time'], () => {
      for (const { panel } of this.panels) panel.tick();
    });
    store.on(['zoom'], ({ zoom }) => {
      this.reset.hidden = zoom === null;
      for (const { panel } of this.panels) panel.zoom();
    });
    store.on(['picked'], ({ picked }) => this.showPicked(picked));
    this.openFirst();
    new ResizeObserver(() => {
      const width = this.list.clientWidth;
      if (width === 0 || Math.abs(width - this.width) < 2) return;
      this.width = width;
      this.repaint();
    }).observe(this.list);
  }

  /** Each column once, because a body and a joint may have the same name. */
  private groups(columns: Column[]): Group[] {
    return grouped(lively([...new Set(columns)], (name) => this.run.values(name)));
  }

  /** Initial plots: energy, and the reactions or the motion of the first element. */
  private openFirst(): void {
    const { health, scene } = this.run.header;
    const energy = [health.kinetic, health.potential].filter(
      (name): name is string => name !== null && this.run.column(name) !== undefined,
    );
    if (energy.length > 0) this.timePlot(energy, 'energy', 'picked');
    const names = [
      ...scene.joints.map(({ name }) => name),
      ...scene.figures.filter(({ role }) => role !== 'ground').map(({ name }) => name),
    ];
    const first = names.find((name) => this.run.columnsOf(name).length > 0);
    if (first === undefined) return;
    for (const { title, names: columns } of this.groups(this.run.columnsOf(first)).slice(0, 2))
      this.timePlot(columns, title, 'picked');
  }

  private choose(panel: PlotPanel | null): void {
    this.current = panel;
    for (const { panel: other } of this.panels) other.root.classList.toggle('current', other === panel);
  }

  private insert(panel: PlotPanel, from: 'named' | 'picked'): void {
    this.panels.push({ panel, from });
    this.list.append(panel.root);
    panel.root.addEventListener('pointerdown', () => this.choose(panel), { capture: true });
    if (this.root.isConnected) panel.rebuild();
    this.hint.hidden = true;
  }

  /** Scrolls to a new plot after layout. */
  private reveal(panel: PlotPanel): void {
    requestAnimationFrame(() =>
      requestAnimationFrame(() => panel.root.scrollIntoView({ block: 'nearest', inline: 'nearest' })),
    );
  }

  private remove(panel: PlotPanel): void {
    panel.destroy();
    this.panels = this.panels.filter((entry) => entry.panel !== panel);
    if (this.current === panel) this.choose(null);
    this.hint.hidden = this.panels.length > 0;
  }

  private timePlot(names: string[], title: string, from: 'named' | 'picked'): TimePlot {
    const panel: TimePlot = new TimePlot(
      {
        store: this.store,
        clock: this.clock,
        run: this.run,
        ghosts: this.ghosts,
        title,
        close: (closed) => this.remove(closed),
        keep: from === 'picked' ? (kept) => this.keep(kept) : null,
      },
      names,
    );
    this.insert(panel, from);
    return panel;
  }

  private keep(panel: PlotPanel): void {
    const entry = this.panels.find((other) => other.panel === panel);
    if (entry) entry.from = 'named';
  }

  private take(name: string, fresh: boolean): void {
    const entry = this.panels.find(({ panel }) => panel === this.current);
    if (!fresh && entry?.panel.add(name)) {
      entry.from = 'named';
      return;
    }
    const panel = this.timePlot([name], '', 'named');
    this.choose(panel);
    this.reveal(panel);
  }

  /** A new plot of named columns; returns the number of existing ones. */
  plot(names: string[]): number {
    const known = names.filter((name) => this.run.column(name));
    if (known.length > 0) {
      const panel = this.timePlot(known, '', 'named');
      this.choose(panel);
      this.reveal(panel);
    }
    return known.length;
  }

  columns(): string[][] {
    return this.panels.map(({ panel }) => panel.columns());
  }

  /** Motion of a body with the reactions of its joints; reactions of a joint; all other columns with the name. */
  private showPicked(picked: Picked | null): void {
    for (const { panel } of this.panels.filter(({ from }) => from === 'picked')) this.remove(panel);
    if (!picked) return;
    const { scene } = this.run.header;
    const columns = [...this.run.columnsOf(picked.name)];
    if (picked.kind === 'body') {
      const figure = this.run.figure(picked.name);
      for (const joint of scene.joints)
        if (joint.spots.some((spot) => spot.figure === figure)) columns.push(...this.run.columnsOf(joint.name));
    }
    if (picked.kind === 'beam' && columns.length === 0) {
      const beam = scene.beams.find(({ name }) => name === picked.name);
      const last = beam ? scene.figures[beam.nodes[beam.nodes.length - 1]] : undefined;
      if (last) columns.push(...this.run.columnsOf(last.name));
    }
    for (const { title, names } of this.groups(columns).slice(0, MOST_PICKED)) this.timePlot(names, title, 'picked');
    if (columns.length === 0) {
      this.hint.hidden = false;
      this.hint.textContent = `The run has no columns of ${shorten(picked.name, 60)}.`;
    }
  }

  private phase(): void {
    const from = this.current?.columns() ?? this.panels[0]?.panel.columns() ?? [];
    const first = from[0] ?? this.run.header.table.columns[0]?.name;
    if (first === undefined) return;
    const column = this.run.column(first);
    const rate = this.run.header.table.columns.find(
      (other) => other.element === column?.element && column?.element !== null && other.unit === `${column?.unit}/s`,
    );
    const second = rate?.name ?? from[1] ?? this.run.header.table.columns[1]?.name ?? first;
    const panel = new PhasePlot(
      { store: this.store, run: this.run, ghosts: this.ghosts, close: (closed) => this.remove(closed) },
      first,
      second,
    );
    this.insert(panel, 'named');
    this.choose(panel);
    this.reveal(panel);
  }

  private spectrum(): void {
    const names = this.current?.columns() ?? this.panels[0]?.panel.columns() ?? [];
    if (names.length === 0) {
      this.search.input.focus();
      return;
    }
    const panel = new SpectrumPlot(
      { store: this.store, run: this.run, close: (closed) => this.remove(closed) },
      names.slice(0, 6),
    );
    this.insert(panel, 'named');
    this.reveal(panel);
  }

  repaint(): void {
    for (const { panel } of this.panels) panel.rebuild();
  }

  /** Leaves the zoom; returns whether there was one. */
  escape(): boolean {
    if (!this.store.state.zoom) return false;
    this.store.set({ zoom: null });
    return true;
  }
}
