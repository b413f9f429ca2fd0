import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { eventually } from '../support/eventually.ts';
import { startScriptedMcp } from '../support/scripted-mcp.ts';
import { call, hold, rounds, say, toolResultsIn } from '../support/scripted-model.ts';
import { borrowService, type Service, startService } from '../support/service.ts';
import { type EverythingServer, everythingCommand, startEverything } from './everything-server.ts';

const stdio = { command: everythingCommand[0], args: everythingCommand.slice(1) };

describe('a turn whose avatar has MCP servers', () => {
  let service: Service;
  let avatarId: string;
  const servers = new Map<string, EverythingServer>();

  before(async () => {
    for (const transport of ['streamable', 'sse'] as const)
      servers.set(transport, await startEverything(transport));
    service = await startService({ egressAllowPrivate: true, mcpStdioAllow: [everythingCommand] });
    const { body } = await service.call(`${SVC}/avatarsListHelper`, { host_slug: service.demo.slug });
    avatarId = body.data.avatarsAdminList.avatars[0].avatar_id;
  });
  afterEach(async () => {
    await service.db('mcp_configs').delete();
    service.model.requests.length = 0;
  });
  after(async () => {
    await service.close();
    for (const server of servers.values()) await server.close();
  });

  const save = async (more: Record<string, unknown>) => {
    const sent = { hostId: service.demo.hostId, avatarId, name: 'Servidor de Tudo', ...more };
    const { status, body } = await service.call(`${SVC}/saveMCPConfigHelper`, sent);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data.mcpId as string;
  };
  const urlOf = (transport: string) => ({ url: servers.get(transport)?.url });
  const offered = () => service.model.requests[0]?.tools?.map(({ function: { name } }) => name) ?? [];

  /** A turn waits only briefly for a server; a slow machine takes longer to start one. */
  const untilOffered = async (tool: string) => {
    service.model.script(say('Ainda não.'));
    do {
      service.model.requests.length = 0;
      await service.ask('Tudo bem?');
    } while (!offered().includes(tool));
    service.model.requests.length = 0;
  };

  for (const transportType of ['streamable', 'sse', 'stdio'] as const) {
    it(`gives the model what the reference server answers over ${transportType}`, async () => {
      await save({ transportType, config: transportType === 'stdio' ? stdio : urlOf(transportType) });
      await untilOffered('Servidor_de_Tudo__echo');
      service.model.script(
        rounds(
          call([
            ['Servidor_de_Tudo__echo', { message: 'olá' }],
            ['Servidor_de_Tudo__get-sum', { a: 2, b: 40 }],
          ]),
          say(request => `Disse: ${toolResultsIn(request).join(' | ')}`),
        ),
      );
      const { status, body } = await service.ask('Quanto é?');
      expect(status).to.equal(200);
      expect(body.data.assistantResponse.string).to.include('olá').and.include('42');
      expect(offered()).to.include.members(['Servidor_de_Tudo__echo', 'Servidor_de_Tudo__get-sum']);
      const lines = body.data.restStatus.filter(({ name }: { name: string }) => name.startsWith('mcp:'));
      expect(lines.map(({ name, status }: Record<string, unknown>) => [name, status])).to.have.deep.members([
        ['mcp:Servidor de Tudo:echo', 200],
        ['mcp:Servidor de Tudo:get-sum', 200],
      ]);
    });
  }

  it('is offered the tools of its own servers, and none of another avatar’s', async () => {
    const [own, theirs] = [await startScriptedMcp(), await startScriptedMcp()];
    const other = { host_id: service.demo.hostId, sub_slug: 'outra', avatar_name: 'Outra' };
    const { body } = await service.call(`${SVC}/createSubAvatarHelper`, other);
    await save({ name: 'own', config: { url: own.url } });
    await save({ name: 'theirs', avatarId: body.data.avatar_id, config: { url: theirs.url } });
    service.model.script(say('Certo.'));
    const serversOf = async (asked: object) => {
      await service.ask('Tudo bem?', asked as Record<string, unknown>);
      const tools = service.model.requests.at(-1)?.tools ?? [];
      const names = tools.map(({ function: { name } }) => name).filter(name => name.includes('__'));
      return [...new Set(names.map(name => name.split('__')[0]))];
    };
    const isAny = (seen: readonly unknown[]) => seen.length > 0;
    expect(await eventually(() => serversOf({ subSlug: 'outra' }), isAny)).to.deep.equal(['theirs']);
    expect(await eventually(() => serversOf({}), isAny)).to.deep.equal(['own']);
    await own.close();
    await theirs.close();
  });

  it('lets go of every server when its worker ends', async () => {
    const mcp = await startScriptedMcp();
    const folder = await mkdtemp(join(tmpdir(), 'parley-mcp-'));
    const mark = join(folder, 'pid');
    const command = ['/bin/sh', '-c', `echo $$ > ${mark}; exec "$0" "$@"`, ...everythingCommand];
    const own = await startService({ egressAllowPrivate: true, mcpStdioAllow: [command] });
    const { body } = await own.call(`${SVC}/avatarsListHelper`, { host_slug: own.demo.slug });
    const sent = { hostId: own.demo.hostId, avatarId: body.data.avatarsAdminList.avatars[0].avatar_id };
    const config = { command: command[0], args: command.slice(1) };
    await own.call(`${SVC}/saveMCPConfigHelper`, { ...sent, name: 'http', config: { url: mcp.url } });
    await own.call(`${SVC}/saveMCPConfigHelper`, { ...sent, name: 'stdio', config, transportType: 'stdio' });
    const isOffered = () =>
      own.model.requests.at(-1)?.tools?.some(({ function: { name } }) => name === 'stdio__echo') ?? false;
    while (!isOffered()) await own.ask('Tudo bem?');
    const pid = Number(await readFile(mark, 'utf8'));
    await eventually(
      () => mcp.streams,
      streams => streams === 1,
    );
    expect(isAlive(pid)).to.equal(true);
    await own.close();
    await eventually(
      () => [mcp.streams, isAlive(pid)],
      ([streams, alive]) => streams === 0 && alive === false,
    );
    await mcp.close();
    await rm(folder, { recursive: true });
  });

  it('calls no address of ours, should one be stored all the same', async () => {
    const mcp = await startScriptedMcp();
    const strict = await borrowService();
    const { body } = await strict.call(`${SVC}/avatarsListHelper`, { host_slug: strict.demo.slug });
    const avatarId = body.data.avatarsAdminList.avatars[0].avatar_id;
    const { port } = new URL(mcp.url);
    const forms = ['127.0.0.1', 'localhost', '2130706433', '[::ffff:7f00:1]', '0x7f.1', '127.1.'];
    for (const name of forms) {
      const sent = { hostId: strict.demo.hostId, avatarId, name, config: { url: 'https://mcp.example/' } };
      const { mcpId: id } = (await strict.call(`${SVC}/saveMCPConfigHelper`, sent)).body.data;
      const config = { url: `http://${name}:${port}/mcp` };
      await strict.db('mcp_configs').where({ id }).update({ config });
    }
    const answer = await strict.ask('Pode fazer?');
    const lines = answer.body.data.restStatus.filter(({ name }: { name: string }) => name.startsWith('mcp:'));
    expect(lines.map(({ name, error }: Record<string, string>) => [name, error])).to.have.deep.members(
      forms.map(name => [`mcp:${name}`, 'not allowed']),
    );
    expect([mcp.seen.length, mcp.streams]).to.deep.equal([0, 0]);
    await strict.close();
    await mcp.close();
  });

  it('acts no more, and is no bug, when another attempt of the turn has begun', async () => {
    await save({ transportType: 'streamable', config: urlOf('streamable') });
    await untilOffered('Servidor_de_Tudo__echo');
    const held = hold(call([['Servidor_de_Tudo__echo', { message: 'olá' }]]));
    service.model.script(held.script);
    const conversationId = await service.newConversation();
    const asked = service.ask('Quanto é?', { conversationId });
    await held.held;
    await service.db('turns').where({ conversation_id: conversationId }).increment('attempt', 1);
    held.release();
    const { status, body } = await asked;
    expect([status, body.message]).to.deep.equal([503, 'The request was interrupted before it completed']);
    expect(service.logged.filter(line => line.includes('"job.handler_failed"'))).to.deep.equal([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
