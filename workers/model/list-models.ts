import type { Handler } from '../job.ts';
import type { ModelDirectory } from './model-directory.ts';

export function listModels(directory: ModelDirectory): Handler<'listModels'> {
  return async () => ({ code: 200, data: await directory.list() });
}
