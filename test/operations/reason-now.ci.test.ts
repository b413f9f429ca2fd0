import { expect } from 'chai';
import { startModelServer } from '../offline-model/with-model-server.ts';
import { expectWrong } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import { openOwnService, openService, type Service } from '../support/service.ts';

const businessHours = [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }];
/** A Wednesday evening. */
const now = '2026-11-25T19:30-03:00';
const at = (time: string) => ({ reasoningConfig: { rehearsal: true, now: time } });

const openHost = (service: Service) =>
  service
    .db('hosts')
    .where({ id: service.demo.hostId })
    .update({ time_zone: 'America/Sao_Paulo', business_hours: JSON.stringify(businessHours) });

describe('the present, in a turn', () => {
  const service = openService();
  before(() => openHost(service));

  it('stands before the question in the prompt: day, hour, and whether the host is open', async () => {
    service.model.say('Certo.');
    const { status } = await service.ask('Estão abertos?', { ...at(now), dialogueInsertString: 'Nota.' });
    expect(status).to.equal(200);
    expect(service.model.requests.at(-1)?.messages.slice(-3)).to.deep.equal([
      {
        role: 'system',
        content:
          'Agora: quarta-feira, 25/11/2026, 19:30 (America/Sao_Paulo). Atendimento: fechado agora; abre quinta-feira, 26/11/2026, às 08:00. ' +
          'Amanhã: quinta-feira, 26/11/2026, aberto das 08:00 às 18:00.',
      },
      { role: 'system', content: 'Nota.' },
      { role: 'user', content: 'Estão abertos?' },
    ]);
  });

  it('is the time of arrival where none is given', async () => {
    service.model.say('Certo.');
    const timeZone = 'America/Sao_Paulo';
    const parts = { day: '2-digit', month: '2-digit', year: 'numeric', timeZone } as const;
    const today = () => new Intl.DateTimeFormat('pt-BR', parts).format(new Date());
    // Midnight may be between the two.
    const before = today();
    await service.ask('Que dia é hoje?');
    const prompt = JSON.stringify(service.model.requests.at(-1)?.messages);
    expect(
      [before, today()].some(day => prompt.includes(`, ${day}, `)),
      prompt,
    ).to.equal(true);
  });

  it('is what figures of an answer may stand on', async () => {
    service.model.say(
      'Hoje é quarta-feira, 25 de novembro de 2026. Abrimos amanhã, dia 26/11/2026, às 8h, até as 18h.',
    );
    expect((await service.ask('Quando abrem?', at(now))).body.data.unsupported).to.deep.equal([]);
    service.model.say('Abrimos amanhã às 11h15.');
    const wrong = await service.ask('Quando abrem?', at(now));
    expect(wrong.body.data.unsupported.map(({ text }: { text: string }) => text)).to.deep.equal(['11h15']);
  });

  it('is another time in rehearsals only, and only where that is one', async () => {
    for (const reasoningConfig of [
      { now },
      { now, rehearsal: false },
      { now: '2026-11-25', rehearsal: true },
      { now: '2026-02-30T10:00Z', rehearsal: true },
      { now: '2026-11-25T19:30', rehearsal: true },
    ])
      expectWrong(await service.ask('Oi?', { reasoningConfig }), 'reasoningConfig.now');
  });

  it('is that of the case in an evaluation', async () => {
    service.model.say('Certo.');
    const { avatarId } = service.demo;
    const cases = [{ question: 'Estão abertos?', now, expect: { contains: 'Certo' } }];
    const save = (given: object[]) => service.demo.call('saveEvaluationCases', { avatarId, cases: given });
    expect((await save(cases)).status).to.equal(200);
    expectWrong(await save([{ ...cases[0], now: 'ontem' }]), 'cases[0].now');
    const change = { avatar_id: avatarId, avatar_name: 'Rosa', evaluate: true };
    expect((await service.demo.call('editAvatar', change)).status).to.equal(200);
    expect(JSON.stringify(service.model.requests.at(-1)?.messages)).to.include('25/11/2026, 19:30');
    await save([]);
  });
});

describe('the present, as the offline model tells it', () => {
  const model = openOnce(startModelServer);
  const service = openOwnService(() => model.settings);

  it('is the day, the hour, and whether the host is open, today and tomorrow', async () => {
    await openHost(service);
    const conversationId = await service.newConversation();
    for (const [question, time, answer] of [
      ['Que dia é hoje?', now, 'Hoje é quarta-feira, 25/11/2026.'],
      ['E amanhã?', now, 'Amanhã é quinta-feira, 26/11/2026.'],
      ['Que horas são agora?', now, 'São 19:30.'],
      [
        'Vocês estão abertos agora?',
        now,
        'Agora são 19:30. O atendimento está fechado agora; abre quinta-feira, 26/11/2026, às 08:00.',
      ],
      ['e amanhã?', now, 'Amanhã: quinta-feira, 26/11/2026, aberto das 08:00 às 18:00.'],
      [
        'Oi, estão atendendo agora?',
        '2026-11-25T09:00-03:00',
        'Agora são 09:00. O atendimento está aberto agora, até às 18:00.',
      ],
    ] as const) {
      const { text, data } = await service.ask(question, { conversationId, ...at(time) });
      expect([text, data.unsupported], question).to.deep.equal([answer, []]);
    }
    await service.db('hosts').where({ id: service.demo.hostId }).update({ business_hours: '[]' });
    const answerTo = async (question: string) => (await service.ask(question, at(now))).text;
    expect(await answerTo('Que dia é hoje?')).to.equal('Hoje é quarta-feira, 25/11/2026.');
    expect(await answerTo('Vocês estão abertos agora?')).to.not.match(/Agora são|(?:aberto|fechado) agora/);
    await openHost(service);
    const library = await service.ask('A biblioteca está aberta agora?', { conversationId, ...at(now) });
    expect(library.text).to.match(/biblioteca/i);
  });
});
