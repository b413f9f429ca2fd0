import { startFixedModel } from './fixed-model.bench.ts';
import { startCalling } from './hostile/neighbour.bench.ts';
import { makeCaller, SLOW_QUESTION } from './hostile/target.bench.ts';

/**
 * The neighbour of `bench/hostile` and its model, in a separate process, so that the attacker's load does not delay
 * them.
 */
const [token = '', hostId = ''] = process.argv.slice(2);
const model = await startFixedModel({
  answer: 'A secretaria atende de segunda a sexta.',
  afterMs: body => (body.includes(SLOW_QUESTION) ? 2_500 : 0),
});
let stop: ReturnType<typeof startCalling> | undefined;
process.on('message', (message: { port: number } | 'stop') => {
  if (message !== 'stop') stop = startCalling(makeCaller(message.port, token), hostId);
  else void stop?.().then(waits => process.send?.(waits));
});
process.once('disconnect', () => process.exit());
process.send?.({ baseURL: model.baseURL });
