import type { Runner } from '../host-transaction.ts';
import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

export interface Contract {
  /** A local day of the host, 2026-03-01. The contract is in force until the next one starts. */
  readonly startsOn: string;
  /** Price of one service: a decimal with up to four places. */
  readonly price: string;
  /** Services a month. */
  readonly services: number;
}

/** Replaces a contract that starts on the same day. Works as the owner: a host does not set its price. */
export async function setContract(
  db: Runner,
  hostId: string,
  { startsOn, price, services }: Contract,
): Promise<Contract> {
  const [set] = await rowsOf<Contract>(db)`
    insert into contracts (host_id, starts_on, price, services)
    values (${hostId}, ${startsOn}::date, ${price}::numeric, ${services}::integer)
    on conflict (host_id, starts_on) do update set price = excluded.price, services = excluded.services
    returning starts_on::text as "startsOn", price::text, services`;
  if (!set) throw new Error('The contract was not stored.');
  return set;
}

export async function listContracts({ tx, hostId }: HostScope): Promise<Contract[]> {
  return rowsOf<Contract>(tx)`
    select starts_on::text as "startsOn", price::text, services from contracts
    where host_id = ${hostId} order by starts_on`;
}
