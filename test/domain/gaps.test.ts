import { expect } from 'chai';
import { saysNotFound } from '../../text/says-not-found.ts';
import { groupQuestions } from '../../workers/domain/gaps/group-questions.ts';
import { chooseSuggestion, isQuestion, questionWordsOf } from '../../workers/domain/gaps/question-words.ts';
import { languageTextsOf } from '../../workers/domain/prompts/language-texts.ts';
import { growthBeyondLinear } from '../support/growth.ts';
import { runToEnd } from '../support/run-to-end.ts';

describe('an answer', () => {
  const without = [
    'Não encontrei essa informação na base de conhecimento.',
    'Olá! Infelizmente não tenho detalhes sobre isso.',
    'A matrícula é em julho. Quanto ao valor, não há informação no material.',
    'Não sei informar.',
    'Desculpe, mas não foi possível encontrar a resposta.',
    'Essa informação não consta no conhecimento que tenho.',
    'I could not find that in the knowledge base.',
    'Lo siento, no tengo detalles sobre eso.',
    'Esa información no consta en el material.',
    'No se encontró ninguna respuesta en la base de conocimiento.',
    'No he encontrado ese dato.',
    'No fue posible encontrar la respuesta.',
    ...['pt-BR', 'es', 'en'].map(language => languageTextsOf(language).notFound),
  ];
  const having = [
    'Às 8h.',
    'Não é preciso agendar.',
    'Não há taxa de matrícula.',
    'Você não tem pendências.',
    'Não se preocupe: a informação está no edital.',
    'Não aceitamos cheques. Temos informação completa no site.',
    'No portal há informação sobre a matrícula.',
    'No encontro de calouros temos todas as informações.',
    'Caso não encontre a resposta no edital, fale conosco.',
    'O curso não tem encontro presencial e o conteúdo fica no portal.',
    'No se preocupe: la información está en el reglamento.',
    'No hay costo de matrícula.',
    'No es necesario reservar.',
    '',
  ];
  it('says that it has nothing in many words, and other negations are not that', () => {
    expect(without.filter(text => !saysNotFound(text))).to.deep.equal([]);
    expect(having.filter(saysNotFound)).to.deep.equal([]);
  });

  it('is read in a time that grows no faster than its length', () => {
    const growth = growthBeyondLinear(
      text => void saysNotFound(text),
      length => 'não há '.repeat(length / 7),
    );
    expect(growth).to.equal(undefined);
  });
});

describe('questions', () => {
  const groupsOf = (questions: readonly string[], known: readonly string[] = []) => {
    let made = 0;
    const groups = known.map((question, at) => ({ id: `known-${at}`, words: questionWordsOf(question) }));
    return runToEnd(groupQuestions(groups, questions.map(questionWordsOf), () => `new-${(made += 1)}`));
  };
  it('are one gap in other words, and two where each has words of its own', () => {
    const [first, again, synonym, other] = groupsOf([
      'Quanto custa a mensalidade de Direito?',
      'Boa tarde, qual é o valor da mensalidade do curso de direito, por favor?',
      'Gostaria de saber a mensalidade de Direito',
      'Quanto custa a mensalidade de Medicina?',
    ]);
    expect([again, synonym]).to.deep.equal([first, first]);
    expect(other).to.not.equal(first);
  });

  it('join the gap that is known, and get the same groups each time', () => {
    expect(
      groupsOf(['Qual o valor da mensalidade de Direito?'], ['Quanto custa a mensalidade de direito?']),
    ).to.deep.equal(['known-0']);
    const many = Array.from(
      { length: 200 },
      (_, at) => `Tem estágio no setor ${'abcdefghij'[at % 10]}${'xyz'[at % 3]}?`,
    );
    expect(groupsOf(many)).to.deep.equal(groupsOf(many));
  });

  it('are compared with the first 500 gaps of those that share only their common words', () => {
    const alike = { id: 'alike', words: ['bolsa', 'prazo', 'curso'] };
    const others = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        id: `other-${at}`,
        words: ['bolsa', 'prazo', 'curso', `a${at}`, `b${at}`],
      }));
    const groupAmong = (known: Parameters<typeof groupQuestions>[0]) =>
      runToEnd(groupQuestions(known, [['bolsa', 'prazo']], () => 'new'));
    expect(groupAmong([...others(499), alike])).to.deep.equal(['alike']);
    expect(groupAmong([...others(500), alike])).to.deep.equal(['new']);
  });

  it('join the gap of the same words, however many gaps share them all', () => {
    const words = (at: number) => Array.from({ length: 20 }, (_, nth) => `comum${(at * (nth + 1)) % 31}`);
    const known = Array.from({ length: 3_000 }, (_, at) => ({
      id: `known-${at}`,
      words: [...new Set(words(at)), 'x'],
    }));
    const newest = { id: 'same', words: ['comum1', 'comum2', 'comum3', 'x'] };
    const [group] = runToEnd(
      groupQuestions([...known, newest], [['x', 'comum3', 'comum2', 'comum1']], () => 'new'),
    );
    expect(group).to.equal('same');
  });

  it('are told from what people say to a staff member', () => {
    expect(
      ['Tem bolsa?', 'qdo abre a piscina', 'queria saber quanto custa', 'Onde fica a secretaria'].every(
        isQuestion,
      ),
    ).to.equal(true);
    expect(['Obrigado', 'Meu CPF é 11144477735', 'ok, combinado'].some(isQuestion)).to.equal(false);
    expect(questionWordsOf('Meu CPF é 111.444.777-35')).to.deep.equal(['cpf', '35']);
  });
});

describe('a suggestion', () => {
  const words = questionWordsOf('Quanto custa a mensalidade de Direito?');
  const said = (...texts: string[]) => chooseSuggestion(texts.map(content => ({ content, words })))?.content;
  it('is the message that answers, not the greeting; a greeting alone is none', () => {
    const answer = 'A mensalidade de Direito custa R$ 900,00 e vence no dia 10.';
    expect(
      said('Oi, tudo bem? Aqui é a Bia, da secretaria acadêmica.', answer, 'Mais alguma coisa?'),
    ).to.equal(answer);
    expect(said('Oi, tudo bem?', 'Por nada!')).to.equal(undefined);
  });
});
