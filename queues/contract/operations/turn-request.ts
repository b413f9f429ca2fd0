import { either, field, flag, instant, list, object, oneOf, openObject, optional, text } from '../shape.ts';
import { attachments } from './attachment-shape.ts';
import { avatarChanges } from './avatar-shape.ts';
import {
  choosenHostId,
  conversationId,
  globalData,
  hostId,
  longText,
  MAX_QUESTION_LENGTH,
} from './fields.ts';
import { steps } from './flow-step-shape.ts';

/** Items of a dialogue, in a request or a response: more than people write in one conversation. */
export const MAX_DIALOGUE_ITEMS = 1_000;

const nameText = text({ min: 0 });

/** A message of a conversation, in requests and responses. */
export const dialogueItem = openObject({
  role: field(
    'Author: the end user (`user`), the assistant, a staff member of the host (`human`), or `system` for a note.',
    oneOf('user', 'assistant', 'human', 'system'),
  ),
  content: field('Text of the message.', longText),
  createdAt: field('Time of the message, as given; ISO 8601 if the service wrote it.', optional(text())),
  name: field('Name of the author. Absent if unknown.', optional(nameText)),
});

const returnDialogue = field(
  'Whether to return the whole dialogue in `conversation`. When absent: false.',
  optional(flag()),
);

/** In the form in which they are saved. */
const unsavedChanges = object({
  avatar: field('Fields of the avatar that answers. When absent: as saved.', optional(object(avatarChanges))),
  flow: field(
    'Steps in place of those of its active flow; without an active flow, a flow of these steps. When absent: as saved.',
    optional(object({ chainJson: steps })),
  ),
});

const reasoningConfig = openObject({
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
    'Whether this turn is a test: it is not counted in reports, opens no ticket and generates no insight. When absent: false.',
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

export const turnRequest = object({
  hostId,
  conversationId,
  choosenHostId,
  hostSlug: field('Short name of the host; must belong to `hostId` if given.', optional(text())),
  question: field(
    'Question of the end user. Optional with `rebounce` or `attachments`, or if `originalDialogue` ends with a message of the end user.',
    optional(text({ min: 0, max: MAX_QUESTION_LENGTH })),
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
});
