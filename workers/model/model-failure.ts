import { type Failure, failure } from '../../queues/contract/failure.ts';
import type { ModelDirectory } from './model-directory.ts';

/** The failure for an unknown model; an empty name stands for the default model. */
export async function findModelFailure(directory: ModelDirectory, model = ''): Promise<Failure | undefined> {
  const message = model === '' ? undefined : await directory.findModelError(model);
  return message === undefined
    ? undefined
    : failure('body-invalid', { fields: [{ path: 'model', message }] });
}
