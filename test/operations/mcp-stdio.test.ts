import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { everythingCommand } from '../support/everything-server.ts';
import { call, rounds, say, toolResultsIn } from '../support/scripted-model.ts';
import { type Service, startService } from '../support/service.ts';
import { stdioForms } from '../support/stdio-forms.ts';
import { readStoredRows } from '../support/stored-rows.ts';

/** The maximum number of servers of one turn. */
const BATCH_SIZE = 32;

describe('an MCP server that is a command', () => {
  let service: Service;
  let avatarId: string;
  let folder: string;
  let mark: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-stdio-'));
    mark = join(folder, 'mark');
    service = await startService({ mcpStdioAllow: [everythingCommand] });
    const { body } = await service.call(`${SVC}/avatarsListHelper`, { host_slug: 'demo' });
    avatarId = body.data.avatarsAdminList.avatars[0].avatar_id;
  });
  afterEach(() => service.db('mcp_configs').delete());
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  const [command = '', ...args] = everythingCommand;
  const save = (config: unknown, more: Record<string, unknown> = {}) =>
    service.call(`${SVC}/saveMCPConfigHelper`, {
      hostId: service.demo.hostId,
      avatarId,
      name: 's',
      transportType: 'stdio',
      config,
      ...more,
    });

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
    service.model.script(say('Sem ferramentas.'));
    // Without NUL, which no row can store, one of them is the allowed command itself.
    const stored = stdioForms(everythingCommand, mark)
      .map(form => JSON.stringify(form).replaceAll('\\u0000', ''))
      .filter(config => config !== JSON.stringify({ command, args }));
    for (let at = 0; at < stored.length; at += BATCH_SIZE) {
      const batch = stored.slice(at, at + BATCH_SIZE);
      for (const config of batch) {
        const { mcpId } = (await save({ command, args })).body.data;
        await service.db('mcp_configs').where({ id: mcpId }).update({ config });
      }
      const { status, body } = await service.ask('Pode fazer?');
      const lines = body.data.restStatus.filter(({ name }: { name: string }) => name.startsWith('mcp:'));
      expect(status).to.equal(200);
      expect(lines.map(({ error }: { error: string }) => error)).to.deep.equal(
        batch.map(() => 'not allowed'),
      );
      await service.db('mcp_configs').delete();
    }
    expect(existsSync(mark)).to.equal(false);
  });

  it('sees nothing of our settings and no more of the environment than it needs', async () => {
    await save({ command, args });
    service.model.script(rounds(call([['s__get-env']]), say('Pronto.')));
    const isOffered = () =>
      service.model.requests.at(-1)?.tools?.some(({ function: { name } }) => name === 's__get-env') ?? false;
    // A turn waits only briefly for a server; a slow machine takes longer to start one.
    while (!isOffered()) await service.ask('Pode fazer?');
    const told = toolResultsIn(service.model.requests.at(-1))[0] ?? '';
    const environment = JSON.parse(told);
    expect(Object.keys(environment)).to.include('PATH');
    expect(['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER']).to.include.members(Object.keys(environment));
  });
});
