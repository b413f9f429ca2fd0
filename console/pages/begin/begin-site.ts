import type { BodyOf, DataOf } from '../../../queues/contract/operations/index.ts';

/*
 * From an address to an assistant: a dataset with the site, an avatar that reads it, cases from its headings. The page “Começar”
 * and `npm run begin` take the same steps. Each looks for what it made before, so that a run that was broken off goes on, and a
 * second one makes nothing twice: the dataset is found by its document or by its name, which is the address; the avatar by its
 * sub-slug, or as a reader of the dataset; the documents by their keys; the cases by their questions. Of two who begin with it at
 * once, one makes the avatar with its dataset, and the other goes on with these.
 */

type StepName =
  | 'findSiteSources'
  | 'readAvatar'
  | 'createSubAvatar'
  | 'listDatasets'
  | 'listDocuments'
  | 'importDocument'
  | 'proposeCases'
  | 'listEvaluationCases'
  | 'saveEvaluationCases'
  | 'listContradictions'
  | 'readChunks';

/** Runs an operation; rejects if it is refused. */
export type Call = <N extends StepName>(name: N, body: BodyOf<N>) => Promise<DataOf<N>>;
type Documents = DataOf<'listDocuments'>['items'];
type Hosted = DataOf<'listAvatars'>['avatarsAdminList'];
type Avatar = Hosted['avatars'][number];
export type Cases = DataOf<'listEvaluationCases'>['cases'];

/** How far a run is. */
export type Progress =
  | { readonly step: 'finding' }
  | { readonly step: 'making' }
  | { readonly step: 'reading'; readonly documents: Documents; readonly looks: number }
  | { readonly step: 'proposing' };

interface Assistant {
  readonly id: string;
  readonly subSlug: string;
  readonly name: string;
  /** Then it also answers who names none. */
  readonly isOnly: boolean;
}

/** All that is there before questions are asked. */
export interface PreparedSite {
  readonly address: string;
  readonly hostId: string;
  readonly host: string;
  readonly dataset: string;
  readonly avatar: Assistant;
  /** Sitemaps that were not read. */
  readonly left: readonly string[];
  readonly documents: Documents;
  readonly found: DataOf<'proposeCases'>;
  readonly cases: Cases;
}

/** Why nothing was made. */
export type Refused =
  | {
      readonly refused: 'unreadable';
      readonly address: string;
      readonly reason: NonNullable<DataOf<'findSiteSources'>['reason']>;
    }
  | { readonly refused: 'other-assistant'; readonly slug: string };

interface Order {
  /** Reads the host with the avatars that it has now. */
  readonly readHosted: () => Promise<Hosted>;
  readonly address: string;
  /** The sub-slug of the avatar; by default made of the address. */
  readonly slug?: string | undefined;
  readonly onStep: (progress: Progress) => void;
  /** Passes before imports are looked at again; rejects to give up. */
  readonly pause: () => Promise<unknown>;
}

