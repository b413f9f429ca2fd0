import type { ChatMessage, ChatPart } from '../../queues/contract/chat-completion.ts';
import { MAX_ATTACHMENTS, MAX_URL_LENGTH } from '../../queues/contract/operations/attachment-shape.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { isWithin } from '../../queues/contract/shape.ts';
import type { State } from '../context.ts';
import { refuseField } from '../guards/validate.ts';

/* What is in a message of OpenAI's form beside its text: pictures, recordings and files. */

/** The bytes that were cut out of the body, by the marks in their places. */
type Documents = State['documents'];
type Attachment = NonNullable<BodyOf<'reason'>['attachments']>[number];

/** An attachment of the turn, and the part of the request that it was. */
export interface ChatAttachment {
  readonly path: string;
  readonly attachment: Attachment;
}

const KINDS = {
  image_url: { type: 'image', label: '[imagem]', bytes: 'image_url.url' },
  input_audio: { type: 'audio', label: '[áudio]', bytes: 'input_audio.data' },
  file: { type: 'file', label: '[arquivo]', bytes: 'file.file_data' },
} as const;

/** The text of a message alone. */
export function textOf(message: ChatMessage | undefined): string {
  return joinTexts(message, () => []);
}

/** The text of a message, in which a line stands for each picture, recording and file. */
export function shownTextOf(message: ChatMessage | undefined): string {
  return joinTexts(message, type => [KINDS[type].label]);
}

/** What tells the parts that are no text from others. */
export function partKeysOf(message: ChatMessage, documents: Documents): string[] {
  return partsOf(message).flatMap(part => {
    const sent = sentTextOf(part) ?? '';
    return part.type === 'text' ? [] : [documents?.get(readDataUrl(sent).data)?.digest ?? sent];
  });
}

/** Refuses a part that has not what its type says. `path`: that of the message. */
export function attachmentsOf(message: ChatMessage, path: string, documents: Documents): ChatAttachment[] {
  const attachments = partsOf(message).flatMap((part, at): ChatAttachment[] => {
    if (part.type === 'text') return [];
    const partPath = `${path}.content[${at}]`;
    return [{ path: partPath, attachment: attachmentOf(part.type, part, partPath, documents) }];
  });
  if (attachments.length > MAX_ATTACHMENTS)
    refuseField(`${path}.content`, `must have at most ${MAX_ATTACHMENTS} parts that are no text`);
  return attachments;
}

/** Refuses parts of messages that have nothing of their type. */
export function checkParts(messages: readonly ChatMessage[]): void {
  for (const [at, message] of messages.entries())
    for (const [place, part] of partsOf(message).entries()) {
      const name = part.type === 'text' ? 'text' : KINDS[part.type].bytes;
      if (sentTextOf(part) === undefined)
        refuseField(`messages[${at}].content[${place}].${name}`, 'is required');
    }
}

function partsOf(message: ChatMessage | undefined): readonly ChatPart[] {
  return typeof message?.content === 'object' ? message.content : [];
}

type MediaType = keyof typeof KINDS;

function joinTexts(message: ChatMessage | undefined, textsOf: (type: MediaType) => string[]): string {
  if (typeof message?.content === 'string') return message.content;
  return partsOf(message)
    .flatMap(({ type, text = '' }) => (type === 'text' ? [text] : textsOf(type)))
    .join('\n');
}

function sentTextOf({ type, text, image_url, input_audio, file }: ChatPart): string | undefined {
  if (type === 'text') return text;
  if (type === 'image_url') return image_url?.url;
  return type === 'input_audio' ? input_audio?.data : file?.file_data;
}

function attachmentOf(kind: MediaType, part: ChatPart, path: string, documents: Documents): Attachment {
  const { type, bytes } = KINDS[kind];
  const sent = sentTextOf(part) ?? '';
  const { mediaType, data } = readDataUrl(sent);
  const name = part.file?.filename?.trim() || undefined;
  const described = { type, content_type: mediaType, ...(name === undefined ? {} : { name }) };
  if (documents?.has(data)) return { ...described, content_base64: data };
  if (type !== 'image' || /^data:/i.test(sent)) refuseField(`${path}.${bytes}`, 'must be bytes in base64');
  if (!isWithin(sent, MAX_URL_LENGTH))
    refuseField(`${path}.${bytes}`, `must have at most ${MAX_URL_LENGTH} characters`);
  return { ...described, url: sent };
}

/** `data` is the whole text where it is no such URL. */
function readDataUrl(sent: string): { readonly mediaType: string; readonly data: string } {
  const comma = sent.indexOf(',');
  if (comma < 0 || !/^data:/i.test(sent)) return { mediaType: UNKNOWN_TYPE, data: sent };
  const [mediaType = ''] = sent.slice('data:'.length, comma).split(';', 1);
  return { mediaType: mediaType || UNKNOWN_TYPE, data: sent.slice(comma + 1) };
}

const UNKNOWN_TYPE = 'application/octet-stream';
