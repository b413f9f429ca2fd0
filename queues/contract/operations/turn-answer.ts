import {
  field,
  flag,
  freeObject,
  integer,
  object,
  oneOf,
  optional,
  responseList,
  text,
  uuid,
  uuidOrEmpty,
} from '../shape.ts';
import { conversationId, longText } from './fields.ts';
import { agentRun, externalCall, turnReceipt } from './turn-receipt.ts';
import { dialogueItem } from './turn-request.ts';

export const wppItem = object({
  type: field(
    'Type of the item; `boleto` and `pix` are payment codes with valid check digits.',
    oneOf('text', 'image', 'site', 'audio', 'boleto', 'pix'),
  ),
  content: field('Text in WhatsApp markup, URL, or payment code to copy.', longText),
  url: field('URL of the image, site or audio. Absent for text and payments.', optional(longText)),
  description: field(
    'Description by the assistant; may be empty. Absent for text and payments.',
    optional(longText),
  ),
});

const assistantResponse = object({
  string: field(
    'The answer in Markdown; empty while a staff member handles the conversation, and if a newer turn answers.',
    longText,
  ),
  wppParsed: field('The answer split into WhatsApp messages, in order.', responseList(wppItem)),
  isAudio: field(
    'Whether one of these messages is audio, or the answer is to be spoken: to a recording, with `answer_in_audio` of the avatar.',
    flag(),
  ),
});

const tokensUsed = object({
  model: field('Name of the language model.', text()),
  tokens: field('Input and output tokens of this turn.', integer({ min: 0 })),
});

const agentData = object({
  agentName: field('Name of the agent that ran.', text()),
  schemaName: field('Name of the schema of the agent.', text()),
  data: field('Values that the agent was called with, as its schema defines them.', freeObject()),
});

const tickets = object({
  ticketId: field('Id of the ticket that the turn opened; empty if none.', uuidOrEmpty()),
  ticketDescription: field('Description of that ticket; empty if none.', longText),
});

const span = {
  from: field(
    'Offset of its first character in `assistantResponse.string`, in UTF-16 units.',
    integer({ min: 0 }),
  ),
  to: field('Offset behind its last character.', integer({ min: 0 })),
};

/** A passage that carries sentences of an answer. */
export const answerSource = object({
  chunkId: field('Id of the chunk, as returned by chunkReadHelper.', uuid()),
  datasetId: field('Id of its dataset.', uuid()),
  documentId: field('Id of the document it was imported from. Absent for other chunks.', optional(uuid())),
  title: field(
    'Name of that document, with the page or the headings. Absent for other chunks.',
    optional(longText),
  ),
  sentences: field('Sentences of the answer that it carries, in order.', responseList(object(span))),
});

/** A figure of an answer that stands nowhere. */
export const unsupportedFigure = object({
  ...span,
  kind: field(
    'Kind of the figure; times, quantities and ordinals are numbers.',
    oneOf('date', 'money', 'percent', 'phone', 'email', 'url', 'number'),
  ),
  text: field('The figure as the answer has it.', longText),
  elsewhere: field(
    'The figure stands in the passages, but in another statement. `handoff` and `withhold` do not act on it. Absent otherwise.',
    optional(flag()),
  ),
});

export const turnAnswer = object({
  assistantResponse: field('Answer of the assistant.', assistantResponse),
  supersededBy: field(
    'Id of the newer turn that answers this question together with its own; the answer here is empty. Absent otherwise.',
    optional(text()),
  ),
  sources: field(
    'Passages that carry sentences of the answer, by their words and figures; empty if none does.',
    responseList(answerSource),
  ),
  unsupported: field(
    'Figures of the answer that stand in no passage, tool result, dialogue or given context, compared by value.',
    responseList(unsupportedFigure),
  ),
  tokensControl: field('Tokens used, by language model.', responseList(tokensUsed)),
  sessionId: field('The same as `conversationId`.', uuid()),
  conversationId,
  hostId: field('Id of the host that answered.', uuid()),
  userId: field('Id of the contact of the end user; empty if the end user is unknown.', uuidOrEmpty()),
  leadId: field('Id of the lead of the conversation; empty if there is none.', uuidOrEmpty()),
  tickets: field('The ticket that this turn opened.', tickets),
  askHumanHelp: field('Whether the conversation waits for a staff member after this turn.', flag()),
  jsonArray: field('Values that the agents of this turn were called with.', responseList(agentData)),
  agentsLog: field('Runs of agents, in order.', responseList(object(agentRun))),
  restStatus: field('Calls to language models and MCP servers.', responseList(object(externalCall))),
  conversation: field(
    'The dialogue including this turn, oldest first; empty unless `returnDialogue` is true.',
    responseList(dialogueItem),
  ),
  conversationTruncated: field(
    'True if the oldest items of a very long dialogue are omitted from `conversation`; absent otherwise.',
    optional(flag()),
  ),
  svcCompleteLog: field(
    'A list with the receipt of the turn; empty unless `svcCompleteLog` is true.',
    responseList(turnReceipt),
  ),
  question: field('The question that was answered; empty if there was none.', longText),
});
