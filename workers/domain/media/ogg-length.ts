import { hasTextAt } from './bytes.ts';

const PAGE_HEADER = 27;
/** Opus counts in samples of this rate, whatever it plays. */
const OPUS_RATE = 48_000;
/** The last page has a position, but for one that was cut short. */
const MAX_PAGES = 1_000;
const NO_POSITION = 0xffffffffffffffffn;

/** Opus or Vorbis: the position of the last page, less what a player drops at the start. */
export function readOggSeconds(bytes: Buffer): number | undefined {
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
