import { findHost } from '../../db/hosts/hosts.ts';
import { type ChunkFrontMatter, isIndexable } from '../../db/knowledge/chunks.ts';
import type { DatasetType } from '../../db/knowledge/datasets.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import { isLongerThan } from '../../text/lines.ts';
import {
  type FrontMatterError,
  frontMatterOf,
  isFrontMatterError,
} from '../domain/front-matter/front-matter.ts';

export interface CheckedContent {
  readonly content: string;
  readonly frontMatter: ChunkFrontMatter | undefined;
}

/** The content as it will be stored in a dataset of this type, or the failure that refuses it. */
export async function checkContent(
  scope: HostScope,
  content: string,
  datasetType: DatasetType,
): Promise<CheckedContent | Failure> {
  if (content.trim() === '') return wrongContent('must hold some text');
  const limit = (await findHost(scope))?.chunkSizeLimit ?? 0;
  if (isLongerThan(limit, content)) return wrongContent(`must hold at most ${limit} characters`);
  if (!(await isIndexable(scope, content)))
    return wrongContent('must hold less than 1 MiB of different words');
  const read = readContent(content, datasetType);
  return 'error' in read ? wrongContent(`line ${read.line}: ${read.error}`) : read;
}

/** Every road to a stored passage leads through here: what a filtered dataset refuses is for nobody. */
export function readContent(content: string, datasetType: DatasetType): CheckedContent | FrontMatterError {
  const read = frontMatterOf(content);
  if (!read || !isFrontMatterError(read)) return { content, frontMatter: read };
  // In a common dataset, text between two rules may be plain content.
  return datasetType === 'common_rag' ? { content, frontMatter: undefined } : read;
}

function wrongContent(message: string): Failure {
  return failure('body-invalid', { fields: [{ path: 'content', message }] });
}
