/** Dialog with the list of keys. */

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
      'Drag to rotate the view (to move it in the planar view), right-drag or shift-drag to move it, use the wheel to zoom. Click to select; click again at the same point to select what is behind.',
    ),
    element('p', {}, 'In a plot: click to jump to that time, drag to zoom, double-click to show everything.'),
    button('Close', 'Close', () => dialog.close()),
  );
  return dialog;
}
