import { generatePixPayload, isValidBoleto } from '@brazilian-utils/brazilian-utils';
import { expect } from 'chai';
import crc16ccitt from 'crc/crc16ccitt';
import fc from 'fast-check';
import { parseWpp, type WppItem } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';

const text = (content: string): WppItem => ({ type: 'text', content });
const boleto = (content: string): WppItem => ({ type: 'boleto', content });
const pix = (content: string): WppItem => ({ type: 'pix', content });
const itemsOf = (answer: string) => parseWpp(answer).items;

/** Published examples: a bank line, a utility line, and the code in the manual of the central bank. */
const BANK = '00190000090114971860168524522114675860000102656';
const BANK_TYPED = '00190.00009 01149.718601 68524.522114 6 75860000102656';
const UTILITY = '846100000005246100291102005460339004695895061080';
const UTILITY_TYPED = '84610000000-5 24610029110-2 00546033900-4 69589506108-0';
const PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';

const mod10 = (digits: string) => String((10 - (weighted(digits, [2, 1], true) % 10)) % 10);
const rest11 = (digits: string) => weighted(digits, [2, 3, 4, 5, 6, 7, 8, 9], false) % 11;
const bankMod11 = (digits: string) =>
  rest11(digits) < 2 || rest11(digits) === 10 ? '1' : String(11 - rest11(digits));
const utilityMod11 = (digits: string) => (rest11(digits) < 2 ? '0' : String(11 - rest11(digits)));

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), minLength: length, maxLength: length });
const bankLines = digits(43).map(bankLine);
const utilityLines = fc
  .tuple(fc.constantFrom(...'6789'.split('')), digits(41))
  .map(([kind, rest]) => utilityLine(kind, rest));
const boletos = fc.oneof(bankLines, utilityLines);

