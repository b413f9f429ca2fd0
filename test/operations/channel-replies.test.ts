import { expect } from 'chai';
import { returnConversations } from '../../db/conversations/returns.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { expectWrong } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import { PNG } from '../support/recordings.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

const ANSWER = 'A matrícula vai até **30 de julho**.\n\nVeja o [edital](https://uni.example/edital.pdf).';
const silence = { string: '', wppParsed: [], isAudio: false };

describe('a reply that staff typed on the phone of the channel', () => {
  const service = openService();
  const { demo, db, model } = service;
  const conversation = openConversation(service);
  before(() =>
    demo.make('saveWebhook', {
      url: 'https://crm.example/',
      events: ['message.sent', 'conversation.handover_requested', 'conversation.returned'],
    }),
  );
  beforeEach(() => model.say(ANSWER));

  const send = (message: Fields) => {
    const sent = { conversationId: conversation.id, author: 'human', from_channel: true, ...message };
    return demo.call('appendMessage', sent);
  };
  const told = () => db('events').where({ conversation_id: conversation.id }).pluck('type');
  const update = (changes: Fields) =>
    demo.call('updateConversation', { conversationId: conversation.id, ...changes });
  const textOf = async (question: string) => (await conversation.ask(question)).data.assistantResponse.string;

  it('takes the conversation over, is stored once for each id of the channel, and is told to nobody', async () => {
    const { status, body } = await send({
      content: 'Oi, aqui é a Bia.',
      external_id: 'wamid.1',
      name: 'Souza, Bia',
    });
    expect([status, body.data.ask_human_help, body.data.assigned_to]).to.deep.equal([201, true, 'Souza Bia']);
    expect((await send({ content: 'Oi, aqui é a Bia!', external_id: 'wamid.1' })).status).to.equal(201);
    expect((await conversation.ask('Posso pagar hoje?')).data.assistantResponse).to.deep.equal(silence);
    expect(await conversation.said()).to.deep.equal(['human: Oi, aqui é a Bia.', 'user: Posso pagar hoje?']);
    expect(await told()).to.deep.equal([]);
    const { items } = (await demo.call('listMessages', { conversationId: conversation.id })).body.data;
    expect([items[0].fromChannel, items[0].delivery, items[1].fromChannel]).to.deep.equal([
      true,
      null,
      false,
    ]);
  });

  it('is of “Celular” where it names nobody, and leaves it to the colleague who attends', async () => {
    expect((await send({ content: 'Já vejo.', name: ' , ' })).body.data.assigned_to).to.equal('Celular');
    await update({ ask_human_help: true, assigned_to: 'Rui' });
    expect((await send({ content: 'Sim.', name: 'Bia' })).body.data.assigned_to).to.equal('Rui');
  });

  it('opens a conversation that is closed, with its context', async () => {
    await conversation.ask('Até quando é a matrícula?');
    await update({ closed: true });
    expect((await send({ content: 'Só mais uma coisa.' })).body.data).to.include({
      closed: false,
      assigned_to: 'Celular',
    });
    await update({ ask_human_help: false });
    const { requests } = await conversation.ask('Qual?');
    expect(JSON.stringify(requests[0]?.messages))
      .to.include('Até quando')
      .and.to.include('Só mais uma coisa.');
  });

  it('silences the turn that runs, also where the conversation is given back before that would answer', async () => {
    for (const isGivenBack of [false, true]) {
      await conversation.restart();
      const held = hold(say('Tarde demais.'));
      model.script(held.script);
      const asked = conversation.ask('Alguém aí?');
      await held.held;
      await send({ content: 'Estou aqui.' });
      if (isGivenBack) await update({ ask_human_help: false });
      held.release();
      expect((await asked).data.assistantResponse).to.deep.equal(silence);
      expect(await conversation.said()).to.deep.equal(['user: Alguém aí?', 'human: Estou aqui.']);
    }
  });

  it('is none where the channel echoes an answer: whole, in its parts, or spelt in another way', async () => {
    const parts = (await conversation.ask('Até quando?')).data.assistantResponse.wppParsed;
    const echoes = [
      ANSWER,
      ...parts.map((item: Fields) => item['content']),
      ANSWER.toUpperCase().replaceAll(' ', '  '),
    ];
    expect(echoes).to.have.length.above(3);
    for (const [at, content] of echoes.entries())
      expect((await send({ content, external_id: `echo-${at}` })).body.data).to.include({
        ask_human_help: false,
        assigned_to: null,
      });
    // As if the channel told it again much later: the id is known.
    await db('messages')
      .where({ conversation_id: conversation.id })
      .update({ created_at: db.raw("created_at - interval '1 hour'") });
    await send({ content: ANSWER, external_id: 'echo-0' });
    expect(await conversation.said()).to.have.length(2);
    expect((await send({ content: ANSWER, external_id: 'other' })).body.data).to.include({
      ask_human_help: true,
    });
  });

  it('is none where the channel echoes what a colleague wrote in the console, which is two where the phone says it twice', async () => {
    const written = { conversationId: conversation.id, author: 'human', content: 'Um momento.' };
    await demo.call('appendMessage', { ...written, external_id: 'helpdesk-1' });
    await demo.call('appendMessage', { ...written, external_id: 'helpdesk-1' });
    expect((await send({ content: 'Um  momento.', external_id: 'wamid.9' })).body.data).to.include({
      ask_human_help: false,
    });
    expect(await told()).to.deep.equal(['message.sent']);
    await send({ content: 'Ok', external_id: 'wamid.10' });
    await send({ content: 'Ok', external_id: 'wamid.11' });
    expect(await conversation.said()).to.deep.equal(['human: Um momento.', 'human: Ok', 'human: Ok']);
  });

  it('is none where the channel echoes files that a colleague sent, with their caption or alone', async () => {
    const file = { content_base64: PNG.toString('base64') };
    for (const content of ['Segue.', undefined]) {
      await conversation.restart();
      const sent = { ...(content ? { content } : {}), attachments: [{ ...file, name: 'foto.png' }] };
      const by = { conversationId: conversation.id, author: 'human', name: 'Rui' };
      expect((await demo.call('appendMessage', { ...by, ...sent })).status).to.equal(201);
      const echoes = [sent, { ...sent, attachments: [file] }, ...(content ? [{ content }] : [])];
      for (const echo of echoes) expect((await send(echo)).body.data).to.include({ ask_human_help: false });
      expect(await conversation.said()).to.have.length(1);
      const bytes = Buffer.concat([PNG, PNG]).toString('base64');
      const other = { name: 'foto.png', content_base64: bytes };
      expect((await send({ ...sent, attachments: [other] })).body.data).to.include({
        ask_human_help: true,
      });
    }
  });

  it('is of staff alone: the field is named where it is not', async () => {
    expectWrong(await send({ author: 'user', content: 'Oi' }), 'from_channel');
    expectWrong(await send({ content: 'Oi', template: { name: 'a', language: 'pt_BR' } }), 'template');
    expectWrong(
      await send({ author: 'note', from_channel: false, content: 'Oi', external_id: 'a' }),
      'external_id',
    );
    expect(await conversation.said()).to.deep.equal([]);
  });

  describe('and nobody goes on', () => {
    before(() => setHost(db, demo.slug, { return_after_minutes: 30 }));
    after(() => setHost(db, demo.slug, { return_after_minutes: null }));
    /** As if so many minutes had passed: two workers look at once. */
    const pass = async (minutes: number) => {
      const earlier = db.raw("created_at - ? * interval '1 minute'", [minutes]);
      await db('messages').where({ conversation_id: conversation.id }).update({ created_at: earlier });
      await Promise.all([returnConversations(db), returnConversations(db)]);
    };

    it('gives the conversation back after so long without a word of staff, told once and with a line in the dialogue', async () => {
      await send({ content: 'Já vejo.' });
      await pass(29);
      expect(await textOf('Oi?')).to.equal('');
      await send({ content: 'Um momento.' });
      await pass(29);
      expect(await told()).to.deep.equal([]);
      await pass(2);
      expect(await told()).to.deep.equal(['conversation.returned']);
      expect(await conversation.row()).to.include({
        attended: false,
        ask_human_help: false,
        assigned_to: null,
      });
      expect(await textOf('E agora?')).to.equal(ANSWER);
      await pass(60);
      expect(await told()).to.deep.equal(['conversation.returned']);
      const { items } = (await demo.call('listMessages', { conversationId: conversation.id })).body.data;
      expect(items.map(({ author }: Fields) => author)).to.deep.equal([
        'human',
        'user',
        'human',
        'system',
        'user',
        'assistant',
      ]);
      expect(items[3].content).to.include('30 minutos');
    });

    it('gives back as unanswered, until it is answered, what the person wrote after the last word of staff', async () => {
      const isUnanswered = async () => {
        const { items } = (await demo.call('listConversations', { unanswered: true })).body.data;
        return items.some(({ id }: Fields) => id === conversation.id);
      };
      for (const wrote of [['staff', 'person'], ['person', 'staff'], ['staff']]) {
        await conversation.restart();
        await send({ content: 'Oi, é a Bia.' });
        for (const by of wrote)
          await (by === 'staff' ? send({ content: 'Já vejo.' }) : textOf('E o boleto?'));
        const earlier = db.raw("person_wrote_at - interval '31 minutes'");
        await db('conversations').where({ id: conversation.id }).update({ person_wrote_at: earlier });
        await pass(31);
        expect(await isUnanswered(), wrote.join()).to.equal(wrote.at(-1) === 'person');
        expect(await textOf('E agora?')).to.equal(ANSWER);
        expect(await isUnanswered()).to.equal(false);
      }
    });

    it('leaves it with its person where the host waits for ever', async () => {
      await setHost(db, demo.slug, { return_after_minutes: null });
      await send({ content: 'Já vejo.' });
      await pass(20_000);
      expect(await conversation.row()).to.include({ attended: true, assigned_to: 'Celular' });
    });
  });
});
