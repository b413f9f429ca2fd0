import { findLetteredCnpjs, findPixCodes, findPixKeys } from '../../../text/find-codes.ts';
import { findEmails } from '../../../text/find-emails.ts';
import { findNumbers } from '../../../text/find-numbers.ts';
import { foldWithPlaces } from '../../../text/fold-in-place.ts';
import type { Identifier } from '../../../text/identifier.ts';
import { maskTokensIn } from './mask-token.ts';

type Finder = (text: string) => readonly Identifier[];

/** The first that finds a part of the text has it; the others search what is left between. */
const FINDERS: readonly Finder[] = [
  findPixCodes,
  findEmails,
  findPixKeys,
  findLetteredCnpjs,
  findNumbers,
  findLiterals,
];

/** All identifiers need one of these. */
const SUSPICIOUS = /[0-9@²³¹\u0660-\u{10ffff}]|arroba|[([{< ]at[)\]}> ]/iu;

/** The identifiers in a text, in order, and what looks like a token of ours. Takes linear time. */
export function identifiersIn(text: string): Identifier[] {
  if (!SUSPICIOUS.test(text)) return [];
  const folded = foldWithPlaces(text);
  const found = FINDERS.reduce<readonly Identifier[]>(
    (known, finder) => addBetween(folded.text, known, finder),
    [],
  );
  return found.map(({ start, end, kind, key }) => {
    const place = { start: folded.startOf(start), end: folded.endOf(end - 1) };
    // A literal is kept as it is written.
    return {
      kind,
      key: kind === 'LITERAL' ? `LITERAL ${text.slice(place.start, place.end)}` : key,
      ...place,
    };
  });
}

/** Adds what the finder finds in the parts that are free; each part is searched as a text of its own. */
function addBetween(text: string, known: readonly Identifier[], finder: Finder): Identifier[] {
  const all: Identifier[] = [];
  let free = 0;
  const searchUpTo = (end: number) => {
    for (const found of inOrder(finder(text.slice(free, end))))
      all.push({ ...found, start: found.start + free, end: found.end + free });
  };
  for (const identifier of known) {
    searchUpTo(identifier.start);
    all.push(identifier);
    free = identifier.end;
  }
  searchUpTo(text.length);
  return all;
}

/** Without those that overlap an earlier one. */
function inOrder(found: readonly Identifier[]): Identifier[] {
  let free = 0;
  return found
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ start, end }) => {
      if (start < free) return false;
      free = end;
      return true;
    });
}

function findLiterals(text: string): Identifier[] {
  // Most parts between numbers have none.
  if (!/[1-9]/.test(text)) return [];
  return maskTokensIn(text).map(({ start, end }) => ({ kind: 'LITERAL', key: '', start, end }));
}
