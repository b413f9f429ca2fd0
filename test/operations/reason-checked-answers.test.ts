import { expect } from 'chai';
import type { UnsupportedAction } from '../../db/assistants/avatars.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { languageTextsOf } from '../../workers/domain/prompts/language-texts.ts';
import { makeAvatarWithKnowledge } from '../support/avatar-with-knowledge.ts';
import { openConversation } from '../support/conversation.ts';
import { openEvents } from '../support/event-client.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { say, sayInPieces } from '../support/scripted-model.ts';
import { type Turn, withReceipt } from '../support/served-host.ts';
import { openService } from '../support/service.ts';

const FEE = 'A taxa de inscrição do vestibular custa R$ 85,00 e é paga até 20 de novembro de 2026.';
const LIBRARY = 'A biblioteca empresta até seis livros por 14 dias. O telefone dela é (31) 3829-4471.';
const QUESTION = 'Quanto custa a taxa do vestibular, e quantos livros a biblioteca empresta?';
const RIGHT = 'A inscrição no vestibular custa oitenta e cinco reais. 😀 A biblioteca empresta 6 livros.';
const WRONG = 'A inscrição no vestibular custa **R$ 95,00**. A biblioteca empresta 6 livros.';

interface Span {
  readonly from: number;
  readonly to: number;
}

const { notFound: NOT_FOUND } = languageTextsOf('pt-BR');

