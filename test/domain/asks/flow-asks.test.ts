import { expect } from 'chai';
import {
  type AskHistory,
  addClosing,
  type FlowAsks,
  flowAsksOf,
} from '../../../workers/domain/asks/flow-asks.ts';
import type { FlowStep } from '../../../workers/domain/flow-step.ts';
import { askTextsOf } from '../../../workers/domain/prompts/ask-texts.ts';

const texts = askTextsOf('pt-BR');
/** A Sunday. */
const today = Date.UTC(2026, 10, 29, 9);
const CPF = '52998224725';
const [july, august] = [
  { id: '2026-07', title: 'Julho' },
  { id: '2026-08', title: 'Agosto' },
];
const [yes, no] = [
  { id: 'sim', title: 'Sim' },
  { id: 'nao', title: 'Não' },
];

const ask = (name: string, kind: FlowStep['kind'], more: Partial<FlowStep> = {}): FlowStep => ({
  type: 'ask',
  content: `Qual ${name}?`,
  description: '',
  name,
  ...(kind && { kind }),
  ...more,
});
const month = ask('mes', 'choice', { choices: [july, august] });
const confirm = ask('certo', 'choice', { choices: [yes, no] });
const note = (content: string): FlowStep => ({ type: 'notification-conversation', content, description: '' });
const when = (name: string, values: string[], goTo: number | string): FlowStep => ({
  type: 'when',
  content: '',
  description: '',
  name,
  values,
  goTo,
});

/** A conversation in which the person says one message after the other. */
function talk(steps: readonly FlowStep[], messages: readonly string[], choice?: string) {
  const done = new Set<number>();
  const times = new Map<number, number>();
  let data: Record<string, unknown> = {};
  let isStopped = false;
  let asks: FlowAsks | undefined;
  for (const [at, message] of ['Oi', ...messages].entries()) {
    const history: AskHistory = {
      isDone: step => done.has(step),
      timesAsked: step => times.get(step) ?? 0,
      isStopped,
    };
    const before = at > 0 ? ['Oi', ...messages][at - 1] : undefined;
    const pressed = at === messages.length ? choice : undefined;
    asks = flowAsksOf(steps, history, data, { messages: [message], choice: pressed, before, today }, texts);
    for (const step of asks.done) done.add(step);
    if (asks.asked) times.set(asks.asked.step, asks.asked.times);
    data = { ...data, ...asks.kept };
    isStopped = asks.isStopped;
  }
  if (!asks) throw new Error('Nothing was said.');
  return { data, asks, open: asks.asked?.step };
}

