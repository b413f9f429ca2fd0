import { expect } from 'chai';
import { filterTermsOf, headOf } from '../../workers/domain/passage-filter.ts';

describe('what a turn gives filters to go by', () => {
  const cases: readonly (readonly [
    why: string,
    globalData: Record<string, unknown>,
    userData: Record<string, unknown>,
    given: Record<string, readonly string[]>,
  ])[] = [
    ['a value, trimmed and folded', { curso: '  Direíto ' }, {}, { curso: ['direito'] }],
    [
      'the user’s where the conversation has none',
      { turno: 'noite' },
      { curso: 'Direito' },
      { turno: ['noite'], curso: ['direito'] },
    ],
    [
      'the conversation’s before the user’s',
      { curso: 'Letras' },
      { curso: 'Direito' },
      { curso: ['letras'] },
    ],
    [
      'the user’s where the conversation’s says nothing',
      { curso: ' ', turno: null },
      { curso: 'Direito', turno: 'noite' },
      { curso: ['direito'], turno: ['noite'] },
    ],
    [
      'each item of an array',
      { curso: ['Direito', 'LETRAS', 'letras'] },
      {},
      { curso: ['direito', 'letras'] },
    ],
    [
      'numbers and truths as they are written',
      { ano: 2026, bolsista: true },
      {},
      { ano: ['2026'], bolsista: ['true'] },
    ],
    ['nothing for what is no plain value', { a: {}, b: null, c: [], d: [{}], e: '' }, { f: undefined }, {}],
    ['keys as they are written', { Curso: 'x' }, {}, { Curso: ['x'] }],
  ];
  for (const [why, globalData, userData, given] of cases) {
    it(`is ${why}`, () => expect(filterTermsOf(globalData, userData)).to.deep.equal(given));
  }

  it('has no keys but its own', () => {
    const given = filterTermsOf(JSON.parse('{"__proto__": "x", "constructor": "y"}'), {});
    expect(Object.keys(given)).to.have.members(['__proto__', 'constructor']);
    expect(Object.hasOwn(filterTermsOf({}, {}), 'constructor')).to.equal(false);
  });
});

describe('a filter at the head of a text', () => {
  it('has keys with alternatives, and is no part of the text', () => {
    const text = '---\ncampus: São Paulo, Santos\n\n curso : Direito \n---\n\n# Aulas\n\nÀs 8h.';
    expect(headOf(text)).to.deep.equal({
      filter: { campus: ['sao paulo', 'santos'], curso: ['direito'] },
      body: '# Aulas\n\nÀs 8h.',
    });
    expect(headOf('---\r\nhora: 8:00, 8:00,\r\n---\r\nÀs 8h.\r\n')).to.deep.equal({
      filter: { hora: ['8:00'] },
      body: 'Às 8h.\n',
    });
  });

  const values: readonly (readonly [written: string, read: readonly string[]])[] = [
    ['"Brasília"', ['brasilia']],
    ["Santa Bárbara d'Oeste, B", ["santa barbara d'oeste", 'b']],
    ['"São Paulo, Centro", Santos', ['sao paulo, centro', 'santos']],
    ['[ "a, b" , \'c\', d ,]', ['a, b', 'c', 'd']],
    ['\n- a\n  - "b, c"', ['a', 'b, c']],
  ];
  for (const [written, read] of values)
    it(`reads ${JSON.stringify(written)} as ${read.join(' or ')}`, () => {
      expect(headOf(`---\ncampus: ${written}\n---\nTexto`)).to.deep.include({ filter: { campus: read } });
    });

  const wrong: readonly (readonly [why: string, text: string, line: number])[] = [
    ['its end is missing', '---\ncampus: Z\nTexto', 1],
    ['it declares nothing', '---\n\n---\nTexto', 1],
    ['no text follows', '---\ncampus: Z\n---\n\u200b', 3],
    ['a line is none of it', '---\ncampus: Z\nTexto\n---\nTexto', 3],
    ['a key has no value', '---\ncampus: Z\nturno:\n---\nTexto', 3],
    ['a key is there twice', '---\ncampus: Z\ncampus: Y\n---\nTexto', 3],
    ['a value is more than text', '---\ncampus: {a: b}\n---\nTexto', 2],
    ['a quote never ends', '---\ncampus: "Z\n---\nTexto', 2],
    ['nobody sees a part of it', '---\ncampus: \u200bZ\n---\nTexto', 2],
  ];
  for (const [why, text, line] of wrong)
    it(`is wrong where ${why}`, () => {
      expect(headOf(text)).to.include({ line });
    });

  /** Each was once written as a head, and read as text that is for everybody. */
  const fences = [
    ...' ---|--- |\u200b---|-\ufeff--|−−−|───|***|+++|===|___|~~~|```|:::|%%%|###|--- # filtro|---yaml|--- campus: x ---'.split(
      '|',
    ),
    // Word processors make one sign of three.
    ...'-|--|– –|----|—|——|— —|\ufeff—|\u200b — \u00ad|―|⸺|ー|ーーー|ｰ|一|⼀|㇐|ㅡ|ـ|➖|⎯|⁻|_|¯|⚊|▬|\\-|\\—|> —|**—**|# -'.split(
      '|',
    ),
    ...['&mdash;', '&#8212;', '&#x2014; &#45;', '&nbsp;', '<!-- filtro -->'].map(entity => `${entity}\n—`),
    ...['```', '```yaml', '~~~ yaml', '<pre>', '<pre><code class="yaml">', '<div\n class="a">'].flatMap(
      open => [`${open}\n---`, `\n${open}\n\u200b—`],
    ),
    '\n---',
  ];
  for (const fence of fences)
    it(`is doubtful below a first line ${JSON.stringify(fence)}`, () => {
      const read = headOf(`${fence}\ncampus: Z\n${fence}\nTexto`);
      expect(read).to.have.property('error');
    });

  const texts: readonly string[] = [
    '',
    ' \n\n',
    'Às 8h.',
    '# Biblioteca: horários\n\n---\ncampus: Z\n---',
    '- campus: Z\n- curso: Y',
    '-- Ana',
    '| Curso | Valor |\n|---|---|\n| Direito | 10 |',
    '***Atenção***\nTelefone: 1234',
    '📍\nEndereço: Rua 1',
    '§ 1º Cabe recurso.',
    '•\nPrimeiro',
    '<p>Olá</p>\n---',
    '```yaml\ncurso: Direito\n```',
    '—Olá!',
    '一年级',
    '& Cia.',
  ];
  for (const text of texts)
    it(`is none in ${JSON.stringify(text.slice(0, 30))}`, () => {
      expect(headOf(text)).to.equal(undefined);
    });
});
