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

/** The run of this page, and the one it is compared with. */
export async function loadRuns(): Promise<{ run: Run; ghost: Run | null }> {
  if (document.documentElement.dataset.mode === 'report') {
    const packed = embedded('run');
    if (!packed) throw new Error('this page contains no run; write a report with `taut report`');
    const ghost = embedded('ghost');
    return { run: await open(packed), ghost: ghost ? await open(ghost) : null };
  }
  const wantsGhost = document.documentElement.dataset.ghost === 'yes';
  const run = await open(await fetched('run.taut'));
  return { run, ghost: wantsGhost ? await open(await fetched('ghost.taut')) : null };
}