describe('the questions of a flow', () => {
  describe('keep what a message says in one of the forms that people use', () => {
    const many = ask('forma', 'choice', {
      choices: [
        { id: 'pix', title: 'Pix' },
        { id: 'pix-p', title: 'Pix parcelado' },
        { id: 'bol', title: 'Boleto bancário' },
      ],
    });
    // biome-ignore format: a table
    const table: readonly (readonly [FlowStep, string, unknown])[] = [
      [ask('cpf', 'cpf'), '529.982.247-25', CPF],
      [ask('cpf', 'cpf'), 'blz, meu cpf é 52998224725', CPF],
      [ask('cpf', 'cpf'), '529 982 247 25', CPF],
      [ask('cpf', 'cpf'), 'cinco dois nove nove oito dois dois quatro sete dois cinco', CPF],
      [ask('cpf', 'cpf'), '[áudio 0:07] é o 529.982.247-25', CPF],
      [ask('cpf', 'cpf'), '529.982.247-26', undefined],
      [ask('cpf', 'cpf'), '111.111.111-11', undefined],
      [ask('cpf', 'cpf'), 'sei lá', undefined],
      [ask('n', 'number'), '12', 12],
      [ask('n', 'number'), 'doze', 12],
      [ask('n', 'number'), 'acho que uns 3 mesmo', 3],
      [ask('n', 'number'), 'vinte e três', 23],
      [ask('n', 'number'), 'R$ 1.200,50', 1200.5],
      [ask('n', 'number'), '-5', -5],
      [ask('n', 'number'), 'nenhum', 0],
      [ask('n', 'number'), '20231234', 20231234],
      [ask('n', 'number'), '3 ou 4', undefined],
      [ask('n', 'number'), 'muitos', undefined],
      [ask('dia', 'date'), '12/08', '2026-08-12'],
      [ask('dia', 'date'), '12 de agosto', '2026-08-12'],
      [ask('dia', 'date'), 'dia doze de agosto', '2026-08-12'],
      [ask('dia', 'date'), '12 ago', '2026-08-12'],
      [ask('dia', 'date'), '12.08.1990', '1990-08-12'],
      [ask('dia', 'date'), '2026-08-12', '2026-08-12'],
      [ask('dia', 'date'), '05/01', '2027-01-05'],
      [ask('dia', 'date'), 'amanhã?', '2026-11-30'],
      [ask('dia', 'date'), 'depois de amanhã', '2026-12-01'],
      [ask('dia', 'date'), 'pode ser hoje', '2026-11-29'],
      [ask('dia', 'date'), 'sexta', '2026-12-04'],
      [ask('dia', 'date'), 'domingo que vem', '2026-12-06'],
      [ask('dia', 'date'), 'agosto', '2026-08'],
      [ask('dia', 'date'), 'mês 8', '2026-08'],
      [ask('dia', 'date'), '08/2026', '2026-08'],
      [ask('dia', 'date'), 'dia 2', '2026-12-02'],
      [ask('dia', 'date'), '31/02', undefined],
      [ask('dia', 'date'), 'semana que vem', undefined],
      [ask('mail', 'email'), 'é Ana@Example.com', 'ana@example.com'],
      [ask('mail', 'email'), 'ana arroba gmail ponto com', 'ana@gmail.com'],
      [ask('mail', 'email'), 'ana.gmail.com', undefined],
      [ask('fone', 'phone'), '(11) 98765-4321', '+5511987654321'],
      [ask('fone', 'phone'), 'meu zap é 11 98765 4321', '+5511987654321'],
      [ask('fone', 'phone'), '98765-4321', undefined],
      [month, '2', '2026-08'],
      [month, 'a segunda', '2026-08'],
      [month, 'dois', '2026-08'],
      [month, 'opção 2', '2026-08'],
      [month, 'AGÔSTO', '2026-08'],
      [month, '2026-08', '2026-08'],
      [month, 'a de agosto, por favor', '2026-08'],
      [month, 'a última', '2026-08'],
      [month, 'um', '2026-07'],
      [month, '3', undefined],
      [month, 'julho ou agosto', undefined],
      [many, 'pix parcelado', 'pix-p'],
      [many, 'prefiro pix', 'pix'],
      [many, 'pode ser no pix parcelado', 'pix-p'],
      [confirm, 'siiim', 'sim'],
      [confirm, 'isso mesmo', 'sim'],
      [confirm, 'pode ser', 'sim'],
      [confirm, 'blz', 'sim'],
      [confirm, 'n', 'nao'],
      [confirm, 'agora não', 'nao'],
      [confirm, 'não, obrigada', 'nao'],
      [ask('nome', 'text'), 'Ana Paula', 'Ana Paula'],
    ];
    for (const [step, message, value] of table)
      it(`${step.kind}: ${message} is ${String(value)}`, () => {
        const { data, asks } = talk([step, ask('depois', 'text')], [message]);
        expect(data[step.name ?? '']).to.equal(value);
        expect([asks.needsModel, asks.asked?.step]).to.deep.equal([false, value === undefined ? 0 : 1]);
      });
  });

  it('are asked behind the answer that the model gives, and answer for it from then on', () => {
    const first = talk([ask('cpf', 'cpf'), month], []);
    expect([first.asks.needsModel, first.asks.closing]).to.deep.equal([true, 'Qual cpf?']);
    const next = talk([ask('cpf', 'cpf'), month], [CPF]);
    expect([next.asks.needsModel, next.asks.closing]).to.deep.equal([
      false,
      'Qual mes?\n\n1. Julho\n2. Agosto',
    ]);
    expect(next.asks.choices).to.deep.equal([july, august]);
  });

  it('are asked again with what is wanted, and given up after as many retries', () => {
    const steps = [ask('cpf', 'cpf', { retries: 1 }), ask('nome', 'text')];
    const wrong = talk(steps, ['123']);
    expect([wrong.asks.opening, wrong.open]).to.deep.equal([texts.wanted.cpf, 0]);
    const lost = talk(steps, ['123', '456']);
    expect([lost.asks.opening, lost.open, lost.data]).to.deep.equal([texts.givenUp, 1, {}]);
    expect(talk([ask('cpf', 'cpf', { retries: 0 })], ['123']).asks.needsModel).to.equal(true);
  });

  it('need the model for the steps between two of them, and behind the last', () => {
    expect(talk([ask('cpf', 'cpf'), note('Busque o boleto.'), confirm], [CPF]).asks.needsModel).to.equal(
      true,
    );
    expect(talk([ask('cpf', 'cpf')], [CPF]).asks.needsModel).to.equal(true);
  });

  describe('stand again behind the answer to what is asked in between', () => {
    for (const message of [
      'quanto custa a segunda via?',
      'pra que vocês precisam disso?',
      'qual o horário de vocês',
      'quero falar com um atendente',
      'isso é seguro?',
    ])
      it(message, () => {
        for (const step of [ask('cpf', 'cpf'), ask('nome', 'text'), ask('n', 'number'), month]) {
          const { asks, data, open } = talk([step], [message]);
          expect([asks.needsModel, asks.opening, open, data]).to.deep.equal([true, '', 0, {}]);
        }
      });
  });

  it('take a value with a question beside it, and leave that question to the model', () => {
    const { asks, data, open } = talk([ask('cpf', 'cpf'), month], [`${CPF}, quanto tempo demora?`]);
    expect([asks.needsModel, data, open]).to.deep.equal([true, { cpf: CPF }, 1]);
  });

  describe('end when the person breaks off', () => {
    for (const message of [
      'deixa pra lá',
      'Deixa pra lá, obrigada',
      'ah, esquece',
      'cancela',
      'cancela por favor',
      'não quero mais',
      'não quero mais a segunda via',
      'nao precisa mais nao',
      'desisto',
      'pode cancelar, moça',
    ])
      it(message, () => {
        for (const step of [ask('cpf', 'cpf'), ask('nome', 'text'), month]) {
          const { asks, open } = talk([step, ask('depois', 'text')], [message]);
          expect([asks.opening, asks.needsModel, open]).to.deep.equal([texts.stopped, false, undefined]);
        }
        const later = talk([month, ask('depois', 'text')], [message, 'agosto']);
        expect([later.data, later.asks.needsModel, later.open]).to.deep.equal([{}, true, undefined]);
      });

    it('with a question that the model answers', () => {
      const { asks } = talk([ask('cpf', 'cpf')], ['deixa pra lá, quanto custa o curso?']);
      expect([asks.opening, asks.needsModel, asks.closing]).to.deep.equal([texts.stopped, true, '']);
    });

    it('but not when a choice has that name', () => {
      const step = ask('o_que', 'choice', { choices: [{ id: 'c', title: 'Cancelar' }, yes] });
      expect(talk([step], ['cancelar']).data).to.deep.equal({ o_que: 'c' });
    });
  });

  describe('let the newest answer be corrected while the next one is open', () => {
    // biome-ignore format: a table
    const table: readonly (readonly [FlowStep, string, string, unknown])[] = [
      [ask('dia', 'number'), '10', 'não, é 12', 12],
      [ask('dia', 'number'), '10', 'ops, doze', 12],
      [ask('dia', 'number'), '10', 'não é 10, é 12', 12],
      [ask('dia', 'number'), '10', 'na verdade são 12', 12],
      [month, 'julho', 'errei, é agosto', '2026-08'],
      [month, 'julho', 'não, agosto', '2026-08'],
      [month, 'julho', 'é agosto, errei', '2026-08'],
      [month, 'julho', 'desculpa, quis dizer agosto', '2026-08'],
      [ask('cpf', 'cpf'), CPF, 'digitei errado: 111.444.777-35', '11144477735'],
      [ask('venc', 'date'), '10/08', 'não, 12 de agosto', '2026-08-12'],
      [ask('mail', 'email'), 'ana@example.com', 'foi mal, é bia@example.com', 'bia@example.com'],
      [ask('nome', 'text'), 'Ana', 'errei, é Bia', 'Bia'],
      [ask('nome', 'text'), 'Ana', 'não, é Bia Souza', 'Bia Souza'],
    ];
    for (const [step, first, correction, value] of table)
      it(`${first}: ${correction}`, () => {
        const { data, asks, open } = talk([step, confirm], [first, correction]);
        expect(data).to.deep.equal({ [step.name ?? '']: value });
        expect([asks.opening, asks.needsModel, open]).to.deep.equal([texts.corrected, false, 1]);
        const after = talk([step], [first, correction]);
        expect([after.data, after.asks.needsModel]).to.deep.equal([{ [step.name ?? '']: value }, true]);
      });

    it('an identifier also from before a free text', () => {
      const { data } = talk(
        [ask('cpf', 'cpf'), ask('nome', 'text'), confirm],
        [CPF, 'Ana', 'errei o cpf, é 111.444.777-35'],
      );
      expect(data).to.deep.equal({ cpf: '11144477735', nome: 'Ana' });
    });

    it('but not much later, and not by an answer to the open one', () => {
      expect(talk([ask('nome', 'text')], ['Ana', 'Quanto custa?', 'não, é Medicina']).data).to.deep.equal({
        nome: 'Ana',
      });
      expect(talk([month, confirm], ['julho', 'não']).data).to.deep.equal({ mes: '2026-07', certo: 'nao' });
      expect(talk([ask('n', 'number'), ask('m', 'number')], ['1', 'x', 'ops, 2']).data).to.deep.equal({
        n: 1,
        m: 2,
      });
    });

    it('by the button of an earlier one', () => {
      expect(talk([month, confirm], ['julho', 'Agosto'], '2026-08').data).to.deep.equal({ mes: '2026-08' });
    });
  });

  it('are passed over where their value is known', () => {
    const now = { messages: ['Oi'], before: undefined, today };
    const history = { isDone: () => false, timesAsked: () => 0, isStopped: false };
    const asks = flowAsksOf([ask('cpf', 'cpf'), month], history, { cpf: CPF }, now, texts);
    expect(asks.asked).to.deep.equal({ step: 1, times: 1 });
  });

  it('lead to the step that a branch names, and back when the answer is corrected', () => {
    const steps = [
      month,
      when('mes', ['AGOSTO'], 'cpf'),
      note('Julho'),
      ask('motivo', 'text'),
      ask('cpf', 'cpf'),
    ];
    const branched = talk(steps, ['agosto']);
    expect([branched.open, branched.asks.walk.reached, branched.asks.needsModel]).to.deep.equal([
      4,
      [0, 1, 4],
      false,
    ]);
    const corrected = talk(steps, ['agosto', 'errei, julho']);
    expect([corrected.open, corrected.asks.needsModel]).to.deep.equal([3, true]);
    expect(
      talk([month, when('mes', ['2026-07'], 3), note('x'), confirm], ['1']).asks.walk.reached,
    ).to.deep.equal([0, 1, 3]);
  });

  it('stand once behind a text that ends with them', () => {
    const closing = 'Qual o CPF?';
    expect(addClosing('Claro! Qual o cpf?', { closing })).to.equal('Claro! Qual o cpf?');
    expect(addClosing('Claro!', { closing })).to.equal('Claro!\n\nQual o CPF?');
  });
});
