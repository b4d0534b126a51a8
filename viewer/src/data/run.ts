/** One run, opened: its header, its columns by name, its poses over time. */

import type { Column, Component, Header, Point, Turn } from './contract.ts';
import { decodeArray, type Container } from './decode.ts';
import { between, valueAt } from './rows.ts';
import { mixTurn } from '../math/pose.ts';

interface OpenTrack {
  values: (Float32Array | Float64Array | null)[];
  constants: number[];
}

export class Run {
  readonly header: Header;
  /** Instants of the film and of the table. */
  readonly filmTimes: Float64Array;
  readonly times: Float64Array;
  readonly begin: number;
  readonly end: number;
  private readonly container: Container;
  private readonly cache = new Map<number, Float32Array | Float64Array>();
  private readonly byName = new Map<string, Column>();
  private readonly byElement = new Map<string, Column[]>();
  private readonly tracks: OpenTrack[];
  private readonly figureIndex = new Map<string, number>();

  constructor(container: Container) {
    this.container = container;
    this.header = container.header;
    this.filmTimes = Float64Array.from(this.array(this.header.film.t));
    this.times = Float64Array.from(this.array(this.header.table.t));
    for (const column of this.header.table.columns) {
      this.byName.set(column.name, column);
      if (column.element !== null) {
        const list = this.byElement.get(column.element);
        if (list) list.push(column);
        else this.byElement.set(column.element, [column]);
      }
    }
    this.tracks = this.header.film.tracks.map((track) => this.openTrack([...track.p, ...track.q]));
    this.header.scene.figures.forEach((figure, index) => {
      if (!this.figureIndex.has(figure.name)) this.figureIndex.set(figure.name, index);
    });
    const starts = [this.filmTimes, this.times].filter((t) => t.length > 0).map((t) => t[0]);
    const ends = [this.filmTimes, this.times].filter((t) => t.length > 0).map((t) => t[t.length - 1]);
    this.begin = starts.length > 0 ? Math.min(...starts) : 0;
    this.end = ends.length > 0 ? Math.max(...ends) : 0;
  }

  private array(index: number): Float32Array | Float64Array {
    const known = this.cache.get(index);
    if (known) return known;
    const values = decodeArray(this.container, index);
    this.cache.set(index, values);
    return values;
  }

  private openTrack(components: Component[]): OpenTrack {
    return {
      values: components.map((component) => (typeof component === 'number' ? this.array(component) : null)),
      constants: components.map((component) => (typeof component === 'number' ? 0 : component.constant)),
    };
  }

  column(name: string): Column | undefined {
    return this.byName.get(name);
  }

  columnsOf(element: string): Column[] {
    return this.byElement.get(element) ?? [];
  }

  /** Values of a column at the instants of the table, decoded at first use. */
  values(name: string): Float32Array | Float64Array | null {
    const column = this.byName.get(name);
    return column ? this.array(column.array) : null;
  }

  /** Value of a column at an instant; NaN without such a column, 0 for the empty name (always zero). */
  at(name: string, instant: number): number {
    if (name === '') return 0;
    const values = this.values(name);
    return values ? valueAt(this.times, values, instant) : NaN;
  }

  figure(name: string): number | undefined {
    return this.figureIndex.get(name);
  }

  get figureCount(): number {
    return this.tracks.length;
  }

  /**
   * Poses of all figures at an instant into `out`, seven numbers a figure: position, then quaternion (w, x, y, z).
   * On an instant of the film they are the numbers of the film themselves.
   */
  posesAt(instant: number, out: Float64Array): void {
    if (this.filmTimes.length === 0) {
      this.posesOf(0, 0, 0, out);
      return;
    }
    const { row, next, part } = between(this.filmTimes, instant);
    this.posesOf(row, next, part, out);
  }

  /** Pose of one figure in one row of the film. */
  poseInRow(figure: number, row: number): { p: Point; q: Turn } {
    const { values, constants } = this.tracks[figure];
    const one = (k: number): number => values[k]?.[row] ?? constants[k];
    return { p: [one(0), one(1), one(2)], q: [one(3), one(4), one(5), one(6)] };
  }

  private posesOf(row: number, next: number, part: number, out: Float64Array): void {
    const a: Turn = [1, 0, 0, 0];
    const b: Turn = [1, 0, 0, 0];
    for (let figure = 0; figure < this.tracks.length; figure += 1) {
      const { values, constants } = this.tracks[figure];
      const base = figure * 7;
      for (let k = 0; k < 7; k += 1) {
        const series = values[k];
        const first = series ? series[row] : constants[k];
        if (k < 3) {
          out[base + k] = part > 0 && series ? first + (series[next] - first) * part : first;
        } else {
          a[k - 3] = first;
          b[k - 3] = series ? series[next] : constants[k];
        }
      }
      if (part > 0) mixTurn(a, b, part, a);
      for (let k = 0; k < 4; k += 1) out[base + 3 + k] = a[k];
    }
  }
}
