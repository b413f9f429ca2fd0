import { MAX_DOCUMENT_BODY_BYTES, MAX_DOCUMENT_SIZE } from '../body-limit.ts';
import { field, flag, integer, list, nullable, object, oneOf, optional, text, uuid } from '../shape.ts';

export const MAX_ATTACHMENTS = 5;
export const MAX_URL_LENGTH = 2_000;

const name = field('Name of the file, as the person sees it. When absent: none.', optional(text()));
const base64 = text({ max: MAX_DOCUMENT_BODY_BYTES });
const BASE64_FORMS = 'The bytes in base64, also as a `data:` URL, in lines, URL-safe or without padding.';

/** A file that a person sends with a question, or in place of one. */
const attachment = object({
  type: field(
    '`audio`: a recording, whose words are the message of the person; `image`: a picture for the model; `file`: a document for this turn.',
    oneOf('audio', 'image', 'file'),
  ),
  content_type: field('Media type. Of recordings and pictures the bytes tell the type.', text()),
  name,
  content_base64: field(`${BASE64_FORMS} Required unless \`url\` is given.`, optional(base64)),
  url: field(
    'Where the bytes are; private addresses are not read. Required unless `content_base64` is given.',
    optional(text({ max: MAX_URL_LENGTH })),
  ),
});

export const attachments = field(
  `Recordings, pictures and files of the end user: 1 to ${MAX_ATTACHMENTS}, at most ${MAX_DOCUMENT_SIZE} in all. They are read in this turn, and kept only for staff where the host has \`keepAttachments\`. When absent: none.`,
  optional(list(attachment, { min: 1, max: MAX_ATTACHMENTS })),
);

/** The same of a staff member, of which the bytes tell all. */
export const sentFiles = field(
  `Files for the end user: 1 to ${MAX_ATTACHMENTS}, at most ${MAX_DOCUMENT_SIZE} in all; only with the author \`human\`. When absent: none.`,
  optional(
    list(object({ name, content_base64: field(BASE64_FORMS, base64) }), { min: 1, max: MAX_ATTACHMENTS }),
  ),
);

const file = {
  id: field('Id of the file.', uuid()),
  name: field('Its name; null if it has none.', nullable(text({ min: 0, max: MAX_DOCUMENT_BODY_BYTES }))),
  content_type: field('Its media type, by its bytes.', text()),
  size: field('Its bytes.', integer({ min: 0 })),
};

export const sentFile = object({
  ...file,
  url: field('Where it can be fetched for seven days, without a token.', text()),
});

export const listedFile = object({
  ...file,
  url: field('Where a session of the console of this host can fetch it, on this service.', text()),
  kept: field(
    'False: the end user sent it when the files of the host had reached `files_quota_mb`, or their store was away, so that only its name and words are there.',
    flag(),
  ),
  transcript: field(
    'The words of a recording; null where none were heard.',
    nullable(text({ min: 0, max: MAX_DOCUMENT_BODY_BYTES })),
  ),
});

/** Where files are fetched: their host and id follow. */
export const FILES_PATH = '/files';
