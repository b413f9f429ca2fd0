/*
 * MPEG-4: boxes in boxes. A file has its length in `mvhd` and for each sample; one that is written while it is recorded has fragments,
 * whose samples are counted. All samples of AAC play equally long, whatever is said of each.
 */

const HEADER = 8;
/** Fragments of ten minutes have fewer. */
const MAX_BOXES = 20_000;
const containers = new Set(['moov', 'mvex', 'moof', 'traf', 'trak', 'mdia', 'minf', 'stbl']);
const AAC_SAMPLES = 1_024;
const aacRates = [96, 88.2, 64, 48, 44.1, 32, 24, 22.05, 16, 12, 11.025, 8, 7.35].map(each => each * 1_000);

interface Lengths {
  /** The longest that is said of the file or one of its tracks, in seconds. */
  said: number;
  /** The units in a second of the first track; the length of a sample in a fragment is in those units. */
  timescale: number;
  /** That of the track that is read. */
  trackScale: number;
  sampleLength: number;
  /** In the same units. */
  fragments: number;
  /** How many samples the track that is read has, and all fragments. */
  samples: number;
  fragmentSamples: number;
  /** Infinity for what is no AAC: of the track that is read, and the least. */
  trackRate: number;
  leastRate: number;
}

export function mp4SecondsOf(bytes: Buffer): number | undefined {
  const found: Lengths = {
    said: 0,
    timescale: 0,
    trackScale: 0,
    sampleLength: 0,
    fragments: 0,
    samples: 0,
    fragmentSamples: 0,
    trackRate: Infinity,
    leastRate: Infinity,
  };
  // Containers are only entered: what follows a header is read as the next box.
  for (let at = 0, boxes = 0; at + HEADER <= bytes.length; boxes += 1) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + HEADER);
    const isLong = size === 1 && at + 16 <= bytes.length;
    const length = isLong ? Number(bytes.readBigUInt64BE(at + HEADER)) : size;
    const start = at + (isLong ? 16 : HEADER);
    const end = length === 0 ? bytes.length : at + length;
    if (end < start || boxes === MAX_BOXES) return undefined;
    if (containers.has(type)) at = start;
    else {
      readBox(found, type, bytes.subarray(start, Math.min(end, bytes.length)));
      at = end;
    }
  }
  const fragments = found.timescale > 0 ? found.fragments / found.timescale : 0;
  const played = (found.fragmentSamples * AAC_SAMPLES) / found.leastRate;
  return Math.max(found.said, fragments, played);
}

function readBox(found: Lengths, type: string, box: Buffer): void {
  if (type === 'mvhd' && box.length >= 32) found.said = Math.max(found.said, readDuration(box).seconds);
  else if (type === 'mdhd' && box.length >= 24) {
    const { timescale, seconds } = readDuration(box);
    found.timescale ||= timescale;
    found.trackScale = timescale;
    found.said = Math.max(found.said, seconds);
    [found.samples, found.trackRate] = [0, Infinity];
  } else if (type === 'stsd' || type === 'stsz') readSamples(found, type, box);
  else if (type === 'stts' && found.trackScale > 0)
    found.said = Math.max(found.said, sumOfTimes(box) / found.trackScale);
  else if (type === 'trex' && box.length >= 16) found.sampleLength ||= box.readUInt32BE(12);
  else if (type === 'tfhd' && box.length >= 8) readFragmentHeader(found, box);
  else if (type === 'trun' && box.length >= 8) {
    found.fragmentSamples += box.readUInt32BE(4);
    found.fragments += readRun(box, found.sampleLength);
  }
}

/** How a track is packed, and how many samples it has, in any order. */
function readSamples(found: Lengths, type: 'stsd' | 'stsz', box: Buffer): void {
  if (type === 'stsd') found.trackRate = Math.min(found.trackRate, aacRateIn(box));
  else if (box.length >= 12) found.samples = Math.max(found.samples, box.readUInt32BE(8));
  found.leastRate = Math.min(found.leastRate, found.trackRate);
  found.said = Math.max(found.said, (found.samples * AAC_SAMPLES) / found.trackRate);
}

/** Of a file or a track, whose header has 0 or nothing but ones where it is not known. */
function readDuration(box: Buffer): { readonly timescale: number; readonly seconds: number } {
  const isLong = box[0] === 1;
  const timescale = box.readUInt32BE(isLong ? 20 : 12);
  const duration = isLong && box.length >= 32 ? Number(box.readBigUInt64BE(24)) : box.readUInt32BE(16);
  const isKnown = timescale > 0 && duration !== 0xffffffff && duration < 2 ** 53;
  return { timescale, seconds: isKnown ? duration / timescale : 0 };
}

/** So many samples of a length, several times. */
function sumOfTimes(box: Buffer): number {
  let sum = 0;
  for (let at = 8; at + 8 <= box.length; at += 8) sum += box.readUInt32BE(at) * box.readUInt32BE(at + 4);
  return sum;
}

/** The rate in the configuration of an AAC decoder, which is the third of nested descriptors; Infinity where there is none. */
function aacRateIn(box: Buffer): number {
  const found = box.indexOf('esds');
  if (found < 0) return Infinity;
  let at = found + 8;
  for (const [tag, skipped] of [
    [3, 3],
    [4, 13],
    [5, 0],
  ] as const) {
    if (box[at] !== tag) return Infinity;
    at += 1;
    while ((box[at] ?? 0) & 0x80) at += 1;
    at += 1 + skipped;
  }
  const index = (((box[at] ?? 0) & 7) << 1) | ((box[at + 1] ?? 0) >> 7);
  return aacRates[index] ?? Infinity;
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
