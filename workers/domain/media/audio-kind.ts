import { hasTextAt } from './bytes.ts';
import { mp3SecondsOf } from './mp3-length.ts';
import { mp4SecondsOf } from './mp4-length.ts';
import { webmSecondsOf } from './webm-length.ts';

/*
 * What a recording is and how long it is, by its bytes: a caller may say anything. Each reader looks at a limited
 * number of parts, and none trusts a length that goes beyond the bytes.
 */

export interface AudioKind {
  readonly mediaType: string;
  /** The ending of a file name. */
  readonly ending: string;
  readonly seconds: number;
}

interface AudioFormat {
  readonly mediaType: string;
  readonly ending: string;
  isIt(bytes: Buffer): boolean;
  /** Undefined or 0: it has no sound that can be told. */
  readSeconds(bytes: Buffer): number | undefined;
}

const formats: readonly AudioFormat[] = [
  {
    mediaType: 'audio/ogg',
    ending: 'ogg',
    isIt: bytes => hasTextAt(bytes, 0, 'OggS'),
    readSeconds: readOggSeconds,
  },
  {
    mediaType: 'audio/wav',
    ending: 'wav',
    isIt: bytes => hasTextAt(bytes, 0, 'RIFF') && hasTextAt(bytes, 8, 'WAVE'),
    readSeconds: readWavSeconds,
  },
  {
    mediaType: 'audio/mp4',
    ending: 'm4a',
    isIt: bytes => hasTextAt(bytes, 4, 'ftyp'),
    readSeconds: mp4SecondsOf,
  },
  {
    mediaType: 'audio/webm',
    ending: 'webm',
    isIt: bytes => hasTextAt(bytes, 0, '\x1a\x45\xdf\xa3'),
    readSeconds: webmSecondsOf,
  },
  // Last, because a frame begins with two bytes only.
  {
    mediaType: 'audio/mpeg',
    ending: 'mp3',
    isIt: bytes => hasTextAt(bytes, 0, 'ID3') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0),
    readSeconds: mp3SecondsOf,
  },
];

/** Undefined where it is no recording of a kind that is read. */
export function audioKindOf(bytes: Buffer): AudioKind | undefined {
  const format = formats.find(each => each.isIt(bytes));
  const seconds = format?.readSeconds(bytes);
  if (!format || !seconds || !Number.isFinite(seconds)) return undefined;
  return { mediaType: format.mediaType, ending: format.ending, seconds };
}

const PAGE_HEADER = 27;
/** Opus counts in samples of this rate, whatever it plays. */
const OPUS_RATE = 48_000;
/** The last page has a position, but for one that was cut short. */
const MAX_PAGES = 1_000;
const NO_POSITION = 0xffffffffffffffffn;

/** Opus or Vorbis: the position of the last page, less what a player drops at the start. */
function readOggSeconds(bytes: Buffer): number | undefined {
  const head = startOfPacket(bytes);
  if (head === undefined) return undefined;
  let rate: number;
  let dropped = 0;
  if (hasTextAt(bytes, head, 'OpusHead') && bytes.length >= head + 12) {
    rate = OPUS_RATE;
    dropped = bytes.readUInt16LE(head + 10);
  } else if (hasTextAt(bytes, head, '\x01vorbis') && bytes.length >= head + 16)
    rate = bytes.readUInt32LE(head + 12);
  else return undefined;
  const position = lastPosition(bytes);
  return position === undefined || rate === 0 ? undefined : Math.max(0, position - dropped) / rate;
}

function startOfPacket(bytes: Buffer): number | undefined {
  const segments = bytes[PAGE_HEADER - 1];
  return segments === undefined ? undefined : PAGE_HEADER + segments;
}

/** Pages on which no packet ends have no position. */
function lastPosition(bytes: Buffer): number | undefined {
  for (let at = bytes.length, pages = 0; at > 0 && pages < MAX_PAGES; pages += 1) {
    at = bytes.lastIndexOf('OggS', at - 1);
    if (at < 0) return undefined;
    if (at + PAGE_HEADER > bytes.length) continue;
    const position = bytes.readBigUInt64LE(at + 6);
    if (position !== NO_POSITION) return Number(position);
  }
  return undefined;
}

const FIRST_CHUNK = 12;
const MAX_CHUNKS = 1_000;

/** The bytes of sound by the bytes of a second. A recorder that was broken off leaves a length of 0 or of all. */
function readWavSeconds(bytes: Buffer): number | undefined {
  let bytesPerSecond = 0;
  for (let at = FIRST_CHUNK, chunks = 0; at + 8 <= bytes.length && chunks < MAX_CHUNKS; chunks += 1) {
    const size = bytes.readUInt32LE(at + 4);
    const start = at + 8;
    if (hasTextAt(bytes, at, 'fmt ') && start + 12 <= bytes.length)
      bytesPerSecond = bytes.readUInt32LE(start + 8);
    if (hasTextAt(bytes, at, 'data')) {
      const left = bytes.length - start;
      const sound = size === 0 ? left : Math.min(size, left);
      return bytesPerSecond > 0 ? sound / bytesPerSecond : undefined;
    }
    at = start + size + (size % 2);
  }
  return undefined;
}
