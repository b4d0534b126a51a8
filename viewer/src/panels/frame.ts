/** Tabs of the side panel and the bar that sets its width; both work with the keyboard. */

import { element } from '../dom.ts';

export function tabs(pages: { label: string; content: HTMLElement }[]): HTMLElement {
  const list = element('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Plots and tables' });
  const panels = pages.map(({ label, content }, k) =>
    element(
      'section',
      { class: 'panel', role: 'tabpanel', id: `panel-${k}`, 'aria-label': label, hidden: k > 0 },
      content,
    ),
  );
  const heads = pages.map(({ label }, k) =>
    element(
      'button',
      {
        type: 'button',
        role: 'tab',
        'aria-controls': `panel-${k}`,
        'aria-selected': String(k === 0),
        tabindex: k === 0 ? 0 : -1,
      },
      label,
    ),
  );
  const choose = (chosen: number): void => {
    heads.forEach((head, k) => {
      head.setAttribute('aria-selected', String(k === chosen));
      head.tabIndex = k === chosen ? 0 : -1;
      panels[k].hidden = k !== chosen;
    });
  };
  heads.forEach((head, k) => {
    head.addEventListener('click', () => choose(k));
    head.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (step === 0) return;
      const next = (k + step + heads.length) % heads.length;
      choose(next);
      heads[next].focus();
    });
  });
  list.append(...heads);
  return element('aside', { class: 'side' }, list, ...panels);
}

export function splitter(work: HTMLElement): HTMLElement {
  const bar = element('div', {
    class: 'splitter',
    role: 'separator',
    tabindex: 0,
    'aria-orientation': 'vertical',
    'aria-label': 'Width of the side panel',
    'aria-valuemin': 15,
    'aria-valuemax': 80,
    'aria-valuenow': 36,
  });
  let width = 36;
  const set = (next: number): void => {
    width = Math.max(15, Math.min(80, next));
    work.style.setProperty('--side', `${width}%`);
    bar.setAttribute('aria-valuenow', String(Math.round(width)));
  };
  bar.addEventListener('pointerdown', (event) => {
    bar.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent): void => {
      const box = work.getBoundingClientRect();
      set(((box.right - moved.clientX) / box.width) * 100);
    };
    const stop = (): void => {
      bar.removeEventListener('pointermove', move);
      bar.removeEventListener('pointerup', stop);
    };
    bar.addEventListener('pointermove', move);
    bar.addEventListener('pointerup', stop);
  });
  bar.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowLeft') set(width + 2);
    else if (event.key === 'ArrowRight') set(width - 2);
    else return;
    event.preventDefault();
  });
  return bar;
}
