import { expect } from 'chai';
import { extractAnswer } from '../../offline-model/extraction/extract-answer.ts';
import { analyzeQuestion } from '../../offline-model/extraction/question.ts';
import { rankUnits } from '../../offline-model/extraction/ranking.ts';
import { splitIntoUnits } from '../../offline-model/extraction/units.ts';
import { extractTerms } from '../../offline-model/extraction/words.ts';
import { derivedStemOf } from '../../text/words.ts';
import { tuningPassages } from './tuning-passages.ts';

const answer = (question: string, ...passages: string[]) => extractAnswer(question, passages)?.text ?? '';

const textsOf = (passage: string) => splitIntoUnits([passage]).map(({ text }) => text);

const documents = `# Matrícula
Para se matricular, traga os seguintes documentos:
- RG e CPF
- histórico escolar
- uma foto 3x4

A secretaria abre às 8h.`;

describe('offline model: words', () => {
  it('gives the forms of a word one stem', () => {
    for (const family of [
      'matrícula matrículas matricular matriculado matriculada',
      'inscrição inscrições',
      'trancar trancamento trancado',
      'pagar pagamento pago pagos',
      'professor professora professores',
      'mudar mudança mudanças',
      'papel papéis',
    ]) {
      const stems = new Set(family.split(' ').flatMap(extractTerms));
      expect([...stems], family).to.have.length(1);
    }
  });

  it('keeps words apart that only look alike', () => {
    const stems = ['criança', 'criar', 'hora', 'nota', 'prova', 'vida', 'aula'].flatMap(extractTerms);
    expect(new Set(stems).size).to.equal(stems.length);
    expect(derivedStemOf('2026')).to.equal('2026');
  });

  it('reads chat spelling, ordinals and split words as their full forms', () => {
    expect(extractTerms('qto tel zap')).to.deep.equal(extractTerms('quanto telefone whatsapp'));
    expect(extractTerms('2ª via')).to.deep.equal(extractTerms('segunda via'));
    expect(extractTerms('E-mail on-line Wi-Fi')).to.deep.equal(extractTerms('email online wifi'));
  });
});

describe('offline model: units of Markdown', () => {
  it('knows the lead-in and the headings of a list item', () => {
    const item = splitIntoUnits([documents]).find(({ text }) => text === 'histórico escolar');
    expect(item?.kind).to.equal('item');
    expect(item?.lead?.text).to.equal('Para se matricular, traga os seguintes documentos:');
    expect(item?.headings).to.deep.equal(['Matrícula']);
  });

  it('writes a table row out with the names of its columns', () => {
    const [, row] = splitIntoUnits(['| Curso | Turno |\n|---|:---:|\n| Direito | Manhã |\n| Letras | |']);
    expect(splitIntoUnits(['| Curso | Turno |\n|---|:---:|\n| Direito | Manhã |'])[0]?.text).to.equal(
      'Curso: Direito; Turno: Manhã',
    );
    expect(row?.text).to.equal('Curso: Letras');
  });

  it('joins a wrapped sentence and keeps labelled lines apart', () => {
    expect(textsOf('O prazo é de dez\ndias úteis.')).to.deep.equal(['O prazo é de dez dias úteis.']);
    expect(textsOf('Aberto o ano todo\nTelefone: 3829-4400')).to.have.length(2);
    expect(textsOf('Telefone: 3829-4400\nE-mail: a@b.br')).to.deep.equal([
      'Telefone: 3829-4400',
      'E-mail: a@b.br',
    ]);
  });

  it('never offers a question of the text as an answer, but hangs it over what follows', () => {
    const units = splitIntoUnits(['P: Como emito o boleto?\nR: Abra o portal.\n\n### Tem desconto?\nNão.']);
    expect(units.map(({ text, faqQuestion }) => [text, faqQuestion])).to.deep.equal([
      ['Abra o portal.', 'Como emito o boleto?'],
      ['Não.', 'Tem desconto?'],
    ]);
  });
});

describe('offline model: questions', () => {
  const termsWith = (text: string, earlier: readonly string[]) => [
    ...analyzeQuestion(text, '', earlier).terms.keys(),
  ];
  const before = ['Qual é o horário da biblioteca?'];

  it('lean on the message before them only when they say too little themselves', () => {
    for (const text of ['e aos sábados?', 'E quanto custa isso?', 'onde fica?']) {
      expect(termsWith(text, before), text).to.include.members(extractTerms('biblioteca'));
    }
    for (const text of [
      'Qual é o telefone da secretaria acadêmica?',
      'Como faço a matrícula no curso de direito?',
    ]) {
      expect(termsWith(text, before), text).to.deep.equal(termsWith(text, []));
    }
  });

  it('skip messages without a word of meaning when they look back', () => {
    expect(termsWith('e aos sábados?', [...before, 'obrigado'])).to.include.members(
      extractTerms('biblioteca'),
    );
  });
});

