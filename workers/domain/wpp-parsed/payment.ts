import { isDigit } from '../../../text/char-kind.ts';
import { BANK_LENGTH } from '../../../text/check-digits.ts';
import {
  boletosIn,
  type FoundBoleto,
  findEndOfGroupedDigits,
  findEndOfWrappedDigits,
  type PixSpan,
  pixCodesIn,
} from '../../../text/payment-codes.ts';
import { type ParseContext, shortenQuote } from './parse-context.ts';
import type { WppItem } from './wpp-item.ts';

/** Returns the Pix codes of a text, in order; adds a warning for codes with a wrong CRC. */
function pixSpansOf(text: string, context: ParseContext): PixSpan[] {
  const { codes, suspects } = pixCodesIn(text);
  for (const { start, end } of suspects) {
    context.warn(`pix code kept as text, its CRC does not hold: ${shortenQuote(text.slice(start, end))}`);
  }
  return codes;
}

function boletosOf(text: string, start: number, end: number, context: ParseContext): FoundBoleto[] {
  const { boletos, isSuspect } = boletosIn(text, start, end);
  if (isSuspect) {
    context.warn(
      `boleto line kept as text, its check digits do not hold: ${shortenQuote(text.slice(start, end))}`,
    );
  }
  return boletos;
}

export interface FoundPayment {
  start: number;
  end: number;
  item: WppItem;
}

/** Finds the payments of a text, called at each digit from left to right. */
export class PaymentFinder {
  readonly #text: string;
  readonly #context: ParseContext;
  /** Searched at the first digit, because most texts have none. */
  #pix: PixSpan[] | undefined;
  #next = 0;

  constructor(text: string, context: ParseContext) {
    this.#text = text;
    this.#context = context;
  }

  /** Returns the payments in the number that starts here, and where to continue. */
  find(at: number): { payments: readonly FoundPayment[]; end: number } {
    this.#pix ??= pixSpansOf(this.#text, this.#context);
    while ((this.#pix[this.#next]?.start ?? at) < at) this.#next++;
    const pix = this.#pix[this.#next];
    if (pix?.start === at) {
      const item: WppItem = { type: 'pix', content: pix.code };
      return { payments: this.#filterAccepted([{ start: at, end: pix.end, item }]), end: pix.end };
    }
    const limit = pix?.start ?? this.#text.length;
    const end = findEndOfGroupedDigits(this.#text, at, limit);
    const inLine = end - at < BANK_LENGTH ? [] : boletosOf(this.#text, at, end, this.#context);
    const boletos = inLine.length > 0 ? inLine : this.#findWrapped(at, end, limit);
    const payments = boletos.map(found => ({
      start: found.start,
      end: found.end,
      item: boletoItem(found.digits),
    }));
    return { payments: this.#filterAccepted(payments), end: Math.max(end, boletos.at(-1)?.end ?? 0) };
  }

  /** A number that continues on the next lines is one only in a boleto. */
  #findWrapped(at: number, lineEnd: number, limit: number): readonly FoundBoleto[] {
    const end = findEndOfWrappedDigits(this.#text, at, limit);
    return end === lineEnd ? [] : boletosIn(this.#text, at, end).boletos.slice(0, 1);
  }

  #filterAccepted(payments: FoundPayment[]): FoundPayment[] {
    return payments.filter(({ item }) => this.#context.accepts(item));
  }
}

function boletoItem(digits: string): WppItem {
  return { type: 'boleto', content: digits };
}

/** Far above the 512 characters that a Pix code may have. */
const MAX_PAYMENT_LENGTH = 4_096;

/** Returns the payment if the whole text is one, as in code for copying. */
export function paymentOf(text: string, context: ParseContext): WppItem | undefined {
  const whole = text.trim();
  if (whole.length > MAX_PAYMENT_LENGTH || !isDigit(whole.charCodeAt(0))) return undefined;
  const { payments } = new PaymentFinder(whole, context).find(0);
  const [first] = payments;
  return first?.start === 0 && first.end === whole.length ? first.item : undefined;
}
