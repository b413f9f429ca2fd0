import { expect } from 'chai';
import * as fc from 'fast-check';
import { foldedTerm, frontMatterOf, isFault } from '../../workers/domain/front-matter.ts';

describe('front-matter', () => {
  it('declares keys with alternatives, and is not part of the body', () => {
    expect(
      frontMatterOf('---\ncampus: São Paulo, Santos\n\n curso : Direito \n---\n\n# Aulas\n\nÀs 8h.'),
    ).to.eql({
      filter: { campus: ['sao paulo', 'santos'], curso: ['direito'] },
      body: '# Aulas\n\nÀs 8h.',
    });
  });

  it('may have any line ends, blanks after its fences, a byte-order mark, and values with colons', () => {
    expect(frontMatterOf('\uFEFF--- \r\nhora: 8:00, 8:00,\r\n---\t\r\nÀs 8h.\r\n')).to.eql({
      filter: { hora: ['8:00'] },
      body: 'Às 8h.\n',
    });
  });

  it('stands at the head or nowhere', () => {
    for (const content of ['', ' \n\n', 'Às 8h.', '- a\n---\na: b\n---\nx', 'x\n---\na: b\n---'])
      expect(frontMatterOf(content), content).to.equal(undefined);
  });

  it('is there whatever stands before it that nobody sees: a chunk that seems to be for some is not for all', () => {
    for (const before of ['\n', '\r\n \n', ' ', '\t', '\u00a0', '\u200b', '\ufeff\ufeff', '\n\ufeff\n  '])
      expect(frontMatterOf(`${before}---\n  a: b\n  ---\nx`), JSON.stringify(before)).to.eql({
        filter: { a: ['b'] },
        body: 'x',
      });
  });

  const faulty: readonly [why: string, content: string, line: number][] = [
    ['is never closed', '---\na: b\nx', 1],
    ['is alone a rule', '---', 1],
    ['begins with more hyphens', '----\na: b\n----\nx', 1],
    ['begins with a dash that an editor made', '\n—\u2014-\na: b\n---\nx', 2],
    ['has a wrong line below blank ones', '\n\n---\na: b\nc\n---\nx', 5],
    ['declares nothing', '---\n\n---\nx', 1],
    ['has a line without a colon', '---\na: b\nc\n---\nx', 3],
    ['has a line without a key', '---\n: b\n---\nx', 2],
    ['has a key that is a heading', '---\n\n# a: b\n---\nx', 3],
    ['has a key without a value', '---\na: b\nc: , \n---\nx', 3],
    ['has a key twice', '---\na: b\na: c\n---\nx', 3],
    ['has nothing after it', '---\na: b\n---\n \n', 3],
  ];
  for (const [why, content, line] of faulty) {
    it(`is at fault, and the line is named, where it ${why}`, () => {
      expect(frontMatterOf(content)).to.include({ line });
    });
  }

  it('compares without case and accents', () => {
    expect(['  AÇÃO ', 'ação', 'ac\u0327a\u0303o', 'acao'].map(foldedTerm)).to.eql(Array(4).fill('acao'));
  });

  it('keeps keys that are names of an object’s own machinery', () => {
    const read = frontMatterOf('---\n__proto__: a\nconstructor: b\n---\nx');
    expect(JSON.stringify(read)).to.include('{"__proto__":["a"],"constructor":["b"]}');
  });

  it('is read back as it was written, whatever the keys, the values and the body are', () => {
    const word = fc.stringMatching(/^[a-z0-9_]{1,9}$/);
    const keys = fc.uniqueArray(fc.tuple(word, fc.uniqueArray(word, { minLength: 1, maxLength: 4 })), {
      selector: ([key]) => key,
      minLength: 1,
      maxLength: 5,
    });
    const body = fc.string().map(text => `x${text.replaceAll('\r', '')}`);
    fc.assert(
      fc.property(keys, body, (declared, body) => {
        const lines = declared.map(([key, values]) => `${key}: ${values.join(', ')}`);
        const read = frontMatterOf(['---', ...lines, '---', body].join('\n'));
        expect(read).to.eql({ filter: Object.fromEntries(declared), body });
      }),
    );
  });

  it('is read from any text at all: it is there, at fault at a line that exists, or not there', () => {
    const line = fc.oneof(fc.constantFrom('---', 'a: b', 'a', '', ':', 'b:,'), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 9 }), lines => {
        const content = lines.join('\n');
        const read = frontMatterOf(content);
        if (read && isFault(read)) expect(read.line).to.be.within(1, content.split(/\r\n|\n|\r/).length);
        else if (read) expect(content.replaceAll(/\r\n?/g, '\n').endsWith(read.body)).to.equal(true);
      }),
    );
  });
});
