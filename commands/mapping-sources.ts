import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { secretLabelOf } from '../api/signed-intake/signature-check.ts';
import { STANDARD_PREFIX } from '../api/signed-intake/signed-content.ts';
import { receiveSigned } from '../api/signed-intake/signed-intake-call.ts';
import type { Db } from '../db/connection.ts';
import {
  changeSource,
  deleteSource,
  findSourceForUpdate,
  insertSource,
  type ListedSource,
  listSources,
  rotateSecret,
  type SignatureScheme,
  type SourceChanges,
} from '../db/intake/crm-sources.ts';
import { type HostScope, withHost } from '../db/with-hosts.ts';
import { readConfig } from '../platform/config.ts';
import { makeSeal } from '../platform/seal.ts';
import { addSourceOptions, type SourceOptions, settingsOf } from './source-options.ts';
import { commandActorOf, findHostId, findSecretKey, withDatabase } from './with-database.ts';

/* Sources: systems that send signed records without a token. */

type NamedSource = Pick<SourceOptions, 'host' | 'name' | 'secretFile'>;

/** A source may still sign with its former secret for this many hours. */
const BOTH_VALID_HOURS = 24;
const ADDRESS_BYTES = 24;
const HEADER = ['name', 'kind', 'scheme', 'ack', 'state', 'secret set', 'address'].join('\t');

/** The length of a generated secret; Standard Webhooks allows 24 to 64 bytes. */
const SECRET_BYTES = 32;

export function addSourceCommands(program: Command): void {
  const named = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .requiredOption('--host <slug>', 'slug of the host')
      .requiredOption('--name <text>', 'name of the source');
  const secretOption = ['--secret-file <path>', 'its secret; default: a new one'] as const;
  addSourceOptions(named('set-source', 'Creates a source of signed records, or changes the given settings.'))
    .option(...secretOption)
    .action((options: SourceOptions) => change('mapping set-source', options, scope => set(scope, options)));
  named('show-source', 'Prints the settings of a source, without its secret.').action(
    (options: NamedSource) => withDatabase(db => show(db, options)),
  );
  named('rotate-source', `Gives a source another secret; both are valid for ${BOTH_VALID_HOURS} hours.`)
    .option(...secretOption)
    .action((options: NamedSource) =>
      change('mapping rotate-source', options, scope => rotate(scope, options)),
    );
  named('delete-source', 'Deletes a source: its records are refused at once.').action(
    (options: NamedSource) => change('mapping delete-source', options, scope => remove(scope, options)),
  );
  program
    .command('list-sources')
    .description('Lists the sources of a host.')
    .requiredOption('--host <slug>', 'slug of the host')
    .action((options: NamedSource) => withDatabase(db => list(db, options)));
}

/** Prints the result of `work` once it is committed. */
function change(
  operation: string,
  { host }: NamedSource,
  work: (scope: HostScope) => Promise<string>,
): Promise<void> {
  return withDatabase(async db => {
    console.log(await withHost(db, await findHostId(db, host), work, commandActorOf(operation)));
  });
}

async function set(scope: HostScope, options: SourceOptions): Promise<string> {
  const stored = await findSourceForUpdate(scope, options.name);
  return stored ? changeStored(scope, stored, options) : create(scope, options);
}

async function create(scope: HostScope, options: SourceOptions): Promise<string> {
  const { name, kind, scheme, ack = 'late', enabled = 'on', secretFile } = options;
  if (!/^[\w .-]{1,100}$/.test(name))
    throw new Error('A name is 1 to 100 letters, digits, blanks, dots, _ and -.');
  if (!kind || !scheme)
    throw new Error(`There is no source "${name}": give --kind and --scheme to create it.`);
  const settings = settingsOf(scheme, {}, options);
  const secret = await chooseSecret(scheme, secretFile);
  const [id, address] = [randomUUID(), randomBytes(ADDRESS_BYTES).toString('hex')];
  const source = { id, name, address, kind, scheme, settings, ack, enabled: enabled === 'on' };
  const isStored = await insertSource(scope, { ...source, sealedSecret: await sealSecret(secret, id) });
  if (!isStored) throw new Error(`Another command has just created the source "${name}".`);
  const replays = settings.signed !== undefined && settings.timestampHeader === undefined ? REPLAYS : [];
  return [`Source "${name}" created: ${addressOf(source)}`, ...linesOf(secret), ...replays].join('\n');
}

const REPLAYS = [
  'It signs no time, so a recorded request is accepted again at any time; a record has its id, so it is not doubled.',
];

