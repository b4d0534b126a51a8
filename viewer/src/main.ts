/** Opens the run and builds the page. */

import 'uplot/dist/uPlot.min.css';
import './style.css';
import { loadRuns } from './data/load.ts';
import { element, shorten } from './dom.ts';
import { buildPage } from './page.ts';
import { offerHandle } from './handle.ts';

const opened = loadRuns().then(({ run, ghosts }) => {
  document.title = `${shorten(run.header.summary.title || run.header.scene.title || 'run', 80)} – Taut`;
  return buildPage(document.getElementById('page') as HTMLElement, run, ghosts);
});

offerHandle(opened);

opened.catch((error: unknown) => {
  const said = error instanceof Error ? error.message : String(error);
  document
    .getElementById('page')
    ?.replaceChildren(element('p', { class: 'failed', role: 'alert' }, `The run could not be opened: ${said}.`));
});
