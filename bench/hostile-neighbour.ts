import { startCalling } from './hostile/neighbour.ts';
import { makeCaller } from './hostile/target.ts';

/** The neighbour of `bench/hostile`, in a process of its own: what the attacker has to make and read holds up nobody. */
const [port = '', token = '', hostId = ''] = process.argv.slice(2);
const call = makeCaller(Number(port), token);
let stop: ReturnType<typeof startCalling> | undefined;
process.on('message', message => {
  if (message === 'start') stop = startCalling(call, hostId);
  else void stop?.().then(waits => process.send?.(waits));
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
