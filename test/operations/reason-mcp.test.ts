import { expect } from 'chai';
import { SVC } from '../../queues/operations/paths.ts';
import { type EverythingServer, everythingCommand, startEverything } from '../support/everything-server.ts';
import { call, rounds, say, toldIn } from '../support/scripted-model.ts';
import { type Service, startService } from '../support/service.ts';

const stdio = { command: everythingCommand[0], args: everythingCommand.slice(1) };

describe('a turn whose avatar has MCP servers', () => {
  let service: Service;
  let avatarId: string;
  const servers = new Map<string, EverythingServer>();

  before(async function () {
    this.timeout(60_000);
    for (const transport of ['streamable', 'sse'] as const)
      servers.set(transport, await startEverything(transport));
    service = await startService({ egressAllowPrivate: true, mcpStdioAllow: [everythingCommand] });
    const { body } = await service.call(`${SVC}/avatarsListHelper`, { host_slug: 'demo' });
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

  for (const transportType of ['streamable', 'sse', 'stdio'] as const) {
    it(`gives the model what the reference server answers over ${transportType}`, async function () {
      this.timeout(30_000);
      await save({ transportType, config: transportType === 'stdio' ? stdio : urlOf(transportType) });
      service.model.script(
        rounds(
          call([
            ['Servidor_de_Tudo__echo', { message: 'olá' }],
            ['Servidor_de_Tudo__get-sum', { a: 2, b: 40 }],
          ]),
          say(request => `Disse: ${toldIn(request).join(' | ')}`),
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
});
