import { type ExecFileException, execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { listProject, root } from '../support/source-files.ts';
import changes from './changes.json' with { type: 'json' };

type Change = (typeof changes)[number];

/*
 * Makes each change of the list in a copy of the tree, and expects that its test fails there. `--only text` tries those whose
 * sentence has the text. Before the first one, all their tests must pass in the copy as it is.
 */

const run = promisify(execFile);
/** A change may make a test wait for ever, or its process. */
const LIMIT_MS = 300_000;
const mocha = join('node_modules', 'mocha', 'bin', 'mocha.js');

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const chosen = changes.filter(({ change }) => change.includes(values.only));
if (chosen.length === 0) throw new Error(`No change has “${values.only}” in its sentence.`);

const copy = await mkdtemp(join(tmpdir(), 'parley-changes-'));
try {
  await copyTree();
  await passUnchanged();
  let seen = 0;
  for (const change of chosen) if (await isSeen(change)) seen++;
  const missed = chosen.length - seen;
  process.exitCode = missed > 0 ? 1 : 0;
  process.stdout.write(`\n${seen} passed, ${missed} failed\n`);
} finally {
  await rm(copy, { recursive: true });
}

/** Copies what git has or would add, so no builds, data and secrets. The clusters of changed statements are cached in the copy, and go with it. */
async function copyTree(): Promise<void> {
  for (const path of listProject())
    await cp(join(root, path), join(copy, path), { preserveTimestamps: true });
  const packages = join(root, 'node_modules');
  await mkdir(join(copy, 'node_modules'));
  for (const name of await readdir(packages))
    if (name !== '.cache') await symlink(join(packages, name), join(copy, 'node_modules', name));
}

async function passUnchanged(): Promise<void> {
  const tests = [...new Set(chosen.map(({ test }) => test))];
  const output = await runTests(tests, chosen);
  if (/[1-9][0-9]* passed, 0 failed\s*$/.test(output)) return;
  process.stdout.write(output);
  throw new Error('These tests must pass before a change is tried.');
}

async function isSeen(change: Change): Promise<boolean> {
  const path = join(copy, change.file);
  const before = await readFile(path, 'utf8');
  const started = performance.now();
  await writeFile(
    path,
    before.replace(change.from, () => change.to),
  );
  const output = await runTests([change.test], [change]);
  await writeFile(path, before);
  // The test itself, not a hook: its name is in quotation marks. A run may break down behind that.
  const hasFailed = new RegExp(`^ +[0-9]+\\) (?!").*${escape(change.name)}`, 'm').test(output);
  const seconds = Math.round((performance.now() - started) / 1_000);
  process.stdout.write(`${hasFailed ? 'seen' : 'NOT SEEN'}  ${change.change} (${seconds} s)\n`);
  return hasFailed;
}

async function runTests(files: readonly string[], named: readonly Change[]): Promise<string> {
  const args = [...files, '--grep', named.map(({ name }) => escape(name)).join('|')];
  // A test takes a few seconds, unless the change makes it wait for ever.
  const options = ['--exit', ...(named.length > 1 ? ['--parallel'] : ['--timeout', '30000'])];
  const { stdout = '' } = await run(process.execPath, [mocha, ...options, ...args], {
    cwd: copy,
    timeout: LIMIT_MS,
    maxBuffer: 2 ** 28,
  }).catch((error: ExecFileException) => error);
  return stdout;
}

function escape(text: string): string {
  return text.replaceAll(/[^\w\s]/g, '\\$&');
}
