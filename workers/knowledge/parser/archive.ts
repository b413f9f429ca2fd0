import { strFromU8, unzipSync } from 'fflate';
import { UnreadableError } from '../document-kind.ts';
import { readXml } from './xlsx-parts.ts';

/** Limits all files of the archive, unpacked. */
const MAX_UNPACKED = 200 * 1_048_576;
const MAX_FILES = 10_000;

/** As much of the main part as its first element is read from. */
const SEEN_BYTES = 4_096;

/**
 * Checks the sizes in the directory of an Office archive before anything is unpacked, and returns its main part: the one that its
 * relations name, or the usual one. A file that unpacks to more than the directory says is cut there, so it costs no more.
 */
export function checkArchive(bytes: Uint8Array, usual: string, root: 'document' | 'workbook'): string {
  let unpacked = 0;
  const names: string[] = [];
  unpack(bytes, (name, size) => {
    unpacked += size;
    names.push(name);
    return false;
  });
  if (unpacked > MAX_UNPACKED || names.length > MAX_FILES) throw new UnreadableError('too-large');
  if (names.includes('EncryptedPackage')) throw new UnreadableError('encrypted');
  const fileOf = (path: string) => unpack(bytes, name => name === path)[path];
  const named = readRelations(fileOf('_rels/.rels')).find(({ type }) => type === 'officeDocument');
  const main = [named ? pathOf(named.target, '') : '', usual].find(path => names.includes(path));
  if (main === undefined) throw new UnreadableError('wrong-kind');
  const start = textOf(fileOf(main)?.subarray(0, SEEN_BYTES));
  if (main !== usual && !new RegExp(`<(?:\\w+:)?${root}[\\s>]`).test(start))
    throw new UnreadableError('wrong-kind');
  return main;
}

export interface Relation {
  readonly id: string;
  /** The last part of its name: `styles`, `hyperlink`. */
  readonly type: string;
  readonly target: string;
}

export function readRelations(file: Uint8Array | undefined): Relation[] {
  const relations: Relation[] = [];
  readXml(file, {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (name === 'Relationship')
        relations.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target });
    },
  });
  return relations;
}

/** Returns the path of a target, which is relative to the folder of `part` or to the root of the archive. */
export function pathOf(target: string, part: string): string {
  const base = `file:///${part}`;
  return URL.canParse(target, base) ? new URL(target, base).pathname.slice(1) : '';
}

export function relationsOf(path: string): string {
  const nameAt = path.lastIndexOf('/') + 1;
  return `${path.slice(0, nameAt)}_rels/${path.slice(nameAt)}.rels`;
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
