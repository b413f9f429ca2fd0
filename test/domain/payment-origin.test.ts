import { expect } from 'chai';
import crc16ccitt from 'crc/crc16ccitt';
import { makePaymentTrust, type PaymentSources } from '../../workers/domain/payments/payment-origin.ts';
import { parseWpp, type WppItem } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';
import { runToEnd } from '../support/run-to-end.ts';

const BOLETO = '00190000090114971860168524522114675860000102656';
const TYPED = '00190.00009 01149.718601 68524.522114 6 75860000102656';
const FIELDS = [
  BOLETO.slice(0, 10),
  BOLETO.slice(10, 21),
  BOLETO.slice(21, 32),
  BOLETO[32],
  BOLETO.slice(33),
];
const WORDS = ['zero', 'um', 'dois', 'três', 'quatro', 'cinco', 'seis', 'sete', 'oito', 'nove'];
const PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';

const typesOf = (answer: string, sources: Partial<PaymentSources>) =>
  parsed(answer, sources).items.map(({ type }) => type);

const field = (id: string, value: string) => `${id}${String(value.length).padStart(2, '0')}${value}`;
/** The whole of a code whose CRC holds, whatever stands before. */
const withCrc = (start: string) => start + crc16ccitt(start).toString(16).toUpperCase().padStart(4, '0');
const pixFor = (key: string) => {
  const account = field('26', field('00', 'br.gov.bcb.pix') + field('01', key));
  const start = `${field('00', '01')}${account}5204000053039865802BR${field('59', 'ANA')}${field('60', 'RIO')}62070503***6304`;
  return withCrc(start);
};
const UUID_KEY = '7f9c1b2e-4d3a-4c5b-9e8f-0a1b2c3d4e5f';

const numbered = (code: string, length: number) =>
  (code.match(new RegExp(`.{1,${length}}`, 'g')) ?? []).map((piece, at) => `${at}) ${piece}`).join(' e ');

