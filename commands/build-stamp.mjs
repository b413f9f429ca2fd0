import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/* Tells whether `dist` was built from the present sources. Runs in the folder of the project. */

/** A build depends on these. Other files that an operator keeps here are ignored. */
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json'];
const FOLDERS = [
  'platform',
  'text',
  'api',
  'console',
  'queues',
  'workers',
  'db',
  'commands',
  'offline-model',
  'bench',
];
const STAMP = join('dist', '.built-from');

export function isBuilt() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digestOfSources();
}

/** `digest`: of the sources before the build. */
export function noteBuilt(digest) {
  writeFileSync(STAMP, digest);
}

/** A digest of names, sizes and times, so that a deleted or restored file also counts as a change. */
export function digestOfSources() {
  const hash = createHash('sha256');
  for (const path of [...SETTINGS, ...FOLDERS.flatMap(filesBelow)]) {
    const { size, mtimeMs } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function filesBelow(path) {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  return readdirSync(path)
    .toSorted()
    .flatMap(name => filesBelow(join(path, name)));
}
