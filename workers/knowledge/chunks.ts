import { hasAvatar } from '../../db/assistants/avatars.ts';
import { listEvaluatedReaders } from '../../db/assistants/evaluation-cases.ts';
import type { Db } from '../../db/connection.ts';
import { findConversation } from '../../db/conversations/conversations.ts';
import { findHost, hasBudget } from '../../db/hosts/hosts.ts';
import {
  deleteChunk,
  findChunkForUpdate,
  insertChunk,
  isIndexable,
  readChunks,
  readChunksById,
  readCitedChunk,
  type StoredChunk,
  updateChunk,
} from '../../db/knowledge/chunks.ts';
import { type DatasetType, findDataset } from '../../db/knowledge/datasets.ts';
import { dropPeopleWords, setPeopleWords } from '../../db/knowledge/people-words.ts';
import { isGiven, setValidity, type Validity } from '../../db/knowledge/validity.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import {
  type Failure,
  failure,
  fieldFailure,
  isFailure,
  type Outcome,
} from '../../queues/contract/failure.ts';
import { MAX_BYTES_READ, MAX_CHUNKS_READ } from '../../queues/contract/operations/chunks.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { findFigures } from '../../text/figures/find-figures.ts';
import { foldInPlace } from '../../text/fold-in-place.ts';
import { isLongerThan } from '../../text/lines.ts';
import { readValidity } from '../bodies/read-validity.ts';
import { filterOf, headOf, type PassageFilter, type SentFilter } from '../domain/passage-filter.ts';
import { loadCountTokens } from '../model/count-tokens.ts';
import type {
  FoundChunk,
  FoundKnowledge,
  KnowledgeFinder,
  KnowledgeSearch,
} from '../retrieval/find-knowledge.ts';
import type { ChangeTrial, Handler, JobOf } from '../runtime/job.ts';

export const createChunk: Handler<'createChunk'> = async job => {
  const { body, caller, hostId } = job;
  const countTokens = await loadCountTokens();
  return job.commit(async scope => {
    const dataset = await findDataset(scope, readDatasetId(body));
    if (!dataset) return failure('dataset-not-found');
    const checked = await checkContent(scope, body, dataset.dataset_type);
    if (isFailure(checked)) return checked;
    const validity = await readValidity(scope, body);
    if (isFailure(validity)) return validity;
    const { content, filter = {} } = checked;
    const writtenBy = { id: caller.tokenId, name: caller.tokenName };
    const made = { content, filter, datasetId: dataset.id, validity };
    const id = await insertChunk(scope, { ...made, tokenCount: countTokens(content), writtenBy });
    // The dataset was deleted concurrently.
    if (id === undefined) return failure('dataset-not-found');
    return { code: 201, data: chunkEntryOf(hostId, { ...made, id }) };
  });
};

const otherDataset = fieldFailure('dataset_id', 'unknown', 'must be the dataset that the chunk is in');
const noContent = fieldFailure(
  'content',
  'required',
  'is required unless deleted is true, or something else is given',
);

export function makeEditChunk(tryChange: ChangeTrial): Handler<'editChunk'> {
  return async job => {
    const countTokens = await loadCountTokens();
    const change = (scope: HostScope) => changeChunk(scope, job, countTokens);
    const listAvatars = (scope: HostScope) => listEvaluatedReaders(scope, readDatasetId(job.body));
    return job.body.evaluate ? tryChange(job, { change, listAvatars }) : job.commit(change);
  };
}

