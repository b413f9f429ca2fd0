import { expect } from 'chai';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { insertChunks } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { erasePerson } from '../../db/person/erase-person.ts';
import { ok } from '../support/contract.ts';
import { inLanes } from '../support/in-lanes.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

/* Knowledge of an imaginary university: several hundred passages, each with questions that only it answers. */

interface KnownPassage {
  readonly text: string;
  readonly questions: readonly string[];
}

const courses = (
  'Direito Medicina Enfermagem Odontologia Farmácia Nutrição Psicologia Fisioterapia Arquitetura Jornalismo Pedagogia Filosofia ' +
  'Geografia Química Física Matemática Estatística Agronomia Zootecnia Veterinária Biomedicina Contabilidade Turismo Gastronomia'
).split(' ');

const places = (
  'biblioteca secretaria tesouraria ouvidoria cantina piscina academia livraria papelaria enfermaria garagem capela ' +
  'auditório observatório planetário almoxarifado brinquedoteca herbário museu ginásio'
).split(' ');

type Facts = readonly (readonly [text: string, ...questions: string[]])[];

const courseFacts = (c: string, n: number): Facts => [
  [
    `A mensalidade do curso de ${c} é de R$ ${800 + n},00.`,
    `Quanto custa a mensalidade de ${c}?`,
    `Qual é o valor da mensalidade do curso de ${c}?`,
    `Olá, gostaria de saber a mensalidade de ${c}, por favor`,
  ],
  [
    `O curso de ${c} tem duração de ${6 + (n % 7)} semestres.`,
    `Qual é a duração do curso de ${c}?`,
    `Quanto tempo é a duração de ${c}?`,
    `Quero saber a duração do curso de ${c}`,
  ],
  [
    `A coordenação de ${c} é da professora Helena ${n}.`,
    `Quem é da coordenação de ${c}?`,
    `Quem faz a coordenação do curso de ${c}?`,
    `Pode me informar a coordenação de ${c}?`,
  ],
  [
    `O vestibular oferece ${40 + n} vagas para ${c}.`,
    `Quantas vagas tem ${c}?`,
    `Quantas vagas existem para ${c}?`,
    `Preciso saber as vagas de ${c}`,
  ],
  [
    `O estágio obrigatório de ${c} tem ${200 + n} horas.`,
    `O estágio de ${c} é obrigatório?`,
    `É obrigatório fazer o estágio em ${c}?`,
    `Tem estágio obrigatório em ${c}?`,
  ],
  [
    `A bolsa de iniciação científica em ${c} paga R$ ${400 + n},00.`,
    `Como funciona a bolsa de iniciação científica em ${c}?`,
    `Tem bolsa de iniciação científica para ${c}?`,
    `Quero uma bolsa de iniciação científica em ${c}, como faço?`,
  ],
  [
    `O uniforme do laboratório de ${c} é o jaleco número ${n}.`,
    `Qual é o uniforme do laboratório de ${c}?`,
    `Como é o uniforme no laboratório de ${c}?`,
    `Preciso de uniforme para o laboratório de ${c}?`,
  ],
  [
    `A revalidação de diploma estrangeiro de ${c} custa R$ ${1_000 + n},00.`,
    `Vocês fazem revalidação de diploma de ${c}?`,
    `Como é a revalidação do diploma de ${c}?`,
    `Gostaria de saber da revalidação de um diploma de ${c}`,
  ],
];

const placeFacts = (p: string, n: number): Facts => [
  [
    `O armário da ${p} pode ser alugado por R$ ${20 + n},00.`,
    `Posso alugar um armário da ${p}?`,
    `Como alugar o armário da ${p}?`,
    `Quero alugar armário na ${p}`,
  ],
  [
    `O estacionamento da ${p} tem ${10 + n} lugares.`,
    `Tem estacionamento na ${p}?`,
    `Como é o estacionamento da ${p}?`,
    `Preciso de estacionamento perto da ${p}`,
  ],
  [
    `A ${p} aceita voluntários inscritos até o dia ${1 + n}.`,
    `Posso ser voluntário na ${p}?`,
    `Como ser voluntário da ${p}?`,
    `Gostaria de ser voluntário na ${p}`,
  ],
  [
    `A visita guiada da ${p} começa às ${8 + (n % 10)} horas.`,
    `Tem visita guiada na ${p}?`,
    `Como é a visita guiada da ${p}?`,
    `Quero fazer a visita guiada da ${p}`,
  ],
];

function universityPassages(): KnownPassage[] {
  const facts = [...courses.flatMap(courseFacts), ...places.flatMap(placeFacts)];
  return facts.map(([text, ...questions]) => ({ text, questions }));
}

