import { field, flag, list, object, optional, text } from '../shape.ts';

const MAX_STEP_LENGTH = 20_000;
const MAX_STEPS = 100;
const MAX_AGENTS = 50;

const stepAgent = object({
  agentName: field('Name of the agent, as returned by agentsListHelper.', text()),
  schemaName: field('Name of the schema of that agent.', text()),
});
/** Unknown types are accepted: a later version may support them. */
const step = object({
  type: field(
    'Type of the step: `message`, `notification-conversation`, `notification-trigger`, `agent`, `handoff` or `end`; a step of any other type is skipped.',
    text(),
  ),
  content: field(
    'Text to send (`message`), instruction to the assistant (`notification-conversation`), or condition in natural language (`notification-trigger`, `handoff`, `end`).',
    text({ min: 0, max: MAX_STEP_LENGTH }),
  ),
  description: field(
    'Explanation of the step. The model reads it after the condition of a trigger without agents, or in place of an empty content; of a `message` it is not read.',
    text({ min: 0, max: MAX_STEP_LENGTH }),
  ),
  canRepeat: field(
    'False: the step runs at most once per conversation; true: whenever it applies. When absent: false for a `message`, true for every other step.',
    optional(flag()),
  ),
  team: field(
    'Team that a `handoff` hands the conversation to: its id or name. When absent: the model may choose one.',
    optional(text()),
  ),
  agents: field(
    'Agents that the step runs. When absent: none.',
    optional(list(stepAgent, { max: MAX_AGENTS })),
  ),
});

export const steps = field(
  'Steps of the flow, in the order of evaluation.',
  list(step, { min: 1, max: MAX_STEPS }),
);

export const exampleSteps = [
  {
    type: 'notification-conversation',
    content: 'Pergunte o nome da pessoa antes de falar de cursos.',
    description: 'Conhecer a pessoa',
    canRepeat: false,
  },
  {
    type: 'notification-trigger',
    content: 'A pessoa quer se inscrever em um curso.',
    description: 'Registrar o interesse',
    agents: [{ agentName: 'registrar_interesse', schemaName: 'interesse' }],
  },
];
