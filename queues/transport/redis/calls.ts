import { type RedisQueueBackend, raw2NextJobData } from 'bullmq';
import { DEFAULT_SHARE } from '../fair-order.ts';
import { FINISHED_JOB_SECONDS, jobOptions } from '../job-limits.ts';
import {
  MAX_BATCHED,
  type QueueCalls,
  type TakenJob,
  type TakeResult,
  type WantedJobs,
} from '../queue-calls.ts';
import { KEYED_CHANNEL } from '../store.ts';
import { FAIR_ORDER_KEY } from './fair-order.ts';
import { ADD, FINISH, keyNames, PUBLISH, REPLACE_FINISHED, TAKE } from './scripts.ts';

export interface RedisCallOptions {
  readonly lockMs: number;
  /** Before the name of a requester, of the channel on which it hears of its jobs (`backend.ts`). */
  readonly channelPrefix: string;
  /** Milliseconds on the store's clock. */
  now(): number;
}

type RawJobs = [waiting: number, jobs: [id: string, fields: string[]][]];

const scripts = {
  parleyAdd: ADD,
  parleyTake: TAKE,
  parleyFinish: FINISH,
  parleyReplaceFinished: REPLACE_FINISHED,
};
const NO_SHARE = { host: '', share: '' };

export function makeRedisCalls(
  backend: RedisQueueBackend,
  { lockMs, channelPrefix, now }: RedisCallOptions,
): QueueCalls {
  const keys = [
    ...keyNames.map(name => backend.keys[name] as string),
    backend.toKey(FAIR_ORDER_KEY),
    backend.toKey('ready'),
  ];
  const prefix = backend.toKey('');
  const connected = backend.client.then(client => {
    for (const [name, lua] of Object.entries(scripts))
      client.defineCommand(name, { numberOfKeys: keys.length, lua });
    client.defineCommand('parleyPublish', { numberOfKeys: 1, lua: PUBLISH });
    return client;
  });
  // BullMQ reports a failure.
  connected.catch(() => undefined);
  const run = async (name: keyof typeof scripts, values: readonly (string | number)[]): Promise<unknown> =>
    (await connected).runCommand(name, [...keys, prefix, ...values]);
  const storedOptions = JSON.stringify(jobOptions);
  const startOf = ({ lock, count, hostLimits, spare }: WantedJobs) =>
    [Math.round(now()), lockMs, lock, count, hostLimits ? JSON.stringify(hostLimits) : '', spare] as const;
  return {
    maxAdds: MAX_BATCHED,
    async add(jobs) {
      const values = jobs.flatMap(({ id, name, data, timestamp, hostShare }) => {
        const { host, share } = hostShare ?? NO_SHARE;
        return [id, name, data, timestamp, host, share];
      });
      await run('parleyAdd', [storedOptions, Math.round(now()), lockMs, ...values]);
    },
    async replaceFinished({ id, data, hostShare }) {
      const { host, share } = hostShare ?? NO_SHARE;
      await run('parleyReplaceFinished', [id, data, host, share]);
    },
    async take(wanted) {
      return decodeTaken((await run('parleyTake', startOf(wanted))) as RawJobs, wanted.lock);
    },
    async finish(jobs, wanted) {
      const start = [...startOf(wanted), FINISHED_JOB_SECONDS * 1_000, channelPrefix];
      const values = jobs.flatMap(({ id, lock, reply, replyTo, data }) => [id, lock, reply, replyTo, data]);
      const [ended, ...taken] = (await run('parleyFinish', [...start, ...values])) as [number[], ...RawJobs];
      return { completed: ended.map(each => each === 1), ...decodeTaken(taken, wanted.lock) };
    },
    // A lock must outlast the time until it is renewed.
    decodeHanded: marker => decodeHanded(marker, now() - lockMs / 2),
    async giveBack(jobs) {
      // Each job goes to the front of the queue, so the last one goes first.
      const moves = jobs.toReversed().map(({ id, lock }) => backend.moveJobFromActiveToWait(id, lock));
      await Promise.all(moves);
      // BullMQ's script does not wake the workers for a job with a priority.
      await (await backend.client).runCommand('zadd', [backend.keys['marker'] as string, 0, '0']);
    },
    ...makeMessageCalls(connected, channelPrefix),
  };
}

function makeMessageCalls(
  connected: RedisQueueBackend['client'],
  channelPrefix: string,
): Pick<QueueCalls, 'notifyEnd' | 'sendMessages'> {
  const publish = async (requester: string, message: string) =>
    (await connected).runCommand('parleyPublish', [channelPrefix + requester, message]);
  return {
    async notifyEnd(replyTo, jobId, reply) {
      await publish(replyTo, replyTo === KEYED_CHANNEL ? jobId : jobId + reply);
    },
    async sendMessages(messages) {
      await Promise.all(messages.map(({ requester, text }) => publish(requester, text)));
    },
  };
}

function decodeHanded(
  { member, score }: { readonly member: string; readonly score: number },
  since: number,
): TakenJob[] | undefined {
  if (!member.startsWith('[')) return undefined;
  const [id, fields, lock] = JSON.parse(member) as [string, string[], string];
  return score < since ? [] : [decodeJob(id, fields, lock)];
}

function decodeTaken([waiting, jobs]: RawJobs, lock: string): TakeResult {
  const decode = ([id, fields]: [string, string[]], at: number) => decodeJob(id, fields, `${lock}:${at + 1}`);
  return { jobs: jobs.map(decode), waiting: waiting < 0 ? undefined : waiting };
}

function decodeJob(id: string, fields: string[], lock: string): TakenJob {
  const fieldOf = (name: string) => fields.find((_, index) => index % 2 === 1 && fields[index - 1] === name);
  const host = fieldOf('host');
  const hostShare =
    host === undefined ? undefined : { host, share: Number(fieldOf('share') ?? DEFAULT_SHARE) };
  return { id, lock, hostShare, fetched: raw2NextJobData([fields, id, 0, 0]) };
}
