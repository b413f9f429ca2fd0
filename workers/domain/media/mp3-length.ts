import { hasTextAt } from './bytes.ts';

const ID3_HEADER = 10;
/** Between frames some files have other bytes. More than this, and it is no MP3. */
const MAX_SKIPPED = 65_536;
/** One frame may be chance. */
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

/** The sum of its frames: what its first frame says of all of them may not be true. */
export function mp3SecondsOf(bytes: Buffer): number | undefined {
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

/** Each byte of the length of a tag has seven bits; where one has eight, players find no tag, and play what is in it. */
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
