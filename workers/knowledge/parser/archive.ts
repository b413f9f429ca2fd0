import { strFromU8, unzipSync } from 'fflate';
import { UnreadableError } from '../document-kind.ts';

/** Limits all files of the archive, unpacked. */
const MAX_UNPACKED = 200 * 1_048_576;
const MAX_FILES = 10_000;

/**
 * Checks the sizes in the directory of an Office archive before anything is unpacked. A file that unpacks to more than the
 * directory says is cut there, so it costs no more.
 */
export function checkArchive(bytes: Uint8Array, mainPart: string): void {
  let unpacked = 0;
  const names: string[] = [];
  unpack(bytes, (name, size) => {
    unpacked += size;
    names.push(name);
    return false;
  });
  if (unpacked > MAX_UNPACKED || names.length > MAX_FILES) throw new UnreadableError('too-large');
  if (names.includes('EncryptedPackage')) throw new UnreadableError('encrypted');
  if (!names.includes(mainPart)) throw new UnreadableError('wrong-kind');
}

/** Unpacks the files whose name and unpacked size are wanted. */
export function unpack(
  bytes: Uint8Array,
  isWanted: (name: string, size: number) => boolean,
): Readonly<Record<string, Uint8Array>> {
  try {
    return unzipSync(bytes, { filter: ({ name, originalSize }) => isWanted(name, originalSize) });
  } catch {
    throw new UnreadableError('broken');
  }
}

/** Returns the text of an archive's file; empty if there is none. */
export function textOf(part: Uint8Array | undefined): string {
  return part ? strFromU8(part) : '';
}
