import { type IdentifierKind, identifierKinds } from '../../../text/identifier.ts';

/** What stands for a value in a text for a model. */
export interface MaskToken {
  readonly kind: IdentifierKind;
  readonly number: number;
}

interface FoundToken extends MaskToken {
  readonly start: number;
  readonly end: number;
}

/*
 * As we write it, `[CPF_1]`, and as models spell it: in lowercase, with a blank or a hyphen, escaped for Markdown or for a
 * URL, and without the brackets. A text of a person that can be read as one is a LITERAL, so that it is never taken for a
 * token. One without brackets is read behind another that ends with an escaped bracket, too.
 */
const TOKEN =
  /\\\[(\p{L}{3,8})\\?[_ -]?([1-9][0-9]{0,5})\\\]|(?:\[|%5B)(\p{L}{3,8})\\?[_ -]?([1-9][0-9]{0,5})(?:\]|%5D)|(?:(?<![\p{L}\p{N}_])|(?<=%5D))(\p{L}{3,8})\\?_([1-9][0-9]{0,5})(?![\p{L}\p{N}_])/giu;
const kinds: ReadonlySet<string> = new Set(identifierKinds);

export function formatToken({ kind, number }: MaskToken): string {
  return `[${kind}_${number}]`;
}

/** What can be read as a token in a folded text, known or not, in order. */
export function maskTokensIn(text: string): FoundToken[] {
  return Array.from(text.matchAll(TOKEN)).flatMap(
    ({ 0: written, 1: a, 2: b, 3: c, 4: d, 5: e, 6: f, index }) => {
      const kind = (a ?? c ?? e ?? '').toUpperCase().replace('Ã', 'A');
      if (!kinds.has(kind)) return [];
      const number = Number(b ?? d ?? f);
      return [{ kind: kind as IdentifierKind, number, start: index, end: index + written.length }];
    },
  );
}
