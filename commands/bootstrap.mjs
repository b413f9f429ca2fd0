/*
 * `npm start` and every command begin here: this builds if anything is stale, then becomes the command, by default the launcher.
 * Plain JavaScript, because nothing may be built yet. One process, because a second one would intercept the signals for the
 * launcher.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isBuilt } from './build-stamp.mjs';

const BUNDLER = join('node_modules', 'esbuild');

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
  if (isBuilt()) return;
  if (!existsSync(BUNDLER)) {
    if (!existsSync('dist')) fail('Nothing is built and the bundler is missing: run npm install first.');
    return;
  }
  process.stderr.write('parley  | building: once, and again after a change of the sources (about 5 s)\n');
  const startedAt = Date.now();
  const { status } = spawnSync(process.execPath, [join('commands', 'build.mjs')], { stdio: 'inherit' });
  if (status !== 0) fail('The build has failed.');
  process.stderr.write(`parley  | built in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s\n`);
}

function fail(text) {
  process.stderr.write(`parley  | ${text}\n`);
  process.exit(1);
}
