/** An opened run: header, columns by name, poses over time. */

import type { Column, Header, Point, Turn } from './contract.ts';
import { decodeArray, type Container } from './decode.ts';
import { Film } from './film.ts';
import { valueAt } from './rows.ts';

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
  private readonly film: Film;
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
    this.film = new Film(this.filmTimes, this.header.film.tracks, (index) => this.array(index), this.header.events);
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
    // Thinned extremes are not values at an instant; use the values at the instants of the film if they exist.
    const film = this.byName.get(name)?.film;
    if (film !== undefined) return valueAt(this.filmTimes, this.array(film), instant);
    const values = this.values(name);
    return values ? valueAt(this.times, values, instant) : NaN;
  }

  figure(name: string): number | undefined {
    return this.figureIndex.get(name);
  }

  get figureCount(): number {
    return this.film.count;
  }

  /** Poses of all figures at an instant, seven numbers each: position, then quaternion (w, x, y, z). */
  posesAt(instant: number, out: Float64Array): void {
    this.film.posesAt(instant, out);
  }

  /** Pose of one figure at an instant. */
  poseAt(figure: number, instant: number): { p: Point; q: Turn } {
    return this.film.poseAt(figure, instant);
  }
}