export async function prepareSite(call: Call, order: Order): Promise<PreparedSite | Refused> {
  const { onStep } = order;
  onStep({ step: 'finding' });
  const { host, avatars } = await order.readHosted();
  const hostId = host.host_id;
  // Before anything is made: an address that nobody can read makes nothing.
  const site = await call('findSiteSources', { hostId, url: order.address });
  const address = site.url;
  if (site.reason) return { refused: 'unreadable', address, reason: site.reason };
  onStep({ step: 'making' });
  const known = await findDataset(call, hostId, address);
  const slug = order.slug ?? slugOf(address);
  const readers = avatars.filter(({ datasets }) => datasets.some(each => each.dataset_id === known));
  const named = avatars.find(({ sub_slug }) => sub_slug === slug);
  // People may be talking to it.
  if (named && !readers.includes(named)) return { refused: 'other-assistant', slug };
  const made = { hostId, address, known, slug, first: avatars[0] };
  const reader =
    named ??
    (order.slug === undefined ? readers[0] : undefined) ??
    (await makeAvatar(call, made).catch(async (error: unknown) => {
      const now = await order.readHosted();
      if (now.avatars.every(({ sub_slug }) => sub_slug !== slug)) throw error;
    }));
  if (!reader) return prepareSite(call, order);
  const dataset = known ?? reader.datasets[0]?.dataset_id ?? '';
  const { avatar_id: avatarId, sub_slug: subSlug, avatar_name: name } = reader;
  const isOnly = avatars.every(({ avatar_id }) => avatar_id === avatarId);
  const documents = await readSite(call, { ...order, hostId, address, dataset, sources: site.sources });
  onStep({ step: 'proposing' });
  const avatar = { id: avatarId, subSlug, name, isOnly };
  const found = await call('proposeCases', { hostId, avatarId, datasetId: dataset });
  const cases = await saveCases(call, { hostId, avatarId }, found.proposed);
  const { left } = site;
  return { address, hostId, host: host.host_name, dataset, avatar, left, documents, found, cases };
}

/** The key of a document that is imported here. */
const keyOf = (address: string, url: string): string =>
  ['begin', shortOf(address), url && shortOf(url)].join(' ');

/** A key has two addresses, and may have 200 characters. */
const MAX_SHORT = 96;

/** The address; a long one is cut, and told from others that begin so by a sum of its characters. */
function shortOf(address: string): string {
  if (address.length <= MAX_SHORT) return address;
  const sums = [0x811c9dc5, 0x1b873593].map(seed => {
    let sum = seed;
    for (const sign of address) sum = Math.imul(sum ^ sign.charCodeAt(0), 0x01000193) >>> 0;
    return sum.toString(36);
  });
  return `${address.slice(0, 80)}~${sums.join('')}`;
}

async function findDataset(call: Call, hostId: string, address: string): Promise<string | undefined> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: DataOf<'listDocuments'> = await call('listDocuments', {
      hostId,
      limit: 100,
      ...(cursor && { cursor }),
    });
    const ours = page.items.find(({ external_key: key }) => key?.startsWith(keyOf(address, '')));
    if (ours) return ours.dataset_id;
    cursor = page.nextCursor;
  }
  const datasets = await call('listDatasets', { hostId });
  return datasets.find(({ dataset_name: name }) => name === shortOf(address))?.id;
}

interface NewAssistant {
  readonly hostId: string;
  readonly address: string;
  /** Its dataset, where there is one. */
  readonly known: string | undefined;
  readonly slug: string;
  /** The one that answers where none is named. */
  readonly first: Avatar | undefined;
}

/** It speaks the language of the assistant that the host has, by its model. */
async function makeAvatar(call: Call, { hostId, address, known, slug, first }: NewAssistant) {
  const like = first && (await call('readAvatar', { host_id: hostId, avatar_id: first.avatar_id }));
  return call('createSubAvatar', {
    host_id: hostId,
    sub_slug: slug,
    avatar_name: nameOf(address),
    ...(known === undefined ? { new_dataset_name: shortOf(address) } : { dataset_ids: [known] }),
    ...(like && { language: like.language, model: like.model }),
  });
}

/** A name of a server has up to 253 characters, one here 200. */
const nameOf = (address: string) => new URL(address).hostname.slice(0, 200);

