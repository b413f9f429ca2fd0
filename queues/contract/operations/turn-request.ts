import { either, field, flag, list, object, oneOf, openObject, optional, text } from '../shape.ts';
import { choosenHostId, conversationId, globalData, hostId, longText } from './fields.ts';

const LONGEST_QUESTION = 16_000;
const MOST_SAID = 1_000;

const nameText = text({ min: 0 });

/** What somebody said in a conversation, as it is sent and as it is answered. */
export const dialogueItem = openObject({
  role: field(
    'Who said it: the person served (`user`), the assistant, a person of the host (`human`), or `system` for a note.',
    oneOf('user', 'assistant', 'human', 'system'),
  ),
  content: field('What was said, word for word.', longText),
  createdAt: field(
    'When it was said, as it was given; ISO 8601 where the service wrote it.',
    optional(text()),
  ),
  name: field('Name of whoever said it. Absent where it is not known.', optional(nameText)),
});

const returnDialogue = field(
  'Whether the answer shall hold the whole dialogue in `conversation`. When absent: false.',
  optional(flag()),
);

const reasoningConfig = openObject({
  rebounce: field(
    'True lets the assistant write first, to a conversation that fell silent; no `question` is needed then. When absent: false.',
    optional(flag()),
  ),
  rebounceInstructions: field('Instructions to the assistant for this turn alone.', optional(longText)),
  returnDialogue,
  svcCompleteLog: field(
    'Whether the answer shall hold the receipt of the turn in `svcCompleteLog`. When absent: false.',
    optional(flag()),
  ),
  rehearsal: field(
    'Whether this turn only tries the assistant: it counts in no report, opens no ticket and makes no insight. When absent: false.',
    optional(flag()),
  ),
});

const MOST_USER_FIELDS = 200;

const userData = openObject(
  {
    name: field('Name of the person; the assistant uses it.', optional(nameText)),
    email: field(
      'E-mail address of the person; finds or makes the contact.',
      optional(text({ min: 0, max: 320 })),
    ),
    phone: field('Phone number of the person; finds or makes the contact.', optional(nameText)),
    cpf: field(
      'CPF (Brazilian taxpayer number) of the person, with or without punctuation.',
      optional(nameText),
    ),
    externalId: field('Id of the person in a system of the caller.', optional(nameText)),
  },
  { max: MOST_USER_FIELDS },
);

export const turnRequest = object({
  hostId,
  conversationId,
  choosenHostId,
  hostSlug: field('Short name of the host; if given, it has to be that of `hostId`.', optional(text())),
  question: field(
    'What the person writes. May be absent with `rebounce`, or where `originalDialogue` ends with the person.',
    optional(text({ min: 0, max: LONGEST_QUESTION })),
  ),
  originalDialogue: field(
    'The dialogue so far, oldest first; a plain text counts as said by the person. When absent: as the service has stored it.',
    optional(list(either(longText, dialogueItem), { max: MOST_SAID })),
  ),
  contextData: field(
    'What the assistant shall know for this turn; stands before the dialogue.',
    optional(longText),
  ),
  dialogueInsertString: field(
    'A note to the assistant that stands right before the last question.',
    optional(longText),
  ),
  returnDialogue,
  subSlug: field(
    'Short name of the avatar that answers. When absent: the oldest avatar of the host.',
    optional(text()),
  ),
  reasoningConfig: field(
    'How the turn is done. When absent: each setting as it says.',
    optional(reasoningConfig),
  ),
  userData: field(
    'What is known of the person; fills the contact. Other names may be given too, for filters.',
    optional(userData),
  ),
  globalData: globalData(
    'Any names and values for filters, flows and agents, merged over what the conversation keeps. `platform` names the channel in reports.',
  ),
});
