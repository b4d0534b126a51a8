/** Search box for columns: type parts of the name, choose with the arrow keys, confirm with enter. */

import type { Column } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import { element, named, shorten } from '../dom.ts';
import { unitText } from './axes.ts';

const MOST = 60;
let serial = 0;

/** Columns that contain all words, best first: whole names, then prefixes, then the rest. */
export function matching(columns: Column[], query: string): Column[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found: { column: Column; rank: number }[] = [];
  for (const column of columns) {
    const name = column.name.toLowerCase();
    const all = `${name} ${column.meaning.toLowerCase()} ${column.unit.toLowerCase()} ${column.family.toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) continue;
    const first = words[0] ?? '';
    const rank =
      name === query.toLowerCase().trim()
        ? 0
        : name.startsWith(first)
          ? 1
          : words.every((word) => name.includes(word))
            ? 2
            : 3;
    found.push({ column, rank });
    if (words.length === 0 && found.length >= MOST) break;
  }
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ column }) => column);
}

export function columnSearch(
  run: Run,
  label: string,
  take: (name: string, fresh: boolean) => void,
): { root: HTMLElement; input: HTMLInputElement } {
  serial += 1;
  const id = `found-${serial}`;
  const input = element('input', {
    type: 'search',
    placeholder: label,
    'aria-label': label,
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': id,
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const list = element('ul', { class: 'found', role: 'listbox', id, hidden: true });
  const root = element('div', { class: 'search' }, input, list);
  let shown: Column[] = [];
  let chosen = 0;

  const close = (): void => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
  };
  const mark = (): void => {
    [...list.children].forEach((item, k) => item.setAttribute('aria-selected', String(k === chosen)));
    list.children[chosen]?.scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', `${id}-${chosen}`);
  };
  const accept = (index: number, fresh: boolean): void => {
    const column = shown[index];
    if (!column) return;
    take(column.name, fresh);
    input.value = '';
    close();
  };
  const open = (): void => {
    shown = matching(run.header.table.columns, input.value);
    chosen = 0;
    list.replaceChildren(
      ...shown.map((column, k) => {
        const item = element(
          'li',
          { role: 'option', id: `${id}-${k}` },
          named(column.name, '', 44),
          element('small', {}, unitText(column.unit)),
          element('small', { dir: 'auto' }, shorten(column.meaning, 120)),
        );
        item.addEventListener('pointerdown', (event) => {
          event.preventDefault();
          accept(k, event.shiftKey);
        });
        return item;
      }),
    );
    list.hidden = shown.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    mark();
  };
  input.addEventListener('input', open);
  input.addEventListener('focus', open);
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (list.hidden) open();
      chosen = Math.max(0, Math.min(shown.length - 1, chosen + (event.key === 'ArrowDown' ? 1 : -1)));
      mark();
    } else if (event.key === 'Enter' && !list.hidden) {
      event.preventDefault();
      accept(chosen, event.shiftKey);
    } else if (event.key === 'Escape') {
      // Clears and leaves the box, so that the keys of the page work again; the selection stays.
      event.preventDefault();
      event.stopPropagation();
      input.value = '';
      close();
      input.blur();
    }
  });
  return { root, input };
}
