import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A picture, as far as anybody looks at it. */
export const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

const folder = join(import.meta.dirname, 'recordings');

/** Two seconds of one tone. */
export function readRecording(name: string): Buffer {
  return readFileSync(join(folder, name));
}

const BYTES_PER_SECOND = 8_000;
const WAV_HEADER = 44;

/** Silence of this length. */
export function makeWav(seconds: number): Buffer {
  const wav = Buffer.alloc(WAV_HEADER + seconds * BYTES_PER_SECOND, 0x80);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  // PCM, one channel, and rates of one byte a sample.
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(BYTES_PER_SECOND, 24);
  wav.writeUInt32LE(BYTES_PER_SECOND, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(wav.length - WAV_HEADER, 40);
  return wav;
}
