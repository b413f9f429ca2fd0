/*
 * What a release has to pass, one line for each step; ends with 1 where one fails. `npm run release-check -- --from <commit>` tries the
 * upgrade from these commits in place of the default ones, `--only <step>` runs one step: tree, version, tests, upgrade or image.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = promisify(execFile);
const { values } = parseArgs({
  options: {
    from: { type: 'string', multiple: true, default: ['4abb62a8', '35e53f9c'] },
    only: { type: 'string' },
  },
});
const MAX_IMAGE_MB = 300;
const steps = {
  tree: checkTree,
  version: checkVersion,
  tests: runTests,
  upgrade: tryUpgrades,
  image: buildImage,
};

let failed = 0;
for (const [name, step] of Object.entries(steps)) {
  if (values.only && values.only !== name) continue;
  try {
    console.log(`ok      ${name}: ${await step()}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}
process.exitCode = failed > 0 ? 1 : 0;

async function checkTree() {
  const { stdout } = await run('git', ['status', '--porcelain'], { cwd: root });
  if (stdout !== '') throw new Error(`these files are not committed:\n${stdout}`);
  return 'all is committed';
}

async function checkVersion() {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const changes = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  if (!changes.includes(`\n## [${version}] - 20`))
    throw new Error(`CHANGELOG.md has no section with a date for ${version}`);
  return `${version} has its section in CHANGELOG.md`;
}

async function runTests() {
  const child = spawn(join(root, '.ci', 'run'), { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('.ci/run has failed');
  return '.ci/run has passed';
}

/** An installation of each commit answers a question; this version, on its data, has that dialogue and goes on with it. */
async function tryUpgrades() {
  for (const commit of values.from) {
    const folder = await mkdtemp(join(tmpdir(), 'parley-release-'));
    const old = join(folder, 'old');
    try {
      await run('git', ['worktree', 'add', '--detach', old, commit], { cwd: root });
      await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: old });
      const dataDir = join(folder, 'data');
      const conversationId = await withInstallation(old, dataDir, async call => {
        const id = (await call('createConversationId', { hostSlug: 'demo' })).conversationId;
        await call('svcReasoning', { conversationId: id, question: 'Qual é o horário da secretaria?' });
        return id;
      });
      await withInstallation(root, dataDir, async call => {
        await call('svcReasoning', { conversationId, question: 'E aos sábados?' });
        const { items } = await call('svcReasoning/messagesListHelper', { conversationId });
        if (items.length !== 4)
          throw new Error(`after the upgrade from ${commit} there are ${items.length} messages of 4`);
      });
    } finally {
      await run('git', ['worktree', 'remove', '--force', old], { cwd: root }).catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    }
  }
  return `dialogues of ${values.from.join(' and ')} go on`;
}

async function withInstallation(folder, dataDir, work) {
  const env = { DATA_DIR: dataDir, PORT: '0', APP_ENV: 'production' };
  const launcher = spawn(process.execPath, ['--enable-source-maps', 'commands/bootstrap.mjs'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(launcher, 'exit');
  try {
    const greeting = { origin: '', hostId: '' };
    let last = '';
    for await (const line of createInterface({ input: launcher.stdout })) {
      last = line;
      greeting.origin ||= /^ {2}address +(\S+)/.exec(line)?.[1] ?? '';
      greeting.hostId ||= /"hostId":"([^"]+)"/.exec(line)?.[1] ?? '';
      if (greeting.hostId) break;
    }
    if (!greeting.hostId) throw new Error(`the installation in ${folder} ended before it was ready: ${last}`);
    launcher.stdout.resume();
    const token = (await readFile(join(dataDir, 'demo-token'), 'utf8')).trim();
    return await work(async (operation, body) => {
      const answer = await fetch(`${greeting.origin}/api/externalAPIs/public/${operation}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ hostId: greeting.hostId, ...body }),
      });
      const content = await answer.json();
      if (!answer.ok) throw new Error(`${operation}: ${JSON.stringify(content).slice(0, 500)}`);
      return content.data;
    });
  } finally {
    launcher.kill('SIGTERM');
    await ended;
  }
}

async function buildImage() {
  const builder = ['docker', 'podman'].find(name => spawnSync(name, ['--version']).status === 0);
  if (!builder) return 'not built: neither docker nor podman is here';
  await run(builder, ['build', '--tag', 'parley', root], { maxBuffer: 2 ** 26 });
  const { stdout } = await run(builder, ['image', 'inspect', 'parley', '--format', '{{.Size}}']);
  const megabytes = Number(stdout) / 2 ** 20;
  const largest = [
    'run',
    '--rm',
    '--entrypoint',
    'sh',
    'parley',
    '-c',
    'du -m -d 2 /usr /app | sort -rn | head -12',
  ];
  console.log((await run(builder, largest)).stdout);
  if (!(megabytes < MAX_IMAGE_MB)) throw new Error(`the image has ${megabytes.toFixed(0)} MB`);
  return `the image has ${megabytes.toFixed(0)} MB`;
}
