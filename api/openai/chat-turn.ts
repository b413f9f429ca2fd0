import { createHash, randomUUID } from 'node:crypto';
import type { ChatMessage, ChatRequest } from '../../queues/contract/chat-completion.ts';
import type { Caller } from '../../queues/contract/operation.ts';
import { MAX_QUESTION_LENGTH } from '../../queues/contract/operations/fields.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { isWithin } from '../../queues/contract/shape.ts';
import type { State } from '../context.ts';
import { refuseField } from '../guards/validate.ts';
import { type ChatDigests, digestDialogue } from './chat-history.ts';
import { attachmentsOf, checkParts, partKeysOf, shownTextOf, textOf } from './chat-parts.ts';

export interface ChatTurn {
  readonly body: Omit<BodyOf<'reason'>, 'hostId'>;
  /** True if the request names no conversation, so it may not exist yet. */
  readonly opensConversation: boolean;
  /** Undefined if the request names its conversation or its user. */
  readonly digests: ChatDigests | undefined;
  /** Where each attachment is in the request. */
  readonly attachmentPaths: readonly string[];
}

/** `host_slug/sub_slug`, or `sub_slug` alone. */
export function readModelName(model: string): { readonly hostSlug?: string; readonly subSlug: string } {
  const slash = model.indexOf('/');
  return slash < 0
    ? { subSlug: model }
    : { hostSlug: model.slice(0, slash).toLowerCase(), subSlug: model.slice(slash + 1) };
}

/**
 * The last message of the user is the question, with its attachments; the messages before it are the dialogue, without the
 * context.
 */
export function chatTurnOf(
  { hostIds: [hostId = ''], tokenId }: Caller,
  request: ChatRequest,
  documents: State['documents'],
  idempotencyKey?: string,
): ChatTurn {
  const { messages, metadata } = request;
  const { subSlug } = readModelName(request.model);
  const ownTools = 'must be empty: an assistant has its own tools, agents and MCP servers';
  for (const name of ['tools', 'functions'] as const)
    if (request[name]?.length) refuseField(name, 'not-allowed', ownTools);
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const asking = messages[last];
  if (asking) checkParts(asking, `messages[${last}]`);
  const question = textOf(asking);
  const attached = asking ? attachmentsOf(asking, `messages[${last}]`, documents) : [];
  if (question.trim() === '' && attached.length === 0)
    refuseField(
      'messages',
      'required',
      'must contain a message of the role "user" with a text or an attachment',
    );
  if (!isWithin(question, MAX_QUESTION_LENGTH))
    refuseField(`messages[${last}].content`, 'max-length', { limit: MAX_QUESTION_LENGTH });
  const context = messages.filter(isContext).map(textOf).join('\n\n');
  const dialogue = messages.slice(0, last).filter(isSaid);
  const named = metadata?.conversation_id;
  const body = {
    conversationId: named ?? conversationIdOf(hostId, subSlug, request, { documents, idempotencyKey }),
    subSlug,
    ...(question.trim() === '' ? {} : { question }),
    ...(attached.length === 0 ? {} : { attachments: attached.map(({ attachment }) => attachment) }),
    ...(context === '' ? {} : { contextData: context }),
    // A named conversation keeps its own dialogue.
    ...(dialogue.length > 0 || named === undefined ? { originalDialogue: dialogue.map(toDialogueItem) } : {}),
    reasoningConfig: { svcCompleteLog: true, burst: 'each' as const },
  };
  const isKnown = named !== undefined || !isUnnamed(request);
  const digests =
    asking && !isKnown ? digestDialogue([tokenId, subSlug], dialogue, asking, documents) : undefined;
  return {
    body,
    opensConversation: named === undefined,
    digests,
    attachmentPaths: attached.map(({ path }) => path),
  };
}

function isUnnamed({ user = '' }: ChatRequest): boolean {
  return user.trim() === '';
}

/**
 * A user who sends the history again stays in the conversation of the first question. Without `user`, that does not tell one
 * person from another: the conversation is a new one, unless one has the history of the request (`chat-history.ts`).
 */
function conversationIdOf(
  hostId: string,
  subSlug: string,
  request: ChatRequest,
  {
    documents,
    idempotencyKey,
  }: { readonly documents: State['documents']; readonly idempotencyKey: string | undefined },
): string {
  const { messages, user } = request;
  if (isUnnamed(request) && idempotencyKey === undefined) return randomUUID();
  const first = messages.findIndex(({ role }) => role === 'user');
  const start = messages
    .slice(0, first + 1)
    .map(message => [message.role, textOf(message), ...partKeysOf(message, documents)]);
  // A repeated key must produce an equal body.
  const owner = isUnnamed(request) ? { idempotencyKey } : user;
  const digest = createHash('sha256')
    .update(JSON.stringify([hostId, subSlug, owner, start]))
    .digest();
  // UUIDs of version 8 are for ids that are derived in another way.
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function isContext({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer';
}

/** Beside what tools gave, an empty message of the assistant is passed over: it calls a tool, or is a silence. */
function isSaid(message: ChatMessage): boolean {
  return message.role === 'user' || (message.role === 'assistant' && shownTextOf(message).trim() !== '');
}

function toDialogueItem(message: ChatMessage) {
  const role = message.role === 'assistant' ? ('assistant' as const) : ('user' as const);
  return { role, content: shownTextOf(message), ...(message.name ? { name: message.name } : {}) };
}
