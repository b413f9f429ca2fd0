import { foldWithPlaces } from '../../../text/fold-in-place.ts';
import { type IdentifierKind, identifierKinds } from '../../../text/identifier.ts';
import { identifiersIn } from './identifiers.ts';
import {
  addressBefore,
  formatToken,
  isAddressIn,
  MAX_ADDRESS_LENGTH,
  type MaskToken,
  maskTokensIn,
} from './token-address.ts';

/** A value that a token of the conversation stands for. */
export interface MaskedValue {
  readonly kind: IdentifierKind;
  /** Equal for all spellings of the value. */
  readonly key: string;
  /** The text as first written, which is put back. */
  readonly text: string;
}

type StoredValue = Omit<MaskedValue, 'kind'> & { readonly kind: string };

/** Replaces personal identifiers by tokens, and tokens by the identifiers. */
export interface Masking {
  readonly isOn: boolean;
  /** Works in slices, so that the caller can pause between two. */
  maskSteps(text: string): Generator<void, string>;
  mask(text: string): string;
  /** Puts the values back, as `write` returns them. Unknown tokens stay, and so do tokens in an unknown address. */
  unmask(text: string, write?: (value: string) => string, isKnown?: (address: string) => boolean): string;
  /** Returns the values to keep with the conversation; undefined if there are no new ones. */
  findNewValues(): readonly MaskedValue[] | undefined;
}

export const NO_MASKING: Masking = {
  isOn: false,
  // oxlint-disable-next-line require-yield
  *maskSteps(text) {
    return text;
  },
  mask: text => text,
  unmask: text => text,
  findNewValues: () => undefined,
};

/** Further values also get tokens, but only for this turn. */
export const MAX_KEPT_VALUES = 300;
const MAX_KEPT_CHARACTERS = 32_000;
const SLICE_LENGTH = 4_096;
/** Only a text of numbers has no place to cut within this many characters. */
const MAX_SLICE_LENGTH = 65_536;
const PIX_START = '000201';
const MAX_PIX_LENGTH = 600;

/** Makes the masking of one conversation; `kept` are the tokens that earlier turns gave. */
export function makeMasking(kept: readonly StoredValue[] = []): Masking {
  const list = makeTokenList();
  kept.filter(isMaskedValue).forEach(list.add);
  const maskSlice = (text: string) =>
    replaceAll(text, identifiersIn(text), ({ kind, key }, written) =>
      list.tokenOf({ kind, key, text: written }),
    );

  return {
    isOn: true,
    *maskSteps(text) {
      let masked = '';
      for (const slice of slicesOf(text)) {
        masked += maskSlice(slice);
        yield;
      }
      return masked;
    },
    mask: text => Array.from(slicesOf(text), maskSlice).join(''),
    unmask(text, write = value => value, isKnown = () => true) {
      if (list.values.length === 0) return text;
      return replaceAll(text, tokensIn(text), (token, written) => {
        const value = list.valueOf(token);
        const address = value === undefined ? undefined : addressBefore(text, token.start);
        return value === undefined || (address !== undefined && !isKnown(address)) ? written : write(value);
      });
    },
    findNewValues() {
      const bounded = boundOf(list.values);
      return bounded.length > kept.length ? bounded : undefined;
    },
  };
}

/** Restricts the masking for an answer to these masked texts: no value goes to an address that none of them has. */
export function withKnownAddresses(masking: Masking, texts: readonly string[]): Masking {
  if (!masking.isOn) return masking;
  return {
    ...masking,
    unmask: (text, write) => masking.unmask(text, write, address => isAddressIn(address, texts)),
  };
}

function makeTokenList() {
  const values: MaskedValue[] = [];
  const tokens = new Map<string, string>();
  const texts = new Map<string, string>();
  const counts = new Map<IdentifierKind, number>();

  function add(value: MaskedValue): string {
    const number = (counts.get(value.kind) ?? 0) + 1;
    const token = formatToken({ kind: value.kind, number });
    counts.set(value.kind, number);
    values.push(value);
    tokens.set(value.key, token);
    texts.set(token, value.text);
    return token;
  }
  return {
    values,
    add,
    tokenOf: (value: MaskedValue) => tokens.get(value.key) ?? add(value),
    valueOf: (token: MaskToken) => texts.get(formatToken(token)),
  };
}

/** Returns the tokens, known or not, and their places in the text. */
function tokensIn(text: string) {
  const folded = foldWithPlaces(text);
  return maskTokensIn(folded.text).map(({ start, end, ...token }) => ({
    ...token,
    start: folded.startOf(start),
    end: folded.endOf(end - 1),
  }));
}

/** Masks a text of no conversation: numbers begin with 1 in each text. */
export function maskAlone(text: string): string {
  return makeMasking().mask(text);
}

function replaceAll<T extends { readonly start: number; readonly end: number }>(
  text: string,
  places: readonly T[],
  newTextOf: (place: T, written: string) => string,
): string {
  let replaced = '';
  let done = 0;
  for (const place of places) {
    const { start, end } = place;
    replaced += text.slice(done, start) + newTextOf(place, text.slice(start, end));
    done = end;
  }
  return replaced + text.slice(done);
}

