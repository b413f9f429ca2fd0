import { createPostgresBackend, Worker } from 'bullmq';
import { makeSeal } from '../platform/seal.ts';
import type { QueueName } from '../queues/contract/queues.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { makeConsumer } from '../queues/transport/consumer.ts';

/** The answering side of `bench/replies`, in a separate process: returns each body. */
const [side, redisUrl = '', databaseUrl = '', key = '', queue = ''] = process.argv.slice(2);
const onError = (error: Error) => process.stderr.write(`${error.message}\n`);
const concurrency = 128;

if (side === 'ours') {
  const backend = await openBackend({ redisUrl: redisUrl || undefined, databaseUrl, onError });
  const answer = async ({ body }: { body: unknown }) => ({ code: 200 as const, data: body });
  await makeConsumer({
    backend,
    seal: makeSeal(key),
    queue: queue as QueueName,
    concurrency,
    handle: answer,
    storeOutcome: async () => {},
    onError,
    onUnreadable: onError,
    onBug: onError,
  });
} else if (redisUrl) {
  const worker = new Worker('peer', async job => job.data, { connection: { url: redisUrl }, concurrency });
  await worker.waitUntilReady();
} else {
  const options = { connection: databaseUrl, concurrency };
  const worker = new Worker('peer', async job => job.data, options, createPostgresBackend);
  worker.on('error', onError);
  await worker.waitUntilReady();
}
process.on('message', () => process.send?.(process.cpuUsage()));
process.once('disconnect', () => process.exit());
process.send?.('ready');
