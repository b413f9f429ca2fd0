import { hasTextAt, imageTypeOf } from './bytes.ts';

/**
 * The media type of a file from its first bytes, whatever its sender says. Only what is such a picture or sound has a type of
 * pictures or sounds, so that a page may show these.
 */
export function mediaTypeOf(start: Buffer): string {
  const image = imageTypeOf(start);
  if (image !== undefined) return image;
  const has = (text: string) => start.includes(text, 0, 'latin1');
  const mark = marks.find(({ at = 0, text }) => hasTextAt(start, at, text));
  if (mark) return mark.typeOf(has);
  if (isMp3(start)) return 'audio/mpeg';
  return isText(start) ? 'text/plain; charset=utf-8' : UNKNOWN;
}

const UNKNOWN = 'application/octet-stream';
const OFFICE = 'application/vnd.openxmlformats-officedocument';

interface Mark {
  readonly at?: number;
  readonly text: string;
  /** `has`: whether a text stands in the first bytes. */
  typeOf(has: (text: string) => boolean): string;
}

const marks: readonly Mark[] = [
  { text: '%PDF-', typeOf: () => 'application/pdf' },
  { text: 'OggS', typeOf: has => (has('OpusHead') || has('\x01vorbis') ? 'audio/ogg' : 'application/ogg') },
  { text: 'RIFF', typeOf: has => (has('WAVEfmt ') ? 'audio/wav' : UNKNOWN) },
  { at: 4, text: 'ftypM4A ', typeOf: () => 'audio/mp4' },
  { at: 4, text: 'ftyp', typeOf: () => 'video/mp4' },
  { text: '\x1a\x45\xdf\xa3', typeOf: has => (has('A_OPUS') && !has('V_') ? 'audio/webm' : 'video/webm') },
  { text: 'ID3', typeOf: () => 'audio/mpeg' },
  {
    text: 'PK\x03\x04',
    typeOf(has) {
      if (has('word/')) return `${OFFICE}.wordprocessingml.document`;
      if (has('xl/')) return `${OFFICE}.spreadsheetml.sheet`;
      return has('ppt/') ? `${OFFICE}.presentationml.presentation` : 'application/zip';
    },
  },
];

/** A frame of layer III; a text in UTF-16 begins with one of layer I. */
function isMp3(start: Buffer): boolean {
  return start[0] === 0xff && ((start[1] ?? 0) & 0xe6) === 0xe2;
}

/** Text has hardly any of the characters that control a device. The last character may be cut. */
function isText(start: Buffer): boolean {
  if (start.some(byte => byte < 0x20 && !CONTROLS_OF_TEXT.includes(byte))) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Tabulator, line feeds, form feed, carriage return, and the escape of a terminal. */
const CONTROLS_OF_TEXT = [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b];
