import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Command } from 'commander';
import type { Db } from '../db/connection.ts';
import { readConfig } from '../platform/config.ts';
import { MAX_DOCUMENT_BYTES } from '../queues/contract/body-limit.ts';
import { isFailure } from '../queues/contract/failure.ts';
import { type BodyOf, type DataOf, type OperationName } from '../queues/contract/operations/index.ts';
import { keyOfQuestion, proposeQuestions, type ReadPassage } from '../workers/domain/propose-questions.ts';
import { UnreadableError } from '../workers/knowledge/document-kind.ts';
import { findSources, type SiteSources } from '../workers/knowledge/find-sources.ts';
import { egressRulesOf, openEgress } from '../workers/tools/egress.ts';
import { type Contradictions, reportPage } from './begin-report.ts';
import { describeFailure } from './call-operation.ts';
import { findDatabaseUrl } from './database-url.ts';
import { rehearseCases } from './rehearse-cases.ts';
import { type Fields, runOperation } from './run-operation.ts';
import { findSecretKey, withDatabase } from './with-database.ts';

/*
 * From an address to an assistant: a dataset with the site, an avatar that reads it, cases from its headings, their verdicts, a page
 * that shows all of it. Each step looks for what it made before, so that a run that was broken off goes on, and a second one
 * makes nothing twice: the dataset is found by its document or by its name, which is the address; the avatar by its sub-slug,
 * or as a reader of the dataset; the documents by their keys; the cases by their questions.
 */

interface BeginOptions {
  readonly host?: string;
  readonly avatar?: string;
  readonly out: string;
}

const MAX_PROPOSED = 30;
const AT_ONCE = 4;
const LOOK_EVERY_MS = 1_000;
/** Of looks at imports that nobody has begun. */
const LOOKS_UNTIL_HINT = 15;

const command = new Command('begin')
  .description(
    'Reads a site, makes an assistant of it that nobody reaches by accident, asks it questions of the site, and writes a report. The service must run.',
  )
  .argument('<address>', 'such as https://www.exemplo.edu.br')
  .option('--host <slug>', 'slug of the host; not needed where there is one')
  .option('--avatar <sub_slug>', 'sub_slug of the avatar; by default made of the address')
  .option('--out <path>', 'where to write the report', 'report.html')
  .parse();

await withDatabase(db => begin(db, addressOf(command.args[0] ?? ''), command.opts<BeginOptions>()));

async function begin(db: Db, address: string, options: BeginOptions): Promise<void> {
  const call = makeCall(db, options.host);
  const { host, avatars } = (await call('listAvatars', {})).avatarsAdminList;
  const hostId = host.host_id;
  const found = await readSources(address);
  const known = await findDataset(call, hostId, address);
  const slug = options.avatar ?? slugOf(address);
  const reader = findReader(avatars, known, slug, options.avatar === undefined);
  const dataset = known ?? (await call('createDataset', { hostId, datasetName: address })).id;
  const avatar = reader ?? (await makeAvatar(call, { hostId, address, dataset, slug, first: avatars[0] }));
  say(`Dataset ${dataset}, assistant ${avatar.subSlug}.`);
  const documents = await readSite(call, { hostId, dataset, sources: found.urls, address });
  const passages = await readPassages(call, { hostId, dataset, avatarId: avatar.id });
  const proposed = proposeQuestions(passages, MAX_PROPOSED);
  const cases = await saveCases(call, { hostId, avatarId: avatar.id }, proposed);
  say(`${passages.length} passages. Asking ${cases.length} questions …`);
  const config = readConfig();
  const settings = {
    ...config,
    databaseUrl: await findDatabaseUrl(config),
    secretKey: await findSecretKey(config),
  };
  const verdicts = await rehearseCases(db, settings, { hostId, subSlug: avatar.subSlug }, cases, AT_ONCE);
  const page = reportPage({
    address,
    host: host.host_name,
    avatar: { ...avatar, isOnly: avatars.every(({ avatar_id }) => avatar_id === avatar.id) },
    madeAt: new Date(),
    leftOut: found.leftOut,
    documents,
    passages,
    proposed,
    verdicts,
    contradictions: await listContradictions(call, hostId, dataset),
  });
  await writeFile(options.out, page);
  say(`${options.out} says what is answered, from where, and what is missing.`);
  if (passages.length === 0) process.exitCode = 1;
}

function say(text: string): void {
  console.log(text);
}

function addressOf(text: string): string {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(whole)) throw new Error(`"${text}" is no address.`);
  const url = new URL(whole);
  url.hash = '';
  return url.href;
}

/** Runs an operation for the host; a refusal is an error. */
type Call = <N extends OperationName>(name: N, fields: Fields & Partial<BodyOf<N>>) => Promise<DataOf<N>>;

function makeCall(db: Db, host: string | undefined): Call {
  return async (name, fields) => {
    const outcome = await runOperation(db, name, fields, host === undefined ? undefined : [host]);
    if (isFailure(outcome)) throw new Error(describeFailure(outcome));
    return outcome.data;
  };
}

/** Before anything is made: an address that nobody can read makes nothing. */
async function readSources(address: string): Promise<SiteSources> {
  const egress = openEgress(egressRulesOf(readConfig()));
  try {
    return await findSources(egress.files(MAX_DOCUMENT_BYTES), address, new AbortController().signal);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new Error(`${address} cannot be read: ${error.reason}.`, { cause: error });
  } finally {
    await egress.close();
  }
}

/** The key of a document that this command imports. */
function keyOf(address: string, url: string): string {
  return `begin ${address} ${url}`;
}

