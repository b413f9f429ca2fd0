const GRAM = 4;

/** The 4-grams of a word, with its ends marked. */
export function gramsOf(word: string): string[] {
  const marked = `_${word}_`;
  if (marked.length <= GRAM) return [marked];
  return Array.from({ length: marked.length - GRAM + 1 }, (_, at) => marked.slice(at, at + GRAM));
}
