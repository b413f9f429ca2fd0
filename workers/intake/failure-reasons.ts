import type { Failure } from '../../queues/contract/failure.ts';

/** The reasons of a record that failed by a fault of the service. */
export const internalError = [{ path: '', message: 'an internal error' }];

export function reasonsOf({
  message,
  data,
}: Failure): readonly { readonly path: string; readonly message: string }[] {
  return data?.fields ?? [{ path: '', message }];
}
