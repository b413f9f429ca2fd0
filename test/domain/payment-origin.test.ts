import { expect } from 'chai';
import { makePaymentTrust, type PaymentSources } from '../../workers/domain/payments/payment-origin.ts';
import { parseWpp, type WppItem } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';
import { resultOf } from '../support/steps.ts';

const BOLETO = '00190000090114971860168524522114675860000102656';
const TYPED = '00190.00009 01149.718601 68524.522114 6 75860000102656';
const PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';

function parsed(answer: string, sources: Partial<PaymentSources>) {
  const payments: WppItem[] = [];
  parseWpp(answer, payment => payments.push(payment) > 0);
  return parseWpp(
    answer,
    resultOf(makePaymentTrust(payments, { trustedTexts: [], userTexts: [], ...sources })),
  );
}
const typesOf = (answer: string, sources: Partial<PaymentSources>) =>
  parsed(answer, sources).items.map(({ type }) => type);

describe('A payment code that the person wrote', () => {
  const WRITTEN: readonly (readonly [how: string, answer: string, written: readonly string[]])[] = [
    ['as in the answer', BOLETO, [BOLETO]],
    ['with other dots and spaces', BOLETO, [`é ${TYPED.replaceAll(' ', '  ')}?`]],
    ['in several lines', BOLETO, [BOLETO.split('').join('\n')]],
    ['in two messages', BOLETO, [BOLETO.slice(0, 20), BOLETO.slice(20)]],
    [
      'in full-width digits',
      BOLETO,
      [BOLETO.replace(/\d/g, digit => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))],
    ],
    [
      'in digits of another script',
      BOLETO,
      [BOLETO.replace(/\d/g, digit => String.fromCodePoint(0x660 + Number(digit)))],
    ],
    [
      'in parts, with other figures between',
      BOLETO,
      [`parte 1: ${BOLETO.slice(0, 20)} parte 2: ${BOLETO.slice(20)}`],
    ],
    ['as a Pix code in parts, the later first', PIX, [`fim ${PIX.slice(60)} e começo ${PIX.slice(0, 60)}`]],
    ['as a Pix code without its CRC', PIX, [`complete ${PIX.slice(0, -4)}`]],
    ['as a Pix code', PIX, [`paga ${PIX}`]],
    ['as a Pix code over several lines', PIX, [PIX.replace(/.{20}/g, '$&\n')]],
    ['as a Pix code with its CRC in small letters', PIX, [PIX.replace(/1D3D$/, '1d3d')]],
  ];
  for (const [how, code, written] of WRITTEN) {
    for (const answer of [code, `Pague **${code}** hoje`, `\`${code}\``, `\`\`\`\n${code}\n\`\`\``]) {
      it(`stays text with a warning, written ${how}: ${JSON.stringify(answer.slice(0, 12))}`, () => {
        const { items, warnings } = parsed(answer, { userTexts: written });
        expect(items.map(({ type }) => type)).to.deep.equal(['text']);
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.match(/only the person wrote/);
      });
    }
  }

  it('is an item where it was given, too', () => {
    expect(typesOf(BOLETO, { userTexts: [BOLETO], trustedTexts: [`Linha: ${TYPED}`] })).to.deep.equal([
      'boleto',
    ]);
    expect(typesOf(PIX, { userTexts: [PIX], trustedTexts: [`x ${PIX}`] })).to.deep.equal(['pix']);
  });

  it('takes nothing from another code', () => {
    expect(typesOf(`${BOLETO} ${PIX}`, { userTexts: [PIX] })).to.deep.equal(['boleto', 'text']);
    expect(typesOf(BOLETO, { userTexts: [`${BOLETO.slice(0, 12)} 11 98765-4321`] })).to.deep.equal([
      'boleto',
    ]);
  });
});
