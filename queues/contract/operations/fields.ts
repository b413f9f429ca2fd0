import { LARGEST_BODY } from '../operation.ts';
import { anyValue, dateTime, field, flag, list, mapOf, oneOf, optional, text, uuid } from '../shape.ts';

/*
 * Fields that more than one operation has, each described once. A field whose meaning differs from one operation to
 * the next is declared where it is used.
 */

/** Of what a conversation keeps and a turn brings, together. */
export const globalDataLimits = { names: 1_000, characters: 262_144 };

export const hostId = field(
  'Id of the host (one customer brand). It has to be the host of the token, or the one chosen among its hosts.',
  uuid(),
);
export const ownHostId = field(
  'Id of the host (one customer brand). When absent: the host of the token, or the one chosen among its hosts.',
  optional(uuid()),
);
export const choosenHostId = field(
  'Id of the host that this request is about. A token of several hosts needs it here or in the header x-choosen-host-id; a token of one host needs neither.',
  optional(uuid()),
);
export const hostOfObject = field('Id of the host to which this belongs.', uuid());

export const conversationId = field('Id of the conversation, as createConversationId gave it.', uuid());
export const avatarId = field('Id of the avatar, as avatarsListHelper lists it.', uuid());
export const datasetId = field('Id of the dataset, as datasetsListHelper lists it.', uuid());
export const datasetName = field('Name of the dataset, as people see it.', text());
export const avatarName = field('Name of the avatar, as people see it.', text());

export const createdAt = field('When this was created: an instant in UTC, ISO 8601.', dateTime());
export const updatedAt = field('When this was last changed: an instant in UTC, ISO 8601.', dateTime());
export const expires = field(
  'From when on the assistant no longer reads the dataset: an instant in UTC, ISO 8601; 2100-01-01 stands for never.',
  dateTime(),
);
export const visible = field(
  'Whether the assistant may read it; false hides it without deleting it.',
  flag(),
);
export const deleted = field('Whether it was deleted; what is deleted is kept, and used no more.', flag());

/** Filters by avatars. */
export const avatarIds = (meaning: string) => field(meaning, optional(list(uuid(), { max: 1_000 })));

export const model = field(
  'Name of the language model, as modelListHelper lists it; empty for the model of the installation.',
  text({ min: 0 }),
);

/** Every turn reads all of it. */
export const globalData = (meaning: string) =>
  field(
    `${meaning} At most ${globalDataLimits.names} names and ${globalDataLimits.characters} characters as JSON, with what the conversation keeps.`,
    optional(mapOf(anyValue(), { max: globalDataLimits.names })),
  );

/** Text as long as a body lets it be. */
export const longText = text({ min: 0, max: LARGEST_BODY });

export const originTable = field('The kind of record.', oneOf('conversations', 'leads', 'tickets'));
export const originId = field(
  'Id of the record: the conversationId of a conversation, the entityData.id that intake gave a lead or ticket.',
  uuid(),
);