async function changeChunk(
  scope: HostScope,
  { body, caller, hostId }: JobOf<'editChunk'>,
  countTokens: (text: string) => number,
): Promise<Outcome<DataOf<'editChunk'> & { readonly deleted?: boolean }>> {
  const chunk = await findChunkForUpdate(scope, body.id);
  if (!chunk) return failure('chunk-not-found');
  if (chunk.datasetId !== readDatasetId(body)) return otherDataset;
  if (body.deleted) {
    await deleteChunk(scope, chunk.id);
    return { code: 200, data: { ...chunkEntryOf(hostId, { ...chunk, validity: {} }), deleted: true } };
  }
  const { content, filter, people_words: words } = body;
  const given = await readValidity(scope, body, { from: chunk.validFrom, until: chunk.validUntil });
  if (isFailure(given)) return given;
  const { from = chunk.validFrom, until = chunk.validUntil } = given;
  const kept = { ...chunk, validity: { from, until } };
  if (content === undefined) {
    if (words === undefined && !isGiven(given)) return noContent;
    await setValidity(scope, [chunk.id], given);
    if (words !== undefined) await setPeopleWords(scope, chunk.id, words);
    return { code: 200, data: chunkEntryOf(hostId, kept) };
  }
  const checked = await checkContent(scope, { content, filter }, chunk.datasetType);
  if (isFailure(checked)) return checked;
  const writtenBy = { id: caller.tokenId, name: caller.tokenName };
  // A body without a filter keeps the stored one: changing the text does not open it to everybody.
  const changed = { content: checked.content, filter: checked.filter ?? chunk.filter };
  await setValidity(scope, [chunk.id], given);
  await updateChunk(scope, chunk.id, { ...changed, tokenCount: countTokens(changed.content), writtenBy });
  if (changed.content !== chunk.content) await dropPeopleWords(scope, chunk.id);
  if (words !== undefined) await setPeopleWords(scope, chunk.id, words);
  return { code: 200, data: chunkEntryOf(hostId, { ...kept, ...changed }) };
}

type Body = BodyOf<'readChunks'>;

export function makeReadChunks(db: Db, findKnowledge: KnowledgeFinder): Handler<'readChunks'> {
  return async ({ hostId, body, signal, remainingMs }) => {
    const question = !body.chunk_ids && body.question?.trim() ? body.question : '';
    const read = await withHost(db, hostId, async scope => {
      if (!(await hasAvatar(scope, body.avatar_id))) return undefined;
      if (!question) return readNewest(scope, body);
      const { chunks, searchByMeaning } = await findKnowledge(
        scope,
        await readSearch(scope, body, question, remainingMs),
        signal,
      );
      return searchByMeaning ?? readFoundPage(scope, body, chunks);
    });
    if (!read) return failure('avatar-not-found');
    const chunks = typeof read === 'function' ? await readChunksByMeaning(db, hostId, body, read) : read;
    return { code: 200, data: await runInSlices(chooseEntries(chunks, question), signal) };
  };
}

/** A control character takes one byte in the database and six in JSON, so a page may hold fewer chunks, but at least one. */
function* chooseEntries(
  chunks: DataOf<'readChunks'>,
  question: string,
): Generator<void, DataOf<'readChunks'>> {
  const entries: DataOf<'readChunks'> = [];
  let left = MAX_BYTES_READ;
  for (const chunk of chunks) {
    left -= JSON.stringify(chunk.content).length;
    if (left < 0 && entries.length > 0) break;
    const read = chunk.read_by_model && { figures_read: figuresOf(chunk.content) };
    entries.push({ ...chunk, search_question: question, ...read });
    yield;
  }
  return entries;
}

function figuresOf(content: string): string[] {
  const figures = findFigures(foldInPlace(content)).figures.filter(({ isClaim }) => isClaim);
  return [...new Set(figures.map(({ start, end }) => content.slice(start, end)))];
}

async function readChunksByMeaning(
  db: Db,
  hostId: string,
  body: Body,
  searchByMeaning: NonNullable<FoundKnowledge['searchByMeaning']>,
): Promise<DataOf<'readChunks'>> {
  const { chunks } = await searchByMeaning();
  return withHost(db, hostId, scope => readFoundPage(scope, body, chunks));
}

async function readNewest(scope: HostScope, body: Body): Promise<DataOf<'readChunks'>> {
  const { avatar_id: avatarId, dataset_ids: datasetIds, chunk_ids: chunkIds } = body;
  const { limit = MAX_CHUNKS_READ, offset = 0 } = body;
  const hasNotValid = body.include_not_valid;
  return readChunks(
    scope,
    { avatarId, datasetIds, chunkIds, hasNotValid },
    { limit, offset, maxBytes: MAX_BYTES_READ },
  );
}

