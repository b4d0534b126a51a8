// Bundles script and style into dist/index.html: one file that asks for nothing else.
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const bundled = await build({
  entryPoints: [join(root, 'src/main.ts')],
  bundle: true,
  minify: true,
  write: false,
  outdir: join(root, 'dist'),
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'inline',
  logLevel: 'warning',
});

const script = bundled.outputFiles.find((file) => file.path.endsWith('.js')).text;
const style = bundled.outputFiles.find((file) => file.path.endsWith('.css')).text;
// A closing tag inside a string of the script would end the element that holds it.
const inlineScript = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const inlineStyle = style.replaceAll('</style', '<\\/style');

const template = await readFile(join(root, 'src/index.html'), 'utf8');
const page = template.replace('/*style*/', () => inlineStyle).replace('/*script*/', () => inlineScript);

for (const once of ['<!--taut-data-->', 'data-mode="server"']) {
  if (page.split(once).length !== 2) throw new Error(`the page must hold ${once} exactly once`);
}
await mkdir(join(root, 'dist'), { recursive: true });
await writeFile(join(root, 'dist/index.html'), page);
