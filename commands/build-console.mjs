/*
 * Builds the console, the web page at /console, into `dist/console`: its script with the library code it uses, its style with the
 * font, and the pages themselves, in each language; and the script of the page at /docs.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, parse, resolve, sep } from 'node:path';
import process from 'node:process';
import { compileFunction } from 'node:vm';
import { build, context, transform } from 'esbuild';
import { languages, pathOfLanguage, readEntries, translateCode } from './console-texts.mjs';

const FOLDER = join('dist', 'console');

/** With `watch`, it rebuilds after each change until the process ends. */
export async function buildConsole({ watch = false } = {}) {
  const all = await Promise.all(
    [consoleIn(), ...languages.map(consoleIn), siteChat].map(each => context(each)),
  );
  if (watch) return Promise.all(all.map(each => each.watch()));
  await Promise.all(all.map(each => each.rebuild()));
  await Promise.all(all.map(each => each.dispose()));
}

const shared = ['main.css', 'docs-page.ts', 'icon.svg'];
/** Those of another language have it in their names: `main.en.js`. */
const translated = ['main.tsx', 'index.html', 'welcome.html', 'manifest.webmanifest'];

/** In Portuguese without a language. */
const consoleIn = language => ({
  entryPoints: [...translated, ...(language ? [] : shared)].map(name => ({
    in: join('console', name),
    out: language && translated.includes(name) ? `${parse(name).name}.${language}` : parse(name).name,
  })),
  outdir: FOLDER,
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
    ...(language ? [translation(language)] : []),
    { name: 'write', setup: build => build.onEnd(({ outputFiles }) => outputFiles?.forEach(writePage)) },
  ],
});

const translation = language => ({
  name: 'translation',
  setup(build) {
    let entries;
    build.onStart(() => {
      entries = readEntries(language);
    });
    build.onLoad({ filter: /\.(tsx?|html|webmanifest)$/ }, ({ path }) => {
      if (!path.startsWith(resolve('console') + sep)) return undefined;
      const code = readFileSync(path, 'utf8');
      const watchFiles = [path, resolve(pathOfLanguage(language))];
      const loader = extname(path).slice(1);
      if (loader.startsWith('ts'))
        return { contents: translateCode(path, code, entries), loader, watchFiles };
      const named = code
        .replace(/(lang"?[=:] ?)"pt-BR"/, `$1"${language}"`)
        .replaceAll(/\b(main\.js|manifest\.webmanifest)\b/g, name => name.replace('.', `.${language}.`));
      const contents = loader === 'html' ? translateCode(path, named, entries) : named;
      return { contents, loader: 'copy', watchFiles };
    });
  },
});

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
