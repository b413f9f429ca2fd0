import { expect } from 'chai';
import { rowsOf } from '../../db/rows-of.ts';
import { expectWrong } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import type { CallOptions, Fields } from '../support/operation-calls.ts';
import { openOwnService } from '../support/service.ts';

const prompt = 'Responda em versos.';
const rehearsal = { reasoningConfig: { rehearsal: true } };
const step = { type: 'notification-conversation', content: 'Fale da biblioteca.', description: '' };

describe('changes that a rehearsal brings', () => {
  const service = openOwnService();
  const { demo, model } = service;
  const conversation = openConversation(service);
  beforeEach(() => {
    model.say('Certo.');
    model.models = ['scripted', 'other'];
    model.requests.length = 0;
  });

  const rehearse = (changes: object, more: Fields = {}, options: CallOptions = {}) => {
    const reasoningConfig = { rehearsal: true, svcCompleteLog: true, changes };
    return conversation.ask('Que horas abre?', { reasoningConfig, ...more }, options);
  };
  const told = () => JSON.stringify(model.requests.at(-1)?.messages);
  /** The tables in which a row has the text. */
  const findStored = async (text: string) => {
    const tables = await rowsOf<{ name: string }>(service.db)`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`;
    const found: string[] = [];
    for (const { name } of tables) {
      const having = service.db(name).whereRaw('??::text like ?', [name, `%${text}%`]);
      if (await having.first()) found.push(name);
    }
    return found;
  };
  const expectNothingAsked = async () => {
    expect(model.requests).to.deep.equal([]);
    expect(await conversation.turns()).to.deep.equal([]);
  };

  it('are what the assistant answers with, and are not stored', async () => {
    const { status, body } = await rehearse({ avatar: { prompt_envelop: prompt, model: 'other' } });
    expect([status, model.requests.at(-1)?.model], JSON.stringify(body)).to.deep.equal([200, 'other']);
    expect(told()).to.include(prompt);
    expect(await findStored(prompt)).to.deep.equal([]);
    expect(await findStored('Que horas abre?')).to.include('messages');
    await conversation.ask('E agora?', rehearsal);
    expect(told()).to.not.include(prompt);
  });

  it('are steps in place of those of the active flow, of no version of it', async () => {
    await conversation.ask('Oi', rehearsal);
    const saved = await service.db('flows').where({ host_id: demo.hostId, active: true }).first();
    const { content } = saved.steps[0];
    expect(told()).to.include(content);
    const { receipt } = await rehearse({ flow: { chainJson: [step] } });
    expect(told()).to.include(step.content).and.not.include(content);
    expect(receipt.flow).to.include({ id: saved.id, version: 0 });
    expect(await findStored(step.content)).to.deep.equal([]);
  });

  it('are steps of an assistant without a flow, too, of which those for once run once', async () => {
    const { avatar_id } = await demo.make('createSubAvatar', { sub_slug: 'sem-fluxo' });
    const message = { type: 'message', content: 'Boas-vindas!', description: '' };
    const ask = () => rehearse({ flow: { chainJson: [message, step] } }, { subSlug: 'sem-fluxo' });
    expect((await ask()).text).to.match(/^Boas-vindas!/);
    expect((await ask()).text).to.equal('Certo.');
    expect(await service.db('flows').where({ avatar_id })).to.deep.equal([]);
  });

  it('are for rehearsals only', async () => {
    const changes = { avatar: { prompt_envelop: prompt } };
    for (const reasoningConfig of [{ changes }, { changes, rehearsal: false }])
      expectWrong(await conversation.ask('Oi', { reasoningConfig }), 'reasoningConfig.changes');
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
      expectWrong(await rehearse(changes), `reasoningConfig.changes.${path}`);
    await expectNothingAsked();
  });

  it('reach no assistant and no agent of a neighbour', async () => {
    await service.acme.make('createSubAvatar', { sub_slug: 'vizinha' });
    const agentName = 'inscrever_na_vizinha';
    await service.acme.make('saveAgent', { agentName });
    const refusalOf = async (changes: object, more: Fields = {}) => {
      const { status, body } = await rehearse(changes, more);
      return [status, body.message, JSON.stringify(body.data.fields)];
    };
    const changes = { avatar: { prompt_envelop: prompt } };
    const theirs = await refusalOf(changes, { subSlug: 'vizinha' });
    expect(theirs).to.deep.equal(await refusalOf(changes, { subSlug: 'ninguem' }));
    expect(theirs[0]).to.equal(404);
    const naming = (agentName: string) => {
      return { flow: { chainJson: [{ ...step, agents: [{ agentName, schemaName: 'qualquer' }] }] } };
    };
    const refused = await refusalOf(naming(agentName));
    expect(refused[0]).to.equal(400);
    expect(String(refused[2]).replaceAll(agentName, 'nobody')).to.equal(
      (await refusalOf(naming('nobody')))[2],
    );
    await expectNothingAsked();
  });
});
