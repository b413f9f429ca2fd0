import type { Question } from './calls.ts';
import { native } from './native.ts';

/** What the chat keeps in the page's own storage: who the visitor is, and what is being answered. Nothing before a first question. */
interface Stored {
  readonly visitor?: string | undefined;
  readonly pending?: Question | undefined;
  readonly isOpen?: boolean;
}

export interface Store {
  readonly value: Stored;
  change(changes: Stored): void;
}

export function makeStore(key: string): Store {
  const name = `parley-chat ${key}`;
  /** Where the browser allows no storage, the chat lasts as long as the page. */
  let kept: Stored = {};
  try {
    kept = native.JSON.parse(localStorage.getItem(name) ?? '{}');
  } catch {}
  return {
    get value(): Stored {
      return kept;
    },
    change(changes: Stored): void {
      kept = { ...kept, ...changes };
      try {
        localStorage.setItem(name, native.JSON.stringify(kept));
      } catch {}
    },
  };
}
