import { decodeHTMLStrict } from 'entities/decode';
import { isSpace } from './char-kind.ts';

/** The longest name of HTML has 31 letters. */
const ENTITY = /&#?[a-z0-9]{1,31};/iy;

/** The entity at this `&`; one that is unknown stays as it is written. */
export function readEntityAt(text: string, at: number): { end: number; text: string } | undefined {
  ENTITY.lastIndex = at;
  const [written = ''] = ENTITY.exec(text) ?? [];
  const decoded = decodeHTMLStrict(written);
  if (decoded === written) return undefined;
  return { end: at + written.length, text: isSpace(decoded.charCodeAt(0)) ? ' ' : decoded };
}
