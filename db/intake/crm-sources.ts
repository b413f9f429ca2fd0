import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { Db } from '../connection.ts';
import { hostOfToken, type TokenHost } from '../hosts/tokens.ts';
import { jsonOf, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * Sources: systems that send records without a token and sign them instead. Their secrets are encrypted; the key is not
 * known in db.
 */

type Item = DataOf<'listSources'>[number];

/** Settings for a signing scheme that leaves them open. */
export type SigningSettings = Partial<
  Pick<Item, 'baseUrl' | 'header' | 'algorithm' | 'encoding' | 'prefix' | 'timestampHeader' | 'signed'>
>;

interface SourceSettings extends Pick<Item, 'kind' | 'ack' | 'enabled'> {
  readonly settings: SigningSettings;
}

interface Source extends SourceSettings, Pick<Item, 'name' | 'scheme'> {
  readonly id: string;
  readonly address: string;
}

interface SourceChanges extends SourceSettings {
  /** Undefined: it keeps its secret. */
  readonly sealedSecret: string | undefined;
}

export interface NewSource extends Source {
  readonly sealedSecret: string;
}

/** After a change of the secret, the one before is valid for this long. */
const BOTH_VALID = sql`interval '24 hours'`;

/** Binds a sealed secret to its source. */
export function secretLabelOf(sourceId: string): string {
  return `source ${sourceId}`;
}

export interface ListedSource extends Source {
  readonly secretSetAt: Date;
  /** Null: only the current secret is valid. */
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
  return rowOf<SigningSource>(db)`
    select source.id, source.name, source.kind, source.scheme, source.settings, source.ack,
      source.sealed_secret as "sealedSecret",
      case when source.earlier_valid_until > now() then source.sealed_earlier_secret end as "sealedEarlierSecret",
      ${hostOfToken} as host
    from crm_sources source join hosts on hosts.id = source.host_id
    where source.address = ${address} and source.enabled`;
}

/** Undefined if the host has a source of this name. */
export async function insertSource(
  { tx, hostId }: HostScope,
  source: NewSource,
): Promise<ListedSource | undefined> {
  const { id, name, address, kind, scheme, settings, ack, enabled, sealedSecret } = source;
  return rowOf<ListedSource>(tx)`
    insert into crm_sources (host_id, id, name, address, kind, scheme, settings, ack, enabled, sealed_secret)
    values (${hostId}, ${id}, ${name}, ${address}, ${kind}, ${scheme}, ${jsonOf(settings)}::jsonb, ${ack}, ${enabled},
      ${sealedSecret})
    on conflict (host_id, name) do nothing returning ${columns}`;
}

/** Locks the source until the transaction ends. */
export async function findSourceForUpdate(
  { tx, hostId }: HostScope,
  name: string,
): Promise<ListedSource | undefined> {
  return rowOf<ListedSource>(tx)`
    select ${columns} from crm_sources where host_id = ${hostId} and name = ${name} for update`;
}

/** Another secret ends the one before the current one at once; the current one stays valid for a day. */
export async function changeSource(
  { tx, hostId }: HostScope,
  id: string,
  { kind, settings, ack, enabled, sealedSecret }: SourceChanges,
): Promise<ListedSource | undefined> {
  const secrets =
    sealedSecret === undefined
      ? sql``
      : sql`, sealed_earlier_secret = sealed_secret, sealed_secret = ${sealedSecret},
        earlier_valid_until = now() + ${BOTH_VALID}, secret_set_at = now()`;
  return rowOf<ListedSource>(tx)`
    update crm_sources set kind = ${kind}, settings = ${jsonOf(settings)}::jsonb, ack = ${ack}, enabled = ${enabled},
      updated_at = now() ${secrets}
    where host_id = ${hostId} and id = ${id} returning ${columns}`;
}

export async function deleteSource({ tx, hostId }: HostScope, id: string): Promise<void> {
  await rowsOf(tx)`delete from crm_sources where host_id = ${hostId} and id = ${id}`;
}

/** Lists them by name, or the one of this name. */
export async function listSources({ tx, hostId }: HostScope, name?: string): Promise<ListedSource[]> {
  return rowsOf<ListedSource>(tx)`
    select ${columns} from crm_sources
    where host_id = ${hostId} and (${name ?? null}::text is null or name = ${name ?? null}) order by name`;
}
