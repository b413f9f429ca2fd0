/*
 * MPEG-4: boxes in boxes. A file has its length in `mvhd`. One that is written while it is recorded has no length there, but
 * fragments, whose samples are counted.
 */

const HEADER = 8;
/** Fragments of ten minutes have fewer. */
const MAX_BOXES = 20_000;
const containers = new Set(['moov', 'mvex', 'moof', 'traf', 'trak', 'mdia']);

interface Lengths {
  /** The length of the whole file, in seconds. */
  whole: number;
  /** The units in a second of the first track; the length of a sample is in those units. */
  timescale: number;
  sampleLength: number;
  /** In the same units. */
  fragments: number;
}

export function mp4SecondsOf(bytes: Buffer): number | undefined {
  const found: Lengths = { whole: 0, timescale: 0, sampleLength: 0, fragments: 0 };
  // Containers are only entered: what follows a header is read as the next box.
  for (let at = 0, boxes = 0; at + HEADER <= bytes.length && boxes < MAX_BOXES; boxes += 1) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + HEADER);
    const isLong = size === 1 && at + 16 <= bytes.length;
    const length = isLong ? Number(bytes.readBigUInt64BE(at + HEADER)) : size;
    const start = at + (isLong ? 16 : HEADER);
    const end = length === 0 ? bytes.length : at + length;
    if (end < start) return undefined;
    if (containers.has(type)) at = start;
    else {
      readBox(found, type, bytes.subarray(start, Math.min(end, bytes.length)));
      at = end;
    }
  }
  const fragments = found.timescale > 0 ? found.fragments / found.timescale : 0;
  return Math.max(found.whole, fragments);
}

function readBox(found: Lengths, type: string, box: Buffer): void {
  const isLong = box[0] === 1;
  if (type === 'mvhd' && box.length >= 32) {
    const timescale = box.readUInt32BE(isLong ? 20 : 12);
    const duration = isLong ? Number(box.readBigUInt64BE(24)) : box.readUInt32BE(16);
    const isKnown = timescale > 0 && duration !== 0xffffffff && duration < 2 ** 53;
    if (isKnown) found.whole = duration / timescale;
  } else if (type === 'mdhd' && box.length >= 24) found.timescale ||= box.readUInt32BE(isLong ? 20 : 12);
  else if (type === 'trex' && box.length >= 16) found.sampleLength ||= box.readUInt32BE(12);
  else if (type === 'tfhd' && box.length >= 8) readFragmentHeader(found, box);
  else if (type === 'trun' && box.length >= 8) found.fragments += readRun(box, found.sampleLength);
}

function readFragmentHeader(found: Lengths, box: Buffer): void {
  const flags = box.readUInt32BE(0) & 0xffffff;
  const at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
  if (flags & 8 && at + 4 <= box.length) found.sampleLength = box.readUInt32BE(at);
}

/** The samples of a run have a length of their own, or that of all. */
function readRun(box: Buffer, sampleLength: number): number {
  const flags = box.readUInt32BE(0) & 0xffffff;
  const count = box.readUInt32BE(4);
  if (!(flags & 0x100)) return count * sampleLength;
  const size = [0x100, 0x200, 0x400, 0x800].filter(flag => flags & flag).length * 4;
  const start = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
  let sum = 0;
  for (let sample = 0, at = start; sample < count && at + 4 <= box.length; sample += 1, at += size)
    sum += box.readUInt32BE(at);
  return sum;
}