describe('offline model: extraction', () => {
  it('gives the whole list with its lead-in where several things are asked for', () => {
    const text = answer('Quais documentos preciso levar?', documents);
    expect(text).to.equal(
      'Para se matricular, traga os seguintes documentos:\n- RG e CPF\n- histórico escolar\n- uma foto 3x4',
    );
  });

  it('finds the row of a table and leaves the other rows out', () => {
    const text = answer('quanto custa psicologia', tuningPassages.mensalidade);
    expect(text).to.include('R$ 1.480,00').and.not.include('R$ 1.345,00');
  });

  it('prefers the sentence that holds the kind of thing asked for', () => {
    const passage = 'A biblioteca é muito procurada. A biblioteca fica no Bloco C. A biblioteca abre às 8h.';
    expect(answer('Onde fica a biblioteca?', passage)).to.match(/Bloco C/);
    expect(answer('Que horas abre a biblioteca?', passage)).to.match(/8h/);
  });

  it('takes the number of the thing that is counted, not just any number near it', () => {
    const units = splitIntoUnits(['Os alunos da escola pagam 10 reais. São 500 alunos na escola.']);
    const [price, count] = rankUnits(analyzeQuestion('Quantos alunos tem a escola?', '', []), units);
    expect(count?.score).to.be.greaterThan((price?.score ?? 1) + 0.1);
  });

  it('gives all entries of a list where several are asked for, also those that share no word', () => {
    const text = answer('Quais bolsas existem?', 'Há apoio:\n- bolsa ProUni\n- bolsa Mérito\n- Fies');
    expect(text).to.include('Fies').and.include('ProUni');
  });

  it('survives missing accents, typos and synonyms', () => {
    const passage = 'A colação de grau será em 14 de agosto. O estacionamento custa R$ 4,00.';
    expect(answer('qdo e a formatura', passage)).to.include('14 de agosto');
    expect(answer('quanto custa o etsacionamento', passage)).to.include('R$ 4,00');
    expect(answer('bibloteca', 'Temos cantina. Há biblioteca. Há quadra.')).to.equal('Há biblioteca.');
  });

  it('brings the sentence along that a pronoun points to', () => {
    const passage = 'O curso tem aulas à noite. A coordenadora é Ana Prado. Ela atende às terças no Bloco B.';
    expect(answer('Em que dia a coordenadora atende?', passage))
      .to.include('Ana Prado')
      .and.include('terças');
  });

  it('answers two questions of one message', () => {
    const text = answer(
      'Onde fica a biblioteca? Quem é a reitora?',
      tuningPassages.biblioteca,
      tuningPassages.historia,
    );
    expect(text).to.include('Bloco C').and.include('Marta Queiroz');
  });

  it('is undefined for a question about something else, and for one without any word', () => {
    const passages = Object.values(tuningPassages);
    expect(extractAnswer('Qual é a capital da Austrália?', passages)).to.equal(undefined);
    expect(extractAnswer('???', passages)).to.equal(undefined);
    expect(extractAnswer('Onde fica?', [])).to.equal(undefined);
  });

  it('gives a figure only where the sentence, its heading or what it leans on names the thing asked about', () => {
    const card = '# Carteirinha\nA segunda via custa R$ 30,00. O crachá é azul. Ele custa R$ 9,00.';
    expect(answer('Quanto custa a segunda via do boleto?', card, 'O boleto chega por e-mail.')).to.equal('');
    expect(answer('Quanto custa a segunda via da carteirinha?', card)).to.include('R$ 30,00');
    expect(answer('Quanto custa o crachá?', card)).to.include('R$ 9,00').and.not.include('R$ 30,00');
  });

  it('warns where the passages hold too little of the question', () => {
    expect(extractAnswer('Qual é o telefone da secretaria?', [tuningPassages.secretaria])?.isSure).to.equal(
      true,
    );
    expect(
      extractAnswer('tem creche para os filhos dos alunos?', Object.values(tuningPassages))?.isSure,
    ).not.to.equal(true);
  });

  it('never answers with more than 600 characters, however long a sentence or a list is', () => {
    const endless = `A biblioteca ${'abre cedo e fecha tarde e '.repeat(400)}é grande.`;
    const list = `A biblioteca tem:\n${Array.from({ length: 300 }, (_, at) => `- sala ${at} da biblioteca`).join('\n')}`;
    for (const passage of [endless, list]) {
      const text = answer('O que tem a biblioteca?', passage);
      expect(text.length).to.be.within(20, 600);
    }
  });

  it('takes time in proportion to the text, also where it is made to hurt', () => {
    const size = 40_000;
    const hostile = [
      '.'.repeat(size),
      '. '.repeat(size / 2),
      '*'.repeat(size),
      '> '.repeat(size / 2),
      '|a'.repeat(size / 2),
      'a'.repeat(size),
    ];
    const many = Array.from({ length: size / 8 }, (_, at) => `b${at.toString(36)}lioteca`).join(' ');
    const lines = 'uma linha sem fim\n'.repeat(size / 18);
    const started = process.cpuUsage();
    for (const passage of [...hostile, many, lines]) extractAnswer('Quando abre a bibliotca?', [passage]);
    // Quadratic processing of any of these takes many seconds, linear processing milliseconds.
    expect(process.cpuUsage(started).user / 1000).to.be.below(3000);
  });
});
