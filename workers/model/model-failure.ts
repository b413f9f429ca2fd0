import { type Failure, failure } from '../../queues/contract/failure.ts';
import type { ModelDirectory } from './model-directory.ts';

/** What is wrong with a model that was given; an empty one stands for the installation's. */
export async function findModelFailure(directory: ModelDirectory, model = ''): Promise<Failure | undefined> {
  const message = model === '' ? undefined : await directory.problemWith(model);
  return message === undefined
    ? undefined
    : failure('body-invalid', { fields: [{ path: 'model', message }] });
}
