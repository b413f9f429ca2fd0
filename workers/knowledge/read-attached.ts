import { Gate } from '../../platform/gate.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { type Block, lengthOf } from '../domain/documents/block.ts';
import { cutPassages } from '../domain/documents/cut-passages.ts';
import type { Fetcher } from '../tools/egress.ts';
import { type DocumentKind, kindOfMediaType, UnreadableError } from './document-kind.ts';
import { fetchBytes } from './fetch-source.ts';
import { openParser, type ParserLimits, parserLimits } from './open-parser.ts';

/** UTF-16 units, which are never fewer than its characters. */
const MAX_FILE_TEXT = 20_000;
/** Limits the text read, with repeats: `![a]` 200,000 times took the parser 40 s, and a turn uses 20,000 characters. */
const MAX_READ = 10 * MAX_FILE_TEXT;
/** Each has a process of its own. With two a host, two hosts with slow files kept a third one waiting for 57 s. */
const READ_AT_A_TIME = { maxTotal: 4, maxPerKey: 1 };
const limits: ParserLimits = {
  ...parserLimits,
  processorMsOf: ({ bytes }) => 2_000 + (2_000 * bytes.length) / 1_048_576,
};

interface SentFile {
  readonly hostId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

interface Unreadable {
  readonly reason: string;
}

/** Attachments are fetched and read as imports of documents are; an unreadable one gives the reason. */
export function makeAttachedReaders(egress: Fetcher, parserProgram: readonly string[] | undefined) {
  const gate = new Gate(READ_AT_A_TIME);
  return {
    fetchAttached: (url: string, signal: AbortSignal): Promise<Buffer | Unreadable> =>
      orReason(async () => {
        const { bytes } = await fetchBytes(egress, url, signal);
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      }),
    /** Reads a file in a process of its own, which a hostile file can only crash, and cuts its text to what a turn may read. */
    readFile: (file: SentFile, signal: AbortSignal): Promise<string | Unreadable> =>
      orReason(() => gate.run({ key: file.hostId, signal }, () => readText(file, parserProgram, signal))),
  };
}

async function orReason<T>(read: () => Promise<T>): Promise<T | Unreadable> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadableError) return { reason: error.reason };
    throw error;
  }
}

async function readText(
  file: SentFile,
  parserProgram: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<string> {
  const kind = kindOf(file);
  if (!kind) throw new UnreadableError('wrong-kind');
  const parser = openParser(limits, parserProgram);
  try {
    const request = { kind, bytes: startOf(kind, file.bytes), isAttached: true };
    const read = await parser.read(request, { signal, onPage: () => {} });
    if (!('text' in read)) throw new UnreadableError('wrong-kind');
    const blocks = firstOf(read.text.blocks);
    const options = { name: file.name, limit: MAX_FILE_TEXT, most: MAX_READ };
    const passages = await runInSlices(cutPassages({ blocks }, options), signal);
    const text = passages?.map(({ content }) => content).join('\n\n');
    if (!text) throw new UnreadableError(passages ? 'no-text' : 'too-many-passages');
    return text.slice(0, MAX_FILE_TEXT).toWellFormed();
  } finally {
    parser.close();
  }
}

/** Returns the beginning of a plain text, cut between two characters before it is read: its bytes tell its length. */
function startOf(kind: DocumentKind, bytes: Uint8Array): Uint8Array {
  if (kind !== 'markdown' && kind !== 'text') return bytes;
  let end = Math.min(bytes.length, MAX_READ);
  // A character of UTF-8 has at most three more bytes, which begin with the bits 10.
  while (end > MAX_READ - 3 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

function firstOf(blocks: readonly Block[]): readonly Block[] {
  let length = 0;
  const end = blocks.findIndex(block => (length += lengthOf(block)) > MAX_READ);
  return end < 0 ? blocks : blocks.slice(0, end + 1);
}

/** The kind follows from the bytes if they have a mark; a text is what its sender says. */
function kindOf({ mediaType, bytes }: SentFile): DocumentKind | undefined {
  const start = Buffer.from(bytes.subarray(0, 5)).toString('latin1');
  if (start === '%PDF-') return 'pdf';
  if (!start.startsWith('PK\u0003\u0004')) return kindOfMediaType(mediaType);
  // The directory of an archive has the names of its files uncompressed.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('xl/workbook.xml')
    ? 'xlsx'
    : 'docx';
}
