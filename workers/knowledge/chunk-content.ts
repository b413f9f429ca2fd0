import { findHost } from '../../db/hosts/hosts.ts';
import { isIndexable } from '../../db/knowledge/chunks.ts';
import type { DatasetType } from '../../db/knowledge/datasets.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type Failure, failure, isFailure } from '../../queues/contract/failure.ts';
import { isLongerThan } from '../../text/lines.ts';
import { filterOf, headOf, type PassageFilter, type SentFilter } from '../domain/passage-filter.ts';

interface SentChunk {
  readonly content: string;
  readonly filter?: SentFilter | undefined;
}

export interface CheckedContent {
  readonly content: string;
  /** Undefined where nothing is said of it. */
  readonly filter: PassageFilter | undefined;
}

/** The content as it will be stored in a dataset of this type, without a head, or the failure that refuses it. */
export async function checkContent(
  scope: HostScope,
  { content, filter }: SentChunk,
  datasetType: DatasetType,
): Promise<CheckedContent | Failure> {
  if (content.trim() === '') return wrong('content', 'must hold some text');
  const limit = (await findHost(scope))?.chunkSizeLimit ?? 0;
  if (isLongerThan(limit, content)) return wrong('content', `must hold at most ${limit} characters`);
  if (!(await isIndexable(scope, content)))
    return wrong('content', 'must hold less than 1 MiB of different words');
  const sent = filter && checkFilter(filter);
  if (sent && isFailure(sent)) return sent;
  const head = headOf(content);
  if (head && 'filter' in head)
    return sent
      ? wrong('filter', 'is given twice: the content has a head, too')
      : { content: head.body, filter: head.filter };
  // With a filter, and in a common dataset, text below a rule is text.
  if (head && !sent && datasetType === 'filtered_rag')
    return wrong('content', `line ${head.line}: ${head.error}`);
  return { content, filter: sent };
}

/** The filter in its stored form, or the failure that refuses it. */
export function checkFilter(sent: SentFilter): PassageFilter | Failure {
  const read = filterOf(sent);
  return 'empty' in read ? wrong('filter', `must have a value for ${read.empty}`) : read.filter;
}

/** The filter in an answer, where there is one. */
export function filterEntryOf(filter: PassageFilter): { readonly filter?: Record<string, string[]> } {
  const entries = Object.entries(filter).map(([key, values]): [string, string[]] => [key, [...values]]);
  return entries.length === 0 ? {} : { filter: Object.fromEntries(entries) };
}

function wrong(path: string, message: string): Failure {
  return failure('body-invalid', { fields: [{ path, message }] });
}
