import type { Db } from '../../db/connection.ts';
import { type Notice, openNoticeChannel, sendNotices } from '../../db/conversations/notice-channel.ts';
import { batchCalls, upTo } from '../../platform/batch.ts';
import { keepConnected } from '../../platform/keep-connected.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import type { Refusal } from '../../queues/contract/failure.ts';

/** A page of the console that is connected to this process. */
export interface Follower {
  onNotice(notice: Notice): void;
  /** This process stops. */
  onEnd(): void;
}

export interface Notices {
  /** Tells the pages of the host at all processes. Nobody waits for it, and it may be lost: pages also look by themselves. */
  tell(notice: Notice): void;
  /** Says why the host may have no more followers; undefined if it may. */
  findRefusal(hostId: string): Refusal | undefined;
  /** Returns a function that stops it. */
  follow(hostId: string, follower: Follower): () => void;
  /** Ends all followers and accepts no more: a process that stops waits for its open responses. */
  close(): Promise<void>;
}

/** Limits of this process: each page holds a connection. */
const MAX_OF_HOST = 200;
const MAX_IN_ALL = 2_000;
const MAX_TOLD_TOGETHER = 100;

interface NoticeParts {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly outage: OutageLog;
}

export function makeNotices({ db, databaseUrl, outage }: NoticeParts): Notices {
  const followers = new Map<string, Set<Follower>>();
  const ended = new AbortController();
  let count = 0;
  const deliver = (notice: Notice) => {
    for (const follower of followers.get(notice.hostId) ?? []) follower.onNotice(notice);
  };
  const { signal } = ended;
  keepConnected(() => openNoticeChannel(databaseUrl, deliver), { signal, onError: outage.noteFailure });
  // However many notices there are, they use one connection of the pool at a time.
  const send = batchCalls({
    makeCalls: (notices: readonly Notice[]) => sendNotices(db, notices).then(() => notices),
    startBatch: upTo(MAX_TOLD_TOGETHER),
  });
  return {
    tell: notice => void send(notice).catch(outage.noteFailure),
    findRefusal(hostId) {
      if (signal.aborted) return 'interrupted';
      if (count >= MAX_IN_ALL) return 'overloaded';
      return (followers.get(hostId)?.size ?? 0) >= MAX_OF_HOST ? 'too-many-streams' : undefined;
    },
    follow(hostId, follower) {
      const ofHost = followers.get(hostId) ?? new Set();
      followers.set(hostId, ofHost.add(follower));
      count += 1;
      return () => {
        if (!ofHost.delete(follower)) return;
        count -= 1;
        if (ofHost.size === 0) followers.delete(hostId);
      };
    },
    async close() {
      ended.abort();
      for (const ofHost of followers.values()) for (const follower of ofHost) follower.onEnd();
    },
  };
}
