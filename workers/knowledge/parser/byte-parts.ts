/** What goes to the process of a parser in one message. */
const PART_BYTES = 262_144;

export function* bytePartsOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
}
