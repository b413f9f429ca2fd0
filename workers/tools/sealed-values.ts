import { type BrokenRule, broken, errorsAt, type FieldError } from '../../platform/field-error.ts';
import type { Seal } from '../../platform/seal.ts';
import { isSameHeader } from '../domain/header-rules.ts';
import { MASK } from '../runtime/job.ts';

/* Secrets by name, which a tenant gives for one address: the headers of an MCP server, the secrets of a REST tool. */

type Values = Readonly<Record<string, string>>;
interface SealedRow {
  readonly id: string;
  readonly sealed: Values;
}

/** Binds a value to its row and name: a sealed value copied to another row or name cannot be opened. */
export function labelOfValue(id: string, name: string): string {
  return `${id} ${name.toLowerCase()}`;
}

async function mapValues(
  values: Values,
  work: (value: string, name: string) => Promise<unknown>,
): Promise<Record<string, string>> {
  const pairs = Object.entries(values).map(async ([name, value]) => [name, String(await work(value, name))]);
  return Object.fromEntries(await Promise.all(pairs));
}

/** Thrown when the values were sealed with another key, or for another row. */
export class ValuesUnreadableError extends Error {}

export async function openValues(seal: Seal, { id, sealed }: SealedRow): Promise<Record<string, string>> {
  try {
    return await mapValues(sealed, (value, name) => seal.open(value, labelOfValue(id, name)));
  } catch {
    throw new ValuesUnreadableError('the secrets cannot be decrypted');
  }
}

export function maskValues(sealed: Values): Record<string, string> {
  return Object.fromEntries(Object.keys(sealed).map(name => [name, MASK]));
}

/**
 * Whether a secret that was given for one address may be sent to another: only to the same scheme, host name and port.
 * Otherwise an editor could have a secret that they cannot read sent to a server of their own.
 */
function mayKeepSecrets(earlier: unknown, now: string): boolean {
  if (typeof earlier !== 'string' || !URL.canParse(earlier) || !URL.canParse(now)) return false;
  const { origin } = new URL(now);
  return origin !== 'null' && new URL(earlier).origin === origin;
}

interface SentValues {
  /** The row that they are for. */
  readonly id: string;
  readonly url: string;
  readonly values: Values;
  /** The path of the field that has the one of this name. */
  readonly pathOf: (name: string) => string;
}

interface EarlierRow extends SealedRow {
  readonly url: unknown;
}

/** Returns the values to store, or the errors. New values are sealed; masked ones keep their stored value. */
export async function sealValues(
  seal: Seal,
  { id, url, values, pathOf }: SentValues,
  earlier: EarlierRow | undefined,
): Promise<Record<string, string> | FieldError[]> {
  const names = Object.keys(values);
  const masked = names.filter(name => isMask(values[name]));
  const errors = names.flatMap(name =>
    errorsAt(
      pathOf(name),
      isMask(values[name]) ? findKeepError(name, url, earlier) : findMaskError(values[name]),
    ),
  );
  if (errors.length > 0) return errors;
  const unmasked = Object.entries(values).filter(([, value]) => !isMask(value));
  return {
    ...Object.fromEntries(masked.flatMap(name => [findSealedValue(earlier, name) ?? []])),
    ...(await mapValues(Object.fromEntries(unmasked), (value, name) =>
      seal.seal(value, labelOfValue(id, name)),
    )),
  };
}

function findKeepError(name: string, url: string, earlier: EarlierRow | undefined): BrokenRule | undefined {
  if (!findSealedValue(earlier, name)) return broken('nothing-to-keep');
  return mayKeepSecrets(earlier?.url, url) ? undefined : broken('send-again');
}

function isMask(value: string | undefined): boolean {
  return value?.trim() === MASK;
}

/** A value that contains the mask would overwrite the secret that the editor meant to keep. */
function findMaskError(value: string | undefined): BrokenRule | undefined {
  return value?.includes(MASK) ? broken('mask') : undefined;
}

/** Returns the stored value of this name, with the name that it is sealed for. */
function findSealedValue(
  earlier: SealedRow | undefined,
  name: string,
): readonly [string, string] | undefined {
  return Object.entries(earlier?.sealed ?? {}).find(([kept]) => isSameHeader(kept, name));
}
