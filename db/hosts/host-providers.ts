import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { Db } from '../connection.ts';
import type { Runner } from '../host-transaction.ts';
import { rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** A provider of models that the host pays for itself; nobody else may use it. As it is answered, its key masked. */
type Provider = DataOf<'saveHostProvider'>;

export interface HostProvider extends Provider {
  /** Encrypted; the key for that is not known in db. */
  readonly sealedKey: string;
  /** Incremented by every edit. */
  readonly revision: number;
}

interface ProviderToSet {
  readonly name: string;
  readonly baseURL: string;
  readonly sealedKey: string;
  readonly models: readonly string[];
  readonly insightModel: string;
  readonly transcriptionModel: string;
}

const columns = sql`host_id as "hostId", name, base_url as "baseURL", '***' as "apiKey", models,
    insight_model as "insightModel", transcription_model as "transcriptionModel",
    created_at at time zone 'UTC' as "createdAt", sealed_key as "sealedKey", revision`;

export async function upsertHostProvider(
  { tx, hostId }: HostScope,
  { name, baseURL, sealedKey, models, insightModel, transcriptionModel }: ProviderToSet,
): Promise<HostProvider> {
  if (insightModel !== '')
    await rowsOf(tx)`
      update host_providers set insight_model = '', revision = revision + 1, updated_at = now()
      where host_id = ${hostId} and name <> ${name} and insight_model <> ''`;
  if (transcriptionModel !== '')
    await rowsOf(tx)`
      update host_providers set transcription_model = '', revision = revision + 1, updated_at = now()
      where host_id = ${hostId} and name <> ${name} and transcription_model <> ''`;
  const [saved] = await rowsOf<HostProvider>(tx)`
    insert into host_providers as provider (host_id, name, base_url, sealed_key, models, insight_model, transcription_model)
    values (${hostId}, ${name}, ${baseURL}, ${sealedKey}, ${models}::text[], ${insightModel}, ${transcriptionModel})
    on conflict (host_id, name) do update set base_url = excluded.base_url, sealed_key = excluded.sealed_key,
      models = excluded.models, insight_model = excluded.insight_model, transcription_model = excluded.transcription_model,
      revision = provider.revision + 1, updated_at = now()
    returning ${columns}`;
  if (!saved) throw new Error('The provider was not stored.');
  return saved;
}

/** Locks all providers of the host until the transaction ends: only one may have the model of insights or transcriptions. */
export async function findHostProviderForUpdate(
  { tx, hostId }: HostScope,
  name: string,
): Promise<HostProvider | undefined> {
  await rowsOf(tx)`select pg_advisory_xact_lock(hashtext('parley providers'), hashtext(${hostId}))`;
  return rowOf<HostProvider>(tx)`
    select ${columns} from host_providers where host_id = ${hostId} and name = ${name} for update`;
}

export async function deleteHostProvider({ tx, hostId }: HostScope, name: string): Promise<void> {
  await rowsOf(tx)`delete from host_providers where host_id = ${hostId} and name = ${name}`;
}

/** Lists providers by name. Also works as the owner, for any host. */
export async function listHostProviders(db: Runner, hostId: string): Promise<HostProvider[]> {
  return rowsOf<HostProvider>(db)`
    select ${columns} from host_providers where host_id = ${hostId} order by name`;
}

/** Finds the model that makes the host's insights. Works as the owner, for any host. */
export async function findInsightModel(db: Db, hostId: string): Promise<string | undefined> {
  const [found] = await rowsOf<{ model: string }>(db)`
    select name || '/' || insight_model as model from host_providers
    where host_id = ${hostId} and insight_model <> ''`;
  return found?.model;
}

/** Finds the provider that transcribes for the host. Works as the owner, for any host. */
export async function findTranscribingProvider(db: Db, hostId: string): Promise<HostProvider | undefined> {
  return rowOf<HostProvider>(db)`
    select ${columns} from host_providers where host_id = ${hostId} and transcription_model <> ''`;
}

/** Works as the owner, for any host. */
export async function findHostProvider(
  db: Db,
  hostId: string,
  name: string,
): Promise<HostProvider | undefined> {
  return rowOf<HostProvider>(db)`
    select ${columns} from host_providers where host_id = ${hostId} and name = ${name}`;
}
