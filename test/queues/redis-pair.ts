import { type JoinedPair, type JoinOptions, joinPair } from './queue-pair.ts';

export interface RedisPair extends JoinedPair {
  /** The store failed with these. */
  readonly errors: readonly string[];
  polledReplies(): Promise<number | undefined>;
  /** Whether the next reply comes without polling. */
  receivesEnds(): Promise<boolean>;
}

interface RedisPairOptions extends Pick<JoinOptions, 'workerKey'> {
  /** Whether both sides use our scripts. */
  readonly isBatched?: boolean;
  /** The address of the asking side, if it differs. */
  readonly requesterUrl?: string;
}

export async function openRedisPair(
  url: string,
  { isBatched = true, requesterUrl = url, ...options }: RedisPairOptions = {},
): Promise<RedisPair> {
  const errors: string[] = [];
  const onError = (error: Error) => void errors.push(error.message);
  const side = (redisUrl: string) => ({ redisUrl, databaseUrl: '', onError, isBatched: () => isBatched });
  const sides = { requester: side(requesterUrl), worker: side(url) };
  const pair = await joinPair({ ...sides, ...options, timeoutMs: 10_000, concurrency: 8 });
  pair.answerWith(async ({ body }) => ({ code: 200, data: body }));
  const polledReplies = async () => (await pair.progress())?.polledReplies;
  const receivesEnds = async () => {
    const before = await polledReplies();
    const { code } = await pair.ask({});
    return code === 200 && (await polledReplies()) === before;
  };
  // The progress cannot be read while the store is away.
  return { ...pair, errors, polledReplies, receivesEnds: () => receivesEnds().catch(() => false) };
}
