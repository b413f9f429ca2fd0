import type { ModelDirectory } from './model/model-directory.ts';
import type { Handler } from './runtime/job.ts';

export function makeListModels(directory: ModelDirectory): Handler<'listModels'> {
  return async () => ({ code: 200, data: await directory.list() });
}
