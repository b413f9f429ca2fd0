import { type Asked, readAsked } from './read-asked.ts';

export interface ApprovedQuestions {
  readonly id: string;
  readonly questions: readonly string[];
}

/** Of the way in which questions are read: answers that were stored with another one are read again for each question. */
export const READER = 1;

/** What two questions share where they may be one; undefined for a question that is taken for no other. */
export function askedKeyOf(question: string): string | undefined {
  const asked = readAsked(question);
  return asked && keyOf(asked);
}

/** The approved answer to the question: undefined if it has none, several, or if there is a doubt. */
export function matchApproved<T extends ApprovedQuestions>(
  question: string,
  approved: readonly T[],
): T | undefined {
  const asked = readAsked(question);
  if (!asked) return undefined;
  const key = keyOf(asked);
  const isSame = (other: Asked | undefined) =>
    other !== undefined && keyOf(other) === key && isOfOneManner(asked, other) && haveOneName(asked, other);
  const [match, ...others] = approved.filter(({ questions }) => questions.map(readAsked).some(isSame));
  return others.length === 0 ? match : undefined;
}

function keyOf({ words }: Asked): string {
  return words.join(' ');
}

/** "Biblioteca" alone may ask anything about it. */
function isOfOneManner(asked: Asked, other: Asked): boolean {
  if (asked.manner === other.manner) return true;
  return (asked.manner === 'none' || other.manner === 'none') && asked.words.length > 1;
}

function haveOneName(asked: Asked, other: Asked): boolean {
  return (
    asked.names.every(name => other.written.has(name)) && other.names.every(name => asked.written.has(name))
  );
}
