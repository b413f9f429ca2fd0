import { type Fragment, rowsOf } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/** A row's limit: the driver makes a string twice as long, and V8 takes memory of its own for strings over 128 KiB. */
const PART_BYTES = 49_152;

interface Part {
  readonly length: number | null;
  readonly start: number | null;
  readonly bytes: Buffer | null;
}

/** Reads the `content` of a row of a host's table, in parts; undefined if it has none, or is missing. */
export async function readStoredBytes(
  { tx, hostId }: HostScope,
  table: Fragment,
  id: string,
): Promise<Buffer | undefined> {
  const parts = await rowsOf<Part>(tx)`
    select octet_length(content) as length, start,
      substring(content from start + 1 for ${PART_BYTES}::integer) as bytes
    from ${table} left join lateral generate_series(0, octet_length(content) - 1, ${PART_BYTES}::integer) start on true
    where host_id = ${hostId} and id = ${id}`;
  const length = parts[0]?.length ?? undefined;
  if (length === undefined) return undefined;
  const content = Buffer.allocUnsafe(length);
  for (const { start, bytes } of parts) bytes?.copy(content, start ?? 0);
  return content;
}
