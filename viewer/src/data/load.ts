/** Loads the packed runs: from the page itself (a report), or from the server of the page. */

import { fromBase64, gunzip, openContainer } from './decode.ts';
import { Run } from './run.ts';

async function fetched(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`the server answered ${answer.status} for ${name}`);
  return new Uint8Array(await answer.arrayBuffer());
}

async function open(packed: Uint8Array<ArrayBuffer>): Promise<Run> {
  return new Run(openContainer(await gunzip(packed)));
}

function embedded(id: string): Uint8Array<ArrayBuffer> | null {
  const element = document.getElementById(id);
  if (!element || element.getAttribute('type') !== 'application/x-taut') return null;
  const bytes = fromBase64((element.textContent ?? '').trim());
  element.remove();
  return bytes;
}

/** Name of a compared run in the page and on the server; the first is number 0. */
function ghostName(k: number): string {
  return k === 0 ? 'ghost' : `ghost${k + 1}`;
}

/** The run of this page, and those it is compared with. */
export async function loadRuns(): Promise<{ run: Run; ghosts: Run[] }> {
  const ghosts: Run[] = [];
  if (document.documentElement.dataset.mode === 'report') {
    const packed = embedded('run');
    if (!packed) throw new Error('this page contains no run; write a report with `taut report`');
    for (let ghost = embedded(ghostName(0)); ghost; ghost = embedded(ghostName(ghosts.length)))
      ghosts.push(await open(ghost));
    return { run: await open(packed), ghosts };
  }
  const count = Number(document.documentElement.dataset.ghosts ?? 0);
  const run = await open(await fetched('run.taut'));
  while (ghosts.length < count) ghosts.push(await open(await fetched(`${ghostName(ghosts.length)}.taut`)));
  return { run, ghosts };
}
