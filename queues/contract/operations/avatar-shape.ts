import { MAX_BODY_BYTES } from '../body-limit.ts';
import {
  field,
  flag,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  patternText,
  pictureAddress,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { AVATAR_ID, DATASET_ID } from './example-ids.ts';
import { avatarId, avatarName, datasetId, datasetName, expires, model } from './fields.ts';

const picture = pictureAddress();
const subSlug = field(
  'Short name of the avatar, unique within its host; a turn selects the avatar by sending it as `subSlug`.',
  text(),
);
/** Actions for a figure of an answer that no source has. */
export const unsupportedActions = ['pass', 'handoff', 'withhold'] as const;

const language = field(
  'Language of the answers: a BCP 47 tag of language, script and region, such as `pt-BR`, `en` or `es`. Of other languages the rules are in English.',
  patternText(
    /^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$/,
    'a tag of a language such as `pt-BR`, `en` or `es`',
  ),
);

const onUnsupported = field(
  'What happens to an answer with a figure that stands in no passage, tool result, dialogue or context: `pass` sends it, ' +
    '`handoff` sends it and asks for a staff member, `withhold` replaces the sentence.',
  oneOf(...unsupportedActions),
);
const onFailure = field(
  'What happens where no model answers (503) or a budget is spent (429): `error` gives the caller that failure, ' +
    '`handoff` answers with `failure_text` and asks for a staff member.',
  oneOf('error', 'handoff'),
);
const answerMode = field(
  'Who words the answers: `model`, or `quote`, which asks no model and quotes the passages that were found, with their sources. ' +
    'No tool or agent is called then, and the steps of a flow that need a model are skipped.',
  oneOf('model', 'quote'),
);
export const linkedDatasets = field(
  'The datasets that are linked to the avatar and that it may read.',
  responseList(object({ dataset_name: datasetName, dataset_id: datasetId, expires })),
);

export const host = object({
  host_id: field('Id of the host; other calls take it as `hostId` or `host_id`.', uuid()),
  host_slug: field('Short name of the host, unique in this installation.', text()),
  host_name: field('Display name of the host.', text()),
  host_config: field(
    'Limits for the knowledge of the host.',
    object({
      max_chunks: field('Maximum number of chunks for one turn.', integer()),
      chunk_size_limit: field('Maximum length of a chunk, in characters.', integer()),
    }),
  ),
});

export const avatar = object({
  hostPicture: field('URL of the picture of the host; empty for none.', picture),
  avatarPicture: field('URL of the picture of the avatar; empty for none.', picture),
  avatar_id: avatarId,
  avatar_name: field('Name of the assistant.', text()),
  sub_slug: subSlug,
  on_unsupported: onUnsupported,
  on_failure: onFailure,
  datasets: linkedDatasets,
});

export const avatarFields = {
  avatar_id: avatarId,
  sub_slug: subSlug,
  avatar_picture: field('URL of the picture of the avatar; empty for none.', picture),
  avatar_name: avatarName,
  prompt_envelop: field(
    'System prompt of the avatar: its role and its style.',
    text({ min: 0, max: MAX_BODY_BYTES }),
  ),
  model,
  answer_mode: answerMode,
  on_unsupported: onUnsupported,
  on_failure: onFailure,
  failure_text: field(
    'The answer where no model gives one, with `on_failure: handoff`. Empty: a sentence of the service in the language of the avatar.',
    text({ min: 0, max: 4_000 }),
  ),
  language,
  idle_after_minutes: field(
    'After so many minutes of silence that follow an answer, `conversation.idle` is told once, in an open conversation that no person attends. Null: never.',
    nullable(integer({ min: 5, max: 10_080 })),
  ),
  answer_in_audio: field(
    'Whether answers to recordings are to be spoken: `isAudio` of the answer tells the channel. The text is the same.',
    flag(),
  ),
  rewrite: field(
    'Whether the model writes a question anew where its words find little in the knowledge: one more call, for at most one turn in ten or so. What the new words find joins what was found.',
    flag(),
  ),
};

/** The fields of an avatar that can change; an absent field stays as it is. */
export const avatarChanges = {
  avatar_name: optional(avatarFields.avatar_name),
  avatar_picture: optional(avatarFields.avatar_picture),
  prompt_envelop: optional(avatarFields.prompt_envelop),
  model: optional(avatarFields.model),
  answer_mode: optional(avatarFields.answer_mode),
  on_unsupported: optional(avatarFields.on_unsupported),
  on_failure: optional(avatarFields.on_failure),
  failure_text: optional(avatarFields.failure_text),
  language: optional(avatarFields.language),
  idle_after_minutes: optional(avatarFields.idle_after_minutes),
  answer_in_audio: optional(avatarFields.answer_in_audio),
  rewrite: optional(avatarFields.rewrite),
};

export const exampleAvatar = {
  avatar_id: AVATAR_ID,
  sub_slug: 'vestibular',
  avatar_picture: 'https://horizonte.example/lia.png',
  avatar_name: 'Lia',
  prompt_envelop: 'Você é a Lia e ajuda quem quer estudar na Universidade Horizonte.',
  model: '',
  answer_mode: 'model',
  on_unsupported: 'pass',
  on_failure: 'error',
  failure_text: '',
  language: 'pt-BR',
  idle_after_minutes: null,
  answer_in_audio: false,
  rewrite: false,
} as const;

export const exampleLinked = {
  dataset_name: 'Guia do aluno',
  dataset_id: DATASET_ID,
  expires: '2100-01-01T00:00:00.000Z',
};
