import { expect } from 'chai';
import { insertAvatar, type UnsupportedAction } from '../../db/assistants/avatars.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { type HostScope } from '../../db/with-hosts.ts';
import { languageTextsOf } from '../../workers/domain/prompts/language-texts.ts';
import { openEvents } from '../support/event-client.ts';
import { say, sayInPieces } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

const FEE = 'A taxa de inscrição do vestibular custa R$ 85,00 e é paga até 20 de novembro de 2026.';
const LIBRARY = 'A biblioteca empresta até seis livros por 14 dias. O telefone dela é (31) 3829-4471.';
const QUESTION = 'Quanto custa a taxa do vestibular, e quantos livros a biblioteca empresta?';
const RIGHT = 'A inscrição no vestibular custa oitenta e cinco reais. 😀 A biblioteca empresta 6 livros.';
const WRONG = 'A inscrição no vestibular custa **R$ 95,00**. A biblioteca empresta 6 livros.';

const { notFound: NOT_FOUND } = languageTextsOf('pt-BR');

describe('an answer that is checked', () => {
  const service = openService();
  const { demo, model } = service;
  let avatarId: string;
  const chunks: string[] = [];
  const inDemo = <T>(work: (scope: HostScope) => Promise<T>) => demo.inHost(work);
  before(async () => {
    await inDemo(async scope => {
      avatarId = (await insertAvatar(scope, { sub_slug: 'eva', avatar_name: 'Eva' }))?.avatar_id ?? '';
      const { id: datasetId } = await insertDataset(scope, { name: 'Manual' });
      await linkDataset(scope, { datasetId, avatarId });
      for (const content of [FEE, LIBRARY])
        chunks.push((await insertChunk(scope, { datasetId, content, tokenCount: 20 })) ?? '');
    });
  });
  beforeEach(() => act('pass'));

  const act = async (onUnsupported: UnsupportedAction) => {
    const body = { host_id: demo.hostId, avatar_id: avatarId, on_unsupported: onUnsupported };
    const edited = await demo.call('editAvatar', body);
    expect(edited.body.data.on_unsupported).to.equal(onUnsupported);
  };
  const ask = async (
    text: string,
    more: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) => {
    model.script(say(text));
    const { status, body } = await service.ask(
      QUESTION,
      { subSlug: 'eva', reasoningConfig: { svcCompleteLog: true }, ...more },
      { headers },
    );
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data;
  };
  const cut = (data: { assistantResponse: { string: string } }, { from, to }: { from: number; to: number }) =>
    data.assistantResponse.string.slice(from, to);

  it('names the passage of each sentence', async () => {
    const data = await ask(RIGHT);
    const carried = (data.sources as { chunkId: string; sentences: { from: number; to: number }[] }[]).map(
      ({ chunkId, sentences }) => [chunkId, sentences.map(span => cut(data, span))],
    );
    expect(new Map(carried as [string, string[]][])).to.deep.equal(
      new Map([
        [chunks[0], ['A inscrição no vestibular custa oitenta e cinco reais.']],
        [chunks[1], ['😀 A biblioteca empresta 6 livros.']],
      ]),
    );
    expect(data.unsupported).to.deep.equal([]);
    expect(data.svcCompleteLog[0].check).to.deep.equal({ action: 'none', unsupported: [] });
  });

  it('names no source for a refusal, nor for what it offers instead', async () => {
    const offer = 'Posso ajudar com os livros que a biblioteca empresta por 14 dias.';
    for (const refusal of [
      'Não encontrei informação sobre a taxa de inscrição do vestibular.',
      'Olá! Infelizmente não tenho detalhes sobre a taxa do vestibular',
      'I could not find that in the knowledge base:',
    ]) {
      for (const answer of [refusal, `${refusal} ${offer}`, `${refusal}\n- ${offer}`])
        expect((await ask(answer)).sources, answer).to.deep.equal([]);
    }
    const data = await ask(`A biblioteca empresta 6 livros. Não encontrei informação sobre a taxa. ${offer}`);
    expect(data.sources).to.have.length(1);
    expect(
      data.sources[0].sentences.map((span: { from: number; to: number }) => cut(data, span)),
    ).to.deep.equal(['A biblioteca empresta 6 livros.']);
  });

  it('names a figure that stands nowhere, and is sent', async () => {
    const data = await ask(WRONG);
    expect(data.assistantResponse.string).to.equal(WRONG);
    expect(data.unsupported).to.have.length(1);
    expect(data.unsupported[0]).to.include({ kind: 'money', text: 'R$ 95,00' });
    expect(cut(data, data.unsupported[0])).to.equal('R$ 95,00');
    expect(data.askHumanHelp).to.equal(false);
    expect(data.svcCompleteLog[0].check.action).to.equal('pass');
  });

  it('may rest on the question, the context and the dialogue', async () => {
    const given = { contextData: 'Hoje é 12/10/2026.', globalData: { boleto: 731.5 } };
    const data = await ask('Em 12 de outubro de 2026 o boleto era de R$ 731,50, e a sala era a 407.', {
      ...given,
      originalDialogue: [{ role: 'human', content: 'Estamos na sala 407.' }],
    });
    expect(data.unsupported).to.deep.equal([]);
  });

  it('does not rest on a figure that stood nowhere when the assistant said it', async () => {
    const conversationId = await service.newConversation();
    await ask(WRONG, { conversationId });
    const data = await ask('Como eu disse, são 95 reais.', { conversationId });
    expect(data.unsupported.map(({ text }: { text: string }) => text)).to.deep.equal(['95 reais']);
  });

  it('is the same in a reply that is repeated, in the stored message, and in the list of messages', async () => {
    const headers = { 'Idempotency-Key': 'checked' };
    const conversationId = await service.newConversation();
    const data = await ask(WRONG, { conversationId }, headers);
    expect(await ask('Outra resposta.', { conversationId }, headers)).to.deep.equal(data);
    const { sources, unsupported } = data;
    const stored = await service
      .db('messages')
      .where({ conversation_id: conversationId, author: 'assistant' });
    expect(stored.map(row => ({ sources: row.sources, unsupported: row.unsupported }))).to.deep.equal([
      { sources, unsupported },
    ]);
    expect(sources).to.have.length.above(0);
    const listed = await demo.call('listMessages', { conversationId });
    const sourcesOf = (message: { sources: unknown }) => message.sources;
    expect(listed.body.data.items.map(sourcesOf)).to.deep.equal([[], sources]);
  });

  it('asks for a staff member where the avatar says so', async () => {
    await act('handoff');
    const right = await ask(RIGHT);
    expect(right.askHumanHelp).to.equal(false);
    const data = await ask(WRONG);
    expect(data.assistantResponse.string).to.equal(WRONG);
    expect(data.askHumanHelp).to.equal(true);
    expect(data.svcCompleteLog[0].handover).to.deep.equal({ by: 'check', reason: 'missing_knowledge' });
  });

  it('loses the sentence where the avatar withholds it', async () => {
    await act('withhold');
    const data = await ask(WRONG);
    expect(data.assistantResponse.string).to.equal(`${NOT_FOUND} A biblioteca empresta 6 livros.`);
    expect(data.assistantResponse.wppParsed).to.deep.equal([
      { type: 'text', content: data.assistantResponse.string },
    ]);
    expect(data.unsupported).to.deep.equal([]);
    expect(data.sources).to.have.length(1);
    expect(cut(data, data.sources[0].sentences[0])).to.equal('A biblioteca empresta 6 livros.');
    expect(data.svcCompleteLog[0].check).to.deep.equal({
      action: 'withhold',
      unsupported: [{ kind: 'money', text: 'R$ 95,00' }],
    });
    expect((await ask(RIGHT)).assistantResponse.string).to.equal(RIGHT);
  });

  it('is held back in a stream until its sentence is checked, and never taken back', async () => {
    await act('withhold');
    const words = WRONG.split(/(?<= )/);
    model.script(sayInPieces(words));
    const conversationId = await service.newConversation();
    const client = await openEvents(service, { conversationId, question: QUESTION, subSlug: 'eva' });
    const events = await client.readAll();
    expect(client.text()).to.equal(`${NOT_FOUND} A biblioteca empresta 6 livros.`);
    expect(events.map(({ event }) => event)).to.not.include('replace');
    expect(JSON.stringify(events)).to.not.include('95,00');
    expect(events.at(-1)?.data.data.assistantResponse.string).to.equal(client.text());
  });

  it('names the same to clients of OpenAI', async () => {
    model.script(say(RIGHT));
    const messages = [{ role: 'user', content: QUESTION }];
    const { body } = await service.call('/v1/chat/completions', { model: 'eva', messages });
    const found = body.parley.sources.map(({ chunkId }: { chunkId: string }) => chunkId);
    expect(found).to.have.members(chunks);
  });

  it('has its offsets behind personal identifiers that are put back', async () => {
    await setHost(service.db, demo.slug, { mask: true });
    model.script(
      say(request => {
        const phone = /\[TELEFONE_\d+\]/.exec(JSON.stringify(request.messages))?.[0] ?? 'nenhum';
        return `O telefone é ${phone}. A taxa custa R$ 95,00.`;
      }),
    );
    const { body } = await service.ask(QUESTION, { subSlug: 'eva' });
    await setHost(service.db, demo.slug, { mask: false });
    expect(body.data.assistantResponse.string).to.equal(
      'O telefone é (31) 3829-4471. A taxa custa R$ 95,00.',
    );
    expect(body.data.unsupported).to.have.length(1);
    expect(cut(body.data, body.data.unsupported[0])).to.equal('R$ 95,00');
  });
});
