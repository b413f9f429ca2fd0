import { either, field, flag, integer, list, object, oneOf, optional, text } from '../shape.ts';

const MAX_STEP_LENGTH = 20_000;
const MAX_STEPS = 100;
const MAX_AGENTS = 50;
const MAX_CHOICES = 10;
const MAX_RETRIES = 5;
const MAX_VALUES = 50;

const stepAgent = object({
  agentName: field('Name of the agent, as returned by agentsListHelper.', text()),
  schemaName: field('Name of the schema of that agent.', text()),
});
/** What a person may choose. */
export const stepChoice = object({
  id: field('Id of the choice, which is kept and which a turn may send as `choice`.', text()),
  title: field('Text that the person reads.', text()),
});

/** Unknown types are accepted: a later version may support them. */
const step = object({
  type: field(
    'Type of the step: `message`, `notification-conversation`, `notification-trigger`, `agent`, `handoff`, `end`, `ask` or `when`; a step of any other type is skipped.',
    text(),
  ),
  content: field(
    'Text to send (`message`), question (`ask`), instruction to the assistant (`notification-conversation`), or condition in natural language (`notification-trigger`, `handoff`, `end`).',
    text({ min: 0, max: MAX_STEP_LENGTH }),
  ),
  description: field(
    'Explanation of the step. The model reads it after the condition of a trigger without agents, or in place of an empty content; of a `message` it is not read.',
    text({ min: 0, max: MAX_STEP_LENGTH }),
  ),
  canRepeat: field(
    'False: the step runs at most once per conversation; true: whenever it applies. When absent: false for a `message`, true for every other step; of no meaning for `ask` and `when`.',
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
  name: field(
    'Name in `globalData` under which the answer is kept (`ask`), or which is compared (`when`); required for both. When absent: none.',
    optional(text()),
  ),
  kind: field(
    'What the answer has to be (`ask`; required for it). Kept: `cpf` as digits, `date` as `2026-08-12`, or `2026-08` for a month, `phone` in E.164, `number` as a number, `choice` as its id, the others as texts. When absent: none.',
    optional(oneOf('text', 'number', 'date', 'cpf', 'email', 'phone', 'choice')),
  ),
  choices: field(
    'What the person may choose from, of a `message` or of an `ask` of kind `choice`, which requires them: 2 to 10. When absent: none.',
    optional(list(stepChoice, { min: 2, max: MAX_CHOICES })),
  ),
  retries: field(
    'How often an `ask` is asked again after a wrong answer; then the flow goes on without it. When absent: 2.',
    optional(integer({ min: 0, max: MAX_RETRIES })),
  ),
  values: field(
    'The values of `name`, or the titles of these choices, that lead to `goTo` (`when`; required for it), compared without case and accents. When absent: none.',
    optional(list(text(), { min: 1, max: MAX_VALUES })),
  ),
  goTo: field(
    'The later step to which a `when` leads: its index from 0, or the `name` of an `ask` (required for it). The steps between are passed over. When absent: none.',
    optional(either(integer({ min: 0, max: MAX_STEPS - 1 }), text())),
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
