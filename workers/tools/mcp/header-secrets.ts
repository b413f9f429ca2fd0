import { type BrokenRule, broken, errorsAt, type FieldError } from '../../../platform/field-error.ts';
import type { Seal } from '../../../platform/seal.ts';
import { isSameHeader } from '../../domain/mcp-config.ts';
import { MASK } from '../../runtime/job.ts';

type Headers = Readonly<Record<string, string>>;
interface SealedConfig {
  readonly id: string;
  readonly sealedHeaders: Headers;
}

/** Binds a value to its row and name: a sealed value copied to another row or header cannot be opened. */
export function headerLabelOf(id: string, name: string): string {
  return `${id} ${name.toLowerCase()}`;
}

async function mapValues(
  headers: Headers,
  work: (value: string, name: string) => Promise<unknown>,
): Promise<Record<string, string>> {
  const pairs = Object.entries(headers).map(async ([name, value]) => [name, String(await work(value, name))]);
  return Object.fromEntries(await Promise.all(pairs));
}

/** Thrown when the headers were sealed with another key, or for another row. */
export class HeadersUnreadableError extends Error {}

export async function openHeaders(
  seal: Seal,
  { id, sealedHeaders }: SealedConfig,
): Promise<Record<string, string>> {
  try {
    return await mapValues(sealedHeaders, (value, name) => seal.open(value, headerLabelOf(id, name)));
  } catch {
    throw new HeadersUnreadableError('the headers cannot be decrypted');
  }
}

export function maskHeaders({ sealedHeaders }: SealedConfig): Record<string, string> {
  return Object.fromEntries(Object.keys(sealedHeaders).map(name => [name, MASK]));
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

interface EarlierConfig extends SealedConfig {
  readonly config: Readonly<Record<string, unknown>>;
}

/** Returns the headers to store, or the errors. New values are sealed; masked ones keep their stored value. */
export async function sealHeaders(
  seal: Seal,
  id: string,
  { url, headers }: { readonly url: string; readonly headers: Headers },
  earlier: EarlierConfig | undefined,
): Promise<Record<string, string> | FieldError[]> {
  const names = Object.keys(headers);
  const masked = names.filter(name => isMask(headers[name]));
  const errors = names.flatMap(name =>
    errorsAt(
      `config.headers.${name}`,
      isMask(headers[name]) ? findKeepError(name, url, earlier) : findMaskError(headers[name]),
    ),
  );
  if (errors.length > 0) return errors;
  const unmasked = Object.entries(headers).filter(([, value]) => !isMask(value));
  return {
    ...Object.fromEntries(masked.flatMap(name => [findSealedHeader(earlier, name) ?? []])),
    ...(await mapValues(Object.fromEntries(unmasked), (value, name) =>
      seal.seal(value, headerLabelOf(id, name)),
    )),
  };
}

function findKeepError(
  name: string,
  url: string,
  earlier: EarlierConfig | undefined,
): BrokenRule | undefined {
  if (!findSealedHeader(earlier, name)) return broken('nothing-to-keep');
  return mayKeepSecrets(earlier?.config['url'], url) ? undefined : broken('send-again');
}

function isMask(value: string | undefined): boolean {
  return value?.trim() === MASK;
}

/** A value that contains the mask would overwrite the secret that the editor meant to keep. */
function findMaskError(value: string | undefined): BrokenRule | undefined {
  return value?.includes(MASK) ? broken('mask') : undefined;
}

/** Returns the stored value of this header, with the name that it is sealed for. */
function findSealedHeader(
  earlier: SealedConfig | undefined,
  name: string,
): readonly [string, string] | undefined {
  return Object.entries(earlier?.sealedHeaders ?? {}).find(([kept]) => isSameHeader(kept, name));
}
