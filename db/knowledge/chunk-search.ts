import { type Fragment, jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { DatasetType } from './datasets.ts';

/** The knowledge that a search may read. */
export interface KnowledgeScope {
  readonly avatarId: string;
  /** Undefined: all readable datasets of the avatar. */
  readonly datasetIds?: readonly string[] | undefined;
}

/** A stem in the knowledge that matches a word of the query. */
export interface KnownStem {
  readonly word: string;
  /** The word itself, or the most similar spelling in the knowledge. */
  readonly written: string;
  readonly stem: string;
  /** Similarity of the spelling: 1 for the word itself. */
  readonly likeness: number;
  /** Chunks that contain it, and chunks in all; estimates for large knowledge. */
  readonly chunks: number;
  readonly total: number;
}

export interface CandidateSearch extends KnowledgeScope {
  /**
   * The turn's values for each key of a filter, normalized like filters; a missing key has no value. 'unfiltered' is for people
   * who maintain the knowledge.
   */
  readonly filterTerms: Readonly<Record<string, readonly string[]>> | 'unfiltered';
  /** One stem, or several separated by blanks: chunks that contain all of them are candidates. */
  readonly probes: readonly string[];
  /** Stems of the first ranking. */
  readonly stems: readonly string[];
  readonly weights: readonly number[];
  readonly limit: number;
}

export interface CandidateChunk {
  readonly chunkId: string;
  readonly datasetId: string;
  readonly datasetName: string;
  readonly datasetType: DatasetType;
  readonly body: string;
  readonly tokenCount: number;
  /** The document of an imported chunk, and the document's name with the place of the chunk in it. */
  readonly documentId: string | null;
  readonly documentTitle: string | null;
}

/** A readable chunk that people call by a word of the query. */
export interface NamedChunk extends CandidateChunk {
  readonly word: string;
  readonly stem: string;
  readonly peopleWords: string;
}

interface KnownWords {
  readonly stems: readonly KnownStem[];
  readonly named: readonly NamedChunk[];
}

/** Finds what the words stand for. Only the first `literalCount`, the query's own, match by similarity, and as names. */
export async function findKnownWords(
  { tx, hostId }: HostScope,
  { avatarId, datasetIds, filterTerms }: KnowledgeScope & Pick<CandidateSearch, 'filterTerms'>,
  words: readonly string[],
  literalCount: number,
): Promise<KnownWords> {
  const terms = filterTerms === 'unfiltered' ? null : jsonOf(filterTerms);
  const only = datasetIds ?? null;
  const [known] = await rowsOf<KnownWords>(tx)`
    select coalesce((
        select json_agg(row_to_json(known_stem))
        from known_stems(${hostId}, ${avatarId}, ${only}::uuid[], ${words}::text[], ${literalCount}) known_stem
      ), '[]') as stems,
      coalesce(named_chunks(${hostId}, ${avatarId}, ${only}::uuid[], ${terms}::jsonb,
        ${words.slice(0, literalCount)}::text[]), '[]') as named`;
  return known ?? { stems: [], named: [] };
}

/** Finds the best candidates of the first ranking. */
export async function findCandidates(
  scope: HostScope,
  { avatarId, datasetIds, filterTerms, probes, stems, weights, limit }: CandidateSearch,
): Promise<CandidateChunk[]> {
  const { tx, hostId } = scope;
  const terms = filterTerms === 'unfiltered' ? null : jsonOf(filterTerms);
  return rowsOf<CandidateChunk>(tx)`
    select chunk.chunk_id as "chunkId", chunk.dataset_id as "datasetId", chunk.dataset_name as "datasetName",
      chunk.dataset_type as "datasetType", chunk.body, chunk.token_count as "tokenCount",
      chunk.document_id as "documentId", chunk.document_title as "documentTitle"
    from chunk_candidates(${hostId}, ${avatarId}, ${datasetIds ?? null}::uuid[], ${terms}::jsonb,
      ${probes}::text[], ${stems}::text[], ${weights.map(String)}::real[], ${limit}) candidate
    cross join lateral (${readableChunk(scope, avatarId, sql`candidate.chunk_id`)}) chunk
    order by candidate.score desc, chunk.chunk_id`;
}

/**
 * Selects the chunk with this id, if the avatar may read it. Must be joined laterally: otherwise the planner of a large host
 * reads all chunks to join eighty.
 */
export function readableChunk({ hostId }: HostScope, avatarId: string, id: Fragment): Fragment {
  return sql`
    select * from readable_chunks readable
    where readable.host_id = ${hostId} and readable.avatar_id = ${avatarId} and readable.chunk_id = ${id}
    limit 1`;
}
