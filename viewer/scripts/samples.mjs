// Makes the sample reports: node scripts/samples.mjs FOLDER (the page must have been built).
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = process.argv[2];
if (!folder) throw new Error('usage: node scripts/samples.mjs FOLDER');

const compiled = join(root, '.cache/samples.mjs');
await build({
  entryPoints: [join(root, 'sample/make.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  outfile: compiled,
  logLevel: 'warning',
});
const { samples } = await import(pathToFileURL(compiled).href);
const page = await readFile(join(root, 'dist/index.html'), 'utf8');

const element = (id, packed) =>
  `<script type="application/x-taut" id="${id}">${Buffer.from(packed).toString('base64')}</script>`;

await mkdir(folder, { recursive: true });
for (const [name, make] of Object.entries(samples)) {
  const { run, ghost } = make();
  const data = element('run', run) + (ghost ? element('ghost', ghost) : '');
  const report = page.replace('data-mode="server"', 'data-mode="report"').replace('<!--taut-data-->', () => data);
  await writeFile(join(folder, `${name}.html`), report);
  console.log(`${name}.html ${(report.length / 1e6).toFixed(2)} MB`);
}
