import type { LinkDefinition } from './link-target.ts';
import type { WppItem } from './wpp-item.ts';

/** Whether a payment with valid check digits may be offered. */
export type PaymentTrust = (payment: WppItem) => boolean;

const MAX_WARNINGS = 20;
const MAX_QUOTE_LENGTH = 80;

export function shortenQuote(text: string): string {
  return text.length > MAX_QUOTE_LENGTH
    ? `${text.slice(0, MAX_QUOTE_LENGTH / 2)}…${text.slice(-MAX_QUOTE_LENGTH / 2)}`
    : text;
}

/** State that the parts of the parser share for one answer. */
export class ParseContext {
  readonly definitions: ReadonlyMap<string, LinkDefinition>;
  readonly #labelOfLine: ReadonlyMap<string, string>;
  readonly #used = new Set<string>();
  readonly #dropped = new Set<string>();
  readonly #warnings = new Set<string>();

  readonly #isTrusted: PaymentTrust;

  constructor(definitions: ReadonlyMap<string, LinkDefinition>, isTrusted: PaymentTrust = () => true) {
    this.definitions = definitions;
    this.#isTrusted = isTrusted;
    this.#labelOfLine = new Map([...definitions.values()].map(({ line, label }) => [line, label]));
  }

  /** Marks the definition of a label as used and returns it. */
  use(label: string | undefined): LinkDefinition | undefined {
    const found = label === undefined ? undefined : this.definitions.get(label);
    if (found) this.#used.add(found.label);
    return found;
  }

  /** Whether this line is a link definition, and so no text of the answer; true once for each. */
  drops(line: string): boolean {
    const label = this.#labelOfLine.get(line);
    if (label === undefined || this.#dropped.has(label)) return false;
    this.#dropped.add(label);
    return true;
  }

  /** Definitions that a link used and whose line was dropped: dropping others would lose or repeat an address. */
  get kept(): Map<string, LinkDefinition> {
    return new Map(
      [...this.definitions].filter(([label]) => this.#used.has(label) && this.#dropped.has(label)),
    );
  }

  /** Whether to offer this payment; adds a warning otherwise. */
  accepts(payment: WppItem): boolean {
    const isTrusted = this.#isTrusted(payment);
    if (!isTrusted)
      this.warn(
        `${payment.type} code kept as text, only the person wrote it: ${shortenQuote(payment.content)}`,
      );
    return isTrusted;
  }

  warn(message: string): void {
    if (this.#warnings.size < MAX_WARNINGS) this.#warnings.add(message);
  }

  get warnings(): string[] {
    return [...this.#warnings];
  }
}
