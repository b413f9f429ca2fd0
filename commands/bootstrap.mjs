/*
 * The first step of `npm start` and of every command: builds what is stale, then becomes the command, by default the
 * launcher. Plain JavaScript, because nothing may be built yet. One process, because an additional one would
 * intercept the signals for the launcher.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const BUNDLER = join('node_modules', 'esbuild');
/** What a build depends on. A file that an operator keeps here is ignored. */
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json'];
const FOLDERS = ['platform', 'api', 'queues', 'workers', 'db', 'commands', 'offline-model', 'bench'];
const STAMP = join('dist', '.built-from');

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
checkNode();
build();
if (existsSync('.env')) process.loadEnvFile('.env');
// `npm run token -- create …` also starts here, with the command name as the first argument.
const [command = 'start'] = process.argv.slice(2, 3).filter(name => /^[a-z][a-z-]*$/.test(name));
if (process.argv[2] === command) process.argv.splice(2, 1);
await import(`../dist/commands/${command}.js`);

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(`Parley needs Node 20.19 or newer; this is ${process.version}.`);
}

function build() {
  const sources = digestOfSources();
  const built = existsSync(STAMP) && readFileSync(STAMP, 'utf8');
  if (built === sources) return;
  if (!existsSync(BUNDLER)) {
    if (!existsSync('dist')) fail('Nothing is built and the bundler is missing: run npm install first.');
    return;
  }
  process.stderr.write('parley  | building: once, and again after a change of the sources (about 5 s)\n');
  const startedAt = Date.now();
  const { status } = spawnSync(process.execPath, [join('commands', 'build.mjs')], { stdio: 'inherit' });
  if (status !== 0) fail('The build has failed.');
  writeFileSync(STAMP, sources);
  process.stderr.write(`parley  | built in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s\n`);
}

/** Digest of names, sizes and times, so that a deleted or restored file counts as a change, too. */
function digestOfSources() {
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

function fail(text) {
  process.stderr.write(`parley  | ${text}\n`);
  process.exit(1);
}
