import { type ChatMessage, type ChatRequest, partTypes } from '../../queues/contract/chat-completion.ts';
import {
  inputTypes,
  MAX_KEY_LENGTH,
  MAX_VALUE_LENGTH,
  type ResponseItem,
  type ResponsePart,
  type ResponseRequest,
} from '../../queues/contract/model-response.ts';
import { placeIn } from '../../queues/contract/response-form.ts';
import { isWithin } from '../../queues/contract/shape.ts';
import { refuseField } from '../guards/validate.ts';
import type { AskedChat } from './turn-route.ts';

/* The input of a response is read as the messages of a chat, so that both are one kind of turn. */

/** A message of the chat, and where it and its parts are in the request. */
interface PlacedMessage {
  readonly message: ChatMessage;
  readonly path: string;
  readonly partPaths: readonly string[];
}

const NOT_SUPPORTED = {
  background: 'is not supported: send Prefer: respond-async to the reasoning call',
  conversation: 'is not supported: send previous_response_id or metadata.conversation_id',
  prompt: 'is not supported: an assistant has its own instructions',
} as const;

export function toChat(request: ResponseRequest): AskedChat {
  for (const [name, message] of Object.entries(NOT_SUPPORTED))
    if (request[name as keyof typeof NOT_SUPPORTED]) refuseField(name, 'not-allowed', message);
  checkMetadata(request);
  const conversationId = conversationOf(request);
  const instructions = request.instructions
    ? [{ ...placed('instructions'), message: { role: 'system' as const, content: request.instructions } }]
    : [];
  const said = conversationId === undefined ? messagesIn(request.input) : newMessagesIn(request.input);
  const messages = [...instructions, ...said];
  checkKinds(said.findLast(({ message }) => message.role === 'user'));
  const { model, user, stream, tools } = request;
  const chat: ChatRequest = {
    model,
    messages: messages.map(({ message }) => message),
    ...(user ? { user } : {}),
    ...(stream ? { stream } : {}),
    ...(tools ? { tools } : {}),
    ...(conversationId === undefined ? {} : { metadata: { conversation_id: conversationId } }),
  };
  return { chat, pathOf: path => pathIn(messages, path) };
}

/** Refuses kinds of parts by the names that they have here. */
function checkKinds(asked: PlacedMessage | undefined): void {
  if (!asked || typeof asked.message.content !== 'object') return;
  for (const [at, { type }] of asked.message.content.entries())
    if (!(partTypes as readonly string[]).includes(type))
      refuseField(`${asked.partPaths[at]}.type`, 'one-of', { values: [...inputTypes] });
}

/** Throws where the metadata exceeds the limits of OpenAI. */
function checkMetadata({ metadata }: ResponseRequest): void {
  for (const [key, value] of Object.entries(metadata ?? {})) {
    const path = `metadata.${key}`;
    if (!isWithin(key, MAX_KEY_LENGTH)) {
      const message = `must have keys of at most ${MAX_KEY_LENGTH} characters`;
      refuseField('metadata', 'max-length', { limit: MAX_KEY_LENGTH, message });
    }
    if (typeof value !== 'string') refuseField(path, 'type', 'must be a text');
    if (!isWithin(value, MAX_VALUE_LENGTH)) refuseField(path, 'max-length', { limit: MAX_VALUE_LENGTH });
  }
}

/** The conversation that the request names: by an earlier response, by a message of one, or by its own id. */
function conversationOf({ previous_response_id: id, metadata, input }: ResponseRequest): string | undefined {
  const named = metadata?.conversation_id?.toLowerCase();
  if (id) {
    const conversationId = placeIn(id)?.conversationId;
    if (conversationId === undefined)
      refuseField('previous_response_id', 'format', 'must be the id of a response of Parley');
    if (named !== undefined && named !== conversationId)
      refuseField('previous_response_id', 'both-given', 'differs from metadata.conversation_id');
    return conversationId;
  }
  if (named !== undefined || typeof input === 'string') return named;
  const references = [...input.entries()].filter(([, { type }]) => type === 'item_reference');
  const places = references.flatMap(([, item]) => placeIn(item.id ?? '') ?? []);
  const [[at] = [0]] = references;
  if (references.length > 0 && places.length === 0)
    refuseField(`input[${at}].id`, 'format', 'must be the id of a message of Parley');
  return places.at(-1)?.conversationId;
}

