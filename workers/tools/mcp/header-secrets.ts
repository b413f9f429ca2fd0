import type { McpConfig } from '../../../db/mcp-configs.ts';
import type { Seal } from '../../../platform/seal.ts';
import { type Fault, isSameHeader } from '../../domain/mcp-config.ts';

/** What is answered in the place of a header's value; sent back, it means the value that is kept. */
const MASK = '***';

type Headers = Readonly<Record<string, string>>;
type Sealed = Pick<McpConfig, 'id' | 'sealedHeaders'>;

/** Bound to its row and name: a sealed value that is copied to another one opens nowhere. */
const labelOf = (id: string, name: string) => `${id} ${name.toLowerCase()}`;

async function eachValue(
  headers: Headers,
  work: (value: string, name: string) => Promise<unknown>,
): Promise<Record<string, string>> {
  const pairs = Object.entries(headers).map(async ([name, value]) => [name, String(await work(value, name))]);
  return Object.fromEntries(await Promise.all(pairs));
}

/** They were sealed under another key, or for another row. */
export class HeadersUnreadable extends Error {}

export async function openHeaders(
  seal: Seal,
  { id, sealedHeaders }: Sealed,
): Promise<Record<string, string>> {
  try {
    return await eachValue(sealedHeaders, (value, name) => seal.open(value, labelOf(id, name)));
  } catch {
    throw new HeadersUnreadable('the headers cannot be decrypted');
  }
}

export function maskHeaders({ sealedHeaders }: Pick<Sealed, 'sealedHeaders'>): Record<string, string> {
  return Object.fromEntries(Object.keys(sealedHeaders).map(name => [name, MASK]));
}

/**
 * Whether a secret that was given for one address may go to another: only where that has the same scheme, name and
 * port, or whoever edits could have a secret sent to them that they cannot read. The one rule for every kept secret.
 */
function mayKeepSecrets(earlier: unknown, now: string): boolean {
  if (typeof earlier !== 'string' || !URL.canParse(earlier) || !URL.canParse(now)) return false;
  const { origin } = new URL(now);
  return origin !== 'null' && new URL(earlier).origin === origin;
}

type KeptHeaders = Pick<McpConfig, 'id' | 'sealedHeaders'> & {
  readonly config: Readonly<Record<string, unknown>>;
};

/** The headers as they are to be stored: new values sealed, masked ones as they were, or the faults. */
export async function sealHeaders(
  seal: Seal,
  id: string,
  { url, headers }: { readonly url: string; readonly headers: Headers },
  earlier: KeptHeaders | undefined,
): Promise<Record<string, string> | Fault[]> {
  const names = Object.keys(headers);
  const masked = names.filter(name => isMask(headers[name]));
  const faults = names.flatMap(name => {
    const message = isMask(headers[name]) ? keepingFault(name, url, earlier) : partlyMasked(headers[name]);
    return message ? [{ path: `config.headers.${name}`, message }] : [];
  });
  if (faults.length > 0) return faults;
  const given = Object.entries(headers).filter(([, value]) => !isMask(value));
  return {
    ...Object.fromEntries(masked.flatMap(name => [keptHeaderOf(earlier, name) ?? []])),
    ...(await eachValue(Object.fromEntries(given), (value, name) => seal.seal(value, labelOf(id, name)))),
  };
}

function keepingFault(name: string, url: string, earlier: KeptHeaders | undefined): string | undefined {
  if (!keptHeaderOf(earlier, name)) return 'has no value to keep';
  return mayKeepSecrets(earlier?.config['url'], url)
    ? undefined
    : 'must be given anew, for the URL leads to another origin';
}

function isMask(value: string | undefined): boolean {
  return value?.trim() === MASK;
}

/** Stored like that it would take the place of the secret that somebody meant to keep. */
function partlyMasked(value: string | undefined): string | undefined {
  return value?.includes(MASK) ? `must be the whole value, or ${MASK} alone to keep it` : undefined;
}

/** The sealed value that this header has by now, under the name that it is sealed for. */
function keptHeaderOf(
  earlier: Pick<Sealed, 'sealedHeaders'> | undefined,
  name: string,
): readonly [string, string] | undefined {
  return Object.entries(earlier?.sealedHeaders ?? {}).find(([kept]) => isSameHeader(kept, name));
}
