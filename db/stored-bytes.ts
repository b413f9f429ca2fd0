import { type Fragment, rowsOf } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/** A row has so many at most: the driver copies and decodes a row in one step of the event loop. */
const PART_BYTES = 262_144;

interface Part {
  readonly length: number | null;
  readonly bytes: Buffer | null;
}

/** The `content` of the row of a host's table, read in parts; undefined where it has none, or is missing. */
export async function readStoredBytes(
  { tx, hostId }: HostScope,
  table: Fragment,
  id: string,
): Promise<Buffer | undefined> {
  const readPart = async (at: number) => {
    const [part] = await rowsOf<Part>(tx)`
      select octet_length(content) as length, substring(content from ${at + 1}::integer for ${PART_BYTES}::integer) as bytes
      from ${table} where host_id = ${hostId} and id = ${id}`;
    return part;
  };
  const first = await readPart(0);
  if (!first?.bytes || first.length === first.bytes.length) return first?.bytes ?? undefined;
  const content = Buffer.allocUnsafe(first.length ?? 0);
  first.bytes.copy(content);
  for (let at = PART_BYTES; at < content.length; at += PART_BYTES) {
    const part = await readPart(at);
    if (!part?.bytes) return undefined;
    part.bytes.copy(content, at);
  }
  return content;
}
