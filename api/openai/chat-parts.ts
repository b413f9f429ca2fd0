import { isJsonObject } from '../../platform/json-object.ts';
import { type ChatMessage, type ChatPart, partTypes } from '../../queues/contract/chat-completion.ts';
import { MAX_ATTACHMENTS, MAX_URL_LENGTH } from '../../queues/contract/operations/attachment-shape.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { isWithin } from '../../queues/contract/shape.ts';
import type { State } from '../context.ts';
import { refuseField } from '../guards/validate.ts';

/* A message of OpenAI's form may hold more than text: pictures, recordings and files. */

/** The bytes that were taken out of the body, by the marks that replace them. */
type Documents = State['documents'];
type Attachment = NonNullable<BodyOf<'reason'>['attachments']>[number];

/** An attachment of the turn, and where it was in the request. */
export interface ChatAttachment {
  readonly path: string;
  readonly attachment: Attachment;
}

const KINDS = {
  image_url: { type: 'image', label: '[imagem]', bytes: 'image_url.url' },
  input_audio: { type: 'audio', label: '[áudio]', bytes: 'input_audio.data' },
  file: { type: 'file', label: '[arquivo]', bytes: 'file.file_data' },
} as const;

/** The text of a message, without its other parts. */
export function textOf(message: ChatMessage | undefined): string {
  return joinTexts(message, () => []);
}

/** The text of a message; a line stands for each picture, recording and file. */
export function shownTextOf(message: ChatMessage | undefined): string {
  return joinTexts(message, type => [KINDS[type].label]);
}

/** Keys that distinguish the parts without text. */
export function partKeysOf(message: ChatMessage, documents: Documents): string[] {
  return partsOf(message).flatMap(part => {
    const sent = sentTextOf(part) ?? '';
    const isMedia = isKnown(part) && part.type !== 'text';
    return isMedia ? [documents?.get(readDataUrl(sent).data)?.digest ?? sent] : [];
  });
}

/** Refuses a part whose content does not match its type. `path`: of the message. */
export function attachmentsOf(message: ChatMessage, path: string, documents: Documents): ChatAttachment[] {
  const attachments = partsOf(message).flatMap((part, at): ChatAttachment[] => {
    if (!isKnown(part) || part.type === 'text') return [];
    const partPath = `${path}.content[${at}]`;
    return [{ path: partPath, attachment: attachmentOf(part.type, part, partPath, documents) }];
  });
  if (attachments.length > MAX_ATTACHMENTS)
    refuseField(`${path}.content`, 'max-items', {
      limit: MAX_ATTACHMENTS,
      message: `must have at most ${MAX_ATTACHMENTS} parts that are no text`,
    });
  return attachments;
}

/** Refuses parts of the question that are of another kind or empty. `path`: of the message. */
export function checkParts(message: ChatMessage, path: string): void {
  for (const [at, part] of partsOf(message).entries()) {
    if (!isKnown(part)) refuseField(`${path}.content[${at}].type`, 'one-of', { values: [...partTypes] });
    const name = part.type === 'text' ? 'text' : KINDS[part.type].bytes;
    if (sentTextOf(part) === undefined) refuseField(`${path}.content[${at}].${name}`, 'required');
  }
}

function partsOf(message: ChatMessage | undefined): readonly ChatPart[] {
  return typeof message?.content === 'object' ? message.content : [];
}

type MediaType = keyof typeof KINDS;
type KnownPart = ChatPart & { readonly type: MediaType | 'text' };

function isKnown(part: ChatPart): part is KnownPart {
  return (partTypes as readonly string[]).includes(part.type);
}

function joinTexts(message: ChatMessage | undefined, textsOf: (type: MediaType) => string[]): string {
  if (typeof message?.content === 'string') return message.content;
  return partsOf(message)
    .flatMap(part => (isKnown(part) && part.type !== 'text' ? textsOf(part.type) : (sentTextOf(part) ?? [])))
    .join('\n');
}

/** The content of a part; for an unknown part, its text or the reason that it has none. */
function sentTextOf(part: ChatPart): string | undefined {
  const [holder, name] = isKnown(part) && part.type !== 'text' ? KINDS[part.type].bytes.split('.') : [];
  const sent = name === undefined ? (part['text'] ?? part['refusal']) : innerOf(part[holder ?? ''], name);
  return typeof sent === 'string' ? sent : undefined;
}

function innerOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

function attachmentOf(kind: MediaType, part: ChatPart, path: string, documents: Documents): Attachment {
  const { type, bytes } = KINDS[kind];
  const sent = sentTextOf(part) ?? '';
  const { mediaType, data } = readDataUrl(sent);
  const filename = innerOf(part['file'], 'filename');
  const name = typeof filename === 'string' && filename.trim() !== '' ? filename.trim() : undefined;
  const described = { type, content_type: mediaType, ...(name === undefined ? {} : { name }) };
  if (documents?.has(data)) return { ...described, content_base64: data };
  if (type !== 'image' || /^data:/i.test(sent))
    refuseField(`${path}.${bytes}`, 'base64', 'must be bytes in base64');
  if (!isWithin(sent, MAX_URL_LENGTH))
    refuseField(`${path}.${bytes}`, 'max-length', { limit: MAX_URL_LENGTH });
  return { ...described, url: sent };
}

/** If it is no such URL, `data` is the whole text. */
function readDataUrl(sent: string): { readonly mediaType: string; readonly data: string } {
  const comma = sent.indexOf(',');
  if (comma < 0 || !/^data:/i.test(sent)) return { mediaType: UNKNOWN_TYPE, data: sent };
  const [mediaType = ''] = sent.slice('data:'.length, comma).split(';', 1);
  return { mediaType: mediaType || UNKNOWN_TYPE, data: sent.slice(comma + 1) };
}

const UNKNOWN_TYPE = 'application/octet-stream';
