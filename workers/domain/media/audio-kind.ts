import { hasTextAt } from './bytes.ts';
import { mp3SecondsOf } from './mp3-length.ts';
import { mp4SecondsOf } from './mp4-length.ts';
import { oggSecondsOf } from './ogg-length.ts';
import { webmSecondsOf } from './webm-length.ts';

/*
 * What a recording is and how long it is, by its bytes: a caller may say anything. Six recordings of half an hour, whose headers said
 * a second, cost 119.94 under a budget of 1. So each reader takes the longest of what is said and what a decoder plays, and a
 * codec whose packets cannot be counted is not taken.
 */

/** What is taken, for those who sent something else. */
export const AUDIO_KINDS = 'Ogg or WebM (Opus), MP3, M4A (AAC) or WAV (PCM, float, A-law or mu-law)';

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
    readSeconds: oggSecondsOf,
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

/** In a second. Opus reaches it; speech has a tenth. */
const MAX_BYTES_PER_SECOND = 64_000;

/** Undefined where it is no recording of a kind that is read. */
export function audioKindOf(bytes: Buffer): AudioKind | undefined {
  const format = formats.find(each => each.isIt(bytes));
  const told = format?.readSeconds(bytes);
  if (!format || !told || !Number.isFinite(told)) return undefined;
  const { mediaType, ending } = format;
  const isPacked = mediaType !== 'audio/wav';
  return {
    mediaType,
    ending,
    seconds: isPacked ? Math.max(told, bytes.length / MAX_BYTES_PER_SECOND) : told,
  };
}

const FIRST_CHUNK = 12;
const MAX_CHUNKS = 1_000;
/** PCM, floats, A-law, mu-law, and a longer header for any of them. */
const EVEN_FORMATS = [1, 3, 6, 7, 0xfffe];

/** All bytes that may be sound, whatever their chunk says, by the bytes of a second, which its header tells twice. */
function readWavSeconds(bytes: Buffer): number | undefined {
  let bytesPerSecond = Infinity;
  for (let at = FIRST_CHUNK, chunks = 0; at + 8 <= bytes.length && chunks < MAX_CHUNKS; chunks += 1) {
    const size = bytes.readUInt32LE(at + 4);
    const start = at + 8;
    if (hasTextAt(bytes, at, 'data')) return (bytes.length - start) / bytesPerSecond;
    if (hasTextAt(bytes, at, 'fmt ')) {
      if (start + 16 > bytes.length || !EVEN_FORMATS.includes(bytes.readUInt16LE(start))) return undefined;
      const said = bytes.readUInt32LE(start + 8);
      const bits = bytes.readUInt16LE(start + 2) * bytes.readUInt16LE(start + 14);
      if (said === 0 || said !== (bytes.readUInt32LE(start + 4) * bits) / 8) return undefined;
      bytesPerSecond = Math.min(bytesPerSecond, said);
    }
    at = start + size + (size % 2);
  }
  return undefined;
}
