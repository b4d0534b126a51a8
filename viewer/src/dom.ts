/** Creates elements. Text is inserted as text only, so names in a model can never become markup. */

type Child = Node | string | null | undefined | false;

export interface Attributes {
  [name: string]: string | number | boolean | undefined;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    made.append(child);
  }
  return made;
}

/** Shortens a very long name; the tooltip shows more of it, up to a readable length. */
export function shorten(text: string, most: number): string {
  const letters = Array.from(text.slice(0, most * 4));
  return letters.length > most
    ? `${letters.slice(0, most - 1).join('')}…`
    : text.length > most * 4
      ? `${letters.join('')}…`
      : text;
}

/** Keeps both ends of a long name, because names made of parts differ at their ends. */
export function shortenMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const letters = Array.from(text);
  if (letters.length <= most) return text;
  const tail = Math.floor(most * 0.45);
  return `${letters.slice(0, most - 1 - tail).join('')}…${letters.slice(-tail).join('')}`;
}

/** A name from the model: isolated from the direction of the text around it, cut to one line. */
export function named(text: string, className = '', most = 80): HTMLElement {
  const shown = most < 80 ? shortenMiddle(text, most) : shorten(text, most);
  const made = element('bdi', { class: `name ${className}`.trim(), dir: 'auto' }, shown);
  made.title = shorten(text, 400);
  return made;
}

export function button(
  label: string,
  title: string,
  press: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const made = element('button', { type: 'button', title, 'aria-label': title, ...attributes }, label);
  made.addEventListener('click', press);
  return made;
}

/** A button that stays pressed. */
export function toggle(label: string, title: string, on: boolean, change: (on: boolean) => void): HTMLButtonElement {
  const made = button(label, title, () => {
    const next = made.getAttribute('aria-pressed') !== 'true';
    made.setAttribute('aria-pressed', String(next));
    change(next);
  });
  made.setAttribute('aria-pressed', String(on));
  return made;
}

export function download(blob: Blob, name: string): void {
  const link = element('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A file name from a title. */
export function fileName(title: string, ending: string): string {
  const plain = title
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${plain || 'taut'}.${ending}`;
}
