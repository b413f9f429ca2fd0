import { MAX_DOCUMENT_BODY_BYTES, MAX_DOCUMENT_SIZE } from '../body-limit.ts';
import { field, list, object, oneOf, optional, text } from '../shape.ts';

export const MAX_ATTACHMENTS = 5;
export const MAX_URL_LENGTH = 2_000;

/** A file that a person sends with a question, or in place of one. */
const attachment = object({
  type: field(
    '`audio`: a recording, whose words are the message of the person; `image`: a picture for the model; `file`: a document for this turn.',
    oneOf('audio', 'image', 'file'),
  ),
  content_type: field('Media type. Of recordings and pictures the bytes tell the type.', text()),
  name: field('Name of the file, as the person sees it. When absent: none.', optional(text())),
  content_base64: field(
    'The bytes in base64, also as a `data:` URL, in lines, URL-safe or without padding. Required unless `url` is given.',
    optional(text({ max: MAX_DOCUMENT_BODY_BYTES })),
  ),
  url: field(
    'Where the bytes are; private addresses are not read. Required unless `content_base64` is given.',
    optional(text({ max: MAX_URL_LENGTH })),
  ),
});

export const attachments = field(
  `Recordings, pictures and files of the end user: 1 to ${MAX_ATTACHMENTS}, at most ${MAX_DOCUMENT_SIZE} in all. They are read in this turn, and not kept. When absent: none.`,
  optional(list(attachment, { min: 1, max: MAX_ATTACHMENTS })),
);