/** Shuffles by a seed, so that a failure can be repeated. */
function shuffleBySeed<T>(items: readonly T[], seed: number): T[] {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return items
    .map(item => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

const DAY_MS = 86_400_000;
const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
/** `npm run test:long` takes out fifty. */
const MISSING = process.env['RUNS'] ? 50 : 8;
const AT_ONCE = 12;

interface Gap {
  readonly question: string;
  readonly times: number;
  readonly conversations: string[];
  readonly suggestion?: { readonly content: string; readonly fromMessageId: string };
}

describe('gaps of a knowledge of several hundred passages, of which some were taken out', () => {
  const service = openService();
  const { demo } = service;
  let datasetId: string;
  const [missing, kept] = split(shuffleBySeed(universityPassages(), 20_270_314), MISSING);
  const passageOf = new Map(
    [...missing, ...kept].flatMap(passage => passage.questions.map(question => [question, passage] as const)),
  );
  beforeEach(async () => {
    await demo.inHost(async scope => {
      const avatarId = (await insertAvatar(scope, { sub_slug: 'eva', avatar_name: 'Eva' }))?.avatar_id ?? '';
      ({ id: datasetId } = await insertDataset(scope, { name: 'Manual' }));
      await linkDataset(scope, { datasetId, avatarId });
      const texts = kept.map(({ text: content }) => ({ content, tokenCount: 20 }));
      await insertChunks(scope, { datasetId }, texts);
    });
    // Answers from the passage that the question is about, if it was given it.
    service.model.script((request, response) => {
      const { text = '' } = passageOf.get(request.messages.at(-1)?.content ?? '') ?? {};
      const isGiven = request.messages.some(({ content }) => content.includes(text));
      const answer = isGiven ? text : 'Desculpe, não encontrei essa informação no meu material.';
      return say(answer)(request, response);
    });
  });

  const askAll = (questions: readonly string[]) =>
    inLanes(AT_ONCE, questions, async question => {
      const { conversationId, assistantResponse } = ok(await service.ask(question, { subSlug: 'eva' }));
      return { question, conversationId, answer: assistantResponse.string };
    });
  const gaps = async (): Promise<Gap[]> =>
    ok(await demo.call('getKnowledgeGaps', { startDate: at(-2), endDate: at(2), limit: 100 }));

  it('name what is missing, and a suggestion saved as a passage answers the same questions', async () => {
    const questions = missing.flatMap(passage => passage.questions);
    const known = kept.slice(0, MISSING).flatMap(each => each.questions.slice(0, 1));
    const asked = await askAll([...questions, ...known]);
    const found = await gaps();
    const named = found.map(({ question }) => passageOf.get(question) as KnownPassage);
    const right = new Set(named.filter(passage => missing.includes(passage)));
    // A gap that is named twice counts as one that is not there.
    const precision = right.size / found.length;
    const recall = right.size / missing.length;
    expect(precision, 'precision').to.be.at.least(0.9);
    expect(recall, 'recall').to.be.at.least(0.9);
    expect(found.reduce((sum, { times }) => sum + times, 0)).to.equal(questions.length);
    for (const { times, conversations } of found) expect(conversations).to.have.length(times);
    expect(new Set(found.flatMap(({ conversations }) => conversations))).to.deep.equal(
      new Set(asked.slice(0, questions.length).map(({ conversationId }) => conversationId)),
    );

    for (const { conversationId, question } of asked.slice(0, questions.length)) {
      const written = ['Oi, tudo bem? Aqui é a Bia.', passageOf.get(question)?.text ?? ''];
      for (const content of written)
        ok(await demo.call('appendMessage', { conversationId, content, author: 'human' }));
    }
    const suggested = await gaps();
    expect(suggested).to.have.length(found.length);
    for (const { question, suggestion } of suggested) {
      expect(suggestion?.content).to.equal(passageOf.get(question)?.text);
      ok(await demo.call('createChunk', { dataset_id: datasetId, content: suggestion?.content }));
    }
    const answered = await askAll(questions);
    const isRight = ({ question, answer }: (typeof answered)[number]) =>
      answer === passageOf.get(question)?.text;
    expect(answered.filter(isRight).length / questions.length).to.be.at.least(0.95);
  }).timeout(120_000);
});

function split<T>(items: readonly T[], count: number): [T[], T[]] {
  return [items.slice(0, count), items.slice(count)];
}

describe('a question that found no answer', () => {
  const service = openService();
  const { model, db } = service;
  const demo = openEach(() => service.addHost());
  beforeEach(() => model.say('Às 8h.'));

  const QUESTION = 'Vocês têm convênio com o planetário de Lisboa?';
  const period = { startDate: at(-700), endDate: at(2) };
  const gaps = async (more: Fields = {}, host = demo): Promise<(Gap & { nextCursor: string | null })[]> =>
    ok(await host.call('getKnowledgeGaps', { ...period, ...more }));
  const ask = async (question: string, more: Fields = {}): Promise<string> =>
    ok(await demo.ask(question, more)).conversationId;
  const reply = async (conversationId: string, content: string) =>
    ok(await demo.call('appendMessage', { conversationId, content, author: 'human' }));

  it('is a gap where the assistant hands over because of it, and where it says so, and not where it has an answer', async () => {
    await ask('Que horas abre?');
    expect(await gaps()).to.deep.equal([]);
    const handOver = call([['ask_human_help', { reason: 'missing_knowledge' }]]);
    model.script(rounds(handOver, say('Vou chamar a equipe.')));
    const handedOver = await ask(QUESTION);
    model.say('Não tenho essa informação.');
    const told = await ask(QUESTION);
    const [gap, ...others] = await gaps();
    expect(others).to.deep.equal([]);
    expect(gap).to.deep.include({ question: QUESTION, times: 2, conversations: [told, handedOver] });
    expect(await gaps({}, service.acme)).to.deep.equal([]);
    expect(await gaps({ endDate: at(-1) })).to.deep.equal([]);
  });

  it('is a gap where a staff member had to answer, and what asks for nothing is none', async () => {
    const conversationId = await ask('Quero falar com uma pessoa');
    ok(await demo.call('updateConversation', { conversationId, ask_human_help: true }));
    await reply(conversationId, 'Oi, aqui é a Bia. Em que posso ajudar?');
    await ask(QUESTION, { conversationId });
    const answer = 'Sim, há convênio com o planetário de Lisboa, com meia entrada.';
    await reply(conversationId, answer);
    await ask('Muito obrigado, Bia', { conversationId });
    await reply(conversationId, 'Por nada!');
    const found = await gaps();
    expect(found.map(({ question, times }) => [question, times])).to.deep.equal([[QUESTION, 1]]);
    expect(found[0]?.suggestion?.content).to.equal(answer);
  });

  it('is shown when it is grouped: no report waits for whoever groups, with a connection in hand', async () => {
    model.say('Não encontrei essa informação.');
    await ask(QUESTION);
    expect(await gaps()).to.have.length(1);
    await db.transaction(async tx => {
      await tx.raw('select lock_gaps(:hostId), lock_services(:hostId)', { hostId: demo.hostId });
      await ask('Tem aula de latim medieval?');
      const reports = (['getKnowledgeGaps', 'getOutcomes', 'getKnowledgeGaps', 'getOutcomes'] as const).map(
        name => demo.call(name, period),
      );
      for (const report of await Promise.all(reports)) ok(report);
      expect(await gaps()).to.have.length(1);
    });
    expect(await gaps()).to.have.length(2);
  });

  it('is none in a rehearsal, and goes with the person who asked it, with its words', async () => {
    model.say('Não encontrei essa informação.');
    await ask(QUESTION, { reasoningConfig: { rehearsal: true } });
    await ask('Tem aula de grego antigo?', { userData: { name: 'Ana', email: 'ana@exemplo.test' } });
    await ask('Tem aula de latim medieval?');
    expect(await gaps()).to.have.length(2);
    await erasePerson(db, demo.hostId, 'ana@exemplo.test');
    expect((await gaps()).map(({ question }) => question)).to.deep.equal(['Tem aula de latim medieval?']);
    const words = await db('gaps').pluck('words');
    expect(JSON.stringify(words)).to.not.contain('greg');
  });

  it('is counted in every part of the time as often as its ids say, in pages', async () => {
    model.say('Não encontrei essa informação.');
    await ask(QUESTION);
    await gaps();
    await db.raw(
      `with talk as (insert into conversations (host_id) select ?::uuid from generate_series(1, 230) returning host_id, id),
       said as (insert into messages (host_id, conversation_id, author, content, created_at)
         select host_id, id, 'user', ?::text, now() - random() * interval '400 days' from talk
         returning host_id, seq, conversation_id, created_at)
       insert into gap_questions (host_id, message_seq, conversation_id, reason, asked_at)
       select host_id, seq, conversation_id, 'not_found', created_at from said`,
      [demo.hostId, QUESTION.replace(/\?/, '')],
    );
    for (const [from, to] of [
      [-700, 2],
      [-333.3, -12.7],
      [-40, -35.5],
      [-1.5, 2],
    ] as const) {
      const part = { startDate: at(from), endDate: at(to) };
      const questions = db('gap_questions').where({ host_id: demo.hostId });
      const { length } = await questions
        .where('asked_at', '>=', part.startDate)
        .where('asked_at', '<', part.endDate);
      let [gap] = await gaps(part);
      expect(gap?.times ?? 0).to.equal(length);
      const seen = [...(gap?.conversations ?? [])];
      while (gap?.nextCursor) {
        [gap] = await gaps({ ...part, cursor: gap.nextCursor });
        seen.push(...(gap?.conversations ?? []));
      }
      expect(new Set(seen).size).to.equal(length);
    }
  });
});
