import { createHash } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import { digestAnswer, findConversationOfHistory } from '../../db/conversations/chat-histories.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import type { ChatMessage } from '../../queues/contract/chat-completion.ts';
import type { Request } from '../../queues/transport/request.ts';
import type { State } from '../context.ts';
import { makeRefuseOutage } from '../replies/refuse-outage.ts';
import { partKeysOf, textOf } from './chat-parts.ts';

/** Digests that identify the conversation of a request that names neither it nor its user. */
export type ChatDigests = Pick<NonNullable<Request['chat']>, 'asked' | 'histories'>;

/**
 * Digests the dialogue without its context, which a client may change between requests, and without calls of tools, which are none
 * of our answers. `owner`: whose conversations count. Its history ends with its last answer: a question after that never got one.
 */
export function digestDialogue(
  owner: readonly string[],
  dialogue: readonly ChatMessage[],
  asking: ChatMessage,
  documents: State['documents'],
): ChatDigests {
  const hash = createHash('sha256').update(JSON.stringify(owner));
  const add = (message: ChatMessage) => {
    const text = textOf(message).trim().normalize('NFC');
    hash.update(`\n${JSON.stringify([message.role, text, ...partKeysOf(message, documents)])}`);
  };
  const said = dialogue.filter(message => !isListOfSome(message['tool_calls']));
  const end = said.findLastIndex(({ role }) => role === 'assistant');
  for (const message of said.slice(0, Math.max(end, 0))) add(message);
  const askedBefore = hash.copy().digest('hex');
  const answers = end > 0 ? answersIn(textOf(said[end])) : [];
  for (const message of [...said.slice(Math.max(end, 0)), asking]) add(message);
  return { asked: hash.digest('hex'), histories: answers.map(text => digestAnswer(askedBefore, text)) };
}

function isListOfSome(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** A stream that begins anew sends this between the void text and the new one. */
export const NEW_TEXT_MARK = '\n\n';
/** At most this many void texts are tried: each is read to its end. */
const MAX_VOID_TEXTS = 8;

/** Possible answers within the text: a streaming client also keeps the earlier texts that became void. */
function answersIn(text: string): string[] {
  const answers = [text];
  for (let at = text.indexOf(NEW_TEXT_MARK); at >= 0 && answers.length <= MAX_VOID_TEXTS; ) {
    answers.push(text.slice(at + NEW_TEXT_MARK.length));
    at = text.indexOf(NEW_TEXT_MARK, at + NEW_TEXT_MARK.length);
  }
  return answers;
}

/** Notes by what the worker finds the conversation of the request, and which one that will most likely be. */
export type ChatFollower = (request: Request, digests: ChatDigests) => Promise<Request>;

export function makeChatFollower(db: Db, outage: OutageLog): ChatFollower {
  const refuseOutage = makeRefuseOutage(outage);
  return async (request, digests) => {
    const [hostId = ''] = request.caller.hostIds;
    const conversationId =
      digests.histories.length === 0
        ? undefined
        : await withHost(db, hostId, scope => findConversationOfHistory(scope, digests.histories)).catch(
            refuseOutage,
          );
    return { ...request, chat: { ...digests, conversationId } };
  };
}
