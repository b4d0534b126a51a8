/** A table that is sorted by clicking a column head; long tables show only their first rows, with a note. */

import { element, named } from '../dom.ts';

export interface ColumnOf<T> {
  head: string;
  kind: 'text' | 'number';
  value: (row: T) => string | number;
  show?: (row: T) => Node | string;
}

const MOST_ROWS = 400;

export function sortable<T>(rows: T[], columns: ColumnOf<T>[], label: string): HTMLElement {
  const head = element('tr');
  const body = element('tbody');
  const note = element('small');
  let by = -1;
  let direction = 1;

  const fill = (): void => {
    const sorted =
      by < 0
        ? rows
        : [...rows].sort((a, b) => {
            const left = columns[by].value(a);
            const right = columns[by].value(b);
            const order =
              typeof left === 'number' && typeof right === 'number'
                ? left - right
                : String(left).localeCompare(String(right));
            return (Number.isNaN(order) ? 0 : order) * direction;
          });
    body.replaceChildren(
      ...sorted.slice(0, MOST_ROWS).map((row) =>
        element(
          'tr',
          {},
          ...columns.map((column) => {
            const shown = column.show ? column.show(row) : String(column.value(row));
            return element(
              'td',
              { class: column.kind },
              typeof shown === 'string' && column.kind === 'text' ? named(shown) : shown,
            );
          }),
        ),
      ),
    );
    note.textContent = rows.length > MOST_ROWS ? `first ${MOST_ROWS} of ${rows.length} rows in this order` : '';
  };
  columns.forEach((column, k) => {
    const press = element('button', { type: 'button', title: `Sort by ${column.head}` }, column.head);
    const cell = element('th', { class: column.kind, scope: 'col', 'aria-sort': 'none' }, press);
    press.addEventListener('click', () => {
      direction = by === k ? -direction : column.kind === 'number' ? -1 : 1;
      by = k;
      [...head.children].forEach((other, j) =>
        other.setAttribute('aria-sort', j !== k ? 'none' : direction > 0 ? 'ascending' : 'descending'),
      );
      [...head.children].forEach((other, j) => {
        (other.firstChild as HTMLElement).textContent = columns[j].head + (j !== k ? '' : direction > 0 ? ' ↑' : ' ↓');
      });
      fill();
    });
    head.append(cell);
  });
  fill();
  return element(
    'div',
    {},
    element('div', { class: 'scroller' }, element('table', { 'aria-label': label }, element('thead', {}, head), body)),
    note,
  );
}

/** A table of names and values. */
export function facts(pairs: [string, string | Node][]): HTMLElement {
  const body = element('tbody');
  for (const [what, value] of pairs)
    body.append(
      element(
        'tr',
        {},
        element('th', { scope: 'row', dir: 'auto' }, what.slice(0, 200)),
        element('td', { dir: 'auto' }, value),
      ),
    );
  return element('table', { class: 'facts-table' }, body);
}
