import { CPF_IN_TEXT, PHONE_IN_TEXT } from '../text/contact.ts';
import { splitIntoSentences } from '../text/sentences.ts';
import type { Message } from './chat-request.ts';
import { extractTerms, toComparableText } from './extraction/words.ts';

/** A digest of a dialogue, made of its own sentences. */
export interface DialogueDigest {
  readonly summary: string;
  /** main words, by weight */
  readonly topics: readonly string[];
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly phone: string | undefined;
  readonly cpf: string | undefined;
  /** the whole text */
  readonly text: string;
}

/** Characters, counted from the end of the dialogue: bounds the time that a digest takes. */
const MAX_DIGEST_LENGTH = 40_000;
const SUMMARY_SENTENCES = 2;
const MAX_TOPICS = 10;
/** Terms added to the length of a sentence, so that the shortest sentences do not win. */
const LENGTH_SMOOTHING = 4;
const speakerPrefix =
  /^\s*(?:[*_]*)(?:user|assistant|human|usu[aá]rio|cliente|assistente|aluno|atendente)(?:[*_]*)\s*[:>-]\s*/i;

function listDialogueLines(messages: readonly Message[]): string[] {
  const dialogueTexts = messages
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map(({ text }) => text);
  const texts = dialogueTexts.some(Boolean) ? dialogueTexts : messages.slice(-1).map(({ text }) => text);
  return texts
    .join('\n')
    .slice(-MAX_DIGEST_LENGTH)
    .split('\n')
    .map(line => line.replace(speakerPrefix, '').trim())
    .filter(Boolean);
}

/** term → number of sentences with it */
function countSentencesByTerm(sentences: readonly string[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const sentence of sentences) {
    for (const term of new Set(extractTerms(sentence))) weights.set(term, (weights.get(term) ?? 0) + 1);
  }
  return weights;
}

/** The two sentences that share most words with the others, in their order. */
function selectSummary(sentences: readonly string[], weights: ReadonlyMap<string, number>): string {
  const scoredSentences = sentences.map((text, index) => {
    const terms = [...new Set(extractTerms(text))];
    const sum = terms.reduce((total, term) => total + (weights.get(term) ?? 0), 0);
    return { text, index, score: sum / (terms.length + LENGTH_SMOOTHING) };
  });
  const best = scoredSentences
    .toSorted((left, right) => right.score - left.score)
    .slice(0, SUMMARY_SENTENCES);
  return best
    .toSorted((left, right) => left.index - right.index)
    .map(({ text }) => text)
    .join(' ');
}

function listTopics(sentences: readonly string[], weights: ReadonlyMap<string, number>): string[] {
  const spellingsByTerm = new Map<string, string>();
  for (const word of sentences.join(' ').match(/[\p{L}-]{3,}/gu) ?? []) {
    const [term] = extractTerms(word);
    if (term !== undefined && !spellingsByTerm.has(term)) spellingsByTerm.set(term, word.toLowerCase());
  }
  return [...spellingsByTerm]
    .toSorted(([left], [right]) => (weights.get(right) ?? 0) - (weights.get(left) ?? 0))
    .slice(0, MAX_TOPICS)
    .map(([, word]) => word);
}

export function digestDialogue(messages: readonly Message[]): DialogueDigest {
  const lines = listDialogueLines(messages);
  const text = lines.join('\n');
  const sentences = lines.flatMap(splitIntoSentences);
  const weights = countSentencesByTerm(sentences);
  const name =
    /(?:[Mm]eu nome [eé]|[Mm]e chamo|[Aa]qui [eé] [ao]|[Ss]ou [ao]) (\p{Lu}\p{Ll}+(?: (?:d[aeo]s? )?\p{Lu}\p{Ll}+){0,3})/u.exec(
      text,
    );
  return {
    summary: selectSummary(sentences, weights),
    topics: listTopics(sentences, weights),
    name: name?.[1],
    // Or what stands for it where the service masks personal data.
    email: /\[email_\d+\]|[a-z0-9._-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}/.exec(
      toComparableText(text),
    )?.[0],
    phone: (/\[TELEFONE_\d+\]/.exec(text) ?? text.match(PHONE_IN_TEXT))?.[0],
    cpf: (/\[CPF_\d+\]/.exec(text) ?? text.match(CPF_IN_TEXT))?.[0],
    text,
  };
}
