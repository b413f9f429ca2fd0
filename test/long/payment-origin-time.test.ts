import { expect } from 'chai';
import { makePaymentTrust, type PaymentSources } from '../../workers/domain/payments/payment-origin.ts';
import { parseWpp, parseWppSteps, type WppItem } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';
import { boletoOf } from '../domain/boleto.ts';
import { longestShare } from '../support/generator-steps.ts';
import { growthBeyondLinear } from '../support/growth.ts';
import { runToEnd } from '../support/run-to-end.ts';

const EIGHT_DIGITS = '23791000';

const sourcesOf = (sources: Partial<PaymentSources>) => ({ trustedTexts: [], userTexts: [], ...sources });

type Shape = readonly [name: string, (length: number) => [payments: WppItem[], sources: PaymentSources]];

/** Numbers of payments and sources grow with the length. */
// biome-ignore format: a table
const GROWING: readonly Shape[] = [
  ['many codes beside a long text of the person',
    length => [boletos(length / 40), sourcesOf({ userTexts: ['23793'.repeat(length * 2)] })]],
  ['many codes beside many short texts of the person',
    length => [boletos(length / 40), sourcesOf({ userTexts: Array.from({ length }, () => '23793 1000') })]],
  [
    'many codes that the person wrote, beside a long text that was given',
    length => {
      const payments = boletos(length / 40);
      const userTexts = payments.map(({ content }) => content);
      return [payments, sourcesOf({ userTexts, trustedTexts: [EIGHT_DIGITS.repeat(length)] })];
    },
  ],
  ['codes of many lengths that begin alike',
    length => [pixes(Math.sqrt(length)),
        sourcesOf({ userTexts: ['000201aaaa'.repeat(length)], trustedTexts: ['000201'.repeat(length)] })]],
  ['a code with many marks', length =>
      [[{ type: 'pix', content: `000201a${'\u0301\u0323'.repeat(length)}6304ABCD` }],
        sourcesOf({ userTexts: [`a${'\u0301\u0323'.repeat(length)}`] })]],
];

/** One code and large sources. */
const LARGE: readonly (readonly [name: string, sources: PaymentSources])[] = [
  ['digits of another script that were given', sourcesOf({ trustedTexts: ['٩'.repeat(100_000)] })],
  ['digits of another script that the person wrote', sourcesOf({ userTexts: ['٩'.repeat(100_000)] })],
  [
    'many messages in digits of another script',
    sourcesOf({ userTexts: Array.from({ length: 30 }, () => '٩'.repeat(16_000)) }),
  ],
  ['many numbers in words', sourcesOf({ userTexts: ['vinte e três, '.repeat(30_000)] })],
  [
    'many messages of letters',
    sourcesOf({ userTexts: Array.from({ length: 60 }, () => 'a'.repeat(16_000)) }),
  ],
];

describe('The time of finding out where payments come from', () => {
  for (const [name, made] of GROWING)
    it(`grows with the sources and the codes, not with their product: ${name}`, () => {
      const known = new Map<string, ReturnType<typeof made>>();
      const textOf = (length: number) => {
        known.set('x'.repeat(length), made(length));
        return 'x'.repeat(length);
      };
      const run = (text: string) => {
        const [payments, sources] = known.get(text) ?? made(text.length);
        return runToEnd(makePaymentTrust(payments, sources));
      };
      expect(growthBeyondLinear(run, textOf)).to.equal(undefined);
    });

  for (const [name, sources] of LARGE) {
    it(`is spent in many steps, none of them long: ${name}`, () => {
      // The trusted texts are read only if the user wrote the code.
      const userTexts = [boletoOf(1), ...sources.userTexts];
      expect(longestShare(() => makePaymentTrust(boletos(2), { ...sources, userTexts }))).to.be.below(0.2);
    });
  }
});

describe('The payments that a parsing asks about', () => {
  const [boleto] = boletos(1);
  const code = boleto?.content ?? '';
  const line = `[a]: ${code}\n[b]: http://b.c\n\n`;

  for (const answer of [code, `[x](${code})`, `${line}[x][a] ${code}`, `${line}[x][b]`, `~~${code}~~`])
    it(`are the same, whether it trusts them or not: ${JSON.stringify(answer.replaceAll(code, '…'))}`, () => {
      const asked = (trusts: boolean) => {
        const payments = new Set<string>();
        parseWpp(answer, payment => {
          payments.add(payment.content);
          return trusts;
        });
        return [...payments];
      };
      expect(asked(false)).to.deep.equal(asked(true));
    });
});

describe('The time of parsing one line', () => {
  for (const unit of [`${boletoOf(3)} `, '*a* '])
    it(`is spent in many steps, none of them long: ${JSON.stringify(unit.slice(0, 8))}`, () => {
      const answer = unit.repeat(400_000 / unit.length);
      expect(longestShare(() => parseWppSteps(answer))).to.be.below(0.2);
    });
});

function boletos(count: number): WppItem[] {
  return Array.from({ length: count }, (_, number) => ({ type: 'boleto', content: boletoOf(number) }));
}

function pixes(count: number): WppItem[] {
  return Array.from({ length: count }, (_, at) => ({
    type: 'pix',
    content: `000201${'a'.repeat(at)}6304ABCD`,
  }));
}
