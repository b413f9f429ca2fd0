import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { startScriptedMcp } from '../support/scripted-mcp.ts';
import { call, hold, rounds, say, toolResultsIn } from '../support/scripted-model.ts';
import { borrowService, openOwnService, startService } from '../support/service.ts';
import { makeFolder } from '../support/temp-folder.ts';
import { everythingCommand, startEverything } from './everything-server.ts';

const stdio = { command: everythingCommand[0], args: everythingCommand.slice(1) };

describe('a turn whose avatar has MCP servers', () => {
  const servers = {
    streamable: openOnce(() => startEverything('streamable')),
    sse: openOnce(() => startEverything('sse')),
  };
  const service = openOwnService({ egressAllowPrivate: true, mcpStdioAllow: [everythingCommand] });
  const { demo } = service;
  const folder = openOnce(makeFolder);
  afterEach(async () => {
    await service.db('mcp_configs').delete();
    service.model.requests.length = 0;
  });

  const save = (more: Fields, { make, avatarId } = demo) =>
    make('saveMcpConfig', { avatarId, name: 'Servidor de Tudo', ...more });
  const offered = () => service.model.requests[0]?.tools?.map(({ function: { name } }) => name) ?? [];

  /** A turn waits only briefly for a server; a slow machine takes longer to start one. */
  const untilOffered = async (tool: string) => {
    service.model.say('Ainda não.');
    do {
      service.model.requests.length = 0;
      await service.ask('Tudo bem?');
    } while (!offered().includes(tool));
    service.model.requests.length = 0;
  };

  for (const transportType of ['streamable', 'sse', 'stdio'] as const)
    it(`gives the model what the reference server answers over ${transportType}`, async () => {
      await save({
        transportType,
        config: transportType === 'stdio' ? stdio : { url: servers[transportType].url },
      });
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
      const { status, text, data } = await service.ask('Quanto é?');
      expect(status).to.equal(200);
      expect(text).to.include('olá').and.include('42');
      expect(offered()).to.include.members(['Servidor_de_Tudo__echo', 'Servidor_de_Tudo__get-sum']);
      const lines = data.restStatus.filter(({ name }: { name: string }) => name.startsWith('mcp:'));
      expect(lines.map((line: Fields) => [line['name'], line['status']])).to.have.deep.members([
        ['mcp:Servidor de Tudo:echo', 200],
        ['mcp:Servidor de Tudo:get-sum', 200],
      ]);
    });

  it('is offered the tools of its own servers, and none of another avatar’s', async () => {
    const [own, theirs] = [await startScriptedMcp(), await startScriptedMcp()];
    const { avatar_id } = await demo.make('createSubAvatar', { sub_slug: 'outra' });
    await save({ name: 'own', config: { url: own.url } });
    await save({ name: 'theirs', avatarId: avatar_id, config: { url: theirs.url } });
    service.model.say('Certo.');
    const serversOf = async (asked: Fields) => {
      await service.ask('Tudo bem?', asked);
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
    const command = [
      '/bin/sh',
      '-c',
      `echo $$ > ${folder.pathOf('pid')}; exec "$0" "$@"`,
      ...everythingCommand,
    ];
    const own = await startService({ egressAllowPrivate: true, mcpStdioAllow: [command] });
    const config = { command: command[0], args: command.slice(1) };
    await save({ name: 'http', config: { url: mcp.url } }, own.demo);
    await save({ name: 'stdio', config, transportType: 'stdio' }, own.demo);
    const isOffered = () =>
      own.model.requests.at(-1)?.tools?.some(({ function: { name } }) => name === 'stdio__echo') ?? false;
    while (!isOffered()) await own.ask('Tudo bem?');
    const pid = Number(await folder.read('pid'));
    await eventually(() => mcp.streams, 1);
    expect(isAlive(pid)).to.equal(true);
    await own.close();
    await eventually(() => [mcp.streams, isAlive(pid)], [0, false]);
    await mcp.close();
  });

  it('calls no address of ours, should one be stored all the same', async () => {
    const mcp = await startScriptedMcp();
    const strict = await borrowService();
    const { port } = new URL(mcp.url);
    const forms = ['127.0.0.1', 'localhost', '2130706433', '[::ffff:7f00:1]', '0x7f.1', '127.1.'];
    for (const name of forms) {
      const { mcpId: id } = await save({ name, config: { url: 'https://mcp.example/' } }, strict.demo);
      const config = { url: `http://${name}:${port}/mcp` };
      await strict.db('mcp_configs').where({ id }).update({ config });
    }
    const { data } = await strict.ask('Pode fazer?');
    const lines = data.restStatus.filter(({ name }: { name: string }) => name.startsWith('mcp:'));
    expect(lines.map(({ name, error }: Fields) => [name, error])).to.have.deep.members(
      forms.map(name => [`mcp:${name}`, 'not allowed']),
    );
    expect([mcp.seen.length, mcp.streams]).to.deep.equal([0, 0]);
    await strict.close();
    await mcp.close();
  });

  it('acts no more, and is no bug, when another attempt of the turn has begun', async () => {
    await save({ transportType: 'streamable', config: { url: servers.streamable.url } });
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
