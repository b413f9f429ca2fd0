import { oneLineOf } from '../../../text/lines.ts';

const MAX_NAME_LENGTH = 100;

/** How a stored message says that it was spoken, and how long. */
export function spokenLabelOf(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return `[áudio ${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}]`;
}

/** How a stored message says that there was a picture or a file. */
export function shownLabelOf(kind: 'imagem' | 'arquivo', name = ''): string {
  const shown = oneLineOf(name, MAX_NAME_LENGTH).replaceAll(/[[\]]/g, '').trim();
  return shown === '' ? `[${kind}]` : `[${kind}: ${shown}]`;
}
