import type { McpConfig } from '../../db/mcp-configs.ts';
import type { Seal } from '../../queues/seal.ts';
import { isSameHeader } from '../domain/mcp-config.ts';

/** What is answered in the place of a header's value; sent back, it means the value that is kept. */
const MASK = '***';

type Headers = Readonly<Record<string, string>>;
type Sealed = Pick<McpConfig, 'id' | 'sealedHeaders'>;

/** Bound to its row and name: a sealed value that is copied to another one opens nowhere. */
const labelOf = (id: string, name: string) => `${id} ${name.toLowerCase()}`;

export function sealedHeadersOf(seal: Seal, id: string, headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, seal.seal(value, labelOf(id, name))]),
  );
}

/** They were sealed under another key, or for another row. */
export class HeadersUnreadable extends Error {}

export function openedHeadersOf(seal: Seal, { id, sealedHeaders }: Sealed): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(sealedHeaders).map(([name, value]) => [
        name,
        String(seal.open(value, labelOf(id, name))),
      ]),
    );
  } catch {
    throw new HeadersUnreadable('the headers cannot be decrypted');
  }
}

export function maskedHeadersOf({ sealedHeaders }: Pick<Sealed, 'sealedHeaders'>): Record<string, string> {
  return Object.fromEntries(Object.keys(sealedHeaders).map(name => [name, MASK]));
}

/** Splits what was sent into values that are new and names that keep what they had. */
export function splitHeaders(headers: Headers): { given: Record<string, string>; masked: string[] } {
  const entries = Object.entries(headers);
  const given = entries.filter(([, value]) => value !== MASK);
  return {
    given: Object.fromEntries(given),
    masked: entries.flatMap(([name, value]) => (value === MASK ? [name] : [])),
  };
}

/** The sealed value that this header has by now, under the name that it is sealed for. */
export function keptHeaderOf(
  earlier: Sealed | undefined,
  name: string,
): readonly [string, string] | undefined {
  return Object.entries(earlier?.sealedHeaders ?? {}).find(([kept]) => isSameHeader(kept, name));
}
