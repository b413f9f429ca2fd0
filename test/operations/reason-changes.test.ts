import { expect } from 'chai';
import { rowsOf } from '../../db/rows-of.ts';
import { saveAgent } from '../../queues/contract/operations/agents.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { type ApiResponse, openOwnService } from '../support/service.ts';

const prompt = 'Responda em versos.';
const step = { type: 'notification-conversation', content: 'Fale da biblioteca.', description: '' };

describe('changes that a rehearsal brings', () => {
  const service = openOwnService();
  const { demo, model } = service;
  let conversationId: string;
  beforeEach(async () => {
    model.say('Certo.');
    model.models = ['scripted', 'other'];
    model.requests.length = 0;
    conversationId = await service.newConversation();
  });

  const rehearse = (changes: object, more: object = {}, options: object = {}) =>
    service.ask(
      'Que horas abre?',
      { conversationId, reasoningConfig: { rehearsal: true, svcCompleteLog: true, changes }, ...more },
      options,
    );
  const told = () => JSON.stringify(model.requests.at(-1)?.messages);
  /** The tables in which a row has the text. */
  const findStored = async (text: string) => {
    const tables = await rowsOf<{ name: string }>(service.db)`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`;
    const found: string[] = [];
    for (const { name } of tables)
      if (
        await service
          .db(name)
          .whereRaw('??::text like ?', [name, `%${text}%`])
          .first()
      )
        found.push(name);
    return found;
  };
  const fieldsOf = ({ status, body }: ApiResponse) => {
    expect(status, JSON.stringify(body)).to.equal(400);
    return body.data.fields.map(({ path }: { path: string }) => path);
  };
  const expectNothingAsked = async () => {
    expect(model.requests).to.deep.equal([]);
    expect(await service.db('turns').where({ conversation_id: conversationId })).to.deep.equal([]);
  };

  it('are what the assistant answers with, and are not stored', async () => {
    const changes = { avatar: { prompt_envelop: prompt, model: 'other' } };
    const { status, body } = await rehearse(changes);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(model.requests.at(-1)?.model).to.equal('other');
    expect(told()).to.include(prompt);
    expect(await findStored(prompt)).to.deep.equal([]);
    expect(await findStored('Que horas abre?')).to.include('messages');
    await service.ask('E agora?', { conversationId, reasoningConfig: { rehearsal: true } });
    expect(told()).to.not.include(prompt);
  });

  it('are steps in place of those of the active flow, of no version of it', async () => {
    await service.ask('Oi', { conversationId, reasoningConfig: { rehearsal: true } });
    const [saved] = (await service.db('flows').where({ host_id: demo.hostId, active: true })) as {
      id: string;
      steps: { content: string }[];
    }[];
    const { content } = saved?.steps[0] ?? { content: '' };
    expect(told()).to.include(content);
    const { body } = await rehearse({ flow: { chainJson: [step] } });
    expect(told()).to.include(step.content).and.not.include(content);
    expect(body.data.svcCompleteLog[0].flow).to.include({ id: saved?.id, version: 0 });
    expect(await findStored(step.content)).to.deep.equal([]);
  });

  it('are steps of an assistant without a flow, too, of which those for once run once', async () => {
    const { hostId } = demo;
    const made = await demo.call('createSubAvatar', {
      host_id: hostId,
      sub_slug: 'sem-fluxo',
      avatar_name: 'Bia',
    });
    expect(made.status).to.equal(201);
    const message = { type: 'message', content: 'Boas-vindas!', description: '' };
    const ask = () => rehearse({ flow: { chainJson: [message, step] } }, { subSlug: 'sem-fluxo' });
    const first = await ask();
    expect(first.body.data.assistantResponse.string).to.match(/^Boas-vindas!/);
    expect((await ask()).body.data.assistantResponse.string).to.equal('Certo.');
    expect(await service.db('flows').where({ avatar_id: made.body.data.avatar_id })).to.deep.equal([]);
  });

  it('are for rehearsals only', async () => {
    const changes = { avatar: { prompt_envelop: prompt } };
    for (const reasoningConfig of [{ changes }, { changes, rehearsal: false }]) {
      const answer = await service.ask('Oi', { conversationId, reasoningConfig });
      expect(fieldsOf(answer)).to.deep.equal(['reasoningConfig.changes']);
    }
    await expectNothingAsked();
  });

  it('need a token that may save them', async () => {
    const token = await service.makeToken({ hostIds: [demo.hostId], scopes: ['reason'] });
    const { status, body } = await rehearse({ avatar: { prompt_envelop: prompt } }, {}, { token });
    expect([status, body.data.hint]).to.deep.equal([403, 'reasoningConfig.changes needs the scope manage']);
    await expectNothingAsked();
  });

  it('are refused by their path where a save refuses them', async () => {
    const agents = [{ agentName: 'ninguem', schemaName: 'nada' }];
    const refused: [string, object][] = [
      ['flow.chainJson[0].type', { flow: { chainJson: [{ ...step, type: 7 }] } }],
      ['flow.chainJson', { flow: { chainJson: [] } }],
      ['flow.chainJson[1].agents[0].agentName', { flow: { chainJson: [step, { ...step, agents }] } }],
      ['avatar.on_unsupported', { avatar: { on_unsupported: 'shout' } }],
      ['avatar.avatar_name', { avatar: { avatar_name: '' } }],
      ['avatar.model', { avatar: { model: 'nobody-has-it' } }],
    ];
    for (const [path, changes] of refused)
      expect(fieldsOf(await rehearse(changes)), path).to.deep.equal([`reasoningConfig.changes.${path}`]);
    await expectNothingAsked();
  });

  it('reach no assistant and no agent of a neighbour', async () => {
    const { hostId, token } = service.acme;
    const make = async (name: string, body: object) => {
      const made = await service.call(`${SVC}/${name}`, body, { token });
      expect(made.status, JSON.stringify(made.body)).to.be.oneOf([200, 201]);
    };
    await make('createSubAvatarHelper', { host_id: hostId, sub_slug: 'vizinha', avatar_name: 'Vizinha' });
    const agentName = 'inscrever_na_vizinha';
    await make('saveAgentHelper', { ...saveAgent.example.body, hostId, agentName });
    const refusalOf = async (changes: object, more: object = {}) => {
      const { status, body } = await rehearse(changes, more);
      return [status, body.message, JSON.stringify(body.data.fields)];
    };
    const changes = { avatar: { prompt_envelop: prompt } };
    const theirs = await refusalOf(changes, { subSlug: 'vizinha' });
    expect(theirs).to.deep.equal(await refusalOf(changes, { subSlug: 'ninguem' }));
    expect(theirs[0]).to.equal(404);
    const naming = (agentName: string) => {
      const agents = [{ agentName, schemaName: 'qualquer' }];
      return { flow: { chainJson: [{ ...step, agents }] } };
    };
    const refused = await refusalOf(naming(agentName));
    expect(refused[0]).to.equal(400);
    expect(String(refused[2]).replaceAll(agentName, 'nobody')).to.equal(
      (await refusalOf(naming('nobody')))[2],
    );
    await expectNothingAsked();
  });
});
