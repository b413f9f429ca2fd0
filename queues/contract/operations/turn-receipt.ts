import {
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
  responseList,
  type Shape,
  type TypeOf,
  text,
  uuid,
} from '../shape.ts';
import { unsupportedActions } from './avatar-shape.ts';
import { AVATAR_ID, CHUNK_ID, DATASET_ID, JOB_ID } from './example-ids.ts';
import { decimal, longText } from './fields.ts';

/*
 * The receipt of a turn explains its answer. All objects are open: later versions may add fields, and clients must
 * ignore unknown ones.
 */

/** The schema is open, but the type is exact, so that the compiler compares it with the stored receipt. */
function receiptObject<F extends Parameters<typeof object>[0]>(fields: F): ReturnType<typeof object<F>> {
  return openObject(fields);
}

function receiptList<T>(item: Shape<T>): Shape<readonly T[]> {
  return responseList(item);
}

const startedAt = field('Time of the start: an instant in UTC, ISO 8601.', dateTime());
const durationMs = field('Duration in milliseconds.', integer({ min: 0 }));
const error = field('Why it failed. Absent if it did not.', optional(longText));
const score = (meaning: string) => field(meaning, number({ min: -Number.MAX_VALUE, max: Number.MAX_VALUE }));

export const agentRun = {
  agentName: field('Name of the agent that was called.', text()),
  step: field('Index of its step in the flow, from 0.', integer({ min: 0 })),
  startedAt,
  durationMs,
  status: field('How the call ended.', oneOf('done', 'failed')),
  tokens: field('Tokens of the model answers that led to the call.', integer({ min: 0 })),
  error,
};

/** A call to an external service; part of the response and of the receipt. */
export const externalCall = {
  name: field(
    'Target of the call: `model:`, `mcp:` or `rest:` and its name; for a tool also the name of the tool or function.',
    longText,
  ),
  status: field(
    'HTTP status of the call; 0 if there was no response, 202 with `waits for a yes` if the person has to agree first.',
    integer({ min: 0 }),
  ),
  durationMs,
  error,
};

const chunk = receiptObject({
  chunkId: field('Id of the chunk, as returned by chunkReadHelper.', uuid()),
  datasetId: field('Id of its dataset.', uuid()),
  score: score(
    'Relevance of the chunk; comparable within one turn, but for chunks of the rewritten question.',
  ),
  scores: field(
    'Components of the score. Absent if embeddings were not compared.',
    optional(
      receiptObject({
        words: score('Relevance by words.'),
        meaning: score('Similarity of the embedding.'),
      }),
    ),
  ),
});

const retrieval = receiptObject({
  query: field('Search text: the question, with words of the dialogue.', longText),
  rewritten: field(
    'The question in the words of a model, which were searched, too: with `rewrite` of the avatar, where the question found little. Absent if not.',
    optional(longText),
  ),
  filter: field(
    'Filters that excluded chunks because the turn has no value for them.',
    receiptList(
      receiptObject({
        key: field('Key in the filter of the chunk.', longText),
        reason: field('Why it matched nothing.', longText),
      }),
    ),
  ),
  chunks: field('Chunks that were sent to the model, best first.', receiptList(chunk)),
});

const flowStep = receiptObject({
  step: field('Index of the step in the flow, from 0.', integer({ min: 0 })),
  type: field('Type of the step in the flow.', text()),
  outcome: field(
    'Outcome in this turn: `done`, `asked` of the person, `offered` to the model, or `skipped`.',
    text(),
  ),
  reason: field('Why it was skipped. Absent if it was not.', optional(longText)),
});

const flow = receiptObject({
  id: field('Id of the active flow of the turn; zeros for steps of a rehearsal without one.', uuid()),
  name: field('Name of that flow; empty for steps of a rehearsal without one.', text({ min: 0 })),
  version: field(
    'Version of the flow, from 1; 0 for steps of a rehearsal, which are not saved.',
    integer({ min: 0 }),
  ),
  steps: field('Steps of the flow, in order.', receiptList(flowStep)),
  missingAgents: field(
    'Agents in the flow that the host does not have. Absent if none is missing.',
    optional(receiptList(text())),
  ),
});

const modelCall = receiptObject({
  name: field('Name of the language model.', longText),
  status: externalCall.status,
  startedAt,
  durationMs,
  tokens: field('Input and output tokens; 0 if the model gave no answer.', integer({ min: 0 })),
  input_tokens: field('Tokens of the prompt that are billed, also without an answer.', integer({ min: 0 })),
  cached_tokens: field('The part of them that the provider had in its cache.', integer({ min: 0 })),
  output_tokens: field('Tokens of the answer that are billed.', integer({ min: 0 })),
  cost: field('What they cost by the prices of the installation: a decimal.', decimal),
  error,
});

