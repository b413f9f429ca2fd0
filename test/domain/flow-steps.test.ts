import { expect } from 'chai';
import fc from 'fast-check';
import type { FlowStep } from '../../workers/domain/flow-step.ts';
import { flowPlanOf, isOnce, stepIdentitiesOf } from '../../workers/domain/flow-steps.ts';
import { describeAgent } from '../../workers/domain/prompts/tool-texts.ts';

const step = (type: string, content = '', more: Partial<FlowStep> = {}): FlowStep => ({
  type,
  content,
  description: '',
  ...more,
});
const agents = (...names: string[]) => ({
  agents: names.map(agentName => ({ agentName, schemaName: `${agentName}-schema` })),
});
const offered = (agentName: string, steps: number[], more: object) => ({
  agentName,
  step: steps[0] ?? 0,
  steps,
  dueAt: [],
  conditions: [],
  isOnce: false,
  ...more,
});
const never = { isDone: () => false, hasRun: () => false };
const always = { isDone: () => true, hasRun: () => true };
const nothing = { messages: [], instructions: [], agents: [], endings: [], doneByAnswer: [], skipped: [] };

describe('the plan that a flow makes for a turn', () => {
  // biome-ignore format: a table
  const table: [title: string, steps: FlowStep[], plan: Partial<ReturnType<typeof flowPlanOf>>][] = [
    ['is empty without steps', [], {}],
    ['has the instructions in their order',
      [step('notification-conversation', 'Um.'), step('notification-conversation', ' Dois. ')],
      { instructions: ['Um.', 'Dois.'], doneByAnswer: [0, 1] }],
    ['has what is said word for word apart from instructions',
      [step('notification-conversation', 'Seja breve.'), step('message', 'Olá!')],
      { messages: ['Olá!'], instructions: ['Seja breve.'], doneByAnswer: [1, 0] }],
    ['offers the agents of a trigger under its condition',
      [step('notification-trigger', 'Quer se matricular', agents('lead'))],
      { agents: [offered('lead', [0], { conditions: ['Quer se matricular'] })] }],
    ['puts a trigger that runs nothing into the prompt',
      [step('notification-trigger', 'Pergunta por bolsas', { description: 'Fale do ProUni.' })],
      { instructions: ['Quando isto acontecer: Pergunta por bolsas\nFale do ProUni.'], doneByAnswer: [0] }],
    [
      'has the agents of an agent step called, and offers them without a condition',
      [step('agent', 'Pergunte o curso antes.', agents('lead'))],
      {
        instructions: [
          'Assim que conhecer todos os argumentos obrigatórios, pelo diálogo ou pelos dados da conversa, chame, sem esperar que a pessoa peça: "lead". Pergunte o curso antes.',
        ],
        agents: [offered('lead', [0], { dueAt: [0] })],
      },
    ],
    ['offers an agent once that several steps name, under all their conditions',
      [step('notification-trigger', 'A', agents('one', 'two')),
        step('notification-conversation', 'B', agents('one')),
        step('notification-trigger', 'C', agents('one'))],
      { instructions: ['B'], doneByAnswer: [1],
        agents: [offered('one', [0, 1, 2], { conditions: ['A', 'C'] }),
          offered('two', [0], { conditions: ['A'] })] }],
    ['offers to hand over and to end, each under its condition',
      [step('handoff', 'Reclama'), step('end', '', { description: 'Despede-se' })],
      { endings: [{ kind: 'handoff', step: 0, condition: 'Reclama' },
          { kind: 'end', step: 1, condition: 'Despede-se' }] }],
    ['leaves out what nobody knows, agents and all, and what says nothing',
      [step('webhook', 'x', agents('lead')), step('message', ' '), step('handoff'), step('__proto__', 'x')],
      { skipped: [{ step: 0, type: 'webhook', reason: 'unknown type' },
          { step: 1, type: 'message', reason: 'nothing in it' },
          { step: 2, type: 'handoff', reason: 'nothing in it' },
          { step: 3, type: '__proto__', reason: 'unknown type' }] }],
  ];
  for (const [title, steps, plan] of table)
    it(title, () => expect(flowPlanOf(steps, never)).to.deep.equal({ ...nothing, ...plan }));

  it('leaves out what is done once and was done before, and nothing else', () => {
    const steps = [
      step('message', 'Olá!'),
      step('message', 'Sempre.', { canRepeat: true }),
      step('notification-conversation', 'Uma vez.', { canRepeat: false }),
      step('notification-conversation', 'Toda vez.'),
      step('notification-trigger', 'A', { canRepeat: false, ...agents('lead') }),
      step('handoff', 'B', { canRepeat: false }),
    ];
    expect(flowPlanOf(steps, never).skipped).to.deep.equal([]);
    const plan = flowPlanOf(steps, always);
    expect(plan.skipped.map(each => each.step)).to.deep.equal([0, 2, 4, 5]);
    expect(plan.skipped.every(({ reason }) => reason === 'done before')).to.equal(true);
    expect([plan.messages, plan.instructions]).to.deep.equal([['Sempre.'], ['Toda vez.']]);
    expect([plan.agents, plan.endings]).to.deep.equal([[], []]);
  });

  it('has those agents of an agent step run that have not, and no other again unless it may repeat', () => {
    const ran = { isDone: () => false, hasRun: (_: number, name: string) => name === 'one' };
    const two = agents('one', 'two');
    const again = flowPlanOf([step('agent', 'A', two)], ran);
    expect(again.agents.map(({ agentName, dueAt }) => [agentName, dueAt])).to.deep.equal([
      ['one', []],
      ['two', [0]],
    ]);
    expect(again.instructions[0]).to.match(/: "two"\. Já foi feito nesta conversa.*: "one"\. A$/);
    const once = flowPlanOf([step('agent', 'A', { ...two, canRepeat: false })], ran);
    expect(once.agents.map(({ agentName, dueAt }) => [agentName, dueAt])).to.deep.equal([['two', [0]]]);
    expect(once.instructions[0]).to.not.include('"one"');
    const over = flowPlanOf([step('agent', 'A', { ...agents('one'), canRepeat: false })], ran);
    expect(over.skipped).to.deep.equal([{ step: 0, type: 'agent', reason: 'done before' }]);
  });

  it('offers an agent once for a step, however often the step names it', () => {
    const [offered, ...others] = flowPlanOf(
      [step('handoff', 'A', agents('one', 'one', 'one'))],
      never,
    ).agents;
    expect(others).to.deep.equal([]);
    expect(offered).to.deep.include({ steps: [0], conditions: ['A'] });
  });

  it('describes an agent with the conditions that have room, in their order', () => {
    const text = describeAgent('Faz.', [
      'primeira',
      ...Array.from({ length: 100 }, () => 'x'.repeat(20_000)),
    ]);
    expect(text).to.match(/^Faz\.\n.*: primeira\n/);
    expect(text).to.have.length.within(8_000, 8_100);
    expect(describeAgent('Faz.', [])).to.equal('Faz.');
  });

  it('accounts for every step, whatever the flow', () => {
    const types = ['message', 'agent', 'handoff', 'end', 'notification-trigger', 'other'];
    const anyStep = fc.record({
      type: fc.constantFrom(...types),
      content: fc.constantFrom('', 'x'),
      description: fc.constantFrom('', 'd'),
      canRepeat: fc.boolean(),
      agents: fc.array(fc.record({ agentName: fc.constantFrom('a', 'b'), schemaName: fc.constant('s') })),
    });
    fc.assert(
      fc.property(
        fc.array(anyStep),
        fc.func(fc.boolean()),
        fc.func(fc.boolean()),
        (steps, isDone, hasRun) => {
          const plan = flowPlanOf(steps, { isDone: at => isDone(at), hasRun: (...run) => hasRun(...run) });
          const used = [
            ...plan.doneByAnswer,
            ...plan.agents.flatMap(each => each.steps),
            ...plan.endings.map(each => each.step),
          ];
          const seen = new Set([...used, ...plan.skipped.map(each => each.step)]);
          expect([...seen].toSorted((a, b) => a - b)).to.deep.equal(steps.map((_, at) => at));
          for (const { step: at } of plan.skipped) expect(used).to.not.include(at);
        },
      ),
    );
  });
});

describe('a step of a flow', () => {
  it('is done once where it says so, and a message unless it says otherwise', () => {
    expect(isOnce({ type: 'notification-conversation' })).to.equal(false);
    expect(isOnce({ type: 'notification-conversation', canRepeat: false })).to.equal(true);
    expect(isOnce({ type: 'message' })).to.equal(true);
    expect(isOnce({ type: 'message', canRepeat: true })).to.equal(false);
  });

  it('stays what it is wherever it stands, and is another one when it says something else', () => {
    const [one, two] = [step('message', 'Um'), step('message', 'Dois')];
    const [first, second] = stepIdentitiesOf([one, two]);
    expect(stepIdentitiesOf([two, one])).to.deep.equal([second, first]);
    expect(stepIdentitiesOf([{ ...one, description: 'para depois', canRepeat: false }])).to.deep.equal([
      first,
    ]);
    expect(stepIdentitiesOf([step('message', 'Um!')])).to.not.deep.equal([first]);
    expect(new Set(stepIdentitiesOf([one, one, step('agent', 'Um')])).size).to.equal(3);
  });
});
