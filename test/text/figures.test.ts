import { expect } from 'chai';
import fc from 'fast-check';
import { findFigures } from '../../text/figures/find-figures.ts';
import { checkAnswer } from '../../workers/domain/alignment/check-answer.ts';
import { growthBeyondLinear } from '../support/growth.ts';
import { runToEnd } from '../support/run-to-end.ts';

const unsupported = (answer: string, passage: string) =>
  runToEnd(
    checkAnswer(answer, { question: '', passages: [passage], hostTexts: [], others: [] }),
  ).unsupported.map(({ kind, text }) => `${kind} ${text}`);

/** Texts that say the same, each in its own spelling. */
// biome-ignore format: a table
const ALIKE: Readonly<Record<string, readonly string[]>> = {
  'a date': ['em 14/03/2027', 'em 14/3/27', 'em 14.03.2027', 'em 14-03-2027', 'em 2027-03-14',
    'em 14 de março de 2027', 'em 14 de MARÇO de 2027', 'em 14/mar/2027', 'em 14 mar. 2027',
    'em quatorze de março de dois mil e vinte e sete', 'em março (dia 14) de 2027',
    'em 14 de março do ano de 2027'],
  'a first of a month': ['em 1º de abril', 'em 1 de abril', 'em primeiro de abril', 'em 01/04',
    'dia 1º/abril'],
  'a day of the last month': ['em 14/12/2027', 'em 14-12-2027', 'em 14 de dezembro de 2027'],
  'a month': ['em março de 2027', 'em março/2027', 'em 03/2027', 'em mar/27',
    'em março de dois mil e vinte e sete'],
  money: ['por R$ 1.200,50', 'por R$1200,50', 'por R$\u00a01.200,50', 'por **R$ 1.200,50**',
    'por 1.200,50 reais', 'por 1 200,50 reais', 'por BRL 1.200,50',
    'por mil e duzentos reais e cinquenta centavos', 'por mil, duzentos reais e cinquenta centavos',
    'por 1200 reais e 50 centavos', '{"valor": 1200.5}'],
  'a whole price': ['por R$ 1.999', 'por R$ ¹⁹⁹⁹', 'por ₁₉₉₉ reais', 'por MCMXCIX reais', 'por R$ MCMXCIX',
    'por ①⑨⑨⑨ reais', 'por ١٩٩٩ reais', 'por R$ １９９９'],
  'much money': ['por R$ 9,6 mil', 'por R$ 9.600', 'por nove mil e seiscentos reais', 'por R$ 9.600,00'],
  'two prices': ['de R$ 100 a R$ 200', 'de 100 a 200 reais', 'entre cem e duzentos reais', 'R$ 100 ou 200'],
  'a share': ['com 50%', 'com 50 %', 'com 50 por cento', 'com cinquenta por cento', 'com a metade',
    'com 50,0%'],
  'a time': ['às 8h30', 'às 8:30', 'às 08:30h', 'às oito e meia', 'às 8h30min', 'às 8 horas e 30 minutos',
    'às 08h30'],
  'an afternoon': ['às 14h', 'às 14:00', 'às 14 horas', 'às 2 da tarde', 'às duas da tarde', 'às quatorze',
    'às 2h da tarde'],
  noon: ['ao meio-dia', 'às 12h', 'às 12:00'],
  'opening hours': ['das 8h às 21h', 'das 8 às 21h', 'das 8 às 21 horas', 'das oito às vinte e uma',
    'de 8h a 21h'],
  'a duration': ['por 90 minutos', 'por 1h30', 'por uma hora e meia', 'por 90 min', "por 90'",
    'por 1 hora e 30 minutos'],
  'a year': ['por 12 meses', 'por um ano', 'por 12 (doze) meses', 'por doze meses', 'por dois semestres'],
  'some days': ['em 14 dias', 'em quatorze dias', 'em catorze dias', 'em duas semanas',
    'em 14 (quatorze) dias'],
  'a range of days': ['de 8 a 12 dias', 'de oito a doze dias', 'entre 8 e 12 dias', '8-12 dias',
    'de 8 dias até 12 dias'],
  'a range of dates': ['de 14 a 20 de março', 'de 14 de março a 20 de março', 'de 14/03 a 20/03',
    'entre 14 e 20 de março'],
  'a count': ['há 3.240 vagas', 'há 3240 lugares', 'há três mil duzentas e quarenta vagas'],
  'a place in an order': ['no 3º período', 'no 3o período', 'no 3.º período', 'no terceiro período'],
  'a phone number': ['ligue (31) 3829-4471', 'ligue +55 31 3829-4471', 'ligue 3138294471',
    'ligue 031 3829-4471', '[ligue](tel:+553138294471)', 'ligue 3829-4471'],
  'a mobile number': ['zap (11) 98888-7777', 'zap 11 8888-7777', 'zap +55 (11) 9 8888-7777',
    'zap 98888-7777'],
  'a free number': ['ligue 0800 727 1010', 'ligue 0800-727-1010', 'ligue 08007271010'],
  'an e-mail address': ['escreva a nai@ipe.edu.br', 'escreva a NAI@ipe.edu.br.',
    '[nai](mailto:nai@ipe.edu.br)', 'escreva a nai (arroba) ipe ponto edu ponto br',
    'escreva a nai arroba ipe.edu.br', 'escreva a nai[at]ipe[dot]edu[dot]br.',
    'escreva a nai @ ipe . edu . br .', 'escreva a nai at ipe dot edu dot br'],
  'a web address': ['veja https://www.ipe.edu.br/notas', 'veja http://ipe.edu.br/notas/',
    'veja ipe.edu.br/notas.', '[veja](https://ipe.edu.br/notas)', 'veja <https://www.ipe.edu.br/notas>'],
  'an area': ['tem 1,2 km²', 'tem 1,2 quilômetros quadrados', 'tem 1.200.000 metros quadrados'],
  'a distance': ['a 2.400 metros', 'a 2,4 km', 'a 2400 m', 'a dois mil e quatrocentos metros'],
};

