import {
  addExternalId,
  isExternalIdTaken,
  listSentMessages,
  type SentMessage,
} from '../../db/conversations/channel-messages.ts';
import { lockConversation } from '../../db/conversations/conversations.ts';
import type { NewMessage } from '../../db/conversations/messages.ts';
import { isWindowClosed } from '../../db/conversations/windows.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type Failure, fieldFailure } from '../../queues/contract/failure.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { foldText } from '../../text/fold.ts';
import { listSentItems } from './conversation-list.ts';

/*
 * What a channel does with the messages of a conversation: it brings what staff typed on its phone, echoes what was sent over it,
 * and takes free text for some hours after the person wrote.
 */

type Body = BodyOf<'appendMessage'>;

export function findChannelFailure({
  author,
  from_channel,
  template,
  external_id,
}: Body): Failure | undefined {
  if (from_channel && author !== 'human')
    return fieldFailure('from_channel', 'only-with', 'is for `human` only');
  if (external_id !== undefined && author === 'note')
    return fieldFailure('external_id', 'only-with', 'is not for a note, which no channel has');
  if (template && (from_channel || author !== 'human'))
    return fieldFailure('template', 'only-with', 'is for what a staff member (`human`) sends');
  return undefined;
}

export const CLOSED_WINDOW =
  'send an approved template in `template`, or wait until the person writes: see `window_ends_at` in conversationsListHelper';

/** What the phone sent is there already, whatever the window. */
export async function isWindowClosedFor(scope: HostScope, body: Body): Promise<boolean> {
  if (body.author !== 'human' || body.from_channel || body.template) return false;
  return isWindowClosed(scope, body.conversationId);
}

/** The name of an attendant whom the channel does not name. */
const UNNAMED = 'Celular';

export function asTypedOnPhone(message: NewMessage): NewMessage {
  // In a list of attendants a comma divides two.
  const attendant = message.name?.replaceAll(/[\s,]+/g, ' ').trim() || UNNAMED;
  return { ...message, name: message.name?.trim() || UNNAMED, fromChannel: { attendant } };
}

const ECHO_SECONDS = 120;

/**
 * Whether the channel tells what is stored: a message that it has told before, or the echo of one that was sent over it. Locks the
 * conversation, so nothing that was sent is missed.
 */
export async function isKnownToChannel(
  scope: HostScope,
  body: Body,
  fileSizes: readonly number[],
): Promise<boolean> {
  const { conversationId, external_id: externalId, from_channel: isFromChannel } = body;
  if (externalId === undefined && !isFromChannel) return false;
  if (!(await lockConversation(scope, conversationId))) return false;
  if (externalId !== undefined && (await isExternalIdTaken(scope, { conversationId, externalId })))
    return true;
  if (!isFromChannel) return false;
  const told = { text: toComparable(body.content ?? ''), fileSizes };
  for (const sent of await listSentMessages(scope, { conversationId, withinSeconds: ECHO_SECONDS })) {
    if (!(await isEcho(told, sent))) continue;
    // The channel may tell it again after these minutes.
    if (externalId !== undefined) await addExternalId(scope, { seq: sent.seq, externalId });
    return true;
  }
  return false;
}

/** Channels drop names, and send each file with the caption or without: bytes are what a file keeps. */
async function isEcho(
  { text, fileSizes }: Pick<SentMessage, 'fileSizes'> & { readonly text: string },
  sent: SentMessage,
): Promise<boolean> {
  if (fileSizes.length > 0) return fileSizes.every(size => sent.fileSizes.includes(size));
  return (await listTextsOf(sent)).map(toComparable).includes(text);
}

function toComparable(text: string): string {
  return foldText(text).replaceAll(/\s+/g, ' ').trim();
}

/** A channel sends an answer whole or in its parts; a picture as its address or with its description. */
async function listTextsOf({ author, content, payments, fileSizes }: SentMessage): Promise<string[]> {
  if (author === 'human') {
    const lines = content.split('\n');
    return [lines.slice(0, lines.length - fileSizes.length).join('\n')];
  }
  const items = await listSentItems(content, payments);
  const parts = items.map(item => item.content);
  const descriptions = items.flatMap(item => ('description' in item ? item.description : [])).filter(Boolean);
  return [content, ...parts, parts.join(' '), ...descriptions];
}
