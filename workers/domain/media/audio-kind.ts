import { hasTextAt } from './bytes.ts';
import { readMp3Seconds } from './mp3-length.ts';
import { readMp4Seconds } from './mp4-length.ts';
import { readOggSeconds } from './ogg-length.ts';
import { readWavSeconds } from './wav-length.ts';
import { readWebmSeconds } from './webm-length.ts';

/*
 * What a recording is and how long it is, by its bytes: a caller may say anything. Each reader looks at a limited
 * number of parts, and none trusts a length that goes beyond the bytes.
 */

export interface AudioKind {
  readonly mediaType: string;
  /** Of a file name. */
  readonly ending: string;
  readonly seconds: number;
}

interface AudioFormat {
  readonly mediaType: string;
  readonly ending: string;
  isIt(bytes: Buffer): boolean;
  /** Undefined or 0: it has no sound that can be told. */
  readSeconds(bytes: Buffer): number | undefined;
}

const formats: readonly AudioFormat[] = [
  {
    mediaType: 'audio/ogg',
    ending: 'ogg',
    isIt: bytes => hasTextAt(bytes, 0, 'OggS'),
    readSeconds: readOggSeconds,
  },
  {
    mediaType: 'audio/wav',
    ending: 'wav',
    isIt: bytes => hasTextAt(bytes, 0, 'RIFF') && hasTextAt(bytes, 8, 'WAVE'),
    readSeconds: readWavSeconds,
  },
  {
    mediaType: 'audio/mp4',
    ending: 'm4a',
    isIt: bytes => hasTextAt(bytes, 4, 'ftyp'),
    readSeconds: readMp4Seconds,
  },
  {
    mediaType: 'audio/webm',
    ending: 'webm',
    isIt: bytes => hasTextAt(bytes, 0, '\x1a\x45\xdf\xa3'),
    readSeconds: readWebmSeconds,
  },
  // Last, because a frame begins with two bytes only.
  {
    mediaType: 'audio/mpeg',
    ending: 'mp3',
    isIt: bytes => hasTextAt(bytes, 0, 'ID3') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0),
    readSeconds: readMp3Seconds,
  },
];

/** Undefined where it is no recording of a kind that is read. */
export function findAudioKind(bytes: Buffer): AudioKind | undefined {
  const format = formats.find(each => each.isIt(bytes));
  const seconds = format?.readSeconds(bytes);
  if (!format || !seconds || !Number.isFinite(seconds)) return undefined;
  return { mediaType: format.mediaType, ending: format.ending, seconds };
}
