import { hasTextAt } from './bytes.ts';

/*
 * MPEG-4 consists of boxes in boxes. A file has its length in `mvhd` and for each sample; a file written while it is recorded
 * has fragments, whose samples are counted. All samples of AAC play equally long, whatever is said of each.
 */

const HEADER = 8;
/** Fragments of ten minutes have fewer. */
const MAX_BOXES = 20_000;
const containers = new Set(['moov', 'mvex', 'moof', 'traf', 'trak', 'mdia', 'minf', 'stbl']);
/** Some players find tracks within these. */
const hiding = new Set(['cmov', 'hoov']);
const AAC_SAMPLES = 1_024;
/** AAC of MPEG-4 and MPEG-2, and its kinds whose frames have at most `AAC_SAMPLES`. */
const aacObjects = new Set([0x40, 0x66, 0x67, 0x68]);
const aacKinds = new Set([1, 2, 3, 4]);
const aacRates = [96, 88.2, 64, 48, 44.1, 32, 24, 22.05, 16, 12, 11.025, 8, 7.35].map(each => each * 1_000);

interface Lengths {
  /** The longest claim about the file or one of its tracks, in seconds. */
  said: number;
  /** Units in a second of the first track, also of sample lengths in a fragment. */
  timescale: number;
  trackScale: number;
  sampleLength: number;
  /** The length of all fragments, in the same units. */
  fragments: number;
  /** The number of samples of the longest track, and of all fragments. */
  samples: number;
  fragmentSamples: number;
  /** The lowest rate of all tracks; Infinity before the first, 0 if one is no AAC. */
  leastRate: number;
}

/** Undefined if a track is no AAC: 50 minutes of Opus, whose header said a second, were reserved as 49 s, by their bytes. */
export function mp4SecondsOf(bytes: Buffer): number | undefined {
  const found: Lengths = {
    said: 0,
    timescale: 0,
    trackScale: 0,
    sampleLength: 0,
    fragments: 0,
    samples: 0,
    fragmentSamples: 0,
    leastRate: Infinity,
  };
  // Containers are only entered: the bytes after a header are read as the next box.
  for (let at = 0, boxes = 0; at + HEADER <= bytes.length; boxes += 1) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + HEADER);
    const isLong = size === 1 && at + 16 <= bytes.length;
    const length = isLong ? Number(bytes.readBigUInt64BE(at + HEADER)) : size;
    const start = at + (isLong ? 16 : HEADER);
    const end = length === 0 ? bytes.length : at + length;
    if (end < start || boxes === MAX_BOXES || hiding.has(type)) return undefined;
    if (containers.has(type)) at = start;
    else {
      readBox(found, type, bytes.subarray(start, Math.min(end, bytes.length)));
      at = end;
    }
  }
  if (found.leastRate === 0 || found.leastRate === Infinity) return undefined;
  const fragments = found.timescale > 0 ? found.fragments / found.timescale : 0;
  const played = ((found.samples + found.fragmentSamples) * AAC_SAMPLES) / found.leastRate;
  return Math.max(found.said, fragments, played);
}

function readBox(found: Lengths, type: string, box: Buffer): void {
  if (type === 'mvhd' && box.length >= 32) found.said = Math.max(found.said, readDuration(box).seconds);
  else if (type === 'mdhd' && box.length >= 24) {
    const { timescale, seconds } = readDuration(box);
    found.timescale ||= timescale;
    found.trackScale = timescale;
    found.said = Math.max(found.said, seconds);
  } else if (type === 'stsd') found.leastRate = Math.min(found.leastRate, aacRateIn(box));
  else if ((type === 'stsz' || type === 'stz2') && box.length >= 12)
    found.samples = Math.max(found.samples, box.readUInt32BE(8));
  else if (type === 'stts') readTimes(found, box);
  else if (type === 'trex' && box.length >= 16) found.sampleLength ||= box.readUInt32BE(12);
  else if (type === 'tfhd' && box.length >= 8) readFragmentHeader(found, box);
  else if (type === 'trun' && box.length >= 8) {
    found.fragmentSamples += box.readUInt32BE(4);
    found.fragments += readRun(box, found.sampleLength);
  }
}

/** Reads the header of a file or a track, in which 0, or nothing but ones, means unknown. */
function readDuration(box: Buffer): { readonly timescale: number; readonly seconds: number } {
  const isLong = box[0] === 1;
  const timescale = box.readUInt32BE(isLong ? 20 : 12);
  const duration = isLong && box.length >= 32 ? Number(box.readBigUInt64BE(24)) : box.readUInt32BE(16);
  const isKnown = timescale > 0 && duration !== 0xffffffff && duration < 2 ** 53;
  return { timescale, seconds: isKnown ? duration / timescale : 0 };
}

/** Reads pairs of a number of samples and their length. */
function readTimes(found: Lengths, box: Buffer): void {
  let [samples, length] = [0, 0];
  for (let at = 8; at + 8 <= box.length; at += 8) {
    samples += box.readUInt32BE(at);
    length += box.readUInt32BE(at) * box.readUInt32BE(at + 4);
  }
  found.samples = Math.max(found.samples, samples);
  if (found.trackScale > 0) found.said = Math.max(found.said, length / found.trackScale);
}

/** Returns the least rate of a description of samples for an AAC decoder; 0 if it also describes something else. */
function aacRateIn(box: Buffer): number {
  const isOne = box.length >= 16 && box.readUInt32BE(4) === 1 && hasTextAt(box, 12, 'mp4a');
  let found = isOne ? box.indexOf('esds') : -1;
  let rate = found < 0 ? 0 : Infinity;
  for (; found >= 0; found = box.indexOf('esds', found + 1)) rate = Math.min(rate, aacRateAt(box, found + 8));
  return rate;
}

/** The third of nested descriptors configures the decoder; the second tells what it decodes. */
function aacRateAt(box: Buffer, start: number): number {
  let at = start;
  for (const [tag, skipped] of [
    [3, 3],
    [4, 13],
    [5, 0],
  ] as const) {
    if (box[at] !== tag) return 0;
    at += 1;
    while ((box[at] ?? 0) & 0x80) at += 1;
    at += 1;
    if (tag === 4 && !aacObjects.has(box[at] ?? 0)) return 0;
    at += skipped;
  }
  // The bits are the kind (5), the rate's index and the channels; then the lower half's rate and kind, if there are halves.
  const bits = at + 4 <= box.length ? box.readUInt32BE(at) : 0;
  const kind = bits >>> 27;
  const hasUpperHalf = kind === 5 || kind === 29;
  const isAac =
    aacKinds.has(hasUpperHalf ? (bits >>> 10) & 31 : kind) && !(hasUpperHalf && ((bits >>> 15) & 15) === 15);
  return isAac ? (aacRates[(bits >>> 23) & 15] ?? 0) : 0;
}

function readFragmentHeader(found: Lengths, box: Buffer): void {
  const flags = box.readUInt32BE(0) & 0xffffff;
  const at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
  if (flags & 8 && at + 4 <= box.length) found.sampleLength = box.readUInt32BE(at);
}

/** The samples of a run have a length each, or one for all. */
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
