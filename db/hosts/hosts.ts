import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { Db } from '../connection.ts';
import { Fragment, jsonOf, rowOf, rowsOf } from '../rows-of.ts';
import type { HostScope, HostsScope } from '../with-hosts.ts';

/** As it is answered. */
export type Host = DataOf<'saveHost'>;
export type HostSettings = Omit<Host, 'id' | 'slug'>;

export interface NewHost extends Partial<HostSettings> {
  readonly slug: string;
  readonly name: string;
}

/** The column of each setting, from which statements are built. */
const settingColumns: { readonly [S in keyof HostSettings]: string } = {
  name: 'name',
  picture: 'picture',
  timeZone: 'time_zone',
  maxChunks: 'max_chunks',
  chunkSizeLimit: 'chunk_size_limit',
  share: 'share',
  bursts: 'bursts',
  mask: 'mask',
  maskImages: 'mask_images',
  keepAttachments: 'keep_attachments',
  files_quota_mb: 'files_quota_mb',
  monthlyBudget: 'monthly_budget',
  dailyBudget: 'daily_budget',
  disabled: 'disabled',
  businessHours: 'business_hours',
  modelFallbacks: 'model_fallbacks',
  labels: 'labels',
  close_reasons: 'close_reasons',
  reassign_after_minutes: 'reassign_after_minutes',
  return_after_minutes: 'return_after_minutes',
  window_hours: 'window_hours',
  turns_per_person_per_hour: 'turns_per_person_per_hour',
};

/** Columns whose NULL is read as an empty text. */
const decimalColumns = new Set(['monthly_budget', 'daily_budget']);

const settingNames = Object.keys(settingColumns) as (keyof HostSettings)[];
export const hostColumns = new Fragment(
  [['id', 'slug', ...settingNames.map(selectedColumnOf)].join(', ')],
  [],
);

function selectedColumnOf(name: keyof HostSettings): string {
  const column = settingColumns[name];
  return `${decimalColumns.has(column) ? `coalesce(${column}::text, '')` : column} as "${name}"`;
}

/** Returns undefined if the slug is taken. */
export async function createHost(db: Db, host: NewHost): Promise<Host | undefined> {
  return db.transaction(async tx => {
    const created = await rowsOf(tx)`
      insert into hosts (slug, name) values (${host.slug}, ${host.name})
      on conflict (slug) do nothing returning id`;
    return created.length > 0 ? setHost(tx, host.slug, host) : undefined;
  });
}

/** Updates the given fields as the owner, like `changeHost`; returns undefined if there is no such host. */
export async function setHost(
  db: Db,
  slug: string,
  settings: Partial<HostSettings>,
): Promise<Host | undefined> {
  return db.transaction(async tx => {
    const host = await findHostBySlug(tx, slug);
    return host && changeHost({ tx, hostId: host.id }, settings);
  });
}

/** Limits a recount, which reads all messages of the host. */
const RECOUNT_WITHIN_MS = 3_600_000;

/**
 * Updates the given fields of the host. Another time zone or other opening hours recount its report days. Returns undefined,
 * and changes nothing, if the transaction may not: only the owner may, or an actor with an operator's token.
 */
export async function changeHost(
  scope: HostScope,
  settings: Partial<HostSettings>,
): Promise<Host | undefined> {
  const { tx, hostId } = scope;
  const changes = settingNames.flatMap(name => {
    const [value, column] = [settings[name], settingColumns[name]];
    return value === undefined ? [] : [[column, value === '' && decimalColumns.has(column) ? null : value]];
  });
  await rowsOf(tx)`set local statement_timeout = 0`;
  const [changed] = await rowsOf<{ isAllowed: boolean }>(tx, { answerWithinMs: RECOUNT_WITHIN_MS })`
    select change_host(${hostId}, ${jsonOf(Object.fromEntries(changes))}::jsonb) as "isAllowed"`;
  return changed?.isAllowed ? findHost(scope) : undefined;
}

export function hasBudget({ monthlyBudget, dailyBudget }: Host): boolean {
  return monthlyBudget !== '' || dailyBudget !== '';
}

export async function listHosts(db: Db): Promise<Host[]> {
  return rowsOf<Host>(db)`select ${hostColumns} from hosts order by slug`;
}

/** Lists the hosts of the scope by slug, after the cursor's. */
export async function listHostPage(
  { tx, hostIds }: HostsScope,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<Host[]> {
  return rowsOf<Host>(tx)`
    select ${hostColumns} from hosts
    where id = any (${hostIds}::uuid[]) and slug collate "C" > ${after ?? ''}
    order by slug collate "C" limit ${limit}`;
}

export async function findHostBySlug(db: Db, slug: string): Promise<Host | undefined> {
  return rowOf<Host>(db)`select ${hostColumns} from hosts where slug = ${slug}`;
}

export async function findHost({ tx, hostId }: HostScope): Promise<Host | undefined> {
  return rowOf<Host>(tx)`select ${hostColumns} from hosts where id = ${hostId}`;
}
