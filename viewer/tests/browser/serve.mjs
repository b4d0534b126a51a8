// Serves reports as a server would: the page, and its data beside it, on the loopback address.
import { createServer } from 'node:http';
import { packedIn } from './packed.mjs';

/** Address of a server that gives the page of a report with its data split off; close() ends it. */
export async function serveReport(html) {
  const run = packedIn(html, 'run');
  const ghost = packedIn(html, 'ghost');
  const page = html
    .replace(/<script type="application\/x-taut" id="(run|ghost)">[^<]*<\/script>/g, '')
    .replace('data-mode="report"', `data-mode="server"${ghost ? ' data-ghosts="1"' : ''}`);
  const files = new Map([
    ['/', ['text/html; charset=utf-8', page]],
    ['/run.taut', ['application/octet-stream', run]],
    ['/ghost.taut', ['application/octet-stream', ghost]],
  ]);
  const server = createServer((request, answer) => {
    const file = files.get(request.url);
    if (!file || file[1] === null) {
      answer.writeHead(404).end();
      return;
    }
    answer.writeHead(200, { 'content-type': file[0] }).end(file[1]);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
