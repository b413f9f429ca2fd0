/*
 * Builds the console, the web page at /console, into `dist/console`: its script with the library code it uses, its style with the
 * font, and the pages themselves; and the script of the page at /docs.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { compileFunction } from 'node:vm';
import { build, context, transform } from 'esbuild';

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
    target: targets,
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
  const chat = await context(siteChat);
  if (watch) return Promise.all([building.watch(), chat.watch()]);
  await Promise.all([building.rebuild(), chat.rebuild()]);
  await Promise.all([building.dispose(), chat.dispose()]);
}

const targets = ['es2023', 'chrome111', 'firefox115', 'safari16.4'];

/** The chat for pages of other sites: one script with its style, which leaves no names of its own there. */
const siteChat = {
  entryPoints: [join('console', 'site-chat', 'chat.ts')],
  outdir: join('dist', 'site-chat'),
  write: false,
  bundle: true,
  minify: true,
  format: 'iife',
  target: targets,
  logLevel: 'warning',
  plugins: [
    { name: 'style', setup: build => build.onLoad({ filter: /chat\.css$/ }, minifyStyle) },
    { name: 'write', setup: build => build.onEnd(({ outputFiles }) => outputFiles?.forEach(writeOutput)) },
  ],
};

async function minifyStyle({ path }) {
  const { code } = await transform(readFileSync(path, 'utf8'), {
    loader: 'css',
    minify: true,
    target: targets,
  });
  return { contents: `export const css = ${JSON.stringify(code.trim())};`, loader: 'js', watchFiles: [path] };
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
