import type { ModelPrice } from '../../platform/model-limits.ts';

/** A call is measured in tokens, or in time. */
export interface TokenUsage {
  /** All tokens of the prompt. */
  readonly input: number;
  /** The part of the input that the provider had cached. */
  readonly cached: number;
  /** Includes thoughts that nobody sees. */
  readonly output: number;
  /** Set for transcribed speech: such a call takes no tokens. */
  readonly seconds?: number;
}

export const NO_TOKENS: TokenUsage = { input: 0, cached: 0, output: 0 };

export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** The prices of a million tokens, each in units of 10^-PRICE_DECIMALS. */
export interface TokenPrices {
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly output: bigint;
}

const PRICE_DECIMALS = 12;
const COST_DECIMALS = PRICE_DECIMALS + 6;
const COST_UNITS = 1_000_000n;
const MINUTE_MS = 60_000n;

/** Undefined where the model is not paid by tokens. */
export function tokenPricesOf(price: ModelPrice): TokenPrices | undefined {
  if (typeof price === 'number') return tokenPricesOf({ input: price, output: price });
  if ('minute' in price) return undefined;
  const { input, cachedInput = input, output } = price;
  return { input: unitsOf(input), cachedInput: unitsOf(cachedInput), output: unitsOf(output) };
}

/** Returns a function for the cost of a call, as a decimal; it gives undefined for a call of another kind. */
export function pricingOf(price: ModelPrice): (usage: TokenUsage) => string | undefined {
  const prices = tokenPricesOf(price);
  if (prices) return usage => (usage.seconds === undefined ? costOf(usage, prices) : undefined);
  const minute = unitsOf(typeof price === 'object' && 'minute' in price ? price.minute : 0);
  return ({ seconds }) => {
    if (seconds === undefined) return undefined;
    const milliseconds = BigInt(Math.round(seconds * 1_000));
    return decimalOf((minute * COST_UNITS * milliseconds) / MINUTE_MS);
  };
}

/** Returns a decimal, exact because it only sums products. */
function costOf({ input, cached, output }: TokenUsage, prices: TokenPrices): string {
  const units =
    BigInt(input - cached) * prices.input +
    BigInt(cached) * prices.cachedInput +
    BigInt(output) * prices.output;
  return decimalOf(units);
}

function decimalOf(units: bigint): string {
  const digits = units.toString().padStart(COST_DECIMALS + 1, '0');
  const fraction = digits.slice(-COST_DECIMALS).replace(/0{1,18}$/, '');
  return `${digits.slice(0, -COST_DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Reads the digits of the number as the setting writes it. */
function unitsOf(price: number): bigint {
  const [mantissa = '0', exponent = '0'] = String(price).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const zeros = PRICE_DECIMALS + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  return zeros < 0 ? digits / 10n ** BigInt(-zeros) : digits * 10n ** BigInt(zeros);
}
