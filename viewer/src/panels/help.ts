/** The list of keys. */

import { button, element } from '../dom.ts';
import { KEYS } from '../time/keys.ts';

export function helpDialog(): HTMLDialogElement {
  const list = element('dl');
  for (const [key, does] of KEYS) list.append(element('dt', {}, element('kbd', {}, key)), element('dd', {}, does));
  const dialog = element('dialog', { 'aria-label': 'Keys' });
  dialog.append(
    element('strong', {}, 'Keys'),
    list,
    element(
      'p',
      {},
      'Drag turns the view (moves it, if flat), right or shift-drag moves it, the wheel zooms. A click picks; a second click at the same place picks what lies behind.',
    ),
    element('p', {}, 'In a plot: click jumps to that time, drag zooms, double-click shows everything again.'),
    button('Close', 'Close', () => dialog.close()),
  );
  return dialog;
}
