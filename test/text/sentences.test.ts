import { expect } from 'chai';
import * as fc from 'fast-check';
import { splitFolded, splitIntoSentences, splitSentences, wholeSentencesOf } from '../../text/sentences.ts';

const whole = [
  'A Dra. Marta Queiroz atende na Av. Brasil, nº 10, às 9h.',
  'O valor é de R$ 1.234,56 por semestre.',
  'Conforme o art. 5º da Lei nº 9.394, o pedido é gratuito.',
  'Foi fundada por J. Silva e O. Rezende em 1969.',
  'Escreva para ouvidoria@valedoipe.edu.br ou acesse www.valedoipe.edu.br hoje.',
  'O prazo (v. Calendário) vence em 10.02.2026 às 18h30.',
  'O Prof. Me. Ricardo Salgueiro e a Profa. Dra. Ana respondem pelo curso.',
  '1. Abra o portal e clique em Financeiro.',
];

const apart: readonly (readonly [string, readonly string[]])[] = [
  ['Abre às 8h. Fecha às 18h.', ['Abre às 8h.', 'Fecha às 18h.']],
  ['Posso renovar? Sim! Pela internet.', ['Posso renovar?', 'Sim!', 'Pela internet.']],
  ['Custa R$ 25,00. A 1ª via é grátis.', ['Custa R$ 25,00.', 'A 1ª via é grátis.']],
  ['Ele disse "venha." Nós fomos.', ['Ele disse "venha."', 'Nós fomos.']],
  ['O curso dura 4 anos. 60 vagas são oferecidas.', ['O curso dura 4 anos.', '60 vagas são oferecidas.']],
  ['Aguarde... Depois volte.', ['Aguarde...', 'Depois volte.']],
];

const squeezed = (value: string) => value.replace(/\s/g, '');

describe('the three manners of splitting', () => {
  it('differ in what a stop before a small letter, and a semicolon, is', () => {
    const text = 'custa r$ 10. aceita pix; e cartao (v. edital).';
    const checked = splitSentences(text).map(({ from, to }) => text.slice(from, to));
    expect(checked).to.deep.equal(['custa r$ 10.', 'aceita pix; e cartao (v.', 'edital).']);
    expect(splitIntoSentences(text)).to.deep.equal([text]);
    expect(splitFolded(text, 9).filter(Boolean)).to.deep.equal([
      'custa r$ 10.',
      'aceita pix;',
      'e cartao (v.',
      'edital).',
    ]);
  });
});

describe('the clauses of a passage', () => {
  it('are rows where it has a table, whatever stops stand in their cells', () => {
    const rows = ['| evento | data |', '| --- | --- |', '| inscricoes. | 26/07; 19/08 |'];
    expect(splitFolded(rows.join('\n'), 9).filter(Boolean)).to.deep.equal(rows);
  });
});

describe('the sentences of a quoted text', () => {
  for (const text of whole)
    it(`keeps "${text.slice(0, 40)}…" in one piece`, () => {
      expect(splitIntoSentences(text)).to.deep.equal([text]);
    });

  for (const [text, sentences] of apart)
    it(`cuts "${text}" at its ends`, () => {
      expect(splitIntoSentences(text)).to.deep.equal(sentences);
    });

  it('cuts an endless enumeration at its semicolons', () => {
    const clause =
      'o estudante regularmente matriculado que comprove renda familiar de até um salário mínimo';
    const pieces = splitIntoSentences(`São atendidos: ${Array(12).fill(clause).join('; ')}.`);
    expect(pieces.length).to.be.greaterThan(3);
    expect(Math.max(...pieces.map(piece => piece.length))).to.be.below(400);
  });

  it('loses and doubles no character but white space', () => {
    const word = fc.constantFrom(
      'a',
      'Dr.',
      'R$ 1.234,56',
      '...',
      '?',
      '! ',
      'B.',
      ';',
      '(x).',
      '"',
      '12.',
      '\n',
      'É',
      'nº',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(word, { maxLength: 200 }).map(words => words.join(' ')),
    );
    fc.assert(fc.property(text, value => squeezed(splitIntoSentences(value).join('')) === squeezed(value)));
  });
});

describe('a text that was cut anywhere', () => {
  it('ends with its last whole sentence or line, or stays as it is where none is whole', () => {
    const cuts = {
      'Abre às 8h. Traga o': 'Abre às 8h.',
      'Abre às 8h. Traga o RG.': 'Abre às 8h. Traga o RG.',
      'Abre às 8h. Fica na Av.': 'Abre às 8h.',
      'Abre às 8h. Custa R$ 1.': 'Abre às 8h.',
      'Traga:\n- RG\n- CP': 'Traga:\n- RG',
      'Traga:\n- RG\n': 'Traga:\n- RG',
      'Pode vir? Sim!': 'Pode vir? Sim!',
      'Abre às 8': 'Abre às 8',
      '': '',
    };
    for (const [cut, kept] of Object.entries(cuts)) expect(wholeSentencesOf(cut), cut).to.equal(kept);
  });

  it('begins as it did', () => {
    fc.assert(fc.property(fc.string(), text => text.startsWith(wholeSentencesOf(text))));
  });
});
