import type { Db } from '../connection.ts';
import { hostOfToken, type TokenHost } from '../hosts/tokens.ts';
import { jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * Sources: systems that send records without a token and sign them instead. Their secrets are encrypted; the key is not
 * known in db.
 */

export const signatureSchemes = ['standard', 'hubspot', 'hmac'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];
export const ackTimes = ['early', 'late'] as const;

/** Settings for a signing scheme that leaves them open. */
export interface SigningSettings {
  /** The address of the installation as the source calls it; HubSpot signs the URL. */
  readonly baseUrl?: string;
  /** The header with the signature. It and the following are for the scheme `hmac` only. */
  readonly header?: string;
  readonly algorithm?: 'sha256' | 'sha1';
  readonly encoding?: 'hex' | 'base64';
  /** Text before the signature, such as `sha256=`. */
  readonly prefix?: string;
  readonly timestampHeader?: string;
  /** The signed text, with the placeholders {timestamp} and {body}. */
  readonly signed?: string;
}

export interface SourceChanges {
  readonly kind: string;
  readonly settings: SigningSettings;
  readonly ack: (typeof ackTimes)[number];
  readonly enabled: boolean;
}

interface Source extends SourceChanges {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly scheme: SignatureScheme;
}

export interface NewSource extends Source {
  readonly sealedSecret: string;
}

/** A source as lists have it, without its secrets. */
export interface ListedSource extends Source {
  readonly secretSetAt: Date;
  /** Undefined: only the current secret is valid. */
  readonly earlierValidUntil: Date | null;
}

/** A source with its secrets, to check a signature. */
export interface SigningSource extends Pick<Source, 'id' | 'name' | 'kind' | 'scheme' | 'settings' | 'ack'> {
  readonly host: TokenHost;
  readonly sealedSecret: string;
  /** Null: only the current secret is valid. */
  readonly sealedEarlierSecret: string | null;
}

const columns = sql`id, name, address, kind, scheme, settings, ack, enabled, secret_set_at as "secretSetAt",
    case when earlier_valid_until > now() then earlier_valid_until end as "earlierValidUntil"`;

/** Finds the enabled source with this address. Works as the owner, because the address tells the host. */
export async function findSigningSource(db: Db, address: string): Promise<SigningSource | undefined> {
  const [source] = await rowsOf<SigningSource>(db)`
    select source.id, source.name, source.kind, source.scheme, source.settings, source.ack,
      source.sealed_secret as "sealedSecret",
      case when source.earlier_valid_until > now() then source.sealed_earlier_secret end as "sealedEarlierSecret",
      ${hostOfToken} as host
    from crm_sources source join hosts on hosts.id = source.host_id
    where source.address = ${address} and source.enabled`;
  return source;
}

/** Returns false if the host has a source of this name. */
export async function insertSource({ tx, hostId }: HostScope, source: NewSource): Promise<boolean> {
  const { id, name, address, kind, scheme, settings, ack, enabled, sealedSecret } = source;
  const inserted = await rowsOf(tx)`
    insert into crm_sources (host_id, id, name, address, kind, scheme, settings, ack, enabled, sealed_secret)
    values (${hostId}, ${id}, ${name}, ${address}, ${kind}, ${scheme}, ${jsonOf(settings)}::jsonb, ${ack}, ${enabled},
      ${sealedSecret})
    on conflict (host_id, name) do nothing returning id`;
  return inserted.length > 0;
}

/** Locks the source until the transaction ends. */
export async function findSourceForUpdate(
  { tx, hostId }: HostScope,
  name: string,
): Promise<ListedSource | undefined> {
  const [source] = await rowsOf<ListedSource>(tx)`
    select ${columns} from crm_sources where host_id = ${hostId} and name = ${name} for update`;
  return source;
}

export async function changeSource(
  { tx, hostId }: HostScope,
  id: string,
  { kind, settings, ack, enabled }: SourceChanges,
): Promise<void> {
  await rowsOf(tx)`
    update crm_sources set kind = ${kind}, settings = ${jsonOf(settings)}::jsonb, ack = ${ack}, enabled = ${enabled},
      updated_at = now()
    where host_id = ${hostId} and id = ${id}`;
}

/** Ends the secret before the current one at once; the current one stays valid for the given time. */
export async function rotateSecret(
  { tx, hostId }: HostScope,
  id: string,
  { sealedSecret, bothValidHours }: { readonly sealedSecret: string; readonly bothValidHours: number },
): Promise<void> {
  await rowsOf(tx)`
    update crm_sources set sealed_earlier_secret = sealed_secret, sealed_secret = ${sealedSecret},
      earlier_valid_until = now() + ${bothValidHours} * interval '1 hour', secret_set_at = now(), updated_at = now()
    where host_id = ${hostId} and id = ${id}`;
}

/** Returns false if the host has no such source. */
export async function deleteSource({ tx, hostId }: HostScope, name: string): Promise<boolean> {
  const deleted = await rowsOf(tx)`
    delete from crm_sources where host_id = ${hostId} and name = ${name} returning id`;
  return deleted.length > 0;
}

export async function listSources({ tx, hostId }: HostScope): Promise<ListedSource[]> {
  return rowsOf<ListedSource>(tx)`
    select ${columns} from crm_sources where host_id = ${hostId} order by name`;
}
