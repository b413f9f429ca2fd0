/** Whether the bytes have this text at the offset. */
export function hasTextAt(bytes: Buffer, at: number, text: string): boolean {
  return at >= 0 && bytes.toString('latin1', at, at + text.length) === text;
}
