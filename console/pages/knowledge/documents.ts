import type { BodyOf, DataOf } from '../../../queues/contract/operations/index.ts';
import { formatCount } from '../../format.ts';
import { call } from '../../service.ts';
import type { OpenDataset } from './open-dataset.ts';

export type ListedDocument = DataOf<'listDocuments'>['items'][number];
type ToImport = Omit<BodyOf<'importDocument'>, 'hostId' | 'dataset_id'>;

/** The first pages of the documents of a dataset, newest first. */
export async function readDocuments({ host, dataset }: OpenDataset, pages: number) {
  const items: ListedDocument[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pages; page += 1) {
    const of = { hostId: host.host_id, dataset_id: dataset.id, limit: 100 };
    const found: DataOf<'listDocuments'> = await call('listDocuments', {
      ...of,
      ...(cursor ? { cursor } : {}),
    });
    items.push(...found.items);
    cursor = found.nextCursor;
    if (!cursor) break;
  }
  return { items, hasMore: cursor !== null };
}

export const isImporting = ({ state }: ListedDocument): boolean => state === 'waiting' || state === 'running';

export const acceptedFiles = '.pdf,.docx,.xlsx,.md,.markdown,.txt,.html,.htm,.csv';
const MAX_BYTES = 16 * 1_048_576;
const contentTypes: Readonly<Record<string, NonNullable<ToImport['content_type']>>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  md: 'text/markdown',
  markdown: 'text/markdown',
  txt: 'text/plain',
  html: 'text/html',
  htm: 'text/html',
  csv: 'text/csv',
};

/** Formats in which people can save such a file to import it. */
const saveAs: Readonly<Record<string, string>> = {
  xls: 'Excel (.xlsx) ou CSV',
  xlsm: 'Excel (.xlsx) ou CSV',
  ods: 'Excel (.xlsx) ou CSV',
  doc: 'Word (.docx) ou PDF',
  odt: 'Word (.docx) ou PDF',
  rtf: 'Word (.docx) ou PDF',
  ppt: 'PDF',
  pptx: 'PDF',
  odp: 'PDF',
};

const endingOf = ({ name }: File) => name.split('.').at(-1)?.toLowerCase() ?? '';
const typeOf = (file: File) => contentTypes[endingOf(file)];

/** Says why a file cannot be imported, before it is sent. */
export function findProblem(file: File): string | undefined {
  const other = saveAs[endingOf(file)];
  if (other) return `Salve como ${other} e importe de novo.`;
  if (!typeOf(file)) return 'Não é PDF, Word, Excel (.xlsx), Markdown, texto, HTML nem CSV.';
  return file.size > MAX_BYTES ? 'O arquivo tem mais de 16 MB: divida-o.' : undefined;
}

/** Reads a file; on import it replaces the one of the same name. */
export async function readFile(file: File): Promise<ToImport> {
  const { name } = file;
  const contentType = typeOf(file) ?? 'text/plain';
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { name, external_key: name, content_type: contentType, content_base64: toBase64(bytes) };
}

/** A page of a site; on import it replaces the former content of the same address. */
export const documentAt = (url: string): ToImport => ({ name: url, external_key: url, url });

/** `fromCharCode` takes characters as arguments, and the number of arguments is limited. */
const SLICE_LENGTH = 32_768;

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += SLICE_LENGTH) {
    text += String.fromCharCode(...bytes.subarray(from, from + SLICE_LENGTH));
  }
  return btoa(text);
}

type Reason = NonNullable<ListedDocument['reason']>;

/** Why a document was not imported, and what to do about it. */
const reasons: Readonly<Record<Reason, string>> = {
  'wrong-kind': 'o arquivo não é do tipo que o nome diz.',
  encrypted: 'ele tem senha. Salve uma cópia sem senha.',
  broken: 'ele está danificado. Abra e salve de novo.',
  'no-text':
    'ele não tem texto, só imagens. Importe de novo com “Ler páginas digitalizadas com um modelo”, ou passe por um reconhecimento de texto (OCR).',
  'too-large': 'ele é grande demais. Divida-o.',
  'too-many-pages': 'ele tem páginas demais. Divida-o.',
  'too-many-passages': 'ele tem passagens demais. Divida-o.',
  'too-slow': 'a leitura demorou demais. Divida-o.',
  'too-much-memory': 'a leitura precisou de memória demais. Divida-o.',
  'front-matter-invalid':
    'o começo parece dizer para quem ele é, e não dá para ler; ou isso foi dito duas vezes.',
  'filter-missing':
    'há trechos novos, e os de antes são só para algumas pessoas. Diga no começo do texto ou em “filter” para quem eles são.',
  'address-refused': 'este endereço não é permitido.',
  unreachable: 'o endereço não respondeu.',
  gone: 'o endereço não existe mais.',
  shrunk:
    'o endereço tem menos da metade do que tinha. O de antes continua valendo, a não ser que isso se repita.',
  'dataset-deleted': 'a base foi excluída.',
  superseded: 'uma importação mais nova o substituiu.',
  interrupted: 'a importação foi interrompida. Importe de novo.',
};

export const reasonText = (reason: Reason | undefined): string =>
  reason ? reasons[reason] : 'não foi possível ler o documento.';

const MAX_SHOWN = 10;

/** Says what could not be read of a site. */
export function unreadText({ count, pages }: NonNullable<ListedDocument['incomplete']>): string {
  const unread = formatCount(count, 'página não foi lida', 'páginas não foram lidas');
  return `${unread}: ${namesOf({ count, pages })}. O que havia delas continua valendo.`;
}

/** Says what a site no longer has. */
export function goneText({ count, pages }: NonNullable<ListedDocument['gone']>): string {
  const gone = formatCount(count, 'página não existe mais', 'páginas não existem mais');
  return `${gone}: ${namesOf({ count, pages })}. O que havia delas saiu.`;
}

function namesOf({ count, pages }: NonNullable<ListedDocument['gone']>): string {
  const shown = pages.slice(0, MAX_SHOWN);
  const more =
    count > shown.length ? ` e mais ${formatCount(count - shown.length, 'página', 'páginas')}` : '';
  return shown.join(', ') + more;
}
