import { normalizeText } from '../../text/fold.ts';

const MAX_LENGTH = 64;

/** A function name that providers accept, as close to the given one as possible and not taken. */
export function toolNameOf(name: string, taken: (name: string) => boolean): string {
  const plain = normalizeText(name, 'NFD').replaceAll(/\p{M}/gu, '');
  const base = plain.replaceAll(/[^a-zA-Z0-9_-]+/g, '_').slice(0, MAX_LENGTH) || 'function';
  for (let count = 1; ; count += 1) {
    const end = count === 1 ? '' : `_${count}`;
    const tried = base.slice(0, MAX_LENGTH - end.length) + end;
    if (!taken(tried)) return tried;
  }
}