describe('A boleto in an answer', () => {
  // biome-ignore format: a table
  const CASES: readonly (readonly [sentence: string, answer: string, items: readonly WppItem[]])[] = [
    ['is an item of its digits', BANK, [boleto(BANK)]],
    ['may be typed as on paper', BANK_TYPED, [boleto(BANK)]],
    ['may have 48 digits', UTILITY_TYPED, [boleto(UTILITY)]],
    ['parts its sentence', `Pague ${BANK_TYPED}, hoje.`, [text('Pague,'), boleto(BANK), text('hoje.')]],
    ['may be broken by a line end, in a block of code too',
      `Pague:\n\n\`\`\`\n${BANK_TYPED.replace(/ (?=6)/, ' \n  ')}\n\`\`\``, [text('Pague:'), boleto(BANK)]],
    ['may go on in the third line of a paragraph',
      `Pague ${BANK_TYPED.replace(/ (?=0)/, '\n').replace(/ (?=7)/, '\n')}\nhoje`,
      [text('Pague'), boleto(BANK), text('hoje')]],
    ['may be broken by the line end of HTML',
      `Pague ${BANK_TYPED.replace(/ (?=6)/, '<br>').replace(/ (?=7)/, '<br />\n')}`,
      [text('Pague'), boleto(BANK)]],
    ['is none with a blank line inside', BANK_TYPED.replace(/ (?=6)/, '\n\n'),
      [text(BANK_TYPED.replace(/ (?=6)/, '\n\n'))]],
    ['may stand behind other numbers', `Parcela 2 10-12-2025 ${BANK}`,
      [text('Parcela 2 10-12-2025'), boleto(BANK)]],
    ['may follow another', `${BANK} ${UTILITY_TYPED} ${BANK_TYPED}`,
      [boleto(BANK), boleto(UTILITY), boleto(BANK)]],
    ['leaves no marks of bold around it', `**Linha:** **${BANK_TYPED}**`, [text('*Linha:*'), boleto(BANK)]],
    ['may be a code span', `Linha: \`${BANK_TYPED}\``, [text('Linha:'), boleto(BANK)]],
    ['may be a code block', `Linha:\n\n\`\`\`text\n${BANK_TYPED}\n\`\`\`\nfim`,
      [text('Linha:'), boleto(BANK), text('fim')]],
    ['may be a list item or a cell', `- ${BANK}\n\n|a|b|\n|-|-|\n|x|${UTILITY}|`,
      [boleto(BANK), text('a | b\nx'), boleto(UTILITY)]],
    ['stays code among other code', `\`pague ${BANK}\``, [text(`\`pague ${BANK}\``)]],
    ['stays part of an address', `https://a.br/${BANK}`,
      [{ type: 'site', content: `https://a.br/${BANK}`, url: `https://a.br/${BANK}`, description: '' }]],
    ['is no part of a longer number', `12${BANK}`, [text(`12${BANK}`)]],
    ['is text where it is struck through', `Não pague ~~${BANK_TYPED}~~ ~~o \`${BANK}\`~~, mas ${BANK}`,
      [text(`Não pague ~${BANK_TYPED}~ ~o \`${BANK}\`~, mas`), boleto(BANK)]],
    ['is text where WhatsApp strikes it through, with words or without',
      `~${BANK}~ ~antigo: ${BANK_TYPED}~, mas ${BANK}, ~3 dias`,
      [text(`~${BANK}~ ~antigo: ${BANK_TYPED}~, mas,`), boleto(BANK), text('~3 dias')]],
    ['is text where a tag strikes it through over a blank line',
      `<s>Antigo:\n\n- ${BANK}</s>\n\n${UTILITY}\n\n<s>fim`,
      [text(`~Antigo:~\n\n- ~${BANK}~`), boleto(UTILITY), text('<s>fim')]],
    ['has single separators', BANK_TYPED.replace(' ', '  '), [text(BANK_TYPED.replace(' ', '  '))]],
  ];
  for (const [sentence, answer, items] of CASES)
    it(sentence, () => expect(parseWpp(answer)).to.deep.equal({ items, warnings: [] }));

  for (const line of [
    BANK.replace(/6$/, '5'),
    UTILITY.replace(/0$/, '1'),
    BANK_TYPED.replace('601', '602'),
    '0'.repeat(47),
  ])
    it(`stays text with a warning when a check digit is wrong: ${line}`, () => {
      const { items, warnings } = parseWpp(`Pague ${line}.`);
      expect(items).to.deep.equal([text(`Pague ${line}.`)]);
      expect(warnings).to.have.length(1);
      expect(warnings[0])
        .to.match(/boleto/)
        .and.to.include(line);
    });

  it('warns once of a wrong line in code, which stays code', () => {
    const wrong = BANK.replace(/6$/, '5');
    expect(itemsOf(`\`${wrong}\``)).to.deep.equal([text(`\`${wrong}\``)]);
    expect(parseWpp(`\`${wrong}\``).warnings).to.have.length(1);
  });

  it('is found for every line whose check digits are made by the rules, however it is grouped', () => {
    const separators = fc.array(fc.constantFrom('', '', '', ' ', '.', '-'), { minLength: 48, maxLength: 48 });
    fc.assert(
      fc.property(boletos, separators, (line, between) => {
        const typed = line
          .split('')
          .map((digit, at) => (at === 0 ? digit : between[at] + digit))
          .join('');
        expect(parseWpp(typed)).to.deep.equal({ items: [boleto(line)], warnings: [] });
      }),
    );
  });

  it('is never one whose third digit names no modulus, whichever its check digits are made by', () => {
    const kinds = fc.constantFrom(...'012345'.split(''));
    fc.assert(
      fc.property(kinds, digits(41), fc.constantFrom(mod10, utilityMod11), (kind, rest, checkOf) => {
        const line = utilityLine(kind, rest, checkOf);
        expect(itemsOf(line)).to.deep.equal([text(line)]);
      }),
    );
  });

  it('is one exactly where a peer says so, one digit changed', () => {
    fc.assert(
      fc.property(boletos, fc.nat(46), fc.nat(9), (line, at, digit) => {
        const changed = line.slice(0, at) + digit + line.slice(at + 1);
        // The reference library also validates the kind of payee; two kinds do not exist.
        fc.pre(changed.length === 47 || !'08'.includes(changed.charAt(1)));
        const isPayable = isValidBoleto(changed);
        expect(itemsOf(changed)).to.deep.equal([isPayable ? boleto(changed) : text(changed)]);
        expect(parseWpp(changed).warnings).to.have.length(isPayable ? 0 : 1);
      }),
      { numRuns: 500 },
    );
  });
});

