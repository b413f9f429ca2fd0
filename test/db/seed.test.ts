import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { findAgents, listAgents, listSchemas } from '../../db/assistants/agents.ts';
import { findAvatar, listAvatars } from '../../db/assistants/avatars.ts';
import { readTurnSettings } from '../../db/assistants/turn-settings.ts';
import { findHostBySlug, listHosts } from '../../db/hosts/hosts.ts';
import { seed } from '../../db/seed.ts';
import { withHost } from '../../db/with-hosts.ts';
import { schemaErrorsOf } from '../../workers/domain/schemas/schema-errors.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { searchChunks } from './search-chunks.ts';

describe('seed', () => {
  const { db } = openOnce(() => makeDatabase('seeded'));

  const demo = async () => {
    const host = await findHostBySlug(db, 'demo');
    if (!host) throw new Error('there is no demo host');
    const [avatar] = await withHost(db, host.id, listAvatars);
    if (!avatar) throw new Error('there is no demo avatar');
    return { host, avatar };
  };

  it('makes two hosts, and one avatar of demo that reads one dataset and has no model of its own', async () => {
    const { host, avatar } = await demo();
    expect((await listHosts(db)).map(host => host.slug)).to.eql(['acme', 'demo']);
    expect((await withHost(db, host.id, scope => findAvatar(scope)))?.model).to.equal('');
    expect(avatar.datasets).to.have.length(1);
  });

  it('gives demo two agents whose schemas can be checked against, and acme none', async () => {
    const { host } = await demo();
    const schemas = await withHost(db, host.id, listSchemas);
    expect(schemas.map(({ schemaName }) => schemaName)).to.deep.equal(['boleto', 'interesse']);
    for (const schema of schemas)
      expect(schemaErrorsOf(schema.arguments), schema.schemaName).to.deep.equal([]);
    const agents = await withHost(db, host.id, scope =>
      findAgents(scope, ['registrar_interesse', 'segunda_via_boleto']),
    );
    expect(agents.map(({ schemaName }) => schemaName)).to.deep.equal(['interesse', 'boleto']);
    const acme = await findHostBySlug(db, 'acme');
    expect(await withHost(db, acme?.id ?? '', listAgents)).to.deep.equal([]);
  });

  it('gives demo a flow that says nothing by itself, and names agents and a way to people', async () => {
    const { host } = await demo();
    const ofTurn = { conversationId: randomUUID(), maxMcpConfigs: 0, turnId: '', queueNow: () => 0 };
    const settings = await withHost(db, host.id, scope => readTurnSettings(scope, ofTurn));
    const flow = settings?.flow;
    const types = flow?.steps.map(step => step.type);
    expect(types).to.include.members(['notification-conversation', 'notification-trigger', 'handoff']);
    expect(types).to.not.include('message');
    const agents = flow?.steps.flatMap(step => step.agents ?? []);
    const known = await withHost(db, host.id, listAgents);
    expect(agents).to.have.deep.members(
      known.map(({ agentName, schemaName }) => ({ agentName, schemaName })),
    );
  });

  it('changes nothing where there is a host', async () => {
    expect(await seed(db)).to.eql([]);
    expect(await listHosts(db)).to.have.length(2);
  });

  const questions: readonly [question: string, answer: string][] = [
    ['Qual é o horário da secretaria?', 'das 8h às 21h'],
    ['Como emito a segunda via do boleto?', 'Financeiro > Boletos'],
    ['qual o prazo da rematrícula', 'de 2 a 20 de janeiro'],
    ['Que dia vence a mensalidade?', 'vencem no dia 8'],
    ['quantos livros posso pegar na biblioteca', '5 livros'],
    ['Tem desconto para irmãos?', '10% de desconto'],
    ['como faço transferência de outra faculdade', 'transferência externa'],
    ['quais documentos preciso para a matrícula?', 'comprovante de residência'],
    ['telefone do financeiro', 'ramal 3'],
    ['em quanto tempo sai o diploma', 'até 90 dias'],
    ['perdi minha carteirinha', 'R$ 30,00'],
    ['Quero falar com a ouvidoria', 'ouvidoria@horizonte.example'],
    ['nota mínima para passar', '6,0'],
    ['dá para usar a nota do enem', 'ENEM'],
    ['secretria', 'secretaria'],
  ];
  for (const [query, answer] of questions) {
    it(`has the answer to "${query}" among the three best passages`, async () => {
      const { host, avatar } = await demo();
      const found = await withHost(db, host.id, scope =>
        searchChunks(scope, { avatarId: avatar.avatar_id, query, filterTerms: {}, limit: 3 }),
      );
      expect(found.map(chunk => chunk.body).join('\n')).to.include(answer);
    });
  }
});