function slugOf(address: string): string {
  const { host, pathname, search } = new URL(address);
  const words = `${host.replace(/^www\./, '')}${pathname}${search}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 63);
}

interface SiteOrder extends Pick<Order, 'onStep' | 'pause'> {
  readonly hostId: string;
  readonly address: string;
  readonly dataset: string;
  readonly sources: readonly string[];
}

async function listDocuments(
  call: Call,
  { hostId, dataset, address }: Pick<PreparedSite, 'hostId' | 'dataset' | 'address'>,
): Promise<Documents> {
  const { items } = await call('listDocuments', { hostId, dataset_id: dataset, limit: 100 });
  return items.filter(({ external_key: key }) => key?.startsWith(keyOf(address, '')));
}

/** Orders what is not there yet, or failed, and waits for its end. */
async function readSite(
  call: Call,
  { hostId, address, dataset, sources, onStep, pause }: SiteOrder,
): Promise<Documents> {
  const known = await listDocuments(call, { hostId, dataset, address });
  for (const url of sources) {
    const external_key = keyOf(address, url);
    const there = known.find(document => document.external_key === external_key);
    if (there && there.state !== 'failed') continue;
    await call('importDocument', { hostId, dataset_id: dataset, name: nameOf(url), external_key, url });
  }
  for (let looks = 1; ; looks += 1) {
    const documents = await listDocuments(call, { hostId, dataset, address });
    onStep({ step: 'reading', documents, looks });
    if (!documents.some(({ state }) => state === 'waiting' || state === 'running')) return documents;
    await pause();
  }
}

/** Adds the questions that are not there; returns all that are there. */
async function saveCases(
  call: Call,
  avatar: { readonly hostId: string; readonly avatarId: string },
  proposed: DataOf<'proposeCases'>['proposed'],
): Promise<Cases> {
  const { cases: known } = await call('listEvaluationCases', avatar);
  const added = proposed
    .filter(({ stored }) => !stored)
    // The ids of passages change with their texts, so no case names one.
    .map(({ question }) => ({ question, expect: { unsupported: 0, askHumanHelp: false } }));
  if (added.length > 0) await call('saveEvaluationCases', { ...avatar, cases: [...known, ...added] });
  return [...known, ...added];
}

/** Where a passage stands, and what it says. */
export interface Saying {
  readonly text: string;
  readonly page: string;
}

/** Of looks at passages that are compared: 20,000 take some 20 s. */
const MAX_LOOKS = 60;
/** A report with more would not be read. */
const MAX_CONTRADICTIONS = 30;

export interface FoundContradictions {
  readonly pairs: readonly (readonly Saying[])[];
  /** Number of those that are left out. */
  readonly more: number;
  /** Whether some passages have not been compared yet. */
  readonly isPartial: boolean;
}

/** Those within the site, once its passages have been compared. */
export async function readContradictions(
  call: Call,
  site: PreparedSite,
  pause: Order['pause'],
): Promise<FoundContradictions> {
  const { hostId, dataset, avatar } = site;
  const isPartial = async () => (await listDocuments(call, site)).some(({ comparing }) => comparing);
  for (let looks = 1; looks < MAX_LOOKS && (await isPartial()); looks += 1) await pause();
  const found: DataOf<'listContradictions'>['items'] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: DataOf<'listContradictions'> = await call('listContradictions', {
      hostId,
      limit: 100,
      ...(cursor && { cursor }),
    });
    found.push(...page.items.filter(({ passages }) => passages.every(each => each.datasetId === dataset)));
    cursor = page.nextCursor;
  }
  const some = found.slice(0, MAX_CONTRADICTIONS);
  const ids = some.flatMap(({ passages }) => passages.map(({ chunkId }) => chunkId));
  const place = { hostId, avatar_id: avatar.id, dataset_ids: [dataset], chunk_ids: [...new Set(ids)] };
  const chunks = ids.length === 0 ? [] : await call('readChunks', place);
  const pages = new Map(chunks.map(({ chunk_id: id, document_title: page = '' }) => [id, page]));
  const pairs = some.map(({ passages, places }) =>
    passages.map(({ chunkId, content }, at) => {
      const { from = 0, to = content.length } = places[at]?.sentence ?? {};
      return { text: content.slice(from, to), page: pages.get(chunkId) ?? '' };
    }),
  );
  return { pairs, more: found.length - some.length, isPartial: await isPartial() };
}