describe('A Pix code in an answer', () => {
  const ACCENTED = pixOf(
    '26330014br.gov.bcb.pix0111123456789095204000053039865802BR5913José Conceição6009São Paulo62070503***',
  );
  const WITH_FALSE_END = pixOf(
    '26580014br.gov.bcb.pix01366304abcd-6304-4304-6304-6304123463045802BR5901A6001B',
  );
  // biome-ignore format: a table
  const CASES: readonly (readonly [sentence: string, answer: string, items: readonly WppItem[]])[] = [
    ['is an item to the letter, spaces and stars inside', PIX, [pix(PIX)]],
    ['may have its CRC in small letters', PIX.replace(/1D3D$/, '1d3d'), [pix(PIX.replace(/1D3D$/, '1d3d'))]],
    ['parts its sentence', `**Pix:** ${PIX}. Obrigado!`, [text('*Pix:*'), pix(PIX), text('Obrigado!')]],
    ['may have letters right before and behind it', `Pix:${PIX}fim`, [text('Pix:'), pix(PIX), text('fim')]],
    ['may be bold, a code span, a code block', `**${PIX}** \`${PIX}\`\n~~~\n${PIX}\n~~~`,
      [pix(PIX), pix(PIX), pix(PIX)]],
    ['may be broken by line ends, in a block of code too',
      `${PIX.slice(0, 40)}\n${PIX.slice(40)}\n\n\`\`\`\n${PIX.replace('Fulano de', 'Fulano\nde')}\n\`\`\``,
      [pix(PIX), pix(PIX)]],
    ['may be broken by the line end of HTML', `${PIX.slice(0, 40)}<br>${PIX.slice(40)}`, [pix(PIX)]],
    ['may hold accents', `Use ${ACCENTED}`, [text('Use'), pix(ACCENTED)]],
    ['may hold what looks like its end', WITH_FALSE_END, [pix(WITH_FALSE_END)]],
    ['may follow words that name its start', `Começa com 000201: ${PIX}`,
      [text('Começa com 000201:'), pix(PIX)]],
    ['may follow a boleto and be followed by one', `${BANK} ${PIX} ${BANK}`,
      [boleto(BANK), pix(PIX), boleto(BANK)]],
    ['may be a link’s target', `[Copiar](${ACCENTED.replaceAll(' ', '')})`,
      [text(`Copiar (${ACCENTED.replaceAll(' ', '')})`)]],
    ['stays code among other code', `\`x ${PIX}\``, [text(`\`x ${PIX}\``)]],
  ];
  for (const [sentence, answer, items] of CASES)
    it(sentence, () => expect(itemsOf(answer)).to.deep.equal(items));

  for (const code of [
    PIX.replace(/D$/, 'E'),
    PIX.replace('Fulano', 'Fulana'),
    PIX.replace('***', '\\*\\*\\*'),
  ])
    it(`stays text with a warning when its CRC is wrong: …${code.slice(-20)}`, () => {
      const { items, warnings } = parseWpp(`Pix: ${code}`);
      expect(items.map(item => item.type)).to.deep.equal(['text']);
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.match(/pix/).and.to.include(code.slice(0, 40));
    });

  it('gives no warning where only its start is named', () => {
    expect(parseWpp('O código começa com 000201 e termina com 6304.').warnings).to.deep.equal([]);
  });

  it('is found for every code that a peer makes, between any words', () => {
    const words = fc.string({ unit: fc.constantFrom(...'aé .*_'.split('')), maxLength: 20 });
    const name = fc
      .string({ unit: fc.constantFrom(...'ABC xyz'.split('')), minLength: 1, maxLength: 20 })
      .map(part => `A${part}`);
    const amount = fc.option(fc.integer({ min: 1, max: 9_999_999 }), { nil: undefined });
    fc.assert(
      fc.property(words, words, name, name, amount, (before, behind, merchantName, merchantCity, cents) => {
        const price = cents === undefined ? {} : { amount: cents / 100 };
        const code = generatePixPayload({ key: 'a@b.com.br', merchantName, merchantCity, ...price });
        expect(code).to.be.a('string');
        expect(itemsOf(`${before}${code}${behind}`)).to.deep.include(pix(String(code)));
      }),
    );
  });

  it('is never one with one character changed', () => {
    fc.assert(
      fc.property(fc.nat(PIX.length - 1), fc.constantFrom(...'0123456789abcXYZ'.split('')), (at, sign) => {
        const changed = PIX.slice(0, at) + sign + PIX.slice(at + 1);
        fc.pre(changed.toLowerCase() !== PIX.toLowerCase());
        expect(itemsOf(changed).map(item => item.type)).to.not.include('pix');
      }),
    );
  });

  it('warns of twenty wrong codes at most', () => {
    const wrong = Array.from({ length: 50 }, (_, at) => `${PIX.slice(0, -4)}${String(at).padStart(4, '0')}`);
    expect(parseWpp(wrong.join('\n')).warnings).to.have.length(20);
  });
});

function weighted(digits: string, weights: readonly number[], isDigitSum: boolean): number {
  const products = digits
    .split('')
    .toReversed()
    .map((digit, at) => Number(digit) * (weights[at % weights.length] ?? 0));
  return products.reduce(
    (sum, product) => sum + (isDigitSum ? Math.floor(product / 10) + (product % 10) : product),
    0,
  );
}

function bankLine(digits: string): string {
  const [bank, free, tail] = [digits.slice(0, 4), digits.slice(4, 29), digits.slice(29, 43)];
  const check = bankMod11(bank + tail + free);
  const fields = [bank + free.slice(0, 5), free.slice(5, 15), free.slice(15)];
  return fields.map(field => field + mod10(field)).join('') + check + tail;
}

function utilityLine(
  kind: string,
  digits: string,
  checkOf = '67'.includes(kind) ? mod10 : utilityMod11,
): string {
  const head = `8${digits.slice(0, 1)}${kind}`;
  const barCode = head + checkOf(head + digits.slice(1)) + digits.slice(1);
  return [0, 11, 22, 33]
    .map(from => barCode.slice(from, from + 11))
    .map(block => block + checkOf(block))
    .join('');
}

function pixOf(fields: string): string {
  const start = `000201${fields}6304`;
  return start + crc16ccitt(start).toString(16).toUpperCase().padStart(4, '0');
}
