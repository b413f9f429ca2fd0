import { hasTextAt } from './bytes.ts';

const FIRST_CHUNK = 12;
const MAX_CHUNKS = 1_000;

/** The bytes of sound by the bytes of a second. A recorder that was broken off leaves a length of 0 or of all. */
export function readWavSeconds(bytes: Buffer): number | undefined {
  let bytesPerSecond = 0;
  for (let at = FIRST_CHUNK, chunks = 0; at + 8 <= bytes.length && chunks < MAX_CHUNKS; chunks += 1) {
    const size = bytes.readUInt32LE(at + 4);
    const start = at + 8;
    if (hasTextAt(bytes, at, 'fmt ') && start + 12 <= bytes.length)
      bytesPerSecond = bytes.readUInt32LE(start + 8);
    if (hasTextAt(bytes, at, 'data')) {
      const left = bytes.length - start;
      const sound = size === 0 ? left : Math.min(size, left);
      return bytesPerSecond > 0 ? sound / bytesPerSecond : undefined;
    }
    at = start + size + (size % 2);
  }
  return undefined;
}
