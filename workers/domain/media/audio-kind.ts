import { hasTextAt } from './bytes.ts';
import { mp4SecondsOf } from './mp4-length.ts';
import { MAX_OPUS_SECONDS, OPUS_RATE, opusSecondsOf, webmSecondsOf } from './webm-length.ts';

/*
 * Finds the kind and length of a recording from its bytes: a caller may say anything. Six recordings of half an hour, whose
 * headers said a second, cost 119.94 under a budget of 1. So each reader takes the longest of the claims and of what a decoder
 * plays, and a codec whose packets cannot be counted is refused.
 */

/** The accepted kinds, for callers who sent another one. */
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
  /** Returns undefined or 0 if it has no sound of known length. */
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
  // MP3 comes last, because a frame begins with two bytes only.
  {
    mediaType: 'audio/mpeg',
    ending: 'mp3',
    isIt: bytes => hasTextAt(bytes, 0, 'ID3') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0),
    readSeconds: mp3SecondsOf,
  },
];

/** Bytes in a second. Opus reaches this; speech has a tenth. */
const MAX_BYTES_PER_SECOND = 64_000;

/** Returns undefined for other bytes than a recording of an accepted kind. */
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
/** PCM, floats, A-law, mu-law, and their longer header. */
const EVEN_FORMATS = [1, 3, 6, 7, 0xfffe];

/** Counts all bytes that may be sound, whatever their chunk says, at the bytes of a second, which the header tells twice. */
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

const ID3_HEADER = 10;
/** Some files have other bytes between frames. A file with more than this is no MP3. */
const MAX_SKIPPED = 65_536;
/** Fewer frames may be chance. */
const MIN_FRAMES = 3;

/** The rates of layer III, in kilobits a second, by version (1; 2 and 2.5) and the index of a header. */
const bitRates = {
  one: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  two: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const sampleRates = [44_100, 48_000, 32_000] as const;

interface Frame {
  readonly bytes: number;
  readonly seconds: number;
}

/** Sums the frames: the first frame's claim about all of them may be false. */
function mp3SecondsOf(bytes: Buffer): number | undefined {
  let [seconds, frames, skipped] = [0, 0, 0];
  for (let at = startOfFrames(bytes); at + 4 <= bytes.length; ) {
    const frame = readFrame(bytes, at);
    if (frame) {
      seconds += frame.seconds;
      frames += 1;
      at += frame.bytes;
    } else {
      skipped += 1;
      at += 1;
      if (skipped > MAX_SKIPPED) return undefined;
    }
  }
  return frames >= MIN_FRAMES ? seconds : undefined;
}

/** Each byte of a tag's length has seven bits; if one has eight, players find no tag, and play its content. */
function startOfFrames(bytes: Buffer): number {
  if (!hasTextAt(bytes, 0, 'ID3') || bytes.length < ID3_HEADER) return 0;
  const length = bytes.subarray(6, ID3_HEADER);
  const isTag = bytes[3] !== 0xff && bytes[4] !== 0xff && length.every(each => each < 0x80);
  return isTag ? ID3_HEADER + length.reduce((sum, each) => sum * 128 + each, 0) : 0;
}

function readFrame(bytes: Buffer, at: number): Frame | undefined {
  const header = bytes.readUInt32BE(at);
  const version = (header >>> 19) & 3;
  const isLayer3 = ((header >>> 17) & 3) === 1;
  if (header >>> 21 !== 0x7ff || version === 1 || !isLayer3) return undefined;
  const isOne = version === 3;
  const kilobits = bitRates[isOne ? 'one' : 'two'][(header >>> 12) & 15];
  const fullRate = sampleRates[(header >>> 10) & 3];
  if (!kilobits || !fullRate) return undefined;
  // Version 2 halves the rate, 2.5 halves it again.
  const rate = fullRate / (isOne ? 1 : version === 2 ? 2 : 4);
  const samples = isOne ? 1_152 : 576;
  const padding = (header >>> 9) & 1;
  return {
    bytes: Math.floor((samples * kilobits * 125) / rate) + padding,
    seconds: samples / rate,
  };
}

const PAGE_HEADER = 27;
/** The place in a page where it names its stream. */
const SERIAL = 14;
const IS_CONTINUED = 1;
const IS_FIRST = 2;
const NO_POSITION = 0xffffffffffffffffn;

/** Longer recordings are refused anyway: sixteen MiB of packets of one byte would be read for 150 ms. */
const MAX_PLAYED_SECONDS = 3_600;
/** Ten minutes have 240,000 packets at most. Four million pages of 255 parts, each within the one before, would take seconds. */
const MAX_SEGMENTS = 1_000_000;
/** The first four bytes of the headers of Opus, which are no sound. */
const OPUS_HEADERS = 0x4f707573;

/** Takes Opus alone, by the greatest position of all pages, or what its packets play: of Vorbis only the header would tell. */
function oggSecondsOf(bytes: Buffer): number | undefined {
  const head = PAGE_HEADER + (bytes[PAGE_HEADER - 1] ?? 0);
  if (!hasTextAt(bytes, head, 'OpusHead') || bytes.length < head + 12) return undefined;
  // A player drops these samples at the start.
  const dropped = bytes.readUInt16LE(head + 10);
  let [position, played, read] = [0, 0, 0];
  for (let at = 0; at >= 0 && at + PAGE_HEADER <= bytes.length && played <= MAX_PLAYED_SECONDS; ) {
    // Another stream would be played by its own codec: half an hour of Opus after the header of Vorbis counted as 29 s.
    const isBegun = at > 0 && ((bytes[at + 5] ?? 0) & IS_FIRST) !== 0;
    if (isBegun || bytes.readUInt32LE(at + SERIAL) !== bytes.readUInt32LE(SERIAL)) return undefined;
    const page = bytes.readBigUInt64LE(at + 6);
    // A page on which no packet ends has no position.
    if (page !== NO_POSITION) position = Math.max(position, Number(page));
    const segments = bytes.subarray(at + PAGE_HEADER, at + PAGE_HEADER + (bytes[at + PAGE_HEADER - 1] ?? 0));
    read += segments.length;
    if (read > MAX_SEGMENTS) return undefined;
    let isStart = ((bytes[at + 5] ?? 0) & IS_CONTINUED) === 0;
    let next = at + PAGE_HEADER + segments.length;
    for (const length of segments) {
      const isHeader = next + 4 <= bytes.length && bytes.readUInt32BE(next) === OPUS_HEADERS;
      if (isStart && length > 0 && !isHeader) played += opusSecondsOf(bytes[next] ?? 0, bytes[next + 1] ?? 0);
      isStart = length < 255;
      next += length;
    }
    // A player looks for the next page within a page whose check fails.
    at = bytes.indexOf('OggS', at + 4);
  }
  // The position includes the dropped samples; the last packet may end early.
  return Math.max(0, (position - dropped) / OPUS_RATE, played - MAX_OPUS_SECONDS);
}