/** The words of an answer, and of a passage that says something else. */
const UNLIKE: readonly (readonly [answer: string, passage: string, found: string])[] = [
  ['A taxa é R$ 95,00.', 'A taxa é R$ 85,00, em até 95 dias.', 'money R$ 95,00'],
  ['A prova é em 14/03/2027.', 'A prova é em 14/04/2027, às 14h03.', 'date 14/03/2027'],
  ['A prova é em 14 de março de 2028.', 'A prova é em 14/03/2027.', 'date 14 de março de 2028'],
  ['São 8% de desconto.', 'São 5% de desconto para 8 alunos.', 'percent 8%'],
  ['Abre às 8h.', 'Abre às 9h, na sala 8.', 'number 8h'],
  ['Dura 12 meses.', 'Dura 12 dias.', 'number 12 meses'],
  ['Ligue (11) 3829-4471.', 'Ligue (31) 3829-4471.', 'phone (11) 3829-4471'],
  ['Escreva a nai@ipe.edu.br.', 'Escreva a nae@ipe.edu.br.', 'email nai@ipe.edu.br'],
  ['Veja ipe.edu.br/notas.', 'Veja https://ipe.edu.br/provas.', 'url ipe.edu.br/notas'],
  ['Veja portal.ipe.tech.', 'Veja ipe.edu.br.', 'url portal.ipe.tech'],
  ['É ao meio-dia.', 'É às 11h.', 'number meio-dia'],
  ['O código é 14.13.2027.', 'O código é outro.', 'number 14.13.2027'],
  ['Há duas vagas.', 'Há três vagas.', 'number duas'],
  ['As oito turmas abrem.', 'As turmas abrem.', 'number oito'],
  ['Escreva a x (arroba) golpe ponto com.', 'Escreva a nai@ipe.edu.br.', 'email x (arroba) golpe ponto com'],
  ['Custa MCMXCIX reais.', 'Custa R$ 999.', 'money MCMXCIX reais'],
  ['Custa 𝟏𝟗 reais.', 'Custa 20 reais.', 'money 𝟏𝟗 reais'],
  ['Custa ⅭⅩⅩ reais.', 'Custa 20 reais.', 'money ⅭⅩⅩ reais'],
  ['Escreva a x＠golpe．com.', 'Escreva a nai@ipe.edu.br.', 'email x＠golpe．com'],
  ['Custa R$ ¹⁹⁹⁹.', 'Custa R$ 999.', 'money R$ ¹⁹⁹⁹'],
  ['No 4º período.', 'Do quarto da república ao 3º período.', 'number 4º'],
];

