import { eventually } from './eventually.ts';
import type { Fields } from './operation-calls.ts';
import type { ServedHost } from './served-host.ts';
import type { ApiResponse, CallOptions, Service } from './service.ts';

/** GET /jobs/{id} tells this of an import. */
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
    readonly scans?: { readonly read: readonly object[]; readonly unread: readonly object[] };
    readonly incomplete?: { readonly count: number; readonly pages: readonly string[] };
    readonly gone?: { readonly count: number; readonly pages: readonly string[] };
  };
}

/** The demo host is the one that imports. */
type Importer = Pick<Service, 'db' | 'demo'>;

export async function makeDataset(
  service: Importer,
  host: Pick<ServedHost, 'call'> = service.demo,
  more: Fields = {},
): Promise<string> {
  return (await host.call('createDataset', { datasetName: 'Importado', ...more })).body.data.id;
}

export function sendDocument({ demo }: Importer, body: Fields, options?: CallOptions): Promise<ApiResponse> {
  return demo.call('importDocument', body, options);
}

export async function untilImported({ db, demo }: Importer, jobId: string): Promise<ImportLookup> {
  // Requests alone would take much time from the parser, which has a lower priority.
  await eventually(
    () => db('document_imports').where({ id: jobId }).first('ended_at'),
    row => row !== undefined && row.ended_at !== null,
    90_000,
  );
  const find = async (): Promise<ImportLookup> => (await demo.call('findJob', { jobId })).body.data;
  return eventually(find, ({ state }) => state === 'completed' || state === 'failed', 90_000);
}

export async function importAndWait(service: Importer, body: Fields): Promise<ImportLookup> {
  const { status, body: answer } = await sendDocument(service, body);
  if (status !== 202) throw new Error(`the import was answered with ${status}: ${JSON.stringify(answer)}`);
  return untilImported(service, answer.data.jobId);
}

export interface StoredChunk {
  readonly id: string;
  readonly content: string;
  readonly place: string;
}

export function chunksOf({ db }: Pick<Service, 'db'>, datasetId: string): Promise<StoredChunk[]> {
  return db('chunks')
    .where({ dataset_id: datasetId, deleted: false })
    .select('id', 'content', 'place')
    .orderBy('content');
}
