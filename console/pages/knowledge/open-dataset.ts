import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { readAll } from '../../read-all.ts';
import { call } from '../../service.ts';
import type { Avatar, HostOfSession } from '../../shell/session.ts';

export type Dataset = DataOf<'listDatasets'>[number];
export type Passage = DataOf<'readChunks'>[number];

export interface OpenDataset {
  readonly host: HostOfSession;
  readonly dataset: Dataset;
  readonly avatars: readonly Avatar[];
  /** The assistants that read it; its passages can be read only through one of them. */
  readonly readers: readonly Avatar[];
}

export const tabs = [
  ['passagens', 'Passagens'],
  ['documentos', 'Documentos'],
  ['testar', 'Testar'],
  ['ajustes', 'Ajustes'],
] as const;

/** The address of a tab. */
export const placeOf = (dataset: Dataset, tab: (typeof tabs)[number][0]): ['conhecimento', string[]] => [
  'conhecimento',
  [dataset.id, tab],
];

export const listReaders = (dataset: Dataset, avatars: readonly Avatar[]): Avatar[] =>
  avatars.filter(({ datasets }) => datasets.some(({ dataset_id }) => dataset_id === dataset.id));

export function describeReaders(readers: readonly Avatar[]): string {
  const names = readers.map(({ avatar_name }) => avatar_name).join(', ');
  return names ? `Lida por ${names}` : 'Nenhum assistente a lê';
}

/** Reads the passages, newest first, up to so many. */
export async function readPassages(
  { host, dataset, readers }: OpenDataset,
  most: number,
): Promise<Passage[]> {
  const [reader] = readers;
  if (!reader) return [];
  const body = {
    hostId: host.host_id,
    avatar_id: reader.avatar_id,
    dataset_ids: [dataset.id],
    include_not_valid: true,
  };
  return readAll((limit, offset) => call('readChunks', { ...body, limit, offset }), most);
}