describe('A figure of an answer', () => {
  for (const [name, spellings] of Object.entries(ALIKE))
    it(`is supported by ${name} in any other spelling`, () => {
      for (const answer of spellings) {
        for (const passage of spellings)
          expect(unsupported(answer, passage), `${answer} / ${passage}`).to.deep.equal([]);
      }
    });

  for (const [answer, passage, found] of UNLIKE)
    it(`is not supported where the passage says another: ${answer}`, () => {
      expect(unsupported(answer, passage)).to.deep.equal([found]);
    });

  it('may have the year that is clear from its passage, and no other', () => {
    const passage = '# Calendário de 2027\nA matrícula vai até 14 de março.';
    expect(unsupported('Até 14/03/2027.', passage)).to.deep.equal([]);
    expect(unsupported('Até 14/03/2028.', passage)).to.deep.equal(['date 14/03/2028']);
    const unclear = 'Em 2026 foi em abril.\nEm 2027 é em 14 de março.';
    expect(unsupported('Em 14/03/2027.', unclear)).to.deep.equal([]);
    expect(unsupported('Em 14/03/2026.', unclear)).to.deep.equal(['date 14/03/2026']);
  });

  it('has not the unit of another behind other words', () => {
    expect(unsupported('São 8, depois 12 dias.', 'São 8 salas, depois 12 dias.')).to.deep.equal([]);
  });

  it('is none where the words only look like one', () => {
    const answer =
      'Uma dúvida: de segunda a sexta-feira, o Marco atende.\n1. Abra o portal.\n2. Em primeiro lugar, um dia antes, leia.';
    expect(unsupported(answer.replace('primeiro lugar', 'princípio'), '')).to.deep.equal([]);
  });

  it('is supported by its value, however both are written', () => {
    const amount = fc.integer({ min: 1, max: 99_999_999 }).map(cents => cents / 100);
    const spellings: ((value: number) => string)[] = [
      value => `R$ ${value.toLocaleString('pt-BR', { minimumFractionDigits: 2 })}`,
      value => `R$${value.toFixed(2).replace('.', ',')}`,
      value => `${value.toLocaleString('pt-BR', { minimumFractionDigits: 2 })} reais`,
      value => `${Math.floor(value + 0.001)} reais e ${Math.round((value % 1) * 100)} centavos`,
    ];
    const spelling = fc.constantFrom(...spellings);
    fc.assert(
      fc.property(amount, spelling, spelling, amount, (value, one, other, wrong) => {
        expect(unsupported(`Custa ${one(value)}.`, `O preço é ${other(value)}.`)).to.deep.equal([]);
        if (wrong !== value)
          expect(unsupported(`Custa ${one(wrong)}.`, `O preço é ${other(value)}.`)).to.have.length(1);
      }),
    );
  });

  it('is cut at whole characters', () => {
    const piece = fc.constantFrom(
      '😀',
      'R$ 95,00',
      ' às 8h30',
      'é',
      '𝟗5',
      '\ud83d',
      'a@b.com',
      ' 14/03 ',
      '. ',
      '\n',
      '**',
      '(11) 3829-4471',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
        const answer = pieces.join('');
        const checked = runToEnd(
          checkAnswer(answer, { question: '', passages: [answer], hostTexts: [], others: [] }),
        );
        const alone = runToEnd(
          checkAnswer(answer, { question: '', passages: [], hostTexts: [], others: [] }),
        );
        for (const { from, to, text } of alone.unsupported) {
          expect(answer.slice(from, to)).to.equal(text);
          expect(isCut(answer, from) || isCut(answer, to)).to.equal(false);
        }
        for (const { from, to } of checked.sources.flatMap(({ sentences }) => sentences)) {
          expect(from).to.be.below(to);
          expect(isCut(answer, from) || isCut(answer, to)).to.equal(false);
        }
        expect(checked.unsupported).to.deep.equal([]);
      }),
    );
  });

  it('is found in a time that grows no faster than its text, also in addresses that begin within one another', () => {
    for (const unit of ['https://a.a/(', 'www.a.a/[{', 'http://a.b/*', 'https://a,.,.,.']) {
      const textOf = (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
      expect(growthBeyondLinear(findFigures, textOf), unit).to.equal(undefined);
    }
  });
});

/** Whether the place is inside of a character. */
function isCut(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1)) && at > 0;
}