async function findDataset(call: Call, hostId: string, address: string): Promise<string | undefined> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await call('listDocuments', { hostId, limit: 100, ...(cursor && { cursor }) });
    const ours = page.items.find(({ external_key: key }) => key?.startsWith(keyOf(address, '')));
    if (ours) return ours.dataset_id;
    cursor = page.nextCursor;
  }
  const datasets = await call('listDatasets', { hostId });
  return datasets.find(({ dataset_name: name }) => name === address)?.id;
}

type Avatars = DataOf<'listAvatars'>['avatarsAdminList']['avatars'];

interface Assistant {
  readonly id: string;
  readonly subSlug: string;
  readonly name: string;
}

/** The avatar of this sub-slug, or any that reads the dataset. Refuses one that does not: people may be talking to it. */
function findReader(
  avatars: Avatars,
  dataset: string | undefined,
  slug: string,
  mayBeAny: boolean,
): Assistant | undefined {
  const readers = avatars.filter(({ datasets }) => datasets.some(each => each.dataset_id === dataset));
  const named = avatars.find(({ sub_slug }) => sub_slug === slug);
  if (named && !readers.includes(named))
    throw new Error(`There is an assistant "${slug}" that does not read this site: choose another --avatar.`);
  const known = named ?? (mayBeAny ? readers[0] : undefined);
  return known && { id: known.avatar_id, subSlug: known.sub_slug, name: known.avatar_name };
}

interface NewAssistant {
  readonly hostId: string;
  readonly address: string;
  readonly dataset: string;
  readonly slug: string;
  /** The one that answers where none is named. */
  readonly first: Avatars[number] | undefined;
}

/** It speaks the language of the assistant that the host has, by its model. */
async function makeAvatar(
  call: Call,
  { hostId, address, dataset, slug, first }: NewAssistant,
): Promise<Assistant> {
  const like = first && (await call('readAvatar', { host_id: hostId, avatar_id: first.avatar_id }));
  const made = await call('createSubAvatar', {
    host_id: hostId,
    sub_slug: slug,
    avatar_name: new URL(address).hostname,
    dataset_ids: [dataset],
    ...(like && { language: like.language, model: like.model }),
  });
  return { id: made.avatar_id, subSlug: made.sub_slug, name: made.avatar_name };
}

function slugOf(address: string): string {
  const { host, pathname } = new URL(address);
  const words = `${host.replace(/^www\./, '')}${pathname}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 63);
}

interface SiteOrder {
  readonly hostId: string;
  readonly dataset: string;
  readonly sources: readonly string[];
  readonly address: string;
}

/** Orders what is not there yet, or failed, and waits for its end. */
async function readSite(call: Call, { hostId, dataset, sources, address }: SiteOrder) {
  const list = async () => {
    const { items } = await call('listDocuments', { hostId, dataset_id: dataset, limit: 100 });
    return items.filter(({ external_key: key }) => key?.startsWith(keyOf(address, '')));
  };
  const known = await list();
  for (const url of sources) {
    const external_key = keyOf(address, url);
    const there = known.find(document => document.external_key === external_key);
    if (there && there.state !== 'failed') continue;
    await call('importDocument', {
      hostId,
      dataset_id: dataset,
      name: new URL(url).hostname,
      external_key,
      url,
    });
    say(`Reading ${url} …`);
  }
  let documents = await list();
  for (let looks = 1; documents.some(({ state }) => state === 'waiting' || state === 'running'); looks += 1) {
    if (looks === LOOKS_UNTIL_HINT && documents.every(({ state }) => state === 'waiting'))
      say('Nobody has begun to read it: does the service run (npm start)?');
    await setTimeout(LOOK_EVERY_MS);
    documents = await list();
  }
  return documents;
}

interface Knowledge {
  readonly hostId: string;
  readonly dataset: string;
  readonly avatarId: string;
}

async function readPassages(call: Call, { hostId, dataset, avatarId }: Knowledge): Promise<ReadPassage[]> {
  const passages: ReadPassage[] = [];
  for (;;) {
    const fields = { hostId, avatar_id: avatarId, dataset_ids: [dataset], offset: passages.length };
    const chunks = await call('readChunks', fields);
    if (chunks.length === 0) return passages;
    for (const { chunk_id: id, content, document_title: page = '' } of chunks)
      passages.push({ id, content, page });
  }
}

/** Those within the site. They are looked for in the background, so a first run may be too early for them. */
async function listContradictions(call: Call, hostId: string, dataset: string): Promise<Contradictions> {
  const found: Contradictions[number][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await call('listContradictions', { hostId, limit: 100, ...(cursor && { cursor }) });
    found.push(...page.items.filter(({ passages }) => passages.every(each => each.datasetId === dataset)));
    cursor = page.nextCursor;
  }
  return found;
}

/** Adds the questions that are not there, as long as there are no more than are proposed; returns all that are there. */
async function saveCases(
  call: Call,
  avatar: { readonly hostId: string; readonly avatarId: string },
  proposed: ReturnType<typeof proposeQuestions>,
) {
  const { cases: known } = await call('listEvaluationCases', avatar);
  const keys = new Set(known.map(({ question }) => keyOfQuestion(question)));
  const added = proposed
    .filter(({ question }) => !keys.has(keyOfQuestion(question)))
    .slice(0, Math.max(0, MAX_PROPOSED - known.length))
    // The ids of passages change with their texts, so no case names one.
    .map(({ question }) => ({ question, expect: { unsupported: 0, askHumanHelp: false } }));
  if (added.length > 0) await call('saveEvaluationCases', { ...avatar, cases: [...known, ...added] });
  return [...known, ...added];
}
