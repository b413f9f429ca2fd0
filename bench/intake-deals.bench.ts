import type { Db } from '../db/connection.ts';

/** The records that the CRM sends. */
export interface Deal {
  readonly external_id: number;
  readonly dealname: string;
  readonly email: string;
  readonly mobilephone: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly unidade: string;
  readonly dealstage: number;
  readonly utm_source: string;
}

/** Half of them are new, 30 % exact duplicates, 20 % updates, in the same order in every run. */
export function dealsToSend(count: number): Deal[] {
  const draw = drawer(42);
  const fresh = Array.from({ length: Math.ceil(count * 0.5) }, (_, n) => dealOf(n));
  const duplicates = Array.from({ length: Math.floor(count * 0.3) }, () => dealOf(draw(fresh.length)));
  const updates = Array.from({ length: count - fresh.length - duplicates.length }, (_, n) => {
    const deal = dealOf(draw(fresh.length));
    return { ...deal, dealname: `${deal.dealname} (${n})`, dealstage: 2 };
  });
  return shuffle([...fresh, ...duplicates, ...updates], draw);
}

function dealOf(n: number): Deal {
  return {
    external_id: n + 1,
    dealname: `Inscrição ${n}`,
    email: `pessoa${n}@example.com`,
    mobilephone: `+55 11 9${String(60_000_000 + n)}`,
    firstname: 'Pessoa',
    lastname: String(n),
    unidade: 'Centro',
    dealstage: 1,
    utm_source: 'feira',
  };
}

/** Draws integers below a limit, with a linear congruential generator. */
function drawer(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function shuffle<T>(items: T[], draw: (below: number) => number): T[] {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = draw(at + 1);
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
  return items;
}

/** Compares stored and sent records; for each key, the latest arrival must be stored. */
export async function compareStored(store: Db, sent: readonly Deal[]) {
  const keys = new Set(sent.map(deal => deal.external_id));
  const { rows } = await store.raw<{ rows: { rows: number; contacts: number; stale: number }[] }>(`
    with latest as (
      select distinct on (body ->> 'external_id') body from intake_records
      order by body ->> 'external_id', arrived_at desc
    )
    select (select count(*)::integer from leads) as rows, (select count(*)::integer from contacts) as contacts,
      (select count(*)::integer from latest left join leads on external_id = body ->> 'external_id'
        where dealname is distinct from body ->> 'dealname') as stale`);
  const { rows: leads, contacts, stale } = rows[0] ?? { rows: 0, contacts: 0, stale: 0 };
  return { keys: keys.size, rows: leads, contacts, stale, lost: keys.size - leads };
}
