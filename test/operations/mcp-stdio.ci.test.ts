import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Fields } from '../support/operation-calls.ts';
import { call, rounds, say, toolResultsIn } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';
import { readStoredRows } from '../support/stored-rows.ts';
import { everythingCommand } from './everything-server.ts';

/** The maximum number of servers of one turn. */
const BATCH_SIZE = 32;

describe('an MCP server that is a command', () => {
  const service = openOwnService({ mcpStdioAllow: [everythingCommand] });
  const { demo, model } = service;
  const mark = join(tmpdir(), `parley-stdio-${randomUUID()}`);
  afterEach(() => service.db('mcp_configs').delete());

  const [command = '', ...args] = everythingCommand;
  const save = (config: Fields) =>
    demo.call('saveMcpConfig', { avatarId: demo.avatarId, name: 's', transportType: 'stdio', config });

  it('is not saved in over sixty forms that nobody allowed', async () => {
    const forms = stdioForms(everythingCommand, mark);
    expect(forms.length).to.be.greaterThan(60);
    const before = await readStoredRows(service.db);
    for (const form of forms) {
      const { status, body } = await save(form);
      expect(status, JSON.stringify(form)).to.equal(400);
      expect(body.data.fields[0].path).to.match(/^config/);
      expect(JSON.stringify(body)).not.to.include(mark);
    }
    expect(await readStoredRows(service.db)).to.deep.equal(before);
    expect(existsSync(mark)).to.equal(false);
  });

  it('is not run in any of them, should one be stored all the same', async () => {
    model.say('Sem ferramentas.');
    // Without NUL, which no row can store, one of them is the allowed command itself.
    const stored = stdioForms(everythingCommand, mark)
      .map(form => JSON.stringify(form).replaceAll('\\u0000', ''))
      .filter(config => config !== JSON.stringify({ command, args }));
    await save({ command, args });
    const row = await service.db('mcp_configs').first();
    for (let at = 0; at < stored.length; at += BATCH_SIZE) {
      const batch = stored.slice(at, at + BATCH_SIZE);
      await service.db('mcp_configs').delete();
      await service.db('mcp_configs').insert(batch.map(config => ({ ...row, id: randomUUID(), config })));
      const { status, data } = await service.ask('Pode fazer?');
      const lines = data.restStatus.filter(({ name }: { name: string }) => name.startsWith('mcp:'));
      const errors = lines.map(({ error }: Fields) => error);
      expect([status, errors]).to.deep.equal([200, batch.map(() => 'not allowed')]);
    }
    expect(existsSync(mark)).to.equal(false);
  });

  it('sees nothing of our settings and no more of the environment than it needs', async () => {
    await save({ command, args });
    model.script(rounds(call([['s__get-env']]), say('Pronto.')));
    const isOffered = () =>
      model.requests.at(-1)?.tools?.some(({ function: { name } }) => name === 's__get-env') ?? false;
    // A turn waits only briefly for a server; a slow machine takes longer to start one.
    while (!isOffered()) await service.ask('Pode fazer?');
    const told = toolResultsIn(model.requests.at(-1))[0] ?? '';
    const environment = JSON.parse(told);
    expect(Object.keys(environment)).to.include('PATH');
    expect(['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER']).to.include.members(Object.keys(environment));
  });
});

/**
 * Attempts to run a command that is not allowed; each would create `mark`. `allowed` is the only allowed argument
 * list.
 */
function stdioForms(allowed: readonly string[], mark: string): readonly Fields[] {
  const [command = '', ...args] = allowed;
  const touch = `require('fs').writeFileSync('${mark}','')`;
  const python = `open('${mark}','w')`;
  const sh = `touch ${mark}`;
  const others: readonly (readonly string[])[] = [
    ['npx', '-c', sh],
    ['npx', '--yes', '--call', sh],
    ['npm', 'exec', '-c', sh],
    ['npm', 'explore', '.', '--', 'touch', mark],
    ['node', '-e', touch],
    ['node', '--eval', touch],
    ['node', '-p', touch],
    ['node', '--import', `data:text/javascript,${touch}`],
    [process.execPath, '-e', touch],
    ['python', '-c', python],
    ['python3', '-c', python],
    ['sh', '-c', sh],
    ['/bin/sh', '-c', sh],
    ['bash', '-lc', sh],
    ['busybox', 'touch', mark],
    ['env', 'touch', mark],
    ['env', `NODE_OPTIONS=--require=${mark}`, ...allowed],
    ['env', 'LD_PRELOAD=/tmp/x.so', ...allowed],
    ['env', '-S', sh],
    ['xargs', '-a', '/etc/hostname', 'touch', mark],
    ['nice', ...allowed],
    ['timeout', '9', 'touch', mark],
    ['touch', mark],
    ['perl', '-e', `open(F,">${mark}")`],
    ['deno', 'eval', touch],
    ['uvx', '--from', '.', 'touch', mark],
    ['docker', 'run', '-v', '/:/x', 'alpine'],
    ['git', '-c', `core.pager=${sh}`, 'log'],
    // the allowed one, and a little more, less, or otherwise
    [...allowed, '--inspect=0.0.0.0'],
    [command, '--require', mark, ...args],
    [command, '-e', touch, ...args],
    [command],
    [...allowed, ''],
    ['', ...allowed],
    [` ${command}`, ...args],
    [`${command} `, ...args],
    [`${command}\0`, ...args],
    [[command, ...args].join(' ')],
    [`${command};${sh}`, ...args],
    [`./../..${command}`, ...args],
    [command.replace(/\/([^/]+)$/, '/./$1'), ...args],
    [command.replace(/\/([^/]+)$/, '//$1'), ...args],
    [command.toUpperCase(), ...args],
    [command, ...args.map(argument => `${argument}/../x.js`)],
    [command, ...args.toReversed(), '--'],
    [`$(${sh})`],
    [`\`${sh}\``],
    ['-c', sh],
  ];
  const fields: readonly Fields[] = [
    { env: { NODE_OPTIONS: `--require ${mark}` } },
    { env: { LD_PRELOAD: '/tmp/x.so' } },
    { env: { PATH: '/tmp' } },
    { env: {} },
    { cwd: '/tmp' },
    { shell: true },
    { stderr: 'inherit' },
    { url: 'https://mcp.example/' },
    { headers: { A: 'b' } },
    { constructor: {} },
  ];
  return [
    ...others.map(([first, ...rest]) => ({ command: first, args: rest })),
    ...fields.map(more => ({ command, args, ...more })),
    { command: allowed },
    { command, args: args.join(' ') },
    { command, args: Object.fromEntries(args.entries()) },
    { command, args: [...args, 7] },
    { command, args: [args] },
    { args: allowed },
    {},
  ];
}
