import { operation } from '../operation.ts';
import { CHUNK_ID, CONTACT_ID, CONVERSATION_ID, DATASET_ID, HOST_ID } from './example-ids.ts';
import { SVC } from './paths.ts';
import { exampleReceipt } from './turn-receipt.ts';
import { turnAnswer, turnRequest } from './turn-shape.ts';

export const reason = operation({
  effect: 'adds',
  summary: 'Ask the assistant a question',
  description:
    'Answers in the same call, within 60 seconds. Turns of one conversation run one after the other, in the order of their arrival; ' +
    'with `reasoningConfig.burst` `last`, or that setting of the host, a question ends the unanswered turns before it and answers their questions, too. ' +
    'The active flow of the avatar controls the answer: `jsonArray` holds the values that its agents were called with, `agentsLog` their runs, and `restStatus` each call ' +
    'to a model, MCP server or REST tool. `askHumanHelp` is the value after the turn; while a staff member handles the conversation, the answer is empty.\n\n' +
    '`userData` and `globalData` are stored for later turns of the conversation: a new value replaces the stored one, and an empty text removes one of `userData`. ' +
    'The words of a recording in `attachments` become the message of the person; the attachments are deleted when the turn has ended. ' +
    'With `reasoningConfig.rehearsal` the turn is not counted in reports, opens no ticket and generates no insight; ' +
    'it may try `reasoningConfig.changes` of the avatar and its flow, which are not stored.',
  queue: 'turns',
  tag: 'conversations',
  path: SVC,
  body: turnRequest,
  data: turnAnswer,
  example: {
    body: {
      hostId: HOST_ID,
      conversationId: CONVERSATION_ID,
      question: 'Qual é o horário da secretaria?',
      contextData: 'Hoje é feriado em São Paulo.',
      returnDialogue: true,
      reasoningConfig: { svcCompleteLog: true },
      userData: { name: 'Ana', email: 'ana@example.com', phone: '11 98765-4321' },
      globalData: { platform: 'whatsapp' },
    },
    data: {
      assistantResponse: {
        string: 'A secretaria atende **de segunda a sexta**, das 8h às 21h.',
        wppParsed: [{ type: 'text', content: 'A secretaria atende *de segunda a sexta*, das 8h às 21h.' }],
        isAudio: false,
      },
      sources: [
        {
          chunkId: CHUNK_ID,
          datasetId: DATASET_ID,
          sentences: [{ from: 0, to: 58 }],
        },
      ],
      unsupported: [],
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
      conversation: [
        { role: 'user', content: 'Qual é o horário da secretaria?', createdAt: exampleReceipt.startedAt },
        {
          role: 'assistant',
          content: 'A secretaria atende **de segunda a sexta**, das 8h às 21h.',
          createdAt: '2026-03-02T14:05:09.120Z',
        },
      ],
      svcCompleteLog: [exampleReceipt],
      question: 'Qual é o horário da secretaria?',
    },
  },
  refusals: [
    'document-too-large',
    'attachments-waiting',
    'conversation-not-found',
    'avatar-not-found',
    'budget-exceeded',
    'person-limit',
    'model-unavailable',
    'model-without-price',
    'transcription-unavailable',
  ],
  scope: 'reason',
  mayRespondAsync: true,
  extras: ['opensConversation', 'chat', 'attachments'],
  mayStream: true,
});
