import { setImmediate as yielded } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Whether nobody holds it any more, once the memory has been cleaned. */
export async function isLetGo(reference: WeakRef<object>): Promise<boolean> {
  setFlagsFromString('--expose-gc');
  const clean = runInNewContext('gc') as () => void;
  for (let tries = 0; tries < 3; tries += 1) {
    // What was looked at in this turn of the loop is held until it ends.
    await yielded();
    clean();
  }
  return reference.deref() === undefined;
}
