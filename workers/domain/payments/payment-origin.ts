import { alphanumericsOf, digitsOf } from '../../../text/alphanumerics.ts';
import { findPixReceiver } from '../../../text/payment-codes.ts';
import { digitsFromWords } from '../../../text/spelled-digits.ts';
import { StringSearch } from '../../../text/string-search.ts';
import type { PaymentTrust, WppItem } from '../wpp-parsed/wpp-parsed.ts';

/*
 * A payment code that only the end user wrote may be anybody's: an assistant that repeats it would vouch for it. So
 * each code is searched for in the input of the turn, ignoring spaces, dots, line breaks and marks. Earlier answers
 * of the assistant prove nothing, because they may have repeated the end user.
 *
 * All codes of one kind are searched for at once, so that each source is read a few times at most, and in steps, so that
 * megabytes of sources do not block the event loop.
 */

export interface PaymentSources {
  /** Texts of the host, its knowledge, its tools and the API client. */
  readonly trustedTexts: readonly string[];
  /** Messages of the end user, in order: a code may be spread over several. */
  readonly userTexts: readonly string[];
}

type CharacterReader = (text: string, rewrite?: (text: string) => string) => Generator<string, void>;

interface Code {
  readonly content: string;
  readonly characters: string;
}

/** A text counts as written by the end user if `minShare` of it occurs in their messages in runs of at least `minRun`. */
interface OriginRule {
  readonly minRun: number;
  readonly minShare: number;
}

/**
 * Finds codes however the end user cut, labelled or mixed them. Shorter runs occur in unrelated texts by chance, and codes of
 * one bank or one receiver have up to a half in common.
 */
const codeRule: OriginRule = { minRun: 4, minShare: 2 / 3 };
/** A key is short and dictated in groups of two or three, a phone without +55. A true key is in a trusted text. */
const receiverRule: OriginRule = { minRun: 2, minShare: 0.8 };

function runsOf({ characters }: Code, { minRun }: OriginRule): string[] {
  const count = Math.max(characters.length - minRun + 1, 0);
  return Array.from({ length: count }, (_, at) => characters.slice(at, at + minRun));
}

function isMostlyIn(userText: StringSearch, code: Code, rule: OriginRule): boolean {
  let found = 0;
  let end = 0;
  for (const [at, run] of runsOf(code, rule).entries()) {
    if (!userText.hasSeen(run)) continue;
    found += at + rule.minRun - Math.max(at, end);
    end = at + rule.minRun;
  }
  return found >= rule.minShare * code.characters.length;
}

function* codesOf(contents: ReadonlySet<string>, read: CharacterReader): Generator<void, Code[]> {
  const codes: Code[] = [];
  for (const content of contents) {
    codes.push({ content, characters: [...read(content)].join('') });
    yield;
  }
  return codes;
}

function* readAll(search: StringSearch, slices: Iterable<string>): Generator<void, void> {
  for (const characters of slices) {
    search.read(characters);
    yield;
  }
}

/** Returns the codes that only the end user wrote. */
function* findRefused(
  contents: ReadonlySet<string>,
  { trustedTexts, userTexts }: PaymentSources,
  read: CharacterReader,
  rule = codeRule,
): Generator<void, string[]> {
  if (contents.size === 0) return [];
  const codes = yield* codesOf(contents, read);
  const inUserText = yield* StringSearch.of(codes.flatMap(code => runsOf(code, rule)));
  for (const text of userTexts) yield* readAll(inUserText, read(text, digitsFromWords));
  const userCodes = codes.filter(code => isMostlyIn(inUserText, code, rule));
  const inTrusted = yield* StringSearch.of(userCodes.map(({ characters }) => characters));
  for (const text of userCodes.length > 0 ? trustedTexts : []) {
    inTrusted.startText();
    yield* readAll(inTrusted, read(text));
  }
  return userCodes.filter(({ characters }) => !inTrusted.hasSeen(characters)).map(({ content }) => content);
}

/** A model can make a valid code from a key alone, so a receiver that only the end user wrote is refused, too. */
function* findRefusedPixes(
  pixes: ReadonlySet<string>,
  sources: PaymentSources,
): Generator<void, readonly string[]> {
  const receiverOf = new Map(
    [...pixes].map(code => [code, withoutDomainEnding(findPixReceiver(code) ?? '')]),
  );
  const receivers = [...receiverOf.values()].filter(receiver => receiver !== '');
  const numbers = receivers.filter(receiver => /^\+?\d+$/.test(receiver));
  const refused = new Set(yield* findRefused(pixes, sources, alphanumericsOf));
  const strangers = new Set([
    ...(yield* findRefused(new Set(receivers), sources, alphanumericsOf, receiverRule)),
    // A number may be dictated digit by digit, with words between.
    ...(yield* findRefused(new Set(numbers), sources, digitsOf, receiverRule)),
  ]);
  for (const [code, receiver] of receiverOf) if (strangers.has(receiver)) refused.add(code);
  return [...refused];
}

/** A person who dictates an e-mail address may leave out `.com.br`. */
function withoutDomainEnding(receiver: string): string {
  const [user = '', domain] = receiver.split('@');
  return domain === undefined ? receiver : `${user}@${domain.split('.')[0]}`;
}

/** Returns a check that rejects codes that only the end user wrote, and payments that are not in the list. */
export function* makePaymentTrust(
  payments: readonly WppItem[],
  sources: PaymentSources,
): Generator<void, PaymentTrust> {
  const boletos = new Set<string>();
  const pixes = new Set<string>();
  for (const { type, content } of payments) (type === 'boleto' ? boletos : pixes).add(content);
  const trusted = new Set([...boletos, ...pixes]);
  for (const code of yield* findRefused(boletos, sources, digitsOf)) trusted.delete(code);
  for (const code of yield* findRefusedPixes(pixes, sources)) trusted.delete(code);
  return payment => trusted.has(payment.content);
}
