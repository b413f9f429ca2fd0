import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  frontMatterOf,
  isFrontMatterError,
  normalizeTerm,
} from '../../workers/domain/front-matter/front-matter.ts';
import { anyCharacter } from '../support/any-character.ts';

describe('front-matter', () => {
  it('declares keys with alternatives, and is not part of the body', () => {
    expect(
      frontMatterOf('---\ncampus: São Paulo, Santos\n\n curso : Direito \n---\n\n# Aulas\n\nÀs 8h.'),
    ).to.eql({
      filter: { campus: ['sao paulo', 'santos'], curso: ['direito'] },
      body: '# Aulas\n\nÀs 8h.',
    });
  });

  it('may have any line ends, blanks after its fences, and values with colons', () => {
    expect(frontMatterOf('--- \r\nhora: 8:00, 8:00,\r\n---\t\r\nÀs 8h.\r\n')).to.eql({
      filter: { hora: ['8:00'] },
      body: 'Às 8h.\n',
    });
  });

  it('stands at the head or nowhere', () => {
    for (const content of ['', ' \n\n', 'Às 8h.'])
      expect(frontMatterOf(content), content).to.equal(undefined);
    for (const content of ['- a\n---\na: b\n---\nx', 'x\n---\na: b\n---'])
      expect(frontMatterOf(content), content).to.include({ line: 2 });
  });

  it('is there whatever blanks stand before and beside it', () => {
    for (const before of ['\n', '\r\n \n', ' ', '\t', '\u00a0', '\u3000\n'])
      expect(frontMatterOf(`${before}---\n  a: b\n  ---\nx`), JSON.stringify(before)).to.eql({
        filter: { a: ['b'] },
        body: 'x',
      });
  });

  it('is at fault where something invisible is in it: a chunk that seems to be for some is not for all', () => {
    for (const unseen of [
      '\ufeff',
      '\u200b',
      '\u200e',
      '\u00ad',
      '\u2060',
      '\u2061',
      '\u180e',
      '\u2800',
      '\u0001',
    ])
      for (const [content, line] of [
        [`${unseen}---\na: b\n---\nx`, 1],
        [`\n${unseen}\n---\na: b\n---\nx`, 2],
        [`-${unseen}--\na: b\n---\nx`, 1],
        [`---${unseen}\na: b\n---\nx`, 1],
        [`---\na: ${unseen}b\n---\nx`, 2],
        [`---\na: b\n---${unseen}\nx`, 3],
        [`${unseen}—\na: b\n—\nx`, 1],
      ] as const)
        expect(frontMatterOf(content), JSON.stringify(content)).to.include({ line });
  });

  const likeFences =
    '— – –– ––– —— -- ---- +++ *** === ___ ~~~ ``` ~~~~ ::: %%% ;;; """ ### ─── ━━━ ═══ ーーー 一一一 －－－ ﹣﹣﹣ ‐‐‐ −−− ⁻⁻⁻ ➖➖➖ ★★★ --. <hr> <hr/> { <!-- /* \\-\\-\\-';
  const fences = [...likeFences.split(' '), '- - -', '* * *', '_ _ _', '> ---', '\u00a0-\u00a0-\u00a0-'];
  for (const fence of fences) {
    it(`is at fault where its first line is ${JSON.stringify(fence)}`, () => {
      for (const key of [
        'campus: Brasília',
        'campus : Brasília',
        'campus= x',
        '"campus": "x"',
        'campus：x',
        'Campus de aula: x',
      ])
        for (const blank of ['', '\n'])
          for (const end of [fence, '---', 'texto', ''])
            expect(frontMatterOf(`\n${fence}\n${blank}${key}\n${end}\nTexto`), key).to.include({ line: 2 });
    });
  }

  it('is at fault where its fence has more on the line, or stands on one line with it', () => {
    for (const first of [
      '--- # filtro',
      '---yaml',
      '--- yaml',
      '```yaml',
      '``` yaml',
      '~~~yml',
      '+++ toml',
      '— — — filtro',
    ])
      expect(frontMatterOf(`${first}\ncampus: x\n---\nTexto`), first).to.include({ line: 1 });
    for (const line of [
      '<!-- campus: x -->',
      '--- campus: x ---',
      '{"campus": "x"}',
      '{campus: x}',
      '---\u2028campus: x\u2028---',
    ])
      expect(frontMatterOf(`${line}\nTexto`), line).to.include({ line: 1 });
  });

  it('is at fault where its first fence is missing, or where there are two', () => {
    for (const end of ['---', '***', '===', '———'])
      expect(frontMatterOf(`campus: x\ncurso: y\n${end}\nTexto`), end).to.include({ line: 1 });
    expect(frontMatterOf('---\na: b\n---\n\n---\nc: d\n---\nTexto')).to.include({ line: 5 });
    expect(frontMatterOf('---\na: b\n---\n+++\nc: d\n+++\nTexto')).to.include({ line: 4 });
  });

  const ordinary: readonly [what: string, content: string][] = [
    ['a heading', '# Biblioteca: horários\n\nTelefone: 1234'],
    ['a heading with lines of data', '## Contatos\nTelefone: 1234\nE-mail: a@uni.example'],
    ['a heading that is underlined', 'Biblioteca\n===\nHorário: 8h'],
    ['a table', '| Curso: nome | Valor |\n|---|---|\n| Direito | 10 |'],
    ['a table without outer bars', 'Curso: nome | Valor\n---|---\nDireito | 10'],
    ['a bold line', '**Atenção:** prazo até 10/03\nTelefone: 1234'],
    ['a bold line of its own', '***Atenção***\nTelefone: 1234'],
    ['a list', '- campus: Brasília\n- curso: Direito\n\nTexto'],
    ['a rule and prose', '***\nA biblioteca abre às 8:00.\n\nVeja https://uni.example\n'],
    ['a line of hyphens and prose', '-----\nA biblioteca abre às 8h.'],
    ['a block of code', '```\nnpm start\n```\nTexto'],
    ['a time of day', '8:00 às 12:00\n---\nTexto'],
    ['an address', 'https://uni.example\n---\nTexto'],
    ['an emoji', '📍\nEndereço: Rua 1'],
    ['a byte-order mark and prose', '\ufeffTexto: assim'],
  ];
  for (const [what, content] of ordinary) {
    it(`is not there where a text begins with ${what}`, () => {
      expect(frontMatterOf(content)).to.equal(undefined);
      expect(frontMatterOf(`---\na: b\n---\n${content}`)).to.include({ body: content });
    });
  }

  it('reads the quotes and lists of YAML as what they say', () => {
    for (const [value, values] of [
      ['"Brasília"', ['brasilia']],
      ["'Brasília'", ['brasilia']],
      ["'d''Oeste'", ["d'oeste"]],
      ["Santa Bárbara d'Oeste, B", ["santa barbara d'oeste", 'b']],
      ['"São Paulo, Centro", Santos', ['sao paulo, centro', 'santos']],
      [String.raw`"a \"b\" \u00e9"`, ['a "b" e']],
      ['[a, b]', ['a', 'b']],
      ['[ "a, b" , \'c\', d ,]', ['a, b', 'c', 'd']],
      ['["[a]"]', ['[a]']],
      ['\n- a\n  - "b, c"\n', ['a', 'b, c']],
      ['8:00, 9:00', ['8:00', '9:00']],
      ['C#', ['c#']],
      ['2024, true', ['2024', 'true']],
      ['a, "a", A', ['a']],
    ] as const)
      expect(frontMatterOf(`---\nk: ${value}\nz: 1\n---\nx`), value).to.deep.include({
        filter: { k: values, z: ['1'] },
      });
  });

  it('takes no form of YAML for text that it is not', () => {
    for (const value of [
      '"a',
      "'a",
      'a", "b',
      '[a',
      '[a, [b]]',
      '[{a: b}]',
      '{a: b}',
      '"a" b',
      '"a"b, c',
      '[a] b',
      '&a b',
      '*a',
      '!a b',
      '|',
      '> a',
      '@a',
      '`a`',
      '“a”',
      '«a»',
      'a # b',
      '""',
      "''",
      '[]',
      '[ , ]',
      '~',
      'null',
      '[""]',
      '',
      '"\\q"',
      '\n-a',
      '\n- ',
      '\n- a\n- ',
      '\n- a, b',
      '\n- [a]',
      '\n  b: c',
      '\n  a\n  b',
      'a\n- b',
    ])
      expect(frontMatterOf(`---\nk: ${value}\n---\nx`), value).to.have.property('error');
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
    expect(['  AÇÃO ', 'ação', 'ac\u0327a\u0303o', 'acao'].map(normalizeTerm)).to.eql(Array(4).fill('acao'));
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
    const line = fc.oneof(
      fc.constantFrom('---', 'a: b', 'a', '', ':', 'b:,'),
      fc.string({ unit: anyCharacter }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 9 }), lines => {
        const content = lines.join('\n');
        const read = frontMatterOf(content);
        if (read && isFrontMatterError(read))
          expect(read.line).to.be.within(1, content.split(/\r\n|\n|\r/).length);
        else if (read) expect(content.replaceAll(/\r\n?/g, '\n').endsWith(read.body)).to.equal(true);
      }),
    );
  });
});
