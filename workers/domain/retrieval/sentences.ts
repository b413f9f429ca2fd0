import { type AskedKind, offeredKindsOf } from '../../../text/asked-kind.ts';
import { foldText } from '../../../text/fold.ts';
import { splitFolded } from '../../../text/sentences.ts';
import { isSpecific, wordsOf } from '../../../text/words.ts';

export interface Sentence {
  /** Its specific words, normalized. */
  readonly words: readonly string[];
  /** What it has that may be asked for. */
  readonly kinds: readonly AskedKind[];
  readonly isHeading: boolean;
}

/** Takes about 25 MB of memory. */
const MAX_CHARACTERS = 2_000_000;
/** The rest of a longer text counts as one sentence. */
const MAX_SENTENCES = 200;
const remembered = new Map<string, readonly Sentence[]>();
let charactersRemembered = 0;

/**
 * The sentences of a passage with specific words; a line of a list or table counts as one. Cached, because the same
 * passages are candidates repeatedly.
 */
export function sentencesOf(text: string): readonly Sentence[] {
  const known = remembered.get(text);
  if (known) return known;
  if (charactersRemembered > MAX_CHARACTERS) {
    remembered.clear();
    charactersRemembered = 0;
  }
  const sentences = read(text);
  remembered.set(text, sentences);
  charactersRemembered += text.length;
  return sentences;
}

/** A heading of Markdown, or a line that is all bold. */
const heading = /^(?:#{1,6} |\*\*[^*]{1,100}\*\*$)/;

function read(text: string): Sentence[] {
  return splitFolded(foldText(text), MAX_SENTENCES)
    .map((sentence, at, all) => ({
      words: wordsOf(sentence).filter(isSpecific),
      kinds: offeredKindsOf(sentence),
      isHeading: heading.test(sentence) || (all[at + 1] ?? '').startsWith('| ---'),
    }))
    .filter(({ words }) => words.length > 0);
}
