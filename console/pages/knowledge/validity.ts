import { readHostZone } from '../../service.ts';

interface Validity {
  readonly valid_from?: string | null | undefined;
  readonly valid_until?: string | null | undefined;
}

/** The day at the host, as a form has it. */
const dayOf = (at: number): string => new Date(at).toLocaleDateString('sv-SE', { timeZone: readHostZone() });

/** The days of a form: the end is the last day. */
export function daysOf({ valid_from: from, valid_until: until }: Validity) {
  return {
    valid_from: from ? dayOf(Date.parse(from)) : '',
    valid_until: until ? dayOf(Date.parse(until) - 1) : '',
  };
}

/** The fields that a person has changed: one that is empty now is taken away. */
export function changedOf<F extends Readonly<Record<string, string | number | null>>>(
  fields: F,
  begin: F,
): Partial<F> {
  const changed = Object.entries(fields).filter(([name, value]) => value !== begin[name]);
  return Object.fromEntries(
    changed.map(([name, value]) => [name, value === '' ? null : value]),
  ) as Partial<F>;
}
