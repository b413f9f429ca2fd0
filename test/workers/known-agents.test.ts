import { expect } from 'chai';
import type { AgentWithSchema } from '../../db/assistants/agents.ts';
import { argumentErrorsOf } from '../../workers/domain/schemas/schema-errors.ts';
import { flowStateOf, waitingAgentsOf } from '../../workers/turns/flow.ts';

describe('agents of a flow whose arguments are known', () => {
  /** All of them take longer to compile than a turn has for checks, each for itself far less. */
  const schemaNumber = (number: number) => ({
    type: 'object',
    title: `S${number}`,
    required: ['curso'],
    properties: {
      curso: { type: 'string' },
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, at) => [
          `p${at}`,
          { type: 'string', minLength: 1, maxLength: at + 1 },
        ]),
      ),
    },
  });
  const agents = Array.from(
    { length: 40 },
    (_, number): AgentWithSchema => ({
      id: '',
      name: `agente-${number}`,
      description: '',
      schemaName: `s${number}`,
      arguments: schemaNumber(number),
    }),
  );

  it('can be called in later turns, wherever the time of the first one for checks ended', () => {
    const step = {
      type: 'agent',
      content: '',
      description: '',
      agents: agents.map(({ name, schemaName }) => ({ agentName: name, schemaName })),
    };
    const flow = { id: '', name: '', version: 1, model: '', steps: [step] };
    const state = flowStateOf({ flow, agents, stepsDone: [] }, undefined);
    const known = { globalData: { curso: 'Direito' }, userData: {} };
    const isDue = ({ knownArguments }: { readonly knownArguments?: object }) => knownArguments !== undefined;
    const due = state ? waitingAgentsOf(state, known).filter(isDue) : [];
    expect(due.length).to.be.below(agents.length);
    for (const { arguments: schema } of agents)
      expect(argumentErrorsOf(schema, { curso: 'Direito' })).to.deep.equal([]);
  });
});
