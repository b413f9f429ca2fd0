import { digitsOf, signsOf } from './payment-signs.ts';
import { StringSearch } from './string-search.ts';
import type { PaymentTrust, WppItem } from './wpp-parsed/wpp-parsed.ts';

/*
 * A payment code that only the person wrote may be anybody's: an assistant that repeats it would vouch for it. Codes are
 * looked for in what the turn had before it, without whatever may stand between their signs: spaces, dots, line breaks,
 * marks. What the assistant said earlier proves nothing, for it may have repeated the person then.
 *
 * All codes of an answer are looked for at once, so that each source is read once or twice however many there are, and
 * in steps, so that whoever waits for the event loop waits for a step and not for megabytes of sources.
 */

export interface PaymentSources {
  /** Texts of the host, its knowledge, its tools and the API client. */
  readonly given: readonly string[];
  /** Messages of the person, in order: a code may be spread over several. */
  readonly written: readonly string[];
}

type SignReader = (text: string) => Generator<string, void>;

interface Code {
  readonly content: string;
  readonly signs: string;
}

/** A code of which the person wrote at least half, in pieces of so many signs, is theirs: however they cut or mixed it. */
const PIECE = 8;

function piecesOf({ signs }: Code): string[] {
  const count = Math.floor(signs.length / PIECE);
  return Array.from({ length: count }, (_, at) => signs.slice(at * PIECE, (at + 1) * PIECE));
}

function isMostlyIn(written: StringSearch, code: Code): boolean {
  const pieces = piecesOf(code);
  return 2 * pieces.filter(piece => written.hasSeen(piece)).length >= pieces.length;
}

function* codesOf(contents: ReadonlySet<string>, read: SignReader): Generator<void, Code[]> {
  const codes: Code[] = [];
  for (const content of contents) {
    codes.push({ content, signs: [...read(content)].join('') });
    yield;
  }
  return codes;
}

function* readText(search: StringSearch, text: string, read: SignReader): Generator<void, void> {
  for (const signs of read(text)) {
    search.read(signs);
    yield;
  }
}

/** The codes that the person wrote and nobody gave. */
function* refusedOf(
  contents: ReadonlySet<string>,
  { given, written }: PaymentSources,
  read: SignReader,
): Generator<void, string[]> {
  const codes = yield* codesOf(contents, read);
  const inWritten = yield* StringSearch.of(codes.flatMap(piecesOf));
  for (const text of written) yield* readText(inWritten, text, read);
  const doubtful = codes.filter(code => isMostlyIn(inWritten, code));
  const inGiven = yield* StringSearch.of(doubtful.map(({ signs }) => signs));
  for (const text of doubtful.length > 0 ? given : []) {
    inGiven.startText();
    yield* readText(inGiven, text, read);
  }
  return doubtful.filter(({ signs }) => !inGiven.hasSeen(signs)).map(({ content }) => content);
}

/** Refuses what stands in the person's words only, and what is not among these payments. */
export function* trustByOrigin(
  payments: readonly WppItem[],
  sources: PaymentSources,
): Generator<void, PaymentTrust> {
  const boletos = new Set<string>();
  const pixes = new Set<string>();
  for (const { type, content } of payments) (type === 'boleto' ? boletos : pixes).add(content);
  const trusted = new Set([...boletos, ...pixes]);
  if (boletos.size > 0) for (const code of yield* refusedOf(boletos, sources, digitsOf)) trusted.delete(code);
  if (pixes.size > 0) for (const code of yield* refusedOf(pixes, sources, signsOf)) trusted.delete(code);
  return payment => trusted.has(payment.content);
}
