import type { Db } from './connection.ts';
import { lockAggregation, recountReportDays } from './report-aggregation.ts';
import { jsonOf, rowsOf, sql } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/** Opening hours in local time; ISO weekdays, 1 is Monday. */
export interface OpeningHours {
  readonly days: readonly number[];
  readonly from: string;
  readonly to: string;
}

export interface HostSettings {
  readonly name: string;
  readonly picture: string;
  readonly timeZone: string;
  readonly businessHours: readonly OpeningHours[];
  readonly maxChunks: number;
  readonly chunkSizeLimit: number;
  /** Its weight in the fair order over hosts, 1 to 10. */
  readonly share: number;
  /** Models that are asked when the model of a turn fails; empty: those of the installation. */
  readonly modelFallbacks: readonly string[];
  /** Of messages that a person sends in a row: each is answered, or the last one for all. */
  readonly bursts: BurstSetting;
  /** Personal identifiers leave for models, embedders and MCP servers as tokens. */
  readonly mask: boolean;
}

export type BurstSetting = (typeof burstSettings)[number];
export const burstSettings = ['each', 'last'] as const;

export interface Host extends HostSettings {
  readonly id: string;
  readonly slug: string;
}

export type NewHost = Pick<Host, 'slug' | 'name'> & Partial<HostSettings>;

const columns = sql`id, slug, name, picture, time_zone as "timeZone", business_hours as "businessHours",
    max_chunks as "maxChunks", chunk_size_limit as "chunkSizeLimit", share, model_fallbacks as "modelFallbacks", bursts, mask`;

/** Undefined where the slug is taken. */
export async function createHost(db: Db, host: NewHost): Promise<Host | undefined> {
  return db.transaction(async tx => {
    const created = await rowsOf(tx)`
      insert into hosts (slug, name) values (${host.slug}, ${host.name})
      on conflict (slug) do nothing returning id`;
    return created.length > 0 ? setHost(tx, host.slug, host) : undefined;
  });
}

/**
 * Updates the given fields; undefined where there is no such host. Another time zone or other opening hours recount
 * the host's report days.
 */
export async function setHost(
  db: Db,
  slug: string,
  settings: Partial<HostSettings>,
): Promise<Host | undefined> {
  if (settings.timeZone === undefined && settings.businessHours === undefined)
    return updateSettings(db, slug, settings);
  return db.transaction(async tx => {
    await lockAggregation(tx);
    const host = await updateSettings(tx, slug, settings);
    if (host) await recountReportDays(tx, host.id);
    return host;
  });
}

async function updateSettings(
  db: Db,
  slug: string,
  settings: Partial<HostSettings>,
): Promise<Host | undefined> {
  const { name, picture, timeZone, businessHours, maxChunks, chunkSizeLimit } = settings;
  const { share, modelFallbacks, bursts, mask } = settings;
  const [host] = await rowsOf<Host>(db)`
    update hosts set
      name = coalesce(${name ?? null}, name),
      picture = coalesce(${picture ?? null}, picture),
      time_zone = coalesce(${timeZone ?? null}, time_zone),
      business_hours = coalesce(${businessHours ? jsonOf(businessHours) : null}::jsonb, business_hours),
      max_chunks = coalesce(${maxChunks ?? null}, max_chunks),
      chunk_size_limit = coalesce(${chunkSizeLimit ?? null}, chunk_size_limit),
      share = coalesce(${share ?? null}, share),
      model_fallbacks = coalesce(${modelFallbacks ?? null}::text[], model_fallbacks),
      bursts = coalesce(${bursts ?? null}, bursts),
      mask = coalesce(${mask ?? null}, mask),
      updated_at = now()
    where slug = ${slug}
    returning ${columns}`;
  return host;
}

export async function listHosts(db: Db): Promise<Host[]> {
  return rowsOf<Host>(db)`select ${columns} from hosts order by slug`;
}

export async function findHostBySlug(db: Db, slug: string): Promise<Host | undefined> {
  const [host] = await rowsOf<Host>(db)`select ${columns} from hosts where slug = ${slug}`;
  return host;
}

/** The host of the scope itself. */
export async function findHost({ tx, hostId }: HostScope): Promise<Host | undefined> {
  const [host] = await rowsOf<Host>(tx)`select ${columns} from hosts where id = ${hostId}`;
  return host;
}
