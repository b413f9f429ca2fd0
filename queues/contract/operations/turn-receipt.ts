import {
  answerList,
  dateTime,
  field,
  flag,
  integer,
  nullable,
  number,
  object,
  oneOf,
  openObject,
  optional,
  type Shape,
  text,
  uuid,
} from '../shape.ts';
import { longText } from './fields.ts';

/*
 * What the service keeps of a turn for whoever has to explain its answer later. Open everywhere: a later version may
 * tell more, and a client has to bear it.
 */

/** Open in what it lets through, and exact in its type: the compiler compares it with what the service keeps. */
function receiptObject<F extends Parameters<typeof object>[0]>(fields: F): ReturnType<typeof object<F>> {
  return openObject(fields);
}

function receiptList<T>(item: Shape<T>): Shape<readonly T[]> {
  return answerList(item);
}

const startedAt = field('When it began: an instant in UTC, ISO 8601.', dateTime());
const durationMs = field('How long it took, in milliseconds.', integer({ min: 0 }));
const error = field('Why it failed. Absent where it did not.', optional(longText));
const score = (meaning: string) => field(meaning, number({ min: -Number.MAX_VALUE, max: Number.MAX_VALUE }));

/** A run of an agent, as the answer and the receipt have it. */
export const agentRun = {
  agentName: field('Name of the agent that was called.', text()),
  step: field('Place of its step in the flow, from 0.', integer({ min: 0 })),
  startedAt,
  durationMs,
  status: field('How the call ended.', oneOf('done', 'failed')),
  tokens: field('Tokens of the model’s answers that led to the call.', integer({ min: 0 })),
  error,
};

/** A call to somebody outside of the service, as the answer and the receipt have it. */
export const outsideCall = {
  name: field('Who was called: `model:` or `mcp:` and its name, for a tool its own name too.', longText),
  status: field('HTTP status of the call; 0 where no answer came.', integer({ min: 0 })),
  durationMs,
  error,
};

const chunk = receiptObject({
  chunkId: field('Id of the chunk, as chunkReadHelper lists it.', uuid()),
  datasetId: field('Id of the dataset that it is in.', uuid()),
  score: score('How well it fits; comparable within one turn.'),
  scores: field(
    'What the score is made of. Absent where meaning was not compared.',
    optional(
      receiptObject({
        words: score('How well its words fit.'),
        meaning: score('How near its embedding is.'),
      }),
    ),
  ),
});

const retrieval = receiptObject({
  query: field('What was looked for in the knowledge: the question, with words of the dialogue.', longText),
  filter: field(
    'Filters that left chunks out because the turn has no value for them.',
    receiptList(
      receiptObject({
        key: field('Name that the front-matter of a chunk asks for.', longText),
        reason: field('Why it matched nothing.', longText),
      }),
    ),
  ),
  chunks: field('The chunks that the model got to read, best first.', receiptList(chunk)),
});

const flowStep = receiptObject({
  step: field('Place of the step in the flow, from 0.', integer({ min: 0 })),
  type: field('What the step does, as its flow says.', text()),
  outcome: field('What became of it in this turn: `done`, `offered` to the model, or `skipped`.', text()),
  reason: field('Why it was skipped. Absent where it was not.', optional(longText)),
});

const flow = receiptObject({
  id: field('Id of the flow that steered the turn.', uuid()),
  name: field('Name of that flow.', text()),
  version: field('Which saved state of the flow it was, from 1.', integer({ min: 0 })),
  steps: field('Its steps, in order.', receiptList(flowStep)),
  missingAgents: field(
    'Agents that it names and the host does not have. Absent where none is missing.',
    optional(receiptList(text())),
  ),
});

const modelCall = receiptObject({
  name: field('Name of the language model.', longText),
  status: outsideCall.status,
  startedAt,
  durationMs,
  tokens: field('Tokens that the model read and wrote; 0 where it gave no answer.', integer({ min: 0 })),
  error,
});

const toolCall = receiptObject({
  name: field('Name of the function that the model called.', longText),
  kind: field(
    'What stands behind it: an agent, a step of the flow, the service itself, or a server of tools.',
    oneOf('agent', 'step', 'built-in', 'mcp', 'unknown'),
  ),
  round: field('In which of the model’s answers it was called.', integer({ min: 0 })),
  startedAt,
  durationMs,
  status: field('How the call ended.', oneOf('done', 'refused', 'failed', 'timed out')),
});

const handover = receiptObject({
  by: field('Whether the model or the flow asked for a person.', oneOf('model', 'flow')),
  reason: field('Why a person shall take over, such as `customer_request` or `missing_knowledge`.', text()),
  step: field(
    'Place of the step of the flow that asked. Absent where the model did.',
    optional(integer({ min: 0 })),
  ),
});

export const turnReceipt = receiptObject({
  turnId: field('Id of the turn; messages and logs have it too.', text()),
  attempt: field('How often the work was begun; more than 1 after a process was lost.', integer({ min: 0 })),
  startedAt,
  durationMs,
  avatar: field(
    'The avatar that answered.',
    receiptObject({
      id: field('Id of that avatar.', uuid()),
      subSlug: field('Short name of that avatar.', text({ min: 0 })),
    }),
  ),
  model: field(
    'Name of the language model of the turn; empty where there was none to ask.',
    text({ min: 0 }),
  ),
  retrieval: field('What was looked up in the knowledge of the avatar.', retrieval),
  flow: field('The flow that steered the turn; null where the avatar has none.', nullable(flow)),
  modelCalls: field('The calls to language models, in order.', receiptList(modelCall)),
  toolCalls: field('The functions that the model called, in order.', receiptList(toolCall)),
  outsideCalls: field('The calls to servers of tools.', receiptList(receiptObject(outsideCall))),
  agents: field('The agents that ran, as in `agentsLog`.', receiptList(receiptObject(agentRun))),
  handover: field('The request for a person; null where there was none.', nullable(handover)),
  ticket: field(
    'The ticket that the turn opened; null where it opened none.',
    nullable(receiptObject({ subject: field('Subject of that ticket.', longText) })),
  ),
  closes: field('Whether the turn closed the conversation.', flag()),
  silenced: field('Whether nothing was said because a person of the host attends.', flag()),
  warnings: field('What was odd, but hindered nothing, in words.', receiptList(longText)),
});
