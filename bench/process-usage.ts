import { once } from 'node:events';
import { watchMessages } from '../test/support/round-trips.ts';
import type { Fork } from './stores.ts';

/** What a process has used since it began. */
export interface ProcessUsage {
  readonly processorMs: number;
  /** Messages to PostgreSQL, each of which is waited for. */
  readonly roundTrips: number;
  /** The statements in these messages. */
  readonly statements: number;
  /** The most memory that it has had. */
  readonly mostMb: number;
}

/** Answers `askUsage` of the parent process; statements are counted from now on. */
export function reportUsage(): void {
  let roundTrips = 0;
  let statements = 0;
  watchMessages(text => {
    roundTrips += 1;
    // Only the opening of a transaction has several, and it has no literal with a semicolon.
    statements += text.startsWith('begin;') ? text.split(';').length : 1;
  });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const mostMb = process.resourceUsage().maxRSS / 1_024;
    process.send?.({ processorMs: (user + system) / 1_000, roundTrips, statements, mostMb });
  });
}

export async function askUsage(child: Fork): Promise<ProcessUsage> {
  const said = once(child, 'message');
  child.send('usage');
  const [usage] = (await said) as [ProcessUsage];
  return usage;
}