describe('A payment code that the person wrote', () => {
  // biome-ignore format: a table
  const WRITTEN: readonly (readonly [how: string, answer: string, written: readonly string[]])[] = [
    ['as in the answer', BOLETO, [BOLETO]],
    ['with other dots and spaces', BOLETO, [`é ${TYPED.replaceAll(' ', '  ')}?`]],
    ['in several lines', BOLETO, [BOLETO.split('').join('\n')]],
    ['in two messages', BOLETO, [BOLETO.slice(0, 20), BOLETO.slice(20)]],
    ['in full-width digits', BOLETO,
      [BOLETO.replace(/\d/g, digit => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))]],
    ['in digits of another script', BOLETO,
      [BOLETO.replace(/\d/g, digit => String.fromCodePoint(0x660 + Number(digit)))]],
    ['in parts, with other figures between', BOLETO,
      [`parte 1: ${BOLETO.slice(0, 20)} parte 2: ${BOLETO.slice(20)}`]],
    ['in fields pasted from WhatsApp', BOLETO,
      FIELDS.map((field, at) => `[10:0${at}, 22/11/2026] Ana: ${field}`)],
    ['in fields with their numbers', BOLETO, FIELDS.map((field, at) => `Campo ${at + 1}: ${field}`)],
    ['in numbered pieces of four digits', BOLETO, [numbered(BOLETO, 4)]],
    ['in words', BOLETO, [Array.from(BOLETO, digit => WORDS[Number(digit)]).join(' ')]],
    ['in words, six as half a dozen', BOLETO,
      [Array.from(BOLETO, digit => (digit === '6' ? 'meia' : WORDS[Number(digit)])).join(', ')]],
    ['without its first field', BOLETO, [BOLETO.slice(10)]],
    ['as a Pix code in numbered pieces', PIX, [numbered(PIX, 7)]],
    ['as a Pix code with its digits in words', PIX,
      [PIX.replace(/\d/g, digit => ` ${WORDS[Number(digit)]} `)]],
    ['as a Pix code in parts, the later first', PIX, [`fim ${PIX.slice(60)} e começo ${PIX.slice(0, 60)}`]],
    ['as a Pix code without its CRC', PIX, [`complete ${PIX.slice(0, -4)}`]],
    ['as the key of a Pix code', PIX,
      ['Gere o pix da chave 123e4567-e12b-12d1-a456-426655440000, por favor']],
    ['as a CPF key with labels', pixFor('12345678909'),
      ['começa com 123, depois 456, depois 789, dígito 09']],
    ['as a CPF key in numbered parts', pixFor('12345678909'), ['1) 123', '2) 456', '3) 789', '4) 09']],
    ['as a phone key with labels', pixFor('+5511987654321'), ['ddd 11; depois 987; depois 654; fim 321']],
    ['as a CPF key digit by digit', pixFor('12345678909'), [Array.from('12345678909').join(' depois ')]],
    ['as a CPF key in words, digit by digit', pixFor('12345678909'),
      [Array.from('12345678909', digit => WORDS[Number(digit)]).join(' depois ')]],
    ['as a CPF key in a message for each digit', pixFor('12345678909'),
      Array.from('12345678909', digit => `o próximo é ${digit}`)],
    ['as an e-mail key without its ending', pixFor('ana@uol.com.br'), ['usuário ana, domínio uol']],
    ['as an e-mail key in words', pixFor('ana@uol.com.br'), ['é ana arroba uol ponto com ponto br']],
    ['as a random key in parts of three', pixFor(UUID_KEY), [numbered(UUID_KEY.replaceAll('-', ''), 3)]],
    ['as the key of a Pix code, in parts', PIX, ['chave: 123e4567 e12b 12d1', 'depois a456 426655440000']],
    ['as a Pix code', PIX, [`paga ${PIX}`]],
    ['as a Pix code over several lines', PIX, [PIX.replace(/.{20}/g, '$&\n')]],
    ['as a Pix code with its CRC in small letters', PIX, [PIX.replace(/1D3D$/, '1d3d')]],
  ];
  for (const [how, code, written] of WRITTEN) {
    for (const answer of [code, `Pague **${code}** hoje`, `\`${code}\``, `\`\`\`\n${code}\n\`\`\``])
      it(`stays text with a warning, written ${how}: ${JSON.stringify(answer.slice(0, 12))}`, () => {
        const { items, warnings } = parsed(answer, { userTexts: written });
        expect(items.map(({ type }) => type)).to.deep.equal(['text']);
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.match(/only the person wrote/);
      });
  }

  it('is an item where it was given, too', () => {
    expect(typesOf(BOLETO, { userTexts: [BOLETO], trustedTexts: [`Linha: ${TYPED}`] })).to.deep.equal([
      'boleto',
    ]);
    expect(typesOf(PIX, { userTexts: [PIX], trustedTexts: [`x ${PIX}`] })).to.deep.equal(['pix']);
    const key = 'a chave 123e4567-e12b-12d1-a456-426655440000';
    expect(typesOf(PIX, { userTexts: [`É ${key}?`], trustedTexts: [key] })).to.deep.equal(['pix']);
  });

  it('is read to its end where a field has a length that is none', () => {
    for (const length of ['-4', '-9', ' 4', '+4', '.0', '00'])
      for (const start of [`00020126${length}`, `000201${field('26', `00${length}br.gov`)}`]) {
        const code = withCrc(`${start}xxxx6304`);
        expect(typesOf(code, { userTexts: [code] }), code).to.not.include('pix');
      }
  });

  it('takes nothing from another code', () => {
    const ofSameReceiver = BOLETO.slice(0, 20);
    expect(typesOf(BOLETO, { userTexts: [`${ofSameReceiver} de 10/11/2026, 102,65`] })).to.deep.equal([
      'boleto',
    ]);
    const otherPix = PIX.replace(
      '123e4567-e12b-12d1-a456-426655440000',
      '9f8c7b6a-5d4e-4f3a-8b2c-1d0e9f8a7b6c',
    );
    const ofOther = otherPix.replace('Fulano de Tal', 'Maria das Dores').slice(0, -4);
    expect(typesOf(PIX, { userTexts: [ofOther] })).to.deep.equal(['pix']);
    expect(typesOf(`${BOLETO} ${PIX}`, { userTexts: [PIX] })).to.deep.equal(['boleto', 'text']);
    expect(typesOf(BOLETO, { userTexts: [`${BOLETO.slice(0, 12)} 11 98765-4321`] })).to.deep.equal([
      'boleto',
    ]);
    const dated = 'Meu CPF é 529.982.247-25, tel (11) 98765-4321, vence 10/11/2026: quanto pago?';
    for (const key of ['39053344705', UUID_KEY, 'financeiro@faculdade.example'])
      expect(typesOf(pixFor(key), { userTexts: [dated] }), key).to.deep.equal(['pix']);
  });
});

function parsed(answer: string, sources: Partial<PaymentSources>) {
  const payments: WppItem[] = [];
  parseWpp(answer, payment => payments.push(payment) > 0);
  return parseWpp(
    answer,
    runToEnd(makePaymentTrust(payments, { trustedTexts: [], userTexts: [], ...sources })),
  );
}
