/** Labels over the scene: of the selected and the hovered element, and of all bodies if switched on. */

import { named, element } from '../dom.ts';

interface Label {
  box: HTMLElement;
  text: string;
}

const MOST = 60;

export class Labels {
  readonly root = element('div', { class: 'labels', 'aria-hidden': 'true' });
  private readonly labels = new Map<string, Label>();

  /** Shows exactly these labels, identified by their keys. */
  show(wanted: { key: string; text: string; className: string; x: number; y: number }[]): void {
    const kept = wanted.slice(0, MOST);
    const keys = new Set(kept.map(({ key }) => key));
    for (const [key, { box }] of this.labels) {
      if (keys.has(key)) continue;
      box.remove();
      this.labels.delete(key);
    }
    for (const { key, text, className, x, y } of kept) {
      let label = this.labels.get(key);
      if (!label || label.text !== text) {
        label?.box.remove();
        label = { box: element('div', { class: 'label' }, named(text)), text };
        this.labels.set(key, label);
        this.root.append(label.box);
      }
      label.box.className = `label ${className}`;
      label.box.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }
}
