import { hasTextAt } from './bytes.ts';
import { MAX_OPUS_SECONDS, OPUS_RATE, opusSecondsOf } from './opus-length.ts';

const PAGE_HEADER = 27;
/** Where a page names its stream. */
const SERIAL = 14;
const IS_CONTINUED = 1;
const IS_FIRST = 2;
const NO_POSITION = 0xffffffffffffffffn;

/** Nobody takes what is longer: sixteen MiB of packets of one byte would be read for 150 ms. */
const MAX_PLAYED_SECONDS = 3_600;
/** Ten minutes have 240,000 packets at most, of few parts. Four million pages of 255 parts, each within the one before, would take seconds. */
const MAX_SEGMENTS = 1_000_000;
/** The first four bytes of its headers, which are no sound. */
const OPUS_HEADERS = 0x4f707573;

/** Opus alone: the greatest position of all pages, and what its packets play. Nothing but its header tells how long a packet of Vorbis is. */
export function oggSecondsOf(bytes: Buffer): number | undefined {
  const head = PAGE_HEADER + (bytes[PAGE_HEADER - 1] ?? 0);
  if (!hasTextAt(bytes, head, 'OpusHead') || bytes.length < head + 12) return undefined;
  // A player drops them at the start.
  const dropped = bytes.readUInt16LE(head + 10);
  let [position, played, read] = [0, 0, 0];
  for (let at = 0; at >= 0 && at + PAGE_HEADER <= bytes.length && played <= MAX_PLAYED_SECONDS; ) {
    // Another stream would be played by its own codec: half an hour of Opus behind the header of Vorbis was 29 s.
    const isBegun = at > 0 && ((bytes[at + 5] ?? 0) & IS_FIRST) !== 0;
    if (isBegun || bytes.readUInt32LE(at + SERIAL) !== bytes.readUInt32LE(SERIAL)) return undefined;
    const page = bytes.readBigUInt64LE(at + 6);
    // Pages on which no packet ends have none.
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
    // A player whose check of a page fails looks for the next one within it.
    at = bytes.indexOf('OggS', at + 4);
  }
  // The position leaves out what is dropped, and the rest of the last packet.
  return Math.max(0, (position - dropped) / OPUS_RATE, played - MAX_OPUS_SECONDS);
}