/** Cuts where no identifier can be cut: at line ends, after certain signs, and between two words. */
function* slicesOf(text: string): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    const end = findSliceEnd(text, from);
    yield text.slice(from, end);
    from = end;
  }
}

const CUT = /[\n;"=<>]|\p{L}(?<! (?:arroba|at|ponto|dot))(?= (?!(?:arroba|at|ponto|dot) )\p{L})/giu;

function findSliceEnd(text: string, from: number): number {
  const least = from + SLICE_LENGTH;
  if (least >= text.length) return text.length;
  // A Pix code may contain all these signs.
  const pix = text.slice(least - MAX_PIX_LENGTH, least + PIX_START.length).lastIndexOf(PIX_START);
  CUT.lastIndex = least + Math.max(pix, 0);
  const cut = CUT.exec(text.slice(0, from + MAX_SLICE_LENGTH));
  return cut ? cut.index + cut[0].length : Math.min(from + MAX_SLICE_LENGTH, text.length);
}

function boundOf(values: readonly MaskedValue[]): MaskedValue[] {
  let left = MAX_KEPT_CHARACTERS;
  const firstTooMany = values.findIndex(({ key, text }, at) => {
    left -= key.length + text.length;
    return left < 0 || at >= MAX_KEPT_VALUES;
  });
  return firstTooMany < 0 ? [...values] : values.slice(0, firstTooMany);
}

function isMaskedValue(value: StoredValue): value is MaskedValue {
  return identifierKinds.some(known => known === value.kind);
}

/** A token is shorter, however it is spelled. */
const MAX_TOKEN_LENGTH = 40;
const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/**
 * Returns a function that takes a text in pieces and returns them without tokens. The beginning of a possible token, or half of
 * a character, is held back until the next piece.
 */
export function makePieceUnmasker(masking: Masking): (piece: string) => string {
  let held: string[] = [];
  // The end of the held text. Text is read only once: later pieces do not change whether an earlier blank is safe.
  let tail = '';
  const readBlanks = makeBlankReader();
  return piece => {
    const text = piece.replaceAll('\0', '');
    const seen = tail + text;
    const end = masking.isOn
      ? findSafeEnd(seen, readBlanks(seen, tail.length))
      : seen.length - (HIGH_SURROGATE.test(seen) ? 1 : 0);
    if (end < tail.length) {
      held.push(text);
      tail = seen.slice(-MAX_TOKEN_LENGTH);
      return '';
    }
    const whole = held.join('') + text.slice(0, end - tail.length);
    held = [seen.slice(end)];
    tail = seen.slice(Math.max(end, seen.length - MAX_TOKEN_LENGTH));
    return masking.unmask(whole).toWellFormed();
  };
}

/** Returns the place after the last of these blanks that no token can contain, or -1. */
function findSafeEnd(text: string, blanks: readonly number[]): number {
  const isOutside = (at: number) => !hasOpenBracket(text.slice(Math.max(0, at - MAX_TOKEN_LENGTH), at));
  const last = blanks.findLast(isOutside);
  return last === undefined ? -1 : last + 1;
}

/**
 * Returns a function that lists the blanks after a place of a text, except those between angle brackets, and in the round ones
 * of a link: an address there may have them (`addressBefore`).
 */
function makeBlankReader(): (text: string, from: number) => number[] {
  /** `angle` and `target` count signs since the open angle bracket and the link's; `depth` counts open round brackets. */
  let [angle, target, depth] = [0, 0, 0];
  let [last, isEscaped] = ['', false];
  const lengthen = (length: number) => (length === 0 || length > MAX_ADDRESS_LENGTH ? 0 : length + 1);

  function readSign(sign: string): void {
    angle = sign === '<' ? 1 : /[>\r\n]/.test(sign) ? 0 : lengthen(angle);
    target = /[\r\n]/.test(sign) ? 0 : lengthen(target);
    if (target === 0) depth = 0;
    if (isEscaped) isEscaped = false;
    else if (sign === '\\') isEscaped = true;
    else if (sign === '(' && depth > 0) depth += 1;
    else if (sign === '(' && last === ']') [target, depth] = [1, 1];
    else if (sign === ')' && depth > 0) depth -= 1;
    if (depth === 0) target = 0;
    last = sign;
  }
  return (text, from) => {
    const blanks: number[] = [];
    for (let at = from; at < text.length; at += 1) {
      const sign = text.charAt(at);
      readSign(sign);
      if (angle === 0 && depth === 0 && /\s/.test(sign)) blanks.push(at);
    }
    return blanks;
  };
}

/** A token may have a blank only between brackets. */
function hasOpenBracket(text: string): boolean {
  const upper = text.toUpperCase();
  const lastOf = (...brackets: string[]) => Math.max(...brackets.map(bracket => upper.lastIndexOf(bracket)));
  return lastOf('[', '%5B') > lastOf(']', '%5D');
}
