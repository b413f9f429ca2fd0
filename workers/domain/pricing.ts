/** A contract is in force from its first local day until the first day of the next one. */
export interface Contract {
  readonly startsOn: string;
  readonly price: string;
  /** Services a month. */
  readonly services: number;
}

/** Returns the contract in force on that date; contracts are sorted by their first days. */
export function contractOn(contracts: readonly Contract[], date: string): Contract | undefined {
  return contracts.findLast(({ startsOn }) => startsOn <= date);
}

/** Returns exact cents, half a cent rounded up. */
export function costOf(services: number, price: string): bigint {
  const [whole = '0', fraction = ''] = price.split('.');
  const exact = BigInt(services) * BigInt(whole + fraction) * 100n;
  const unit = 10n ** BigInt(fraction.length);
  return (exact * 2n + unit) / (unit * 2n);
}

/** Turns 123456n into 1234.56. */
export function decimalOf(cents: bigint): string {
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Returns cents, half a cent rounded up. */
export function costOfEach(cents: bigint, count: number): bigint {
  const parts = BigInt(count);
  return (cents * 2n + parts) / (parts * 2n);
}
