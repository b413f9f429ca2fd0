import { MAX_FALLBACKS, MAX_MODEL_LENGTH } from '../../../platform/model-limits.ts';
import {
  either,
  field,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  patternText,
  pictureAddress,
  text,
  timeZone,
  uuid,
} from '../shape.ts';
import { HOST_ID } from './example-ids.ts';

/** A week has this many hours. */
const MAX_OPENING_HOURS = 168;

const openingHours = object({
  days: field('Days of the week, 1 is Monday.', list(integer({ min: 1, max: 7 }), { min: 1, max: 7 })),
  from: field(
    'Beginning, as `08:00`, in the time zone of the host.',
    patternText(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as `08:00`'),
  ),
  to: field(
    'End, as `18:00`, at most `24:00`. An end that is not after the beginning is on the next day.',
    patternText(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'a time of day such as `18:00`, at most `24:00`'),
  ),
});

const MAX_LISTED = 100;
/** A conversation has at most this many. */
export const MAX_LABELS = 10;
export const label = text({ max: 50 });
export const reason = text({ max: 100 });

/** How the staff of a host attend: who manages the host may change this, too. */
export const attendanceSettings = {
  labels: field(
    'Labels that staff may give to conversations, in the order in which they are shown. A conversation keeps one that is taken from the list.',
    list(label, { max: MAX_LISTED }),
  ),
  close_reasons: field(
    'Reasons of which one is chosen where a person closes a conversation, in the order in which they are shown; empty: none is asked for.',
    list(reason, { max: MAX_LISTED }),
  ),
  reassign_after_minutes: field(
    'Minutes after which a conversation of a team goes back to it, where those to whom it was passed have not written; null: never.',
    nullable(integer({ min: 5, max: 10_080 })),
  ),
};

export const exampleAttendance = {
  labels: ['Boleto', 'Matrícula'],
  close_reasons: ['Resolvido', 'Sem retorno'],
  reassign_after_minutes: 30,
};

const budgetOf = (period: string) =>
  field(
    `The most that models may cost in ${period} of the time zone of the host, by the prices of the installation: a decimal such as \`100.00\`; empty for no limit.`,
    either(
      patternText(/^\d{1,9}(\.\d{1,6})?$/, 'a decimal number such as `100.00`, without a currency'),
      oneOf(''),
    ),
  );

const MAX_CHANNELS = 20;
export const MAX_WINDOW_HOURS = 720;

export const hostSettings = {
  name: field('Display name of the brand.', text()),
  picture: field('URL of the logo; empty for none.', pictureAddress()),
  timeZone: field('Time zone, for example `America/Manaus`.', timeZone()),
  businessHours: field('Opening hours; empty: never open.', list(openingHours, { max: MAX_OPENING_HOURS })),
  maxChunks: field('Maximum number of passages for one turn.', integer({ min: 1, max: 100 })),
  chunkSizeLimit: field('Maximum length of a passage, in characters.', integer({ min: 1, max: 1_000_000 })),
  share: field(
    'Weight where turns or CRM records of several hosts wait: 2 gets twice as many as 1.',
    integer({ min: 1, max: 10 }),
  ),
  modelFallbacks: field(
    'Models that are asked when a model fails or falls silent, in this order; empty: the installation’s. A name that no provider has is a 400.',
    list(text({ max: MAX_MODEL_LENGTH }), { max: MAX_FALLBACKS }),
  ),
  bursts: field(
    'Messages that a person sends in a row: each is answered (`each`), or the last one for all (`last`).',
    oneOf('each', 'last'),
  ),
  mask: field(
    'Personal identifiers leave for models, embedders, MCP servers and REST tools as tokens, such as `[CPF_1]`.',
    flag(),
  ),
  maskImages: field(
    'Where identifiers are masked: pictures, in which nothing is masked, are refused (`refuse`), or leave all the same (`allow`).',
    oneOf('refuse', 'allow'),
  ),
  keepAttachments: field(
    'For how many days staff may see what people attach to turns: pictures, recordings and files; 0: it is deleted with the end of its turn.',
    integer({ min: 0, max: 3_650 }),
  ),
  files_quota_mb: field(
    'Mebibytes that the files of staff and those that are kept of people may have together. Above: files of staff are refused, and what people send is named, and not kept.',
    integer({ min: 1, max: 10_485_760 }),
  ),
  return_after_minutes: field(
    'A conversation that a person attends goes back to the assistant after so many minutes without a word of staff. Null: never.',
    nullable(integer({ min: 5, max: 10_080 })),
  ),
  window_hours: field(
    'Hours after the last message of the person in which a channel takes free text of staff, by its `platform`, such as `{"whatsapp": 24}`; a channel that is not named always does.',
    mapOf(integer({ min: 1, max: MAX_WINDOW_HOURS }), { max: MAX_CHANNELS }),
  ),
  turns_per_person_per_hour: field(
    'Turns that one person may have within an hour, by contact or `wpp_id`; above it: 429.',
    integer({ min: 1, max: 100_000 }),
  ),
  monthlyBudget: budgetOf('a month'),
  dailyBudget: budgetOf('a day'),
  disabled: field(
    'Its tokens, sessions and signed sources get 403, and its deliveries, imports and insights wait. Nothing is deleted; enabling it again continues.',
    flag(),
  ),
  ...attendanceSettings,
};

export const hostItem = object({
  id: field('Id of the host; other calls take it as `hostId` or `host_id`.', uuid()),
  slug: field('Short name of the host, unique in this installation.', text()),
  ...hostSettings,
});

export const exampleSettings = {
  name: 'Universidade Horizonte',
  picture: 'https://horizonte.example/logo.png',
  timeZone: 'America/Sao_Paulo',
  businessHours: [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }],
  maxChunks: 10,
  chunkSizeLimit: 8_000,
  share: 1,
  modelFallbacks: [],
  bursts: 'each' as const,
  mask: false,
  maskImages: 'refuse' as const,
  keepAttachments: 0,
  files_quota_mb: 10_240,
  return_after_minutes: 30,
  window_hours: { whatsapp: 24 },
  turns_per_person_per_hour: 60,
  disabled: false,
  ...exampleAttendance,
};
export const exampleHost = {
  id: HOST_ID,
  slug: 'demo',
  ...exampleSettings,
  monthlyBudget: '100.00',
  dailyBudget: '',
};
