import { expect } from 'chai';
import { saidPartsOf } from '../../text/answers/said-parts.ts';

const QUESTION = 'qual o prazo de matrícula?';
const STORY = 'Sou mãe do Pedro, ele terminou o ensino médio, e a gente mora longe daí. '.repeat(4).trim();

describe('what a message says', () => {
  for (const told of [
    'meu CPF é 123.456.789-09',
    'MEU CPF 12345678909',
    'CPF: 123.456.789-09',
    'meu CPF é [CPF_1] e o meu telefone é [PHONE_2]',
    'meu e-mail é ana@exemplo.com',
    'Meu nome é João da Silva, RG 12.345.678-9',
    'me chamo Ana e meu telefone é (11) 98765-4321',
    'meu nome e joana cpf 12345678909',
    'aqui é a Maria, minha matrícula é 2023123456',
    'Nome: Felipe Souza\nE-mail: f@exemplo.com\n',
  ])
    it(`is not who says it: ${told}`, () => {
      const messages = [`${told}, ${QUESTION}`, `${told} ${QUESTION}`, `${QUESTION} ${told}`];
      expect(messages.flatMap(saidPartsOf)).to.deep.equal(Array(3).fill(QUESTION));
    });

  it('has the names and figures that it is about', () => {
    for (const text of [
      'Onde fica o CPF 529.982.247-25 do reitor?',
      'telefone 0800 123 4567 é de vocês?',
      'qual é o meu RA?',
      'meu nome é diferente no diploma, o que faço?',
      'meu nome e sobrenome estão trocados, como arrumo?',
      'aqui é o João do curso de Direito, como pego o boleto?',
      'minha matrícula 2026.1 foi cancelada?',
      'qual o prazo do edital 123/2026?',
      'meu protocolo é 20260012345, e agora?',
      'Meu CPF é 123.456.789-09',
    ])
      expect(saidPartsOf(text)).to.deep.equal([text]);
  });

  it('is in a long one what is told near, and then what is asked, in any order and without signs', () => {
    const near = 'ele terminou o ensino médio, e a gente mora longe daí.';
    for (const asked of [QUESTION, 'Queria saber o prazo de matrícula.', 'O que eu faço?'])
      expect(saidPartsOf(`${STORY} ${asked} ${STORY}`)).to.deep.equal([`Pedro, ${near}`, asked]);
    expect(saidPartsOf(`${QUESTION} ${STORY}`)).to.have.property('1', QUESTION);
    const run = 'venho por meio desta informar que '.repeat(8);
    expect(saidPartsOf(`${run}como peço transferência`)).to.have.property('1', 'como peço transferência');
    expect(saidPartsOf(STORY)).to.deep.equal([STORY]);
  });
});
