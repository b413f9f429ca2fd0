import { operation } from '../operation.ts';
import { CONTACT_ID, CONVERSATION_ID, HOST_ID } from './example-ids.ts';
import { SVC } from './paths.ts';
import { turnAnswer } from './turn-answer.ts';
import { turnRequest } from './turn-request.ts';

export const reason = operation({
  summary: 'Ask the assistant',
  description:
    'Answers within 60 seconds, in the same call. Turns of one conversation are answered one after the other, in the order in which they came. ' +
    'The avatar’s active flow steers the answer: `jsonArray` holds what its agents were given, `agentsLog` their runs, and `restStatus` has a line for each call ' +
    'to a model or to a server of tools. `askHumanHelp` is the flag as it stands after the turn; while a person of the host attends, the answer is empty. ' +
    'What `userData` says is remembered for the later turns of the conversation, as `globalData` is: a field given anew replaces it, an empty text takes it away. ' +
    'With `reasoningConfig.rehearsal` the turn counts in no report, opens no ticket and makes no insight.',
  queue: 'turns',
  tag: 'conversations',
  method: 'POST',
  path: SVC,
  body: turnRequest,
  data: turnAnswer,
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
