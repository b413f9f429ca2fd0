import { oneLineOf } from '../../../text/lines.ts';

const MAX_NAME_LENGTH = 100;

/** Marks a stored message as spoken, and tells how long it was. */
export function spokenLabelOf(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return `[áudio ${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}]`;
}

/** Marks a picture or a file in a stored message. */
export function shownLabelOf(kind: 'imagem' | 'arquivo', name = ''): string {
  const shown = oneLineOf(name, MAX_NAME_LENGTH).replaceAll(/[[\]]/g, '').trim();
  return shown === '' ? `[${kind}]` : `[${kind}: ${shown}]`;
}
