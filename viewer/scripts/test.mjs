// Compiles the unit tests and runs them with node's own runner.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'tests/unit');
const out = join(root, '.cache/unit');
const sources = (await readdir(folder)).filter((name) => name.endsWith('.test.ts'));

await rm(out, { recursive: true, force: true });
await build({
  entryPoints: sources.map((name) => join(folder, name)),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  outdir: out,
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
});
const files = sources.map((name) => join(out, name.replace(/\.ts$/, '.mjs')));
const run = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' });
process.exit(run.status ?? 1);
