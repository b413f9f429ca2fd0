import { LARGEST_BODY, operation } from '../operation.ts';
import {
  answerList,
  anything,
  dateTime,
  either,
  flag,
  freeObject,
  integer,
  list,
  object,
  oneOf,
  openObject,
  optional,
  text,
  uuid,
  uuidOrEmpty,
} from '../shape.ts';
import { CONTACT_ID, CONVERSATION_ID, HOST_ID } from './example-ids.ts';
import { SVC } from './paths.ts';

const LONGEST_QUESTION = 16_000;

const longText = text({ min: 0, max: LARGEST_BODY });
const nameText = text({ min: 0 });
const url = text({ min: 0, max: LARGEST_BODY });

const dialogueRoles = ['user', 'assistant', 'human', 'system'] as const;

const dialogueItem = openObject({
  role: oneOf(...dialogueRoles),
  content: longText,
  createdAt: optional(text()),
  name: optional(nameText),
});

const reasoningConfig = openObject({
  rebounce: optional(flag()),
  rebounceInstructions: optional(longText),
  returnDialogue: optional(flag()),
  svcCompleteLog: optional(flag()),
});

const userData = openObject({
  name: optional(nameText),
  email: optional(text({ min: 0, max: 320 })),
  phone: optional(nameText),
  cpf: optional(nameText),
  externalId: optional(nameText),
});

const wppItem = object({
  type: oneOf('text', 'image', 'site', 'audio', 'boleto', 'pix'),
  content: longText,
  url: optional(url),
  description: optional(longText),
});

const agentData = object({ agentName: text(), schemaName: text(), data: freeObject() });

const agentRun = object({
  agentName: text(),
  /** The place of its step in the flow, from 0. */
  step: integer({ min: 0 }),
  startedAt: dateTime(),
  durationMs: integer({ min: 0 }),
  status: oneOf('done', 'failed'),
  tokens: integer({ min: 0 }),
  error: optional(longText),
});

const outsideCall = object({
  name: longText,
  status: integer({ min: 0 }),
  durationMs: integer({ min: 0 }),
  error: optional(longText),
});

const assistantResponse = object({
  string: longText,
  wppParsed: answerList(wppItem),
  isAudio: flag(),
});

export const reason = operation({
  summary: 'Ask the assistant',
  description:
    'Answers within 60 seconds, in the same call. Turns of one conversation are answered one after the other, in the order in which they came. ' +
    'The avatar’s active flow steers the answer: `jsonArray` holds what its agents were given, `agentsLog` their runs, and `restStatus` has a line for each call ' +
    'to a model or to a server of tools. `askHumanHelp` is the flag as it stands after the turn; while a person of the host attends, the answer is empty.',
  queue: 'turns',
  method: 'POST',
  path: SVC,
  body: object({
    hostId: uuid(),
    conversationId: uuid(),
    choosenHostId: optional(uuid()),
    hostSlug: optional(text()),
    question: optional(text({ min: 0, max: LONGEST_QUESTION })),
    originalDialogue: optional(list(either(longText, dialogueItem), { max: 1_000 })),
    contextData: optional(longText),
    dialogueInsertString: optional(longText),
    returnDialogue: optional(flag()),
    subSlug: optional(text()),
    reasoningConfig: optional(reasoningConfig),
    userData: optional(userData),
    globalData: optional(freeObject()),
  }),
  data: object({
    assistantResponse,
    tokensControl: answerList(object({ model: text(), tokens: integer({ min: 0 }) })),
    sessionId: uuid(),
    conversationId: uuid(),
    hostId: uuid(),
    userId: uuidOrEmpty(),
    leadId: uuidOrEmpty(),
    tickets: object({ ticketId: uuidOrEmpty(), ticketDescription: longText }),
    askHumanHelp: flag(),
    jsonArray: answerList(agentData),
    agentsLog: answerList(agentRun),
    restStatus: answerList(outsideCall),
    conversation: answerList(dialogueItem),
    /** True where older items of a very long dialogue were left out; absent otherwise. */
    conversationTruncated: optional(flag()),
    svcCompleteLog: answerList(anything()),
    question: longText,
  }),
  example: {
    body: {
      hostId: HOST_ID,
      conversationId: CONVERSATION_ID,
      question: 'Qual é o horário da secretaria?',
      userData: { name: 'Ana', email: 'ana@example.com' },
    },
    data: {
      assistantResponse: {
        string: 'A secretaria atende **de segunda a sexta**, das 8h às 21h.',
        wppParsed: [{ type: 'text', content: 'A secretaria atende *de segunda a sexta*, das 8h às 21h.' }],
        isAudio: false,
      },
      tokensControl: [{ model: 'offline-extractive', tokens: 599 }],
      sessionId: CONVERSATION_ID,
      conversationId: CONVERSATION_ID,
      hostId: HOST_ID,
      userId: CONTACT_ID,
      leadId: '',
      tickets: { ticketId: '', ticketDescription: '' },
      askHumanHelp: false,
      jsonArray: [],
      agentsLog: [],
      restStatus: [{ name: 'model:offline-extractive', status: 200, durationMs: 36 }],
      conversation: [],
      svcCompleteLog: [],
      question: 'Qual é o horário da secretaria?',
    },
  },
  status: 200,
  refusals: ['conversation-not-found', 'avatar-not-found', 'model-unavailable'],
  scope: 'reason',
  hosts: 'one',
  mayRespondAsync: true,
});
