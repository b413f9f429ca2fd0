import { useRef, useState } from 'preact/hooks';
import { type Action, useAction } from './use-action.ts';

interface Ticks extends Action {
  readonly tick: (id: string, isTicked: boolean) => void;
  /** What is wanted of this box, until it is stored. */
  readonly wanted: (id: string) => boolean | undefined;
}

/** Boxes that are stored as they are ticked, one after another; of one box the last tick holds. */
export function useTicks(store: (id: string, isTicked: boolean) => Promise<unknown>): Ticks {
  const action = useAction();
  const [shown, setShown] = useState<ReadonlyMap<string, boolean>>(new Map());
  const underway = useRef<Map<string, boolean> | undefined>(undefined);
  const storeAll = async (ticks: Map<string, boolean>) => {
    underway.current = ticks;
    setShown(new Map(ticks));
    try {
      // A tick that comes meanwhile is met at the end.
      for (const [id, isTicked] of ticks) {
        await store(id, isTicked);
        if (ticks.get(id) === isTicked) ticks.delete(id);
      }
    } finally {
      underway.current = undefined;
      setShown(new Map());
    }
  };
  const tick = (id: string, isTicked: boolean) => {
    const ticks = underway.current;
    if (!ticks) return action.run(() => storeAll(new Map([[id, isTicked]])));
    ticks.delete(id);
    ticks.set(id, isTicked);
    setShown(known => new Map(known).set(id, isTicked));
  };
  return { ...action, tick, wanted: id => shown.get(id) };
}
