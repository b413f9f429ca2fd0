import { expect } from 'chai';
import { insertConversation } from '../../db/conversations/conversations.ts';
import { expectWrong } from '../support/contract.ts';
import { recordsOf } from '../support/conversation-records.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';

describe('a turn that cannot be', () => {
  const service = openService();
  let conversationId: string;
  before(async () => {
    conversationId = await service.newConversation();
  });
  afterEach(async () => {
    expect(service.model.requests).to.have.length(0);
    const { turns, said } = await recordsOf(service.db, conversationId);
    expect({ turns, said }).to.deep.equal({ turns: [], said: [] });
  });

  const send = (body: object, to = service.demo) => to.call('reason', { conversationId, ...body });

  for (const [name, body] of Object.entries({
    'nothing asked': {},
    'an empty question': { question: '' },
    'a blank question': { question: ' \n\t' },
    'a dialogue that the assistant ended': {
      originalDialogue: ['Oi', { role: 'assistant', content: 'Olá!' }],
    },
    'a dialogue that a person of the host ended': { originalDialogue: [{ role: 'human', content: 'Oi' }] },
    'a dialogue that ends with a blank word': { originalDialogue: ['Oi', ' '] },
    'an empty dialogue': { originalDialogue: [] },
    'a rebounce that is switched off': { reasoningConfig: { rebounce: false, rebounceInstructions: 'x' } },
  }))
    it(`is a 400 that names the question: ${name}`, async () => {
      const answer = await send(body);
      expectWrong(answer, 'question');
      expect(answer.body.code).to.equal(400);
    });

  for (const [path, last] of [
    ['originalDialogue[1]', 'x'.repeat(16_001)],
    ['originalDialogue[1].content', { role: 'user', content: 'x'.repeat(16_001) }],
  ] as const)
    it(`is a 400 when the dialogue ends with a question longer than anybody writes: ${path}`, async () => {
      expectWrong(await send({ originalDialogue: ['Oi', last] }), path);
    });

  for (const [path, body] of Object.entries({
    question: { question: [7] },
    originalDialogue: { question: 'Oi?', originalDialogue: 'Oi' },
    'originalDialogue[0]': { question: 'Oi?', originalDialogue: [{ role: 'robot', content: 'x' }] },
    'reasoningConfig.rebounce': { question: 'Oi?', reasoningConfig: { rebounce: 'yes' } },
    'userData.email': { question: 'Oi?', userData: { email: [1] } },
    globalData: { question: 'Oi?', globalData: [] },
    conversationId: { question: 'Oi?', conversationId: '1' },
  }))
    it(`is a 400 that names the wrong field: ${path}`, async () => {
      const { status, body: answer } = await send(body);
      expect(status).to.equal(400);
      const paths: string[] = answer.data.fields.map((field: Fields) => field['path']);
      expect(paths).to.not.be.empty;
      expect(paths.filter(named => !named.startsWith(path))).to.deep.equal([]);
    });

  it('is a 400 when the question is longer than anybody writes', async () => {
    expectWrong(await send({ question: 'x'.repeat(16_001) }), 'question');
  });

  it('is a 404 for an unknown sub-avatar, which names those of the host', async () => {
    const { status, body } = await send({ question: 'Oi?', subSlug: 'ninguem' });
    const told = [status, body.message, body.data.hint];
    expect(told).to.deep.equal([404, 'Avatar not found', 'the host has: principal']);
  });

  it('is a 404 for a host without avatars', async () => {
    const host = await service.addHost();
    await service.db('avatars').where({ host_id: host.hostId }).delete();
    const own = await host.inHost(scope => insertConversation(scope));
    const { status, body } = await send({ conversationId: own, question: 'Oi?' }, host);
    expect([status, body.message]).to.deep.equal([404, 'Avatar not found']);
    expect(body.data.hint).to.include('createSubAvatarHelper');
    expect((await recordsOf(service.db, own)).turns).to.deep.equal([]);
  });
});
