import {
  either,
  exact,
  field,
  flag,
  freeObject,
  instant,
  integer,
  lenient,
  list,
  object,
  oneOf,
  openObject,
  optional,
  responseList,
  text,
  uuid,
  uuidOrEmpty,
} from '../shape.ts';
import { attachments } from './attachment-shape.ts';
import { avatarChanges } from './avatar-shape.ts';
import {
  choosenHostId,
  conversationId,
  globalData,
  hostId,
  longText,
  MAX_QUESTION_LENGTH,
  sentConversationId,
} from './fields.ts';
import { stepChoice, steps } from './flow-step-shape.ts';
import { agentRun, externalCall, turnReceipt } from './turn-receipt.ts';

/** The most items of a dialogue, in a request or a response: more than people write in one conversation. */
export const MAX_DIALOGUE_ITEMS = 1_000;

const nameText = text({ min: 0 });

/** A message of a conversation, in requests and responses. */
const dialogueItem = openObject(
  {
    role: field(
      'Author: the end user (`user`), the assistant, a staff member of the host (`human`), or `system` for a note.',
      oneOf('user', 'assistant', 'human', 'system'),
    ),
    content: field('Text of the message.', longText),
    createdAt: field('Time of the message, as given; ISO 8601 if the service wrote it.', optional(text())),
    name: field('Name of the author. Absent if unknown.', optional(nameText)),
  },
  { mayRespell: true },
);

const returnDialogue = field(
  'Whether to return the whole dialogue in `conversation`. When absent: false.',
  optional(flag()),
);

/** The fields have the form in which they are saved. */
const unsavedChanges = exact(
  object({
    avatar: field(
      'Fields of the avatar that answers. When absent: as saved.',
      optional(object(avatarChanges)),
    ),
    flow: field(
      'Steps in place of its active flow; without an active flow, a flow of these steps. When absent: as saved.',
      optional(object({ chainJson: steps })),
    ),
  }),
);

const reasoningConfig = object({
  rebounce: field(
    'True lets the assistant resume an idle conversation without a `question`. When absent: false.',
    optional(flag()),
  ),
  rebounceInstructions: field('Instructions to the assistant for this turn only.', optional(longText)),
  returnDialogue,
  svcCompleteLog: field(
    'Whether to return the receipt of the turn in `svcCompleteLog`. When absent: false.',
    optional(flag()),
  ),
  rehearsal: field(
    'Whether this turn is a test: it is not counted in reports, opens no ticket, generates no insight, and calls nothing of a REST tool that changes something. When absent: false.',
    optional(flag()),
  ),
  now: field(
    'The time that it is for the assistant, with `rehearsal` only; ISO 8601 with an offset. When absent: the present.',
    optional(instant()),
  ),
  changes: field(
    'Changes of the avatar and of its flow that are not saved, for this turn only; with `rehearsal` only, and the token needs the scope `manage`. When absent: none.',
    optional(unsavedChanges),
  ),
  burst: field(
    'What to do when earlier turns of the conversation are not answered yet: `each` waits for them; `last` ends them, and this turn answers their questions, too. When absent: the setting of the host.',
    optional(oneOf('each', 'last')),
  ),
});

const MAX_USER_FIELDS = 200;

const userData = openObject(
  {
    name: field('Name of the end user; the assistant uses it.', optional(nameText)),
    email: field(
      'E-mail address of the end user; finds or creates the contact.',
      optional(text({ min: 0, max: 320 })),
    ),
    phone: field('Phone number of the end user; finds or creates the contact.', optional(nameText)),
    cpf: field(
      'CPF (Brazilian taxpayer number) of the end user, with or without punctuation.',
      optional(nameText),
    ),
    externalId: field('Id of the end user in a system of the caller.', optional(nameText)),
  },
  { max: MAX_USER_FIELDS },
);

/** Flow builders ask, which know no types: a refused turn is a person without an answer. */
export const turnRequest = lenient(
  object({
    hostId,
    conversationId: sentConversationId,
    choosenHostId,
    hostSlug: field('Short name of the host; must belong to `hostId` if given.', optional(text())),
    question: field(
      'Question of the end user. Optional with `rebounce` or `attachments`, or if `originalDialogue` ends with a message of the end user.',
      optional(text({ min: 0, max: MAX_QUESTION_LENGTH })),
    ),
    choice: field(
      'Id of the choice that the person took, of a button or list; it may come without a `question`. When absent: the text counts.',
      optional(text()),
    ),
    attachments,
    originalDialogue: field(
      'The dialogue so far, oldest first; a plain text is a message of the end user. When absent: the stored dialogue.',
      optional(list(either(longText, dialogueItem), { max: MAX_DIALOGUE_ITEMS })),
    ),
    contextData: field('Context for this turn; inserted before the dialogue.', optional(longText)),
    dialogueInsertString: field(
      'Note to the assistant, inserted right before the last question.',
      optional(longText),
    ),
    returnDialogue,
    subSlug: field(
      'Short name of the avatar that should answer. When absent: the oldest avatar of the host.',
      optional(text()),
    ),
    reasoningConfig: field(
      'Settings of the turn. When absent: the defaults of each.',
      optional(reasoningConfig),
    ),
    userData: field(
      'Data of the end user; updates the contact. Other fields may be added for filters.',
      optional(userData),
    ),
    globalData: globalData(
      'Variables for filters, flows and agents: any names and values, merged over the stored globalData of the conversation. `platform` is the channel in reports.',
    ),
  }),
);

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

/** A passage that supports sentences of an answer, or the approved answer that it is. */
export const answerSource = object({
  chunkId: field(
    'Id of the chunk, as returned by chunkReadHelper. Absent for an approved answer.',
    optional(uuid()),
  ),
  approvedAnswerId: field(
    'Id of the approved answer that was given as it is, without a model; `title` is its first question. Absent for a chunk.',
    optional(uuid()),
  ),
  datasetId: field('Id of its dataset. Absent for an approved answer of none.', optional(uuid())),
  documentId: field('Id of the document it was imported from. Absent for other chunks.', optional(uuid())),
  title: field(
    'Name of that document, with the page, the row or the headings. Absent for other chunks.',
    optional(longText),
  ),
  sentences: field('Sentences of the answer that it carries, in order.', responseList(object(span))),
});

/** A figure of an answer that no source has. */
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
  choices: field(
    'What the person may choose from: the question or message of the flow has these on numbered lines, too. Absent without any.',
    optional(responseList(stepChoice)),
  ),
  truncated: field(
    'True if the server of the model cut the answer, which ends with its last whole sentence; absent otherwise.',
    optional(flag()),
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
  restStatus: field(
    'Calls to language models and MCP servers, and of REST tools.',
    responseList(object(externalCall)),
  ),
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
