import { RawJson } from '../../platform/raw-json.ts';
import type { Success } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';

/** The data of an answered turn; that of a long answer is not parsed yet. */
export function turnDataOf({ data }: Success<unknown>): DataOf<'reason'> {
  return (data instanceof RawJson ? data.parse() : data) as DataOf<'reason'>;
}
