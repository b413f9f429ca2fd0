import { SVC } from '../../queues/contract/operations/paths.ts';
import { eventually } from './eventually.ts';
import type { ApiResponse, CallOptions, Service } from './service.ts';

/** What GET /jobs/{id} tells of an import. */
export interface ImportLookup {
  readonly state: string;
  readonly code?: number;
  readonly progress: { readonly stage: string; readonly done: number; readonly total: number };
  readonly data?: {
    readonly documentId: string;
    readonly reason?: string;
    readonly passages?: number;
    readonly added?: number;
    readonly kept?: number;
    readonly removed?: number;
    readonly struck?: number;
    readonly incomplete?: { readonly count: number; readonly pages: readonly string[] };
    readonly gone?: { readonly count: number; readonly pages: readonly string[] };
  };
}

export async function makeDataset(
  service: Service,
  { hostId, token }: { readonly hostId: string; readonly token: string } = service.demo,
  more: Record<string, unknown> = {},
): Promise<string> {
  const { body } = await service.call(
    `${SVC}/createDatasetsHelper`,
    { hostId, datasetName: 'Importado', ...more },
    { token },
  );
  return body.data.id;
}

export function sendDocument(
  service: Service,
  body: Record<string, unknown>,
  options: CallOptions = {},
): Promise<ApiResponse> {
  return service.call(`${SVC}/importDocumentHelper`, { hostId: service.demo.hostId, ...body }, options);
}

export async function untilImported(
  service: Service,
  jobId: string,
  options: CallOptions = {},
): Promise<ImportLookup> {
  // Requests alone would take much time from the parser, which has a lower priority.
  await eventually(
    () => service.db('document_imports').where({ id: jobId }).first('ended_at'),
    row => row !== undefined && row.ended_at !== null,
    90_000,
  );
  const find = async () =>
    (await service.call(`/jobs/${jobId}`, undefined, { method: 'GET', ...options })).body
      .data as ImportLookup;
  return eventually(find, ({ state }) => state === 'completed' || state === 'failed', 90_000);
}

/** Imports a document and waits for its end. */
export async function importAndWait(
  service: Service,
  body: Record<string, unknown>,
  options: CallOptions = {},
): Promise<ImportLookup> {
  const { status, body: answer } = await sendDocument(service, body, options);
  if (status !== 202) throw new Error(`the import was answered with ${status}: ${JSON.stringify(answer)}`);
  return untilImported(service, answer.data.jobId, options);
}

export interface StoredChunk {
  readonly id: string;
  readonly content: string;
  readonly place: string;
}

export function chunksOf(service: Service, datasetId: string): Promise<StoredChunk[]> {
  return service
    .db('chunks')
    .where({ dataset_id: datasetId, deleted: false })
    .select('id', 'content', 'place')
    .orderBy('content');
}
