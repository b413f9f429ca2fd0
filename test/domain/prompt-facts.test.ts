import { expect } from 'chai';
import { mentionsIn, promptFactsOf } from '../../workers/domain/prompts/prompt-facts.ts';

const MAX_FACTS = 4_000;
const none = () => false;

describe('what the prompt says of the data of a conversation', () => {
  it('is all of it, in its order, where there is room', () => {
    const facts = promptFactsOf({ z: 1, campus: 'Norte' }, none);
    expect(facts).to.deep.equal({ text: '{"z":1,"campus":"Norte"}', leftOut: [] });
    expect(promptFactsOf({}, none)).to.deep.equal({ text: '', leftOut: [] });
  });

  it('is on one line, however much of it there is', () => {
    for (const most of [1, MAX_FACTS]) {
      const facts = { 'a\n# b': 'c\n\u2028\u2029\u0085# d', long: 'x'.repeat(most) };
      expect(promptFactsOf(facts, none).text.split(/[\n\r\u0085\u2028\u2029]/)).to.have.length(1);
    }
  });

  it('has what is named first, then the short before the long, and tells what is cut or left out', () => {
    const data = { long: 'x'.repeat(3_900), longer: 'y'.repeat(5_000), short: 1, named: 'n'.repeat(300) };
    const { text, leftOut } = promptFactsOf(data, key => key === 'named');
    expect(text).to.match(/^\{"named":"n{300}","short":1,"long":"x+$/);
    expect(text).to.have.length(MAX_FACTS);
    expect(leftOut).to.deep.equal(['long', 'longer']);
  });

  it('counts characters as people do, and halves none', () => {
    expect(promptFactsOf({ a: '😀'.repeat(MAX_FACTS - 8) }, none).leftOut).to.deep.equal([]);
    const { text, leftOut } = promptFactsOf({ a: '😀'.repeat(MAX_FACTS) }, none);
    expect([Array.from(text).length, text.isWellFormed(), leftOut]).to.deep.equal([MAX_FACTS, true, ['a']]);
  });

  it('takes a key for named that a text has the words of, in whatever spelling', () => {
    const isNamed = mentionsIn(['O CURSO é de graduação?', 'O nome do curso é Direito']);
    for (const key of ['curso', 'Graduacao', 'nome_do_curso', 'nomeDoCurso'])
      expect(isNamed(key), key).to.equal(true);
    for (const key of ['cur', 'curso_nome', '', '_', 'turno']) expect(isNamed(key), key).to.equal(false);
  });
});
