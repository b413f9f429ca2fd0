import { type Rule, rules } from '../../../platform/field-error.ts';
import { MAX_BODY_BYTES } from '../body-limit.ts';
import {
  anyValue,
  dateTime,
  field,
  flag,
  idAlsoNamed,
  list,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  patternText,
  text,
  uuid,
} from '../shape.ts';

/*
 * Fields that several operations share, with the same meaning in each. A field whose meaning differs between operations
 * is declared in their files.
 */

const ruleNames = Object.keys(rules) as Rule[];
const anyNumber = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
const fieldErrorFields = {
  path: field(
    'Path of the field in JavaScript notation, such as chainJson[3].type; empty for the body or record itself.',
    text({ min: 0, max: MAX_BODY_BYTES }),
  ),
  message: field(
    'What is wrong, without the value that was sent; may change, so do not parse it.',
    text({ min: 0, max: MAX_BODY_BYTES }),
  ),
  rule: field('Name of the rule that is broken.', oneOf(...ruleNames)),
  limit: field('The limit that the rule has here. Absent where it has none.', optional(number(anyNumber))),
  values: field(
    'What the rule names here: the values that may be sent, or other fields. Absent where it names none.',
    optional(list(text({ min: 0, max: MAX_BODY_BYTES }), { max: MAX_BODY_BYTES })),
  ),
};
export const fieldErrorShape = object(fieldErrorFields);
/** In records that were refused by an earlier version. */
export const keptFieldErrorShape = object({
  ...fieldErrorFields,
  rule: field('Name of the rule that is broken. Absent in old records.', optional(oneOf(...ruleNames))),
});

/** Limits of the stored `globalData` of a conversation and the data of a turn, together. */
export const globalDataLimits = { names: 1_000, characters: 262_144 };

/** One request may name this many. */
export const MAX_DATASETS = 1_000;
/** The limit of a question to the assistant, or to its knowledge. */
export const MAX_QUESTION_LENGTH = 16_000;

export const hostId = field(
  'Id of the host (one customer brand). Must be the host of the token, or the chosen host.',
  uuid(),
);
export const ownHostId = field(
  'Id of the host (one customer brand). When absent: the host of the token, or the chosen host.',
  optional(uuid()),
);
export const choosenHostId = field(
  'Id of the host for this request. Required for a token of several hosts, here or in the header x-choosen-host-id; not needed for a token of one host.',
  optional(uuid()),
);
/** Fields of requests that must name their host, and of those that may leave it out. */
export const hostFields = { hostId, choosenHostId };
export const ownHostFields = { hostId: ownHostId, choosenHostId };
export const hostOfObject = field('Id of the host that owns this object.', uuid());

export const conversationId = field('Id of the conversation, as returned by createConversationId.', uuid());
/** The field in a request; answers name the conversation in one of these ways, too. */
export const sentConversationId = field(
  'Id of the conversation, as returned by createConversationId.',
  idAlsoNamed('id', 'sessionId'),
);
export const avatarId = field('Id of the avatar, as returned by avatarsListHelper.', uuid());
export const datasetId = field('Id of the dataset, as returned by datasetsListHelper.', uuid());
export const datasetName = field('Display name of the dataset.', text());
export const avatarName = field('Display name of the avatar.', text());

export const createdAt = field('Time of creation: an instant in UTC, ISO 8601.', dateTime());
export const updatedAt = field('Time of the last change: an instant in UTC, ISO 8601.', dateTime());
export const expires = field(
  'Time from which the assistant no longer reads the dataset: an instant in UTC, ISO 8601; 2100-01-01 means never.',
  dateTime(),
);
export const visible = field(
  'Whether the assistant may read the dataset; false hides it without deleting it.',
  flag(),
);
export const deleted = field('Whether the object is deleted (soft delete: it is kept but not used).', flag());

export const avatarIds = (meaning: string) => field(meaning, optional(list(uuid(), { max: 1_000 })));

export const model = field(
  'Name of the language model, as returned by modelListHelper; empty for the default model.',
  text({ min: 0 }),
);

/** Limited in size, because every turn reads all of it. */
export const globalData = (meaning: string) =>
  field(
    `${meaning} At most ${globalDataLimits.names} names and ${globalDataLimits.characters} characters as JSON, including the stored globalData of the conversation.`,
    optional(mapOf(anyValue(), { max: globalDataLimits.names })),
  );

/** Text that is limited by the size of the body only. */
export const longText = text({ min: 0, max: MAX_BODY_BYTES });
export const decimal = patternText(/^\d+(\.\d+)?$/, 'a decimal number such as `12.5`');

export const originTable = field('Kind of record.', oneOf('conversations', 'leads', 'tickets'));
export const originId = field(
  'Id of the record: the conversationId of a conversation, or the entityData.id that the intake returned for a lead or ticket.',
  uuid(),
);
