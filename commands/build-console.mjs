/*
 * Builds the console, the web page at /console, into `dist/console`: its script with the library code it uses, its style with the
 * font, and the pages themselves; and the script of the page at /docs.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { compileFunction } from 'node:vm';
import { build, context } from 'esbuild';

const FOLDER = join('dist', 'console');

/** With `watch`, it rebuilds after each change until the process ends. */
export async function buildConsole({ watch = false } = {}) {
  const building = await context({
    entryPoints: [
      'main.tsx',
      'docs-page.ts',
      'main.css',
      'index.html',
      'welcome.html',
      'icon.svg',
      'manifest.webmanifest',
    ].map(name => join('console', name)),
    outdir: FOLDER,
    outbase: 'console',
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2023', 'chrome111', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    assetNames: '[name]',
    loader: { '.html': 'copy', '.svg': 'copy', '.webmanifest': 'copy', '.woff2': 'file' },
    logLevel: 'warning',
    plugins: [
      { name: 'shapes', setup: build => build.onLoad({ filter: /[/\\]console[/\\]shapes\.ts$/ }, runModule) },
      { name: 'write', setup: build => build.onEnd(({ outputFiles }) => outputFiles?.forEach(writePage)) },
    ],
  });
  if (watch) return building.watch();
  await building.rebuild();
  await building.dispose();
}

/** The license of the icons names each of their files; the last one stands for all, which is shorter by 300 bytes compressed. */
const otherIcons = /(lucide\/dist\/esm\/icons\/)[\w-]+\.mjs:\n(?=\1)/g;

function writePage({ path, contents, text }) {
  writeOutput({
    path,
    contents: path.endsWith('.js') ? Buffer.from(text.replace(otherIcons, '')) : contents,
  });
}

/** Puts the values of a module in its place, so that its imports stay out of the page. */
async function runModule({ path }) {
  const { outputFiles, metafile } = await build({
    entryPoints: [path],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    metafile: true,
  });
  const module = { exports: {} };
  compileFunction(outputFiles[0].text, ['module', 'require'])(module, createRequire(import.meta.url));
  const values = Object.entries(module.exports);
  return {
    contents: values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join('\n'),
    watchFiles: Object.keys(metafile.inputs).map(input => resolve(input)),
  };
}

/** The file is replaced in one step, because processes that start at the same time read it. */
export function writeOutput({ path, contents }) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, contents);
  renameSync(unfinished, path);
}
