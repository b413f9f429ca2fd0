import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  adjustmentFor,
  explainHeat,
  heatPartsOf,
  heatScoreOf,
  MAX_ADJUSTMENT,
} from '../../workers/domain/insight/compose-insight.ts';
import { type HeatFeatures, heatFeaturesOf } from '../../workers/domain/insight/heat-features.ts';
import type { DialogueMessage } from '../../workers/domain/insight/insight.ts';

const now = Date.UTC(2026, 2, 2);
// biome-ignore format: a list
const phrases = [
  'Oi!', 'Quanto custa a mensalidade?', 'Quero me matricular em Direito', 'Meu nome é Ana', 'ana@example.com',
  '(11) 98765-4321', '529.982.247-25', 'Tem bolsa?', 'Não, obrigada',
];
const content = fc.oneof(fc.constantFrom(...phrases), fc.string({ maxLength: 80, unit: 'grapheme' }));
const author = fc.constantFrom<DialogueMessage['author']>('user', 'assistant', 'human', 'system');
const message = fc.record({ author, content, at: fc.integer({ min: now - 1e10, max: now }) });
const dialogue = fc
  .array(message, { maxLength: 30 })
  .map(messages => messages.toSorted((left, right) => left.at - right.at));
const count = fc.nat({ max: 40 });
const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 6 });
const features: fc.Arbitrary<HeatFeatures> = fc.record({
  idleMs: fc.option(fc.nat({ max: 1e10 }), { nil: undefined }),
  questions: count,
  replies: count,
  contactKinds: names,
  intents: names,
});

const user = (text: string, agoMs = 0): DialogueMessage => ({
  author: 'user',
  content: text,
  at: now - agoMs,
});
const scoreOf = (messages: readonly DialogueMessage[], asOf = now) =>
  heatScoreOf(heatFeaturesOf(messages, asOf));

describe('the heat of a conversation', () => {
  it('is from 0 to 100, whatever was said and whatever a model thinks of it', () => {
    fc.assert(
      fc.property(dialogue, fc.double({ noNaN: true }), (messages, opinion) => {
        const found = heatFeaturesOf(messages, now);
        const adjustment = adjustmentFor(opinion, found);
        expect(Math.abs(adjustment)).to.be.at.most(MAX_ADJUSTMENT);
        expect(heatScoreOf(found)).to.be.within(0, 100);
        expect(heatScoreOf(found, adjustment)).to.be.within(0, 100);
        expect(heatScoreOf(found, opinion)).to.be.within(0, 100);
      }),
    );
  });

  it('is the same for the same messages and time', () => {
    fc.assert(
      fc.property(dialogue, messages => {
        expect(scoreOf(structuredClone(messages))).to.equal(scoreOf(messages));
      }),
    );
  });

  it('never falls because the person writes once more', () => {
    fc.assert(
      fc.property(dialogue, content, (messages, text) => {
        expect(scoreOf([...messages, user(text)])).to.be.at.least(scoreOf(messages));
      }),
    );
  });

  it('never rises because time goes by', () => {
    fc.assert(
      fc.property(dialogue, fc.nat({ max: 1e10 }), (messages, later) => {
        expect(scoreOf(messages, now + later)).to.be.at.most(scoreOf(messages, now));
      }),
    );
  });

  it('grows with each of its features, and not without end', () => {
    fc.assert(
      fc.property(features, features, (one, other) => {
        const more: HeatFeatures = {
          idleMs: Math.min(one.idleMs ?? Infinity, other.idleMs ?? Infinity),
          questions: Math.max(one.questions, other.questions),
          replies: Math.max(one.replies, other.replies),
          contactKinds:
            one.contactKinds.length > other.contactKinds.length ? one.contactKinds : other.contactKinds,
          intents: one.intents.length > other.intents.length ? one.intents : other.intents,
        };
        expect(heatScoreOf(more)).to.be.at.least(heatScoreOf(one));
        for (const { points } of heatPartsOf(more)) expect(points).to.be.within(0, 25);
      }),
    );
  });

  it('is moved towards what a model thinks, by 20 at most', () => {
    const found = heatFeaturesOf([user('Oi')], now);
    expect(heatScoreOf(found)).to.equal(25);
    expect([100, 30, 25, 10, 0, -9].map(opinion => adjustmentFor(opinion, found))).to.deep.equal([
      20, 5, 0, -15, -20, -20,
    ]);
    expect(heatScoreOf(found, adjustmentFor(30, found))).to.equal(30);
  });

  it('is halved in its recency by a day', () => {
    const day = 86_400_000;
    expect([0, day, 2 * day].map(ago => scoreOf([user('Oi', ago)]))).to.deep.equal([25, 12.5, 6.3]);
    expect(scoreOf([])).to.equal(0);
  });

  it('tells a CPF from a phone, and a word of intent in any case and with or without accents', () => {
    const found = (text: string) => heatFeaturesOf([user(text)], now);
    expect(found('529.982.247-25').contactKinds).to.deep.equal(['CPF']);
    expect(found('52998224725 e 11987654321').contactKinds).to.deep.equal(['telefone', 'CPF']);
    expect(found('+55 (11) 98765-4321').contactKinds).to.deep.equal(['telefone']);
    expect(found('Sou a Ana, ana@a.br').contactKinds).to.deep.equal(['nome', 'e-mail']);
    expect(found('MATRÍCULA').intents).to.deep.equal(found('matricula').intents).and.have.length(1);
    expect([found('Qual o preço').questions, found('Boa tarde').questions]).to.deep.equal([1, 0]);
  });

  it('is explained by its parts', () => {
    const messages: DialogueMessage[] = [
      user('Oi'),
      { author: 'assistant', content: 'Olá! Qual o seu nome?', at: now },
      user('Quanto custa? Meu e-mail é ana@example.com'),
    ];
    expect(scoreOf(messages)).to.equal(25 + 5 + 5 + 10 + 10);
    expect(explainHeat(heatFeaturesOf(messages, now))).to.equal(
      'Soma de mensagem recente (+25); perguntas: 1 (+5); respostas ao atendimento: 1 (+5); ' +
        'dados de contato: e-mail (+10); intenção: saber do preço (+10).',
    );
  });
});