async function changeStored(
  scope: HostScope,
  stored: ListedSource,
  { secretFile, ...options }: SourceOptions,
): Promise<string> {
  const { id, name, scheme } = stored;
  if (options.scheme && options.scheme !== scheme)
    throw new Error(`The source "${name}" signs by the scheme ${scheme}: delete it to create it anew.`);
  if (secretFile !== undefined) throw new Error('To change the secret, use "mapping rotate-source".');
  const changes: SourceChanges = {
    kind: options.kind ?? stored.kind,
    settings: settingsOf(scheme, stored.settings, options),
    ack: options.ack ?? stored.ack,
    enabled: options.enabled ? options.enabled === 'on' : stored.enabled,
  };
  await changeSource(scope, id, changes);
  return `Source "${name}" changed: ${addressOf({ ...stored, ...changes })}`;
}

async function rotate(scope: HostScope, { name, secretFile }: NamedSource): Promise<string> {
  const { id, scheme } = await findStored(scope, name);
  const secret = await chooseSecret(scheme, secretFile);
  const sealedSecret = await sealSecret(secret, id);
  await rotateSecret(scope, id, { sealedSecret, bothValidHours: BOTH_VALID_HOURS });
  const told = `Secret of source "${name}" changed: the one before is valid for ${BOTH_VALID_HOURS} hours more.`;
  return [told, ...linesOf(secret)].join('\n');
}

async function remove(scope: HostScope, { name }: NamedSource): Promise<string> {
  if (!(await deleteSource(scope, name))) throw new Error(`There is no source "${name}".`);
  return `Source "${name}" deleted: its records are refused from now on.`;
}

async function show(db: Db, { host, name }: NamedSource): Promise<void> {
  const source = await withHost(db, await findHostId(db, host), scope => findStored(scope, name));
  const { id: _, address: __, ...settings } = source;
  console.log(JSON.stringify({ ...settings, url: addressOf(source) }, null, 2));
}

async function list(db: Db, { host }: NamedSource): Promise<void> {
  const sources = await withHost(db, await findHostId(db, host), listSources);
  console.log([HEADER, ...sources.map(lineOf)].join('\n'));
}

async function findStored(scope: HostScope, name: string): Promise<ListedSource> {
  const stored = await findSourceForUpdate(scope, name);
  if (!stored) throw new Error(`There is no source "${name}".`);
  return stored;
}

function linesOf({ text, isNew }: SourceSecret): string[] {
  return isNew ? [`Secret, shown once: ${text}`] : [];
}

function lineOf(source: ListedSource): string {
  const { name, kind, scheme, ack, enabled, secretSetAt } = source;
  const state = enabled ? 'enabled' : 'disabled';
  return [name, kind, scheme, ack, state, secretSetAt.toISOString().slice(0, 16), addressOf(source)].join(
    '\t',
  );
}

/** The URL, or its path if the source does not say how it calls Parley. */
function addressOf({ address, settings }: Pick<ListedSource, 'address' | 'settings'>): string {
  return `${settings.baseUrl ?? ''}${receiveSigned.path.replace(':address', address)}`;
}

interface SourceSecret {
  readonly text: string;
  /** Whether it was made here, so that nobody else knows it. */
  readonly isNew: boolean;
}

/** Reads the secret from the file, or makes a new one; throws if it does not fit the scheme. HubSpot makes its own. */
export async function chooseSecret(scheme: SignatureScheme, file: string | undefined): Promise<SourceSecret> {
  if (file !== undefined) return { text: checkSecret(scheme, await readSecret(file)), isNew: false };
  if (scheme === 'hubspot') throw new Error('Give the client secret of the HubSpot app in --secret-file.');
  const bytes = randomBytes(SECRET_BYTES);
  const text =
    scheme === 'standard' ? `${STANDARD_PREFIX}${bytes.toString('base64')}` : bytes.toString('hex');
  return { text, isNew: true };
}

/** Encrypts the secret for the database. */
async function sealSecret({ text }: SourceSecret, sourceId: string): Promise<string> {
  return makeSeal(await findSecretKey(readConfig()), 'source secret').seal(text, secretLabelOf(sourceId));
}

async function readSecret(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`${file} cannot be read.`);
  });
  return text.trim();
}

function checkSecret(scheme: SignatureScheme, text: string): string {
  if (scheme !== 'standard') {
    if (text.length >= 16 && text.length <= 500) return text;
    throw new Error('A secret has 16 to 500 characters.');
  }
  const bytes = Buffer.from(text.slice(STANDARD_PREFIX.length), 'base64').length;
  const isSecret = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && bytes >= 24 && bytes <= 64;
  if (!isSecret)
    throw new Error(`A secret of Standard Webhooks is ${STANDARD_PREFIX} and 24 to 64 bytes in base64.`);
  return text;
}
