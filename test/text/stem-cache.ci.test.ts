import { setImmediate as yielded } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { stemOf } from '../../text/words.ts';

const WORDS = 1_000;
const LONG = 16_000;
const MIB = 1_048_576;

describe('The stems that are remembered', () => {
  let used: number;
  before(async () => {
    used = await usedMb();
  });

  it('hold no words of strangers that are longer than words are', async () => {
    for (let at = 0; at < WORDS; at += 1) stemOf(longWord(at));
    expect((await usedMb()) - used).to.be.below(5);
  });
});

/** Flat: a concatenated string would keep its parts alive. */
function longWord(at: number): string {
  const own = at.toString(2).replaceAll('0', 'a').replaceAll('1', 'b');
  return Buffer.from(own.padEnd(LONG, 'w')).toString('latin1');
}

async function usedMb(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await yielded();
  collect();
  return process.memoryUsage().heapUsed / MIB;
}