function messagesIn(input: ResponseRequest['input']): PlacedMessage[] {
  if (typeof input === 'string') return [{ ...placed('input'), message: { role: 'user', content: input } }];
  return input.flatMap((item, at) => messageOf(item, `input[${at}]`));
}

/**
 * The messages that a conversation with a history of its own does not have: the context, and what the user said after the last
 * answer, as one question.
 */
function newMessagesIn(input: ResponseRequest['input']): PlacedMessage[] {
  if (typeof input === 'string') return messagesIn(input);
  const lastAnswer = input.findLastIndex(
    ({ role, type }) => role === 'assistant' || type === 'item_reference',
  );
  const context = messagesIn(input).filter(
    ({ message }) => message.role !== 'user' && message.role !== 'assistant',
  );
  const asked = input
    .map((item, at) => (at > lastAnswer && item.role === 'user' ? messageOf(item, `input[${at}]`) : []))
    .flat();
  const [only, ...others] = asked;
  if (!only || others.length === 0) return [...context, ...asked];
  const parts = asked.map(partsOf);
  return [
    ...context,
    {
      message: { role: 'user', content: parts.flatMap(({ content }) => content) },
      path: asked.at(-1)?.path ?? '',
      partPaths: parts.flatMap(({ paths }) => paths),
    },
  ];
}

function partsOf({ message: { content = '' }, path, partPaths }: PlacedMessage) {
  return typeof content === 'string'
    ? { content: [{ type: 'text' as const, text: content }], paths: [path] }
    : { content, paths: partPaths };
}

function messageOf({ type = 'message', role, content = '' }: ResponseItem, path: string): PlacedMessage[] {
  if (type !== 'message' || role === undefined) return [];
  if (typeof content === 'string') return [{ ...placed(path), message: { role, content } }];
  const partPaths = content.map((_part, at) => `${path}.content[${at}]`);
  return [{ message: { role, content: content.map(toChatPart) }, path, partPaths }];
}

function placed(path: string): Pick<PlacedMessage, 'path' | 'partPaths'> {
  return { path, partPaths: [] };
}

function toChatPart({ type, text, image_url, input_audio, file_data, filename, ...others }: ResponsePart) {
  switch (type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text' as const, ...(text === undefined ? {} : { text }) };
    case 'input_image':
      return { type: 'image_url' as const, ...(image_url ? { image_url: { url: image_url } } : {}) };
    case 'input_audio':
      return { type: 'input_audio' as const, ...(input_audio ? { input_audio } : {}) };
    case 'input_file': {
      const name = filename ? { filename } : {};
      return { type: 'file' as const, ...(file_data ? { file: { file_data, ...name } } : {}) };
    }
    default:
      return { ...others, type, ...(text === undefined ? {} : { text }) };
  }
}

const FIELDS: Readonly<Record<string, string>> = {
  '.image_url.url': '.image_url',
  '.file.file_data': '.file_data',
};

/** Where a field of the chat's messages is in the request. */
function pathIn(messages: readonly PlacedMessage[], path: string): string {
  const [isOfMessages, at, hasContent, part, field = ''] =
    /^messages(?:\[(\d+)\](\.content(?:\[(\d+)\](.*))?)?)?$/.exec(path) ?? [];
  if (isOfMessages === undefined) return path;
  const message = at === undefined ? undefined : messages[Number(at)];
  if (!message) return 'input';
  if (part !== undefined)
    return `${message.partPaths[Number(part)] ?? message.path}${FIELDS[field] ?? field}`;
  return hasContent && message.path.endsWith(']') ? `${message.path}.content` : message.path;
}
