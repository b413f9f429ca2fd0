import { useCallback, useEffect, useState } from 'preact/hooks';
import { isLost } from './errors.ts';
import { isReachable } from './service.ts';

export interface Loaded<Data> {
  /** The last result; it stays while it is read again. */
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Returns what `read` resolves to, and reads again when one of `inputs` changes. The latest call wins, however long the others
 * take.
 */
export function useLoad<Data>(read: () => Promise<Data>, inputs: readonly unknown[]): Loaded<Data> {
  const [state, setState] = useState<{ data?: Data; error?: unknown; isLoading: boolean }>({
    isLoading: true,
  });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isLast = true;
    setState(({ data }) => ({ ...(data === undefined ? {} : { data }), isLoading: true }));
    read().then(
      data => isLast && setState({ data, isLoading: false }),
      error => isLast && setState({ error, isLoading: false }),
    );
    return () => {
      isLast = false;
    };
  }, [...inputs, tries]);
  const reload = useCallback(() => setTries(times => times + 1), []);
  useReturn(state.error, () => {
    let isLast = true;
    // The error stays until the result is there: the person did not ask for this attempt.
    read().then(
      data => isLast && setState({ data, isLoading: false }),
      () => undefined,
    );
    return () => {
      isLast = false;
    };
  });
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload };
}

/** Calls `again` when the connection is back, if it was lost. */
export function useReturn(error: unknown, again: () => (() => void) | undefined): void {
  const isBack = isLost(error) && isReachable.value;
  useEffect(() => (isBack ? again() : undefined), [isBack]);
}
