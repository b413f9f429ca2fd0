import { expect } from 'chai';
import { queryWordsOf } from '../../text/query-words.ts';
import { joinQuery, retrievalQueryOf } from '../../workers/domain/retrieval/retrieval-query.ts';

describe('what is looked for in the knowledge', () => {
  it('is a question of many words as it stands', () => {
    const query = 'Qual é o horário da biblioteca aos sábados?';
    expect(retrievalQueryOf(query, ['Quanto custa?'])).to.deep.equal({ query, earlier: [] });
  });

  it('is a question in Spanish as it stands: its articles point to nothing', () => {
    const query = '¿Hasta cuándo puedo devolver los libros de la biblioteca central?';
    expect(retrievalQueryOf(query, ['¿Cuánto cuesta?'])).to.deep.equal({ query, earlier: [] });
    const before = '¿Cómo funciona la monitoría remunerada de la universidad?';
    const { earlier } = retrievalQueryOf('¿Cuántas horas por semana exige esa actividad para recibir?', [
      before,
    ]);
    expect(earlier).to.deep.equal([before]);
  });

  it('is a short question together with what was asked before, further back where that was short too', () => {
    const asked = ['Como peço a segunda chamada de uma prova?', 'Quando abre?', 'E a biblioteca?'];
    const found = retrievalQueryOf('E aos sábados?', asked);
    expect(found).to.deep.equal({ query: 'E aos sábados?', earlier: ['Quando abre?', 'E a biblioteca?'] });
    expect(joinQuery(found)).to.equal('Quando abre? E a biblioteca? E aos sábados?');
  });

  it('is a question that points back together with what it points to', () => {
    const before = 'Como funciona a monitoria remunerada da universidade?';
    const { earlier } = retrievalQueryOf('Quantas horas por semana preciso cumprir nela para receber?', [
      before,
    ]);
    expect(earlier).to.deep.equal([before]);
  });

  it('is what was asked last where nothing is asked', () => {
    expect(retrievalQueryOf(undefined, ['Quando abre?'])).to.deep.equal({
      query: 'Quando abre?',
      earlier: [],
    });
    expect(retrievalQueryOf(undefined, [])).to.deep.equal({ query: '', earlier: [] });
  });

  it('means what is asked now most, and each word once', () => {
    const words = queryWordsOf('E a biblioteca?', [
      'Horário da secretaria',
      'Horário da BIBLIOTECA no recesso',
    ]);
    expect(words.filter(({ synonymOf }) => synonymOf === undefined)).to.deep.equal([
      { word: 'biblioteca', weight: 1 },
      { word: 'horario', weight: 0.75 },
      { word: 'recesso', weight: 0.75 },
      { word: 'secretaria', weight: 0.5625 },
    ]);
  });

  it('is the item of the list that the assistant wrote where the question names its place', () => {
    const list = 'Temos três:\n1. Standard\n2. Suíte Luxo\n3. Chalé Família';
    const ask = (question: string, answer = list) =>
      retrievalQueryOf(question, ['Que quartos há?'], answer).query;
    expect(ask('E o segundo, tem banheira?')).to.equal('E o Suíte Luxo, tem banheira?');
    expect(ask('Quanto custa o último?')).to.equal('Quanto custa o Chalé Família?');
    expect(ask('e a terceira?', 'São: 1) gripe 2) HPV 3) febre')).to.equal('e a febre?');
  });

  it('is no item where there is no such list, or a day or a name is meant', () => {
    const list = '1. Standard\n2. Suíte Luxo';
    const same = [
      ['E o segundo?', 'Temos o Standard e a Suíte.'],
      ['E o terceiro?', list],
      ['Abre na segunda?', list],
      ['E na segunda-feira?', list],
      ['Como faço a segunda chamada?', list],
    ] as const;
    for (const [question, answer] of same) {
      expect(retrievalQueryOf(question, [], answer).query).to.equal(question);
    }
  });

  it('means the verbs of any question less than its subject', () => {
    const words = queryWordsOf('Posso levar bicicleta?', []);
    expect(
      words.filter(({ synonymOf }) => synonymOf === undefined).map(({ word, weight }) => [word, weight]),
    ).to.deep.equal([
      ['posso', 0.4],
      ['levar', 0.4],
      ['bicicleta', 1],
    ]);
  });

  it('has what could have been said instead, in any form of a word', () => {
    const words = queryWordsOf('Quanto custa o curso?', []);
    expect(words.find(({ word }) => word === 'preco')).to.deep.equal({
      word: 'preco',
      weight: 0.4,
      synonymOf: 'custa',
    });
    expect(words.filter(({ synonymOf }) => synonymOf === undefined).map(({ word }) => word)).to.deep.equal([
      'custa',
      'curso',
    ]);
    const asked = queryWordsOf('Peço onde?', []).map(({ word }) => word);
    expect(asked).to.include.members(['peco', 'pedido', 'solicitacao']);
  });

  it('is an English question in Portuguese, with the words that have no translation', () => {
    const words = queryWordsOf('How much is the zumba for the course?', []);
    const given = words.filter(({ synonymOf }) => synonymOf === undefined).map(({ word }) => word);
    expect(given).to.include.members(['zumba', 'curso']);
    expect(given).to.not.include.members(['the']);
  });

  it('has addresses whole and in parts', () => {
    const words = queryWordsOf('Veja www.uni.example, por favor', []).map(({ word }) => word);
    expect(words).to.include.members(['www.uni.example', 'uni', 'example']);
  });
});