async function readSearch(
  scope: HostScope,
  { avatar_id: avatarId, dataset_ids: datasetIds }: Body,
  query: string,
  remainingMs: () => number,
): Promise<KnowledgeSearch> {
  const host = await findHost(scope);
  const { maxChunks: limit = 0, mask: isMasked = false } = host ?? {};
  const spender = { hostId: scope.hostId, hasBudget: host !== undefined && hasBudget(host), remainingMs };
  return { avatarId, datasetIds, query, filterTerms: 'unfiltered', limit, isMasked, spender };
}

function readFoundPage(
  scope: HostScope,
  { avatar_id: avatarId, limit = MAX_CHUNKS_READ, offset = 0 }: Body,
  found: readonly FoundChunk[],
): Promise<DataOf<'readChunks'>> {
  const page = found.slice(offset, offset + limit);
  return readChunksById(
    scope,
    avatarId,
    page.map(chunk => chunk.chunkId),
  );
}

export const readCitedPassage: Handler<'readCitedPassage'> = ({ body, read }) =>
  read(async scope => {
    if (!(await findConversation(scope, body.conversationId))) return failure('conversation-not-found');
    const cited = await readCitedChunk(scope, body);
    return cited ? { code: 200, data: cited } : failure('chunk-not-found');
  });

function chunkEntryOf(
  hostId: string,
  {
    id,
    content,
    filter,
    datasetId,
    validity: { from, until },
  }: Pick<StoredChunk, 'id' | 'content' | 'filter' | 'datasetId'> & { readonly validity: Validity },
): DataOf<'createChunk'> {
  return {
    chunk_id: id,
    content,
    ...filterEntryOf(filter),
    dataset_id: datasetId,
    host_id: hostId,
    ...(from && { valid_from: from.toISOString() }),
    ...(until && { valid_until: until.toISOString() }),
  };
}

/** A chunk is in one dataset, which the caller names alone or as a list of one. */
function readDatasetId({ dataset_id }: { readonly dataset_id: string | readonly string[] }): string {
  const [only = ''] = typeof dataset_id === 'string' ? [dataset_id] : dataset_id;
  return only.toLowerCase();
}

interface SentChunk {
  readonly content: string;
  readonly filter?: SentFilter | undefined;
}

interface CheckedContent {
  readonly content: string;
  /** Undefined if the caller says nothing about a filter. */
  readonly filter: PassageFilter | undefined;
}

/** Returns the content as a dataset of this type stores it, without a head, or the failure that refuses it. */
async function checkContent(
  scope: HostScope,
  { content, filter }: SentChunk,
  datasetType: DatasetType,
): Promise<CheckedContent | Failure> {
  if (content.trim() === '') return fieldFailure('content', 'not-empty', 'must hold some text');
  const limit = (await findHost(scope))?.chunkSizeLimit ?? 0;
  if (isLongerThan(limit, content))
    return fieldFailure('content', 'max-length', { limit, message: `must hold at most ${limit} characters` });
  if (!(await isIndexable(scope, content)))
    return fieldFailure('content', 'too-large', 'must hold less than 1 MiB of different words');
  const sent = filter && checkFilter(filter);
  if (sent && isFailure(sent)) return sent;
  const head = headOf(content);
  if (head && 'filter' in head)
    return sent
      ? fieldFailure('filter', 'both-given', 'is given twice: the content has a head, too')
      : { content: head.body, filter: head.filter };
  // Text below a rule is plain text if the caller sent a filter, or in a common dataset.
  if (head && !sent && datasetType === 'filtered_rag')
    return fieldFailure('content', 'front-matter', {
      message: `line ${head.line}: ${head.error}; \`filter\` takes the same`,
    });
  return { content, filter: sent };
}

/** Returns the filter in its stored form, or the failure that refuses it. */
export function checkFilter(sent: SentFilter): PassageFilter | Failure {
  const read = filterOf(sent);
  return 'empty' in read
    ? fieldFailure('filter', 'required', `must have a value for ${read.empty}`)
    : read.filter;
}

function filterEntryOf(filter: PassageFilter): { readonly filter?: Record<string, string[]> } {
  const entries = Object.entries(filter).map(([key, values]): [string, string[]] => [key, [...values]]);
  return entries.length === 0 ? {} : { filter: Object.fromEntries(entries) };
}
