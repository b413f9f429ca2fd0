import { setImmediate as yielded } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Whether the object was garbage-collected. */
export async function isCollected(reference: WeakRef<object>): Promise<boolean> {
  setFlagsFromString('--expose-gc');
  const clean = runInNewContext('gc') as () => void;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    // A dereferenced object is kept alive until the current tick of the event loop ends.
    await yielded();
    clean();
    // A whole collection takes long; one is mostly enough.
    if (reference.deref() === undefined) return true;
  }
  return false;
}