describe('an answer that is checked', () => {
  const service = openService();
  const { demo, model } = service;
  const eva = openOnce(() => makeAvatarWithKnowledge(demo, 'eva', [FEE, LIBRARY]));
  const conversation = openConversation(service, { subSlug: 'eva', ...withReceipt });
  beforeEach(() => act('pass'));

  const act = async (on_unsupported: UnsupportedAction) => {
    const edited = await demo.call('editAvatar', { avatar_id: eva.avatarId, on_unsupported });
    expect(edited.body.data).to.include({ on_unsupported });
  };
  const ask = async (text: string, more: Fields = {}, headers: Record<string, string> = {}) => {
    model.say(text);
    const turn = await conversation.ask(QUESTION, more, { headers });
    expect(turn.status, JSON.stringify(turn.body)).to.equal(200);
    return turn;
  };
  const cut = ({ text }: Turn, { from, to }: Span) => text.slice(from, to);

  it('names the passage of each sentence', async () => {
    const turn = await ask(RIGHT);
    const sources: { chunkId: string; sentences: Span[] }[] = turn.data.sources;
    const carried = sources.map(({ chunkId, sentences }) => [
      chunkId,
      sentences.map(span => cut(turn, span)),
    ]);
    expect(carried).to.have.deep.members([
      [eva.chunkIds[0], ['A inscrição no vestibular custa oitenta e cinco reais.']],
      [eva.chunkIds[1], ['😀 A biblioteca empresta 6 livros.']],
    ]);
    expect(turn.data.unsupported).to.deep.equal([]);
    expect(turn.receipt.check).to.deep.equal({ action: 'none', unsupported: [] });
  });

  it('names no source for a refusal, nor for what it offers instead', async () => {
    const offer = 'Posso ajudar com os livros que a biblioteca empresta por 14 dias.';
    for (const refusal of [
      'Não encontrei informação sobre a taxa de inscrição do vestibular.',
      'Olá! Infelizmente não tenho detalhes sobre a taxa do vestibular',
      'I could not find that in the knowledge base:',
    ]) {
      for (const answer of [refusal, `${refusal} ${offer}`, `${refusal}\n- ${offer}`]) {
        await conversation.restart();
        expect((await ask(answer)).data.sources, answer).to.deep.equal([]);
      }
    }
    await conversation.restart();
    const turn = await ask(`A biblioteca empresta 6 livros. Não encontrei informação sobre a taxa. ${offer}`);
    expect(turn.data.sources).to.have.length(1);
    const sentences = turn.data.sources[0].sentences.map((span: Span) => cut(turn, span));
    expect(sentences).to.deep.equal(['A biblioteca empresta 6 livros.']);
  });

  it('names a figure that stands nowhere, and is sent', async () => {
    const turn = await ask(WRONG);
    expect([turn.text, turn.data.askHumanHelp]).to.deep.equal([WRONG, false]);
    const [figure, ...others] = turn.data.unsupported;
    expect(others).to.deep.equal([]);
    expect(figure).to.include({ kind: 'money', text: 'R$ 95,00' });
    expect(cut(turn, figure)).to.equal('R$ 95,00');
    expect(turn.receipt.check.action).to.equal('pass');
  });

  it('may rest on the question, the context and the dialogue', async () => {
    const given = { contextData: 'Hoje é 12/10/2026.', globalData: { boleto: 731.5 } };
    const { data } = await ask('Em 12 de outubro de 2026 o boleto era de R$ 731,50, e a sala era a 407.', {
      ...given,
      originalDialogue: [{ role: 'human', content: 'Estamos na sala 407.' }],
    });
    expect(data.unsupported).to.deep.equal([]);
  });

  it('does not rest on a figure that stood nowhere when the assistant said it', async () => {
    await ask(WRONG);
    const { data } = await ask('Como eu disse, são 95 reais.');
    expect(data.unsupported.map(({ text }: Fields) => text)).to.deep.equal(['95 reais']);
  });

  it('is the same in a reply that is repeated, in the stored message, and in the list of messages', async () => {
    const headers = { 'Idempotency-Key': 'checked' };
    const { data } = await ask(WRONG, {}, headers);
    expect((await ask('Outra resposta.', {}, headers)).data).to.deep.equal(data);
    const { sources, unsupported } = data;
    const answers = { conversation_id: conversation.id, author: 'assistant' };
    const stored = await service.db('messages').where(answers).select('sources', 'unsupported');
    expect(stored).to.deep.equal([{ sources, unsupported }]);
    expect(sources).to.have.length.above(0);
    const listed = await demo.call('listMessages', { conversationId: conversation.id });
    expect(listed.body.data.items.map((message: Fields) => message['sources'])).to.deep.equal([[], sources]);
  });

  it('asks for a staff member where the avatar says so', async () => {
    await act('handoff');
    expect((await ask(RIGHT)).data.askHumanHelp).to.equal(false);
    const { text, data, receipt } = await ask(WRONG);
    expect([text, data.askHumanHelp]).to.deep.equal([WRONG, true]);
    expect(receipt.handover).to.deep.equal({ by: 'check', reason: 'missing_knowledge' });
  });

  it('loses the sentence where the avatar withholds it', async () => {
    await act('withhold');
    const turn = await ask(WRONG);
    const { data } = turn;
    expect(turn.text).to.equal(`${NOT_FOUND} A biblioteca empresta 6 livros.`);
    expect(data.assistantResponse.wppParsed).to.deep.equal([{ type: 'text', content: turn.text }]);
    expect([data.unsupported, data.sources.length]).to.deep.equal([[], 1]);
    expect(cut(turn, data.sources[0].sentences[0])).to.equal('A biblioteca empresta 6 livros.');
    const unsupported = [{ kind: 'money', text: 'R$ 95,00' }];
    expect(turn.receipt.check).to.deep.equal({ action: 'withhold', unsupported });
    expect((await ask(RIGHT)).text).to.equal(RIGHT);
  });

  it('is held back in a stream until its sentence is checked, and never taken back', async () => {
    await act('withhold');
    model.script(sayInPieces(WRONG.split(/(?<= )/)));
    const asked = { conversationId: conversation.id, question: QUESTION, subSlug: 'eva' };
    const client = await openEvents(service, asked);
    const events = await client.readAll();
    expect(client.text()).to.equal(`${NOT_FOUND} A biblioteca empresta 6 livros.`);
    expect(events.map(({ event }) => event)).to.not.include('replace');
    expect(JSON.stringify(events)).to.not.include('95,00');
    expect(events.at(-1)?.data.data.assistantResponse.string).to.equal(client.text());
  });

  it('names the same to clients of OpenAI', async () => {
    model.say(RIGHT);
    const messages = [{ role: 'user', content: QUESTION }];
    const { body } = await service.call('/v1/chat/completions', { model: 'eva', messages });
    expect(body.parley.sources.map(({ chunkId }: Fields) => chunkId)).to.have.members(eva.chunkIds);
  });

  it('has its offsets behind personal identifiers that are put back', async () => {
    await setHost(service.db, demo.slug, { mask: true });
    model.script(
      say(request => {
        const phone = /\[TELEFONE_\d+\]/.exec(JSON.stringify(request.messages))?.[0] ?? 'nenhum';
        return `O telefone é ${phone}. A taxa custa R$ 95,00.`;
      }),
    );
    const turn = await conversation.ask(QUESTION);
    await setHost(service.db, demo.slug, { mask: false });
    expect(turn.text).to.equal('O telefone é (31) 3829-4471. A taxa custa R$ 95,00.');
    expect(turn.data.unsupported).to.have.length(1);
    expect(cut(turn, turn.data.unsupported[0])).to.equal('R$ 95,00');
  });
});
