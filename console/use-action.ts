import { useState } from 'preact/hooks';

export interface Action {
  /** Does the work once, however often it is called meanwhile. */
  readonly run: (work: () => Promise<unknown>) => void;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Does the last work once more. */
  readonly retry: () => void;
}

/** State of a button: whether its work is running, and the error of the last one. */
export function useAction(): Action {
  const [state, setState] = useState<{
    readonly work?: () => Promise<unknown>;
    readonly isBusy: boolean;
    readonly error?: unknown;
  }>({ isBusy: false });
  const run = (work: () => Promise<unknown>) => {
    if (state.isBusy) return;
    setState({ work, isBusy: true });
    work().then(
      () => setState({ isBusy: false }),
      error => setState({ work, isBusy: false, error }),
    );
  };
  const { work, isBusy, error } = state;
  return { run, isBusy, error, retry: () => work && run(work) };
}
