import { createHash } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import {
  type ChatHistory,
  digestAnswer,
  findConversationOfHistory,
  findConversationOfTurn,
} from '../../db/conversations/chat-histories.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import type { Seal } from '../../platform/seal.ts';
import type { ChatMessage } from '../../queues/contract/chat-completion.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { jobIdOf, type Request } from '../../queues/transport/request.ts';
import type { State } from '../context.ts';
import { makeRefuseOutage } from '../replies/refuse-outage.ts';
import { partKeysOf, textOf } from './chat-parts.ts';

/** Digests that identify the conversation of a request that names neither it nor its user. */
export interface ChatDigests {
  /** The digest of the dialogue with the question of this request. */
  readonly asked: string;
  /** The digest of the dialogue before the question; undefined if that does not end with an answer. */
  readonly history: ChatHistory | undefined;
}

/** Digests the dialogue without its context, which a client may change between requests. `owner`: whose conversations count. */
export function digestDialogue(
  owner: readonly string[],
  dialogue: readonly ChatMessage[],
  asking: ChatMessage,
  documents: State['documents'],
): ChatDigests {
  const hash = createHash('sha256').update(JSON.stringify(owner));
  const add = (message: ChatMessage) => {
    const said = [message.role, textOf(message).trim(), ...partKeysOf(message, documents)];
    hash.update(`\n${JSON.stringify(said)}`);
  };
  for (const message of dialogue.slice(0, -1)) add(message);
  const askedBefore = hash.copy().digest('hex');
  const last = dialogue.at(-1);
  if (last) add(last);
  add(asking);
  const isAnswer = last?.role === 'assistant' && dialogue.length > 1;
  const answered = isAnswer ? answersIn(textOf(last)).map(text => digestAnswer(askedBefore, text)) : [];
  const history = isAnswer ? { asked: askedBefore, answered } : undefined;
  return { asked: hash.digest('hex'), history };
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

/** Moves the request to the conversation of its dialogue; leaves it if it has a conversation of its own. */
export type ChatFollower = (request: Request, digests: ChatDigests) => Promise<Request>;

export function makeChatFollower(db: Db, seal: Seal, outage: OutageLog): ChatFollower {
  const refuseOutage = makeRefuseOutage(outage);
  return async (request, { asked, history }) => {
    const follower = { ...request, chatAsked: asked };
    const { caller, idempotencyKey } = request;
    if (!history) return follower;
    const found = await withHost(
      db,
      caller.hostIds[0] ?? '',
      async scope =>
        // A request that is repeated under its key keeps an equal body, although its own answer came after its dialogue.
        (idempotencyKey === undefined
          ? undefined
          : await findConversationOfTurn(scope, jobIdOf(request, seal))) ??
        findConversationOfHistory(scope, history),
    ).catch(refuseOutage);
    const body = request.body as BodyOf<'reason'>;
    return found === undefined ? follower : { ...follower, body: { ...body, conversationId: found } };
  };
}
