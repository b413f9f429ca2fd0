export function hasTextAt(bytes: Buffer, at: number, text: string): boolean {
  return at >= 0 && bytes.toString('latin1', at, at + text.length) === text;
}

/** Returns the media type of a picture from its bytes; undefined for a kind that models do not read. */
export function imageTypeOf(bytes: Buffer): string | undefined {
  if (hasTextAt(bytes, 0, '\xff\xd8\xff')) return 'image/jpeg';
  if (hasTextAt(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (hasTextAt(bytes, 0, 'GIF87a') || hasTextAt(bytes, 0, 'GIF89a')) return 'image/gif';
  return hasTextAt(bytes, 0, 'RIFF') && hasTextAt(bytes, 8, 'WEBP') ? 'image/webp' : undefined;
}
