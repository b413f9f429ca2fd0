import { MAX_OPUS_SECONDS, opusSecondsOf } from './opus-length.ts';

/*
 * WebM: elements in elements. A file has its length in `Duration`. A browser that records knows none, so the latest block counts,
 * and what the blocks of Opus play.
 */

const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const TRACK_NUMBER = 0xd7;
const CODEC_ID = 0x86;
const CLUSTER = 0x1f43b675;
const CLUSTER_TIME = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const containers = new Set([SEGMENT, INFO, TRACKS, TRACK_ENTRY, CLUSTER, BLOCK_GROUP]);
/** Blocks of ten minutes, with what is around them, are fewer. */
const MAX_ELEMENTS = 200_000;
/** In nanoseconds. */
const DEFAULT_SCALE = 1_000_000;

export function webmSecondsOf(bytes: Buffer): number | undefined {
  let [scale, duration, clusterTime, last, played] = [0, 0, 0, 0, 0];
  let [track, isOpus] = [0, false];
  const opusTracks = new Set<number>();
  // Containers are only entered: what follows their size is read as the next element.
  for (let at = 0, elements = 0; at < bytes.length; elements += 1) {
    const id = readNumber(bytes, at, 4, true);
    const size = id && readNumber(bytes, at + id.length, 8, false);
    if (!id || !size || elements === MAX_ELEMENTS) return undefined;
    const start = at + id.length + size.length;
    // A scale that comes later, or twice, is read in different ways.
    if (id.value === CLUSTER) scale ||= DEFAULT_SCALE;
    if (id.value === TRACK_ENTRY) [track, isOpus] = [0, false];
    if (containers.has(id.value)) {
      at = start;
      continue;
    }
    const end = start + size.value;
    if (end > bytes.length) break;
    const element = bytes.subarray(start, end);
    if (id.value === TIMESTAMP_SCALE && scale > 0) return undefined;
    if (id.value === TIMESTAMP_SCALE) scale = readUnsigned(element);
    else if (id.value === DURATION) duration = readFloat(element);
    else if (id.value === TRACK_NUMBER) track = readUnsigned(element);
    else if (id.value === CODEC_ID) isOpus = element.includes('OPUS');
    else if (id.value === CLUSTER_TIME) clusterTime = readUnsigned(element);
    else if (id.value === SIMPLE_BLOCK || id.value === BLOCK) {
      const block = readBlock(element);
      last = Math.max(last, clusterTime + block.time);
      if (opusTracks.has(block.track)) played += block.opusSeconds;
    }
    if (isOpus) opusTracks.add(track);
    at = end;
  }
  return Math.max((Math.max(duration, last) * scale) / 1e9, played);
}

/** The first bit that is set tells how many bytes there are; it belongs to ids, and not to sizes. */
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

/** Its track, its time after that of its cluster, and flags; then the number of its packets, where there are several. */
function readBlock(element: Buffer): {
  readonly track: number;
  readonly time: number;
  readonly opusSeconds: number;
} {
  const track = readNumber(element, 0, 8, false);
  if (!track || element.length < track.length + 4) return { track: 0, time: 0, opusSeconds: 0 };
  const [flags = 0, first = 0, second = 0] = element.subarray(track.length + 2);
  const opusSeconds = flags & 6 ? (first + 1) * MAX_OPUS_SECONDS : opusSecondsOf(first, second);
  return { track: track.value, time: element.readInt16BE(track.length), opusSeconds };
}
