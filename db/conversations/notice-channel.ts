import { isJsonObject } from '../../platform/json-object.ts';
import { type Channel, openChannel } from '../../platform/listen-channel.ts';
import type { Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';

/*
 * Notices for pages of the console, whichever `web` process serves them. A notice never has a text of a conversation, because
 * every role of the database may listen. A page that misses one looks again by itself.
 */

const NOTICE_CHANNEL = 'parley_notices';

export type Notice = ConversationNotice | TypingNotice | RightsNotice;

/** `asked`: a question to the conversation is about to be answered. */
interface ConversationNotice {
  readonly kind: 'asked' | 'changed';
  readonly hostId: string;
  readonly conversationId: string;
}

/** A staff member is writing to a conversation. */
interface TypingNotice {
  readonly kind: 'typing';
  readonly hostId: string;
  readonly conversationId: string;
  readonly name: string;
  /** Null for the bearer of a token. */
  readonly personId: string | null;
  /** Identifies the writer's session. */
  readonly writer: string;
}

/** The rights of people of the host, or who is signed in, have changed. */
interface RightsNotice {
  readonly kind: 'rights';
  readonly hostId: string;
}

/** Passes on the notices of all hosts, which the listener sorts. Other messages are left out. */
export function openNoticeChannel(databaseUrl: string, onNotice: (notice: Notice) => void): Promise<Channel> {
  return openChannel(databaseUrl, {
    channels: [NOTICE_CHANNEL],
    applicationName: 'parley-notices',
    onNotification({ payload = '' }) {
      const notice = noticeOf(payload);
      if (notice) onNotice(notice);
    },
  });
}

/** Works for all hosts. Must not run in the transaction of the change: commits that notify wait for each other. */
export async function sendNotices(db: Db, notices: readonly Notice[]): Promise<void> {
  const payloads = notices.map(notice => JSON.stringify(notice));
  await rowsOf(db)`
    select pg_notify(${NOTICE_CHANNEL}, payload) from unnest(${payloads}::text[]) payload`;
}

/** Another version of the service may send other kinds. */
function noticeOf(payload: string): Notice | undefined {
  const sent = parseJson(payload);
  if (!isJsonObject(sent)) return undefined;
  const { kind, hostId, conversationId, name, personId, writer } = sent;
  if (typeof hostId !== 'string') return undefined;
  if (kind === 'rights') return { kind, hostId };
  if (typeof conversationId !== 'string') return undefined;
  if (kind === 'asked' || kind === 'changed') return { kind, hostId, conversationId };
  if (kind !== 'typing' || typeof name !== 'string' || typeof writer !== 'string') return undefined;
  return {
    kind,
    hostId,
    conversationId,
    name,
    personId: typeof personId === 'string' ? personId : null,
    writer,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
