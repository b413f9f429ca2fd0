import {
  answerList,
  field,
  flag,
  freeObject,
  integer,
  object,
  oneOf,
  optional,
  text,
  uuid,
  uuidOrEmpty,
} from '../shape.ts';
import { conversationId, longText } from './fields.ts';
import { agentRun, outsideCall, turnReceipt } from './turn-receipt.ts';
import { dialogueItem } from './turn-request.ts';

const wppItem = object({
  type: field(
    'What the item is; `boleto` and `pix` are payment codes whose check digits hold.',
    oneOf('text', 'image', 'site', 'audio', 'boleto', 'pix'),
  ),
  content: field('The text in WhatsApp’s markup, the address, or the payment code to be copied.', longText),
  url: field('Address of the image, site or audio. Absent for text and payments.', optional(longText)),
  description: field(
    'What the assistant calls it; may be empty. Absent for text and payments.',
    optional(longText),
  ),
});

const assistantResponse = object({
  string: field('The answer in Markdown; empty while a person of the host attends.', longText),
  wppParsed: field(
    'The same answer cut into the messages that a WhatsApp client sends, in order.',
    answerList(wppItem),
  ),
  isAudio: field('Whether one of these messages is audio.', flag()),
});

const tokensUsed = object({
  model: field('Name of the language model.', text()),
  tokens: field('Tokens that it read and wrote in this turn.', integer({ min: 0 })),
});

const agentData = object({
  agentName: field('Name of the agent that ran.', text()),
  schemaName: field('Name of its schema.', text()),
  data: field('The values that the agent was given, as its schema has them.', freeObject()),
});

const tickets = object({
  ticketId: field('Id of the ticket that the turn opened; empty where it opened none.', uuidOrEmpty()),
  ticketDescription: field('What that ticket says; empty where there is none.', longText),
});

export const turnAnswer = object({
  assistantResponse: field('What the assistant says.', assistantResponse),
  tokensControl: field('Tokens used, by language model.', answerList(tokensUsed)),
  sessionId: field('The same as `conversationId`.', uuid()),
  conversationId,
  hostId: field('Id of the host that answered.', uuid()),
  userId: field('Id of the contact who asked; empty where nothing is known of the person.', uuidOrEmpty()),
  leadId: field('Id of the lead that the conversation belongs to; empty where there is none.', uuidOrEmpty()),
  tickets: field('The ticket that this turn opened.', tickets),
  askHumanHelp: field('Whether the conversation waits for a person of the host, after this turn.', flag()),
  jsonArray: field('What the agents that ran were given.', answerList(agentData)),
  agentsLog: field('The runs of agents, in order.', answerList(object(agentRun))),
  restStatus: field('The calls to language models and servers of tools.', answerList(object(outsideCall))),
  conversation: field(
    'The dialogue, oldest first, this turn included; empty unless `returnDialogue` asked for it.',
    answerList(dialogueItem),
  ),
  conversationTruncated: field(
    'True where older items of a very long dialogue were left out of `conversation`; absent otherwise.',
    optional(flag()),
  ),
  svcCompleteLog: field(
    'The receipt of the turn, alone in its list; empty unless `svcCompleteLog` asked for it.',
    answerList(turnReceipt),
  ),
  question: field('The question that was answered; empty where there was none.', longText),
});
