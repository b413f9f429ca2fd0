import { randomUUID } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';
import type { Knex } from 'knex';
import type { Db } from '../db/connection.ts';
import { isWithinLimits } from '../db/hosts/host-limits.ts';
import { LINK_HOURS, listPeople, lockPeople, setPersonLink, upsertPerson } from '../db/hosts/people.ts';
import { insertSignInLink } from '../db/hosts/sessions.ts';
import { makeToken } from '../db/hosts/token-text.ts';
import { insertToken } from '../db/hosts/tokens.ts';
import { readConfig } from '../platform/config.ts';
import { type TokenScope, tokenScopes } from '../queues/contract/operation.ts';
import { isEmail } from '../queues/contract/operations/people.ts';
import { ordinaryScopes, TOKEN_PERIOD } from '../queues/contract/operations/tokens.ts';
import { expiryOf } from '../workers/hosts/tokens.ts';
import { findHostId, withTransaction } from './with-database.ts';

interface LinkCommandOptions {
  readonly host: string;
  readonly scope: TokenScope[];
  readonly expires: string;
  readonly name: string;
  readonly admin: boolean;
  readonly email: string;
  readonly url?: string;
}

/** Enough time to send and open a link. */
const VALID_MINUTES = 10;

/** `npm run token -- link`: it prints an address of the console, which no operation does. */
export async function runTokenLink(args: readonly string[]): Promise<void> {
  await new Command('token link')
    .description(
      'Prints a link to the console that signs in once: within 10 minutes, or an administrator within 72 hours.',
    )
    .option('--admin', 'for a person who administrates: the person of this e-mail, or a new one', false)
    .option('--email <address>', 'e-mail address of that person', '')
    .requiredOption('--host <slug>', 'slug of the host')
    .option('--scope <scopes...>', `one or more of: ${tokenScopes.join(' ')}`, scopesOf, [])
    .option(
      '--expires <period>',
      'end of the session, for example 8h; an administrator’s lasts while it is used',
      periodOf,
      '12h',
    )
    .option('--name <text>', 'name of the person, shown to colleagues and in the audit', '')
    .option('--url <address>', 'address of the service: https://parley.example', addressOf)
    .action((options: LinkCommandOptions) =>
      withTransaction('token link', tx =>
        options.admin ? createAdminLink(tx, options) : createSignInLink(tx, linkOptionsOf(options)),
      ),
    )
    .parseAsync(args, { from: 'user' });
}

/** Makes a link for the first administrator, who then invites the others; also if nobody else is left who may sign in. */
async function createAdminLink(
  tx: Knex.Transaction,
  { host, name, email, scope, url }: LinkCommandOptions,
): Promise<string> {
  if (scope.length > 0) throw new Error('An administrator has all scopes: leave --scope out.');
  const people = { tx, hostId: await findHostId(tx, host) };
  await lockPeople(people);
  const isWanted = (person: { email: string }) => person.email.toLowerCase() === email.toLowerCase();
  const earlier = (await listPeople(people)).find(isWanted);
  const settings = { name: name || (earlier?.name ?? ''), email, role: 'admin' as const, disabled: false };
  if (!isEmail(email) || settings.name === '')
    throw new Error('Give the --name and the --email of the person who administrates.');
  const { personId } = await upsertPerson(people, { id: earlier?.personId ?? randomUUID(), ...settings });
  if (!earlier && !(await isWithinLimits(people, 'people'))) throw new Error('The host has too many people.');
  const { text, hash } = makeToken('lnk');
  await setPersonLink(people, personId, { hash, hours: LINK_HOURS });
  return consoleAddress(text, url);
}

function linkOptionsOf({ host, scope, expires, name, url }: LinkCommandOptions): LinkOptions {
  return {
    host,
    url,
    scopes: scope.length > 0 ? scope : ordinaryScopes,
    expiresAt: expiryOf(expires),
    name: name || 'console',
  };
}

function scopesOf(value: string, previous: TokenScope[]): TokenScope[] {
  const named = value.split(/[\s,]+/).filter(Boolean);
  const unknown = named.find(scope => !tokenScopes.includes(scope as TokenScope));
  if (unknown) throw new InvalidArgumentError(`"${unknown}" is none of ${tokenScopes.join(', ')}.`);
  return [...previous, ...(named as TokenScope[])];
}

function addressOf(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new InvalidArgumentError('Give the address of the service, as https://parley.example.');
  return value;
}

function periodOf(value: string): string {
  if (TOKEN_PERIOD.test(value)) return value;
  throw new InvalidArgumentError('Give hours or days, as 12h or 30d, or "never".');
}

interface LinkOptions {
  readonly host: string;
  /** The base address of the service; absent for this machine. */
  readonly url: string | undefined;
  readonly scopes: readonly TokenScope[];
  readonly expiresAt: Date | null;
  readonly name: string;
}

/**
 * Makes a link to the console that signs in once. Its secret follows the `#`, which browsers send to no server, and only its hash
 * is stored.
 */
async function createSignInLink(tx: Db, options: LinkOptions): Promise<string> {
  const { host, url, ...rights } = options;
  // Nobody knows the text of this token: the exchange replaces its hash.
  const tokenId = await insertToken(tx, {
    ...rights,
    hash: makeToken().hash,
    hostIds: [await findHostId(tx, host)],
  });
  const { text, hash } = makeToken('lnk');
  await insertSignInLink(tx, { hash, tokenId, minutes: VALID_MINUTES });
  return consoleAddress(text, url);
}

function consoleAddress(link: string, url: string | undefined): string {
  const { port, publicUrl } = readConfig();
  return `${new URL('/console', url ?? publicUrl ?? `http://localhost:${port}`).href}#entrar=${link}`;
}