const toolCall = receiptObject({
  name: field('Name of the function that the model called.', longText),
  kind: field(
    'Kind of the function: an agent, a flow step, a built-in function, a tool of an MCP server, or a function of a REST tool.',
    oneOf('agent', 'step', 'built-in', 'mcp', 'rest', 'unknown'),
  ),
  round: field('Number of the model answer that contained the call.', integer({ min: 0 })),
  startedAt,
  durationMs,
  status: field('How the call ended.', oneOf('done', 'refused', 'failed', 'timed out')),
});

const handover = receiptObject({
  by: field(
    'Who requested a staff member: the model, the flow, the check of the figures, the failure of the models, or the person, where no model is asked.',
    oneOf('model', 'flow', 'check', 'failure', 'person'),
  ),
  reason: field('Reason for the handover, such as `customer_request` or `missing_knowledge`.', text()),
  step: field(
    'Index of the flow step that requested it. Absent if the model did.',
    optional(integer({ min: 0 })),
  ),
  teamId: field('Id of the team that it was handed to. Absent if none was named.', optional(uuid())),
});

const check = receiptObject({
  action: field(
    'What was done about unsupported figures: as `on_unsupported` says; `none` if there were none.',
    oneOf('none', ...unsupportedActions),
  ),
  unsupported: field(
    'Figures of the answer, as the model gave it, that stand nowhere; also in withheld sentences.',
    receiptList(
      receiptObject({
        kind: field('Kind of the figure.', text()),
        text: field('The figure as the model wrote it.', longText),
      }),
    ),
  ),
});

export const turnReceipt = receiptObject({
  turnId: field('Id of the turn, also found in messages and logs.', text()),
  attempt: field('Number of attempts; more than 1 after a worker crashed.', integer({ min: 0 })),
  startedAt,
  durationMs,
  avatar: field(
    'The avatar that answered.',
    receiptObject({
      id: field('Id of that avatar.', uuid()),
      subSlug: field('Short name of that avatar.', text({ min: 0 })),
    }),
  ),
  model: field('Name of the language model of the turn; empty if none was configured.', text({ min: 0 })),
  retrieval: field('Search in the knowledge of the avatar.', retrieval),
  flow: field('Active flow of the turn; null if the avatar has none.', nullable(flow)),
  modelCalls: field('Calls to language models, in order.', receiptList(modelCall)),
  toolCalls: field('Functions that the model called, in order.', receiptList(toolCall)),
  outsideCalls: field('Calls to MCP servers and of REST tools.', receiptList(receiptObject(externalCall))),
  agents: field('Runs of agents, as in `agentsLog`.', receiptList(receiptObject(agentRun))),
  handover: field('Request for a staff member; null if there was none.', nullable(handover)),
  ticket: field(
    'Ticket that the turn opened; null if none.',
    nullable(receiptObject({ subject: field('Subject of that ticket.', longText) })),
  ),
  check: field('Check of the figures of the answer.', check),
  closes: field('Whether the turn closed the conversation.', flag()),
  silenced: field('Whether the answer is empty because a staff member handles the conversation.', flag()),
  truncated: field('Whether the server of the model cut the answer. Absent if it did not.', optional(flag())),
  warnings: field('Warnings about problems that did not prevent the answer.', receiptList(longText)),
});

const exampleStart = { startedAt: '2026-03-02T14:05:09.080Z', durationMs: 40 };

export const exampleReceipt: TypeOf<typeof turnReceipt> = {
  turnId: JOB_ID,
  attempt: 1,
  ...exampleStart,
  avatar: { id: AVATAR_ID, subSlug: 'principal' },
  model: 'offline-extractive',
  retrieval: {
    query: 'Qual é o horário da secretaria?',
    filter: [],
    chunks: [{ chunkId: CHUNK_ID, datasetId: DATASET_ID, score: 0.81 }],
  },
  flow: null,
  modelCalls: [
    {
      name: 'offline-extractive',
      status: 200,
      ...exampleStart,
      tokens: 599,
      input_tokens: 580,
      cached_tokens: 0,
      output_tokens: 19,
      cost: '0',
    },
  ],
  toolCalls: [],
  outsideCalls: [],
  agents: [],
  handover: null,
  ticket: null,
  check: { action: 'none', unsupported: [] },
  closes: false,
  silenced: false,
  warnings: [],
};
