/** Groups columns into plots: by element and level (positions, rates, loads), the most informative families first. */

import type { Column } from '../data/contract.ts';

export interface Group {
  title: string;
  names: string[];
}

const ORDER = [
  'state',
  'position',
  'velocity',
  'reactions',
  'reaction',
  'contacts',
  'contact',
  'efforts',
  'joints',
  'measures',
  'markers',
  'energy',
  'accelerations',
  'residuals',
  'solver',
  'multipliers',
];
const MOST_TOGETHER = 6;

function rank(family: string): number {
  const found = ORDER.indexOf(family);
  return found < 0 ? ORDER.length : found;
}

/** Derivatives are recognised by their unit. */
function level(unit: string): number {
  return /\/s(²|\^2|2)/.test(unit) ? 2 : unit.includes('/s') ? 1 : 0;
}

/** Values below this fraction of the largest value with the same unit are round-off. */
const NOTHING = 1e-10;
/** Values below this, in SI units, are always round-off. */
const ZERO = 1e-13;

/** Columns without those that are always zero up to round-off. */
export function lively(columns: Column[], values: (name: string) => ArrayLike<number> | null): Column[] {
  const largest = (name: string): number => {
    const list = values(name) ?? [];
    let most = 0;
    for (let k = 0; k < list.length; k += 1) if (Math.abs(list[k]) > most) most = Math.abs(list[k]);
    return most;
  };
  const sizes = columns.map(({ name }) => largest(name));
  const of = (column: Column): string => `${column.element ?? ''}\n${column.family}\n${column.unit}`;
  const scale = new Map<string, number>();
  columns.forEach((column, k) => scale.set(of(column), Math.max(sizes[k], scale.get(of(column)) ?? 0)));
  return columns.filter((column, k) => sizes[k] > Math.max(ZERO, NOTHING * (scale.get(of(column)) ?? 0)));
}

/** Groups in order of relevance: elements as given, families by weight, positions before rates. */
export function grouped(columns: Column[]): Group[] {
  const elements = [...new Set(columns.map(({ element }) => element ?? ''))];
  const found = new Map<string, { order: number[]; units: Map<string, string[]>; title: string }>();
  for (const column of columns) {
    const place = elements.indexOf(column.element ?? '');
    // Loads in axes of the joint come after those in axes of the world; quaternions and markers after both.
    const quaternion = column.family === 'state' && (column.unit === '1' || column.unit === '');
    const own = quaternion || column.family === 'markers' || /_j$/.test(column.name) ? 1 : 0;
    const late = rank(column.family) >= ORDER.indexOf('accelerations') ? 2 : own;
    const order = [late, place, rank(column.family), level(column.unit)];
    const key = order.join(' ');
    const group = found.get(key) ?? { order, units: new Map<string, string[]>(), title: column.element ?? '' };
    group.units.set(column.unit, [...(group.units.get(column.unit) ?? []), column.name]);
    found.set(key, group);
  }
  const sorted = [...found.values()].sort((a, b) => {
    const differs = a.order.findIndex((value, k) => value !== b.order[k]);
    return differs < 0 ? 0 : a.order[differs] - b.order[differs];
  });
  return sorted.flatMap(({ title, units }) => packed(title, [...units.values()]));
}

/** At most two units share a plot. */
function packed(title: string, lists: string[][]): Group[] {
  const groups: Group[] = [];
  let open: { names: string[]; units: number } | null = null;
  for (const names of lists) {
    if (open && open.units < 2 && open.names.length + names.length <= MOST_TOGETHER) {
      open.names.push(...names);
      open.units += 1;
    } else {
      open = { names: [...names], units: 1 };
      groups.push({ title, names: open.names });
    }
  }
  return groups;
}
