/*
 * WebM consists of elements in elements. A file has its length in `Duration`, which a recording browser does not know. So the
 * latest block counts, and the length that all blocks play. These must be Opus: only their own headers tell how long packets of
 * Vorbis and AAC are.
 */

const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const CODEC_ID = 0x86;
/** Packets under this element begin with other bytes, or are compressed again. */
const CONTENT_ENCODINGS = 0x6d80;
const CLUSTER = 0x1f43b675;
const CLUSTER_TIME = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const containers = new Set([SEGMENT, INFO, TRACKS, TRACK_ENTRY, CLUSTER, BLOCK_GROUP]);
/** Ten minutes have fewer elements, including those around the blocks. */
const MAX_ELEMENTS = 200_000;
/** Nanoseconds. */
const DEFAULT_SCALE = 1_000_000;

export function webmSecondsOf(bytes: Buffer): number | undefined {
  let [scale, duration, clusterTime, last, played] = [0, 0, 0, 0, 0];
  let isOpus = false;
  // Ends of the open containers.
  const ends: number[] = [];
  // Containers are only entered: the bytes after their size are read as the next element.
  for (let at = 0, elements = 0; at < bytes.length; elements += 1) {
    while (at >= (ends.at(-1) ?? Infinity)) ends.pop();
    const id = readNumber(bytes, at, 4, true);
    const size = id && readNumber(bytes, at + id.length, 8, false);
    if (!id || !size || elements === MAX_ELEMENTS) return undefined;
    const start = at + id.length + size.length;
    const end = start + size.value;
    const outerEnd = ends.at(-1) ?? bytes.length;
    // Readers disagree on a scale that comes later, or twice.
    if (id.value === CLUSTER) scale ||= DEFAULT_SCALE;
    if (containers.has(id.value)) {
      at = start;
      ends.push(Math.min(end, outerEnd));
      continue;
    }
    // Players read the bytes that such an element would skip.
    if (end > outerEnd) return undefined;
    const element = bytes.subarray(start, end);
    if (id.value === CONTENT_ENCODINGS || (id.value === TIMESTAMP_SCALE && scale > 0)) return undefined;
    if (id.value === TIMESTAMP_SCALE) scale = readUnsigned(element);
    else if (id.value === DURATION) duration = readFloat(element);
    else if (id.value === CODEC_ID) {
      isOpus = element.toString('latin1') === 'A_OPUS';
      if (!isOpus) return undefined;
    } else if (id.value === CLUSTER_TIME) clusterTime = readUnsigned(element);
    else if (id.value === SIMPLE_BLOCK || id.value === BLOCK) {
      const block = readBlock(element);
      last = Math.max(last, clusterTime + block.time);
      played += block.opusSeconds;
    }
    at = end;
  }
  return isOpus ? Math.max((Math.max(duration, last) * scale) / 1e9, played) : undefined;
}

/** The first set bit tells how many bytes there are; it is part of an id, but not of a size. */
function readNumber(
  bytes: Buffer,
  at: number,
  maxLength: number,
  hasMark: boolean,
): { readonly value: number; readonly length: number } | undefined {
  const first = bytes[at];
  if (!first) return undefined;
  const length = Math.clz32(first) - 23;
  if (length > maxLength || at + length > bytes.length) return undefined;
  let value = hasMark ? first : first & (0xff >> length);
  for (let next = 1; next < length; next += 1) value = value * 256 + (bytes[at + next] ?? 0);
  return { value, length };
}

function readUnsigned(element: Buffer): number {
  return element.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0);
}

function readFloat(element: Buffer): number {
  if (element.length === 4) return element.readFloatBE(0);
  return element.length === 8 ? element.readDoubleBE(0) : 0;
}

/** Reads the track, the time within the cluster, and flags; then the number of packets if there are several. */
function readBlock(element: Buffer): { readonly time: number; readonly opusSeconds: number } {
  const track = readNumber(element, 0, 8, false);
  if (!track || element.length < track.length + 4) return { time: 0, opusSeconds: 0 };
  const [flags = 0, first = 0, second = 0] = element.subarray(track.length + 2);
  const opusSeconds = flags & 6 ? (first + 1) * MAX_OPUS_SECONDS : opusSecondsOf(first, second);
  return { time: element.readInt16BE(track.length), opusSeconds };
}

/** Opus counts in samples of this rate, whatever it plays. */
export const OPUS_RATE = 48_000;
/** No packet plays longer, in seconds. */
export const MAX_OPUS_SECONDS = 0.12;

/** Milliseconds of a frame by the upper bits of a packet: four kinds of SILK, hybrid and CELT each. */
const silk = [10, 20, 40, 60];
const hybrid = [10, 20];
const celt = [2.5, 5, 10, 20];
const frameMs = [...silk, ...silk, ...silk, ...hybrid, ...hybrid, ...celt, ...celt, ...celt, ...celt];

/** Returns how long a packet plays by its first two bytes: a decoder follows them, whatever is said around the packet. */
export function opusSecondsOf(first: number, second: number): number {
  const frames = [1, 2, 2, second & 0x3f][first & 3] || Infinity;
  return Math.min((frames * (frameMs[first >> 3] ?? 0)) / 1_000, MAX_OPUS_SECONDS);
}
