import { expect } from 'chai';
import { keyOfQuestion, proposeQuestions } from '../../workers/domain/propose-questions.ts';

const passage = (id: string, path: string, text: string, page = 'a') => ({
  id,
  page,
  content: `## ${path}\n\n${text}`,
});
const questionsOf = (...passages: ReturnType<typeof passage>[]) =>
  proposeQuestions(passages, 30).map(({ question }) => question);

describe('the questions that are proposed from passages', () => {
  it('are headings and lines that ask, as they are written', () => {
    const faq = '**Posso trancar o curso?**\nSim, até maio.\n- 2. Como emito o boleto?\nNo portal. E depois?';
    expect(
      questionsOf(
        passage('1', 'Secretaria > Quando ela abre?', 'Às 8h.'),
        passage('2', 'Como se inscrever', 'No portal.'),
        passage('3', 'Dúvidas frequentes', faq, 'b'),
      ),
    ).to.deep.equal([
      'Posso trancar o curso?',
      'Quando ela abre?',
      'Como emito o boleto?',
      'Como se inscrever?',
      'Quais são as informações sobre Dúvidas frequentes?',
    ]);
  });

  it('ask by the noun of a heading, or by what stands under it', () => {
    const asked = [
      ['Horário de funcionamento', 'Das 8h às 22h.', 'Qual é o horário de funcionamento?'],
      ['TAXA DE INSCRIÇÃO', 'R$ 85,00', 'Qual é a taxa de inscrição?'],
      ['Documentos necessários', 'RG e CPF.', 'Quais são os documentos necessários?'],
      ['Valores', 'R$ 900,00', 'Quais são os valores?'],
      ['Programas', 'Dois.', 'Quais são os programas?'],
      ['Bolsas e descontos', 'Até 50 %.', 'Quais são as bolsas e descontos?'],
      ['Inscrições', 'De 1 de março a 3 de abril.', 'Quando são as inscrições?'],
      ['Matrícula', 'Custa R$ 300,00.', 'Quanto custa a matrícula?'],
      ['Férias', 'Em julho, de 1/7 a 31/7.', 'Quando são as férias?'],
      ['Vestibular', 'A prova é em 10/12/2026.', 'Quando é o vestibular?'],
      ['UFSC', 'Uma universidade.', 'Quais são as informações sobre UFSC?'],
    ] as const;
    const got = asked.map(([heading, text]) => questionsOf(passage('1', heading, text))[0]);
    expect(got).to.deep.equal(asked.map(([, , question]) => question));
  });

  it('name the heading above one that several have, and are one question where their words are the same', () => {
    const both = [
      passage('1', 'Biblioteca > Horário', 'Das 8h às 22h.'),
      passage('2', 'Secretaria > Horário', 'Das 8h às 21h.'),
      passage('3', 'Biblioteca > Horário', 'Sábados até 12h.'),
    ];
    expect(proposeQuestions(both, 30)).to.deep.equal([
      { question: 'Biblioteca: qual é o horário?', passageIds: ['1', '3'] },
      { question: 'Secretaria: qual é o horário?', passageIds: ['2'] },
    ]);
    expect(keyOfQuestion('Qual é o HORÁRIO ?')).to.equal(keyOfQuestion('qual e o horário?'));
  });

  it('are none of the frame of a page or of a heading alone, and of each page before a second of any', () => {
    expect(questionsOf(passage('1', 'Menu', 'Cursos'), passage('2', '2026', 'Ano.'))).to.deep.equal([]);
    expect(questionsOf(passage('1', 'Prazo', ''), passage('2', 'Sobre nós', 'Desde 2010.'))).to.deep.equal(
      [],
    );
    const many = [
      passage('1', 'Prazo', 'Dez dias.'),
      passage('2', 'Valor', 'R$ 5'),
      passage('3', 'Cursos', 'Dois.', 'b'),
    ];
    expect(proposeQuestions(many, 2).map(({ passageIds }) => passageIds)).to.deep.equal([['1'], ['3']]);
  });

  it('are none of the title of a page, under which stands what no heading of the page has', () => {
    const footer = passage('1', 'Cursos – Faculdade Serra', 'Rua das Palmeiras, 120.');
    expect(questionsOf(passage('2', 'Cursos – Faculdade Serra > Cursos', 'Dois.'), footer)).to.deep.equal([
      'Quais são os cursos?',
    ]);
    expect(questionsOf(footer)).to.deep.equal(['Quais são os cursos – Faculdade Serra?']);
  });

  it('are of each folder of a site in turn, and of a heading that many pages have three times before all others', () => {
    const courses = Array.from({ length: 9 }, (_, at) => {
      const page = `site, https://site.example/cursos/${at}/`;
      return [
        passage(`c${at}`, `Turma ${at}`, 'Dura 4 anos.', page),
        passage(`m${at}`, `Turma ${at} > Mensalidade`, 'R$ 5', page),
      ];
    });
    const others = ['Secretaria', 'Biblioteca'].map(name =>
      passage(name, name, 'No campus.', `site, https://site.example/${name}/`),
    );
    const ids = proposeQuestions([...courses.flat(), ...others], 8).map(({ passageIds }) => passageIds[0]);
    expect(ids).to.deep.equal(['m0', 'm1', 'm2', 'c0', 'Secretaria', 'c1', 'Biblioteca', 'c2']);
  });
});
