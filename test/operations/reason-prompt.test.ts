import { expect } from 'chai';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import { type ModelRequest } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

describe('what the model reads', () => {
  const service = openService();
  const { model } = service;
  const conversation = openConversation(service);
  before(async () => {
    // Flows are tested elsewhere.
    await service.db('flows').update({ active: false });
  });
  beforeEach(() => model.say('Certo.'));

  /** The messages of the last call without persona, knowledge and clock. */
  const read = () => {
    const { messages } = model.requests.at(-1) as ModelRequest;
    const isFraming = ({ role, content }: (typeof messages)[number]) =>
      role === 'system' && /^# Conhecimento|^Você é a Lia|^Agora: /.test(content);
    return messages.filter(message => !isFraming(message)).map(({ role, content }) => `${role}: ${content}`);
  };
  const ask = async (question: string | undefined, more: Fields = {}) => {
    const answer = await conversation.ask(question, more);
    expect(answer.body.message).to.equal('Success');
    return answer;
  };

  it('begins with the avatar’s own words', async () => {
    const { requests } = await ask('Oi?');
    expect(requests[0]?.messages[0]).to.include({ role: 'system' });
    expect(requests[0]?.messages[0]?.content).to.match(/^Você é a Lia,/);
  });

  it('says on every call what it is for', async () => {
    await ask('Oi?');
    const purposes = model.requests.map(request => request.headers['x-parley-purpose']);
    expect([...new Set(purposes)]).to.deep.equal(['turn']);
  });

  it('holds nothing of another conversation', async () => {
    await ask('Meu segredo é azul.');
    await conversation.restart();
    await ask('Qual é o meu segredo?');
    expect(read()).to.deep.equal(['user: Qual é o meu segredo?']);
  });

  it('has the context before the dialogue, and what is inserted right before the question', async () => {
    await ask('Oi?');
    await ask('E agora?', {
      contextData: 'o contexto',
      dialogueInsertString: 'o inserido',
      reasoningConfig: { rebounceInstructions: 'o pedido' },
      userData: { name: 'Rui' },
    });
    expect(read()).to.deep.equal([
      'system: o contexto',
      'user: Oi?',
      'assistant: Certo.',
      'system: Nome da pessoa: "Rui"',
      'system: o pedido',
      'system: o inserido',
      'user: E agora?',
    ]);
    expect(await conversation.said()).to.deep.equal([
      'user: Oi?',
      'assistant: Certo.',
      'user: E agora?',
      'assistant: Certo.',
    ]);
  });

  it('has the dialogue that a request brings in place of the stored one, for that turn alone', async () => {
    await ask('Guardada?');
    const originalDialogue = [
      'uma linha solta',
      { role: 'assistant', content: 'trazida', createdAt: '2026-01-01T00:00:00Z', extra: 1 },
      { role: 'human', content: 'de gente', name: 'Bia' },
      { role: 'system', content: 'do sistema' },
    ];
    const answer = await ask('E agora?', { originalDialogue, returnDialogue: true });
    const brought = [
      'user: uma linha solta',
      'assistant: trazida',
      'assistant: de gente',
      'system: do sistema',
      'user: E agora?',
    ];
    expect(read()).to.deep.equal(brought);
    expect(answer.data.conversation).to.have.length(6);
    const { extra: _, ...known } = originalDialogue[1] as Fields;
    expect(answer.data.conversation[1]).to.deep.equal(known);
    await ask('Depois?');
    expect(read()).to.deep.equal([
      'user: Guardada?',
      'assistant: Certo.',
      'user: E agora?',
      'assistant: Certo.',
      'user: Depois?',
    ]);
  });

  for (const last of ['a última?', { role: 'user', content: 'a última?' }])
    it(`takes the question from the dialogue’s last word when that is the user’s, as ${typeof last}`, async () => {
      const answer = await ask(undefined, { originalDialogue: ['antes', last] });
      expect(read()).to.deep.equal(['user: antes', 'user: a última?']);
      expect(answer.data.question).to.equal('a última?');
      expect(await conversation.said()).to.deep.equal(['user: a última?', 'assistant: Certo.']);
    });

  it('has a question once that was sent as the dialogue’s last word, too', async () => {
    await ask('a última?', { originalDialogue: ['antes', ' a última? '] });
    expect(read()).to.deep.equal(['user: antes', 'user: a última?']);
  });

  it('is asked to resume, with the instructions for it, when a silent conversation rebounces', async () => {
    await ask('Oi?');
    const reasoningConfig = { rebounce: true, rebounceInstructions: 'Ofereça a visita.' };
    const answer = await ask(undefined, { reasoningConfig });
    const [asked, answered, instructed, resume, ...rest] = read();
    expect([asked, answered, instructed]).to.deep.equal([
      'user: Oi?',
      'assistant: Certo.',
      'system: Ofereça a visita.',
    ]);
    expect(resume).to.match(/^system: /);
    expect(rest).to.deep.equal([]);
    expect(answer.data.question).to.equal('');
    expect(await conversation.said()).to.deep.equal(['user: Oi?', 'assistant: Certo.', 'assistant: Certo.']);
  });

  it('is a question like any other when one comes with the rebounce', async () => {
    await ask('Voltei.', { reasoningConfig: { rebounce: true, rebounceInstructions: 'Seja breve.' } });
    expect(read()).to.deep.equal(['system: Seja breve.', 'user: Voltei.']);
  });

  it('is well-formed text whatever the client sent', async () => {
    const { status } = await conversation.ask('a\0b\ud800c 😀', { contextData: '\udc00' });
    expect([status, read()]).to.deep.equal([200, ['system: \ufffd', 'user: a\ufffdb\ufffdc 😀']]);
  });

  it('ends where the newest words end when the dialogue is longer than a model reads', async () => {
    const originalDialogue = Array.from({ length: 1_000 }, (_, n) => `${n} ${'palavra '.repeat(60)}`);
    await ask('E agora?', { originalDialogue });
    const lines = read();
    expect(lines.length).to.be.within(10, 200);
    expect(lines.at(-2)).to.match(/^user: 999 /);
    expect(lines.join('').length).to.be.at.most(50_000);
  });
});
