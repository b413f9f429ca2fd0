import { type Failure, failure } from '../../queues/contract/failure.ts';
import type { ModelDirectory } from './model-directory.ts';

/** The failure for an unknown model; an empty name stands for the default model. */
export async function findModelFailure(directory: ModelDirectory, model = ''): Promise<Failure | undefined> {
  const message = model === '' ? undefined : await directory.findModelError(model);
  return message === undefined
    ? undefined
    : failure('body-invalid', { fields: [{ path: 'model', message }] });
}

/** The failure for a list of fallbacks with an unknown model; it names each of them. */
export async function findFallbacksFailure(
  directory: ModelDirectory,
  fallbacks: readonly string[] = [],
): Promise<Failure | undefined> {
  const messages = await Promise.all(fallbacks.map(model => directory.findModelError(model)));
  const fields = messages.flatMap((message, at) =>
    message === undefined ? [] : [{ path: `modelFallbacks[${at}]`, message }],
  );
  return fields.length === 0 ? undefined : failure('body-invalid', { fields });
}
