import { expect } from 'chai';
import * as fc from 'fast-check';
import { cutPassages } from '../../workers/domain/documents/cut-passages.ts';
import { frontMatterOf } from '../../workers/domain/front-matter/front-matter.ts';
import { parseDocument } from '../../workers/knowledge/parser/parse-document.ts';
import { readContent } from '../../workers/runtime/chunk-content.ts';
import { anyCharacter } from '../support/any-character.ts';
import { runToEnd } from '../support/run-to-end.ts';

const block = '---\ncampus: Z\n---\ntexto';
const many = (line: string) => `${line}\n`.repeat(25);

const refused: readonly [content: string, line: number][] = [
  // A valid block below other content.
  ...[
    '***',
    '%YAML 1.2',
    '# Título',
    '&nbsp;',
    '<br>',
    '[//]: # (x)',
    '<!-- nota -->',
    '.',
    '·',
    'Título',
    '- a',
  ].flatMap((above): [string, number][] => [
    [`${above}\n\n${block}`, 3],
    [`${above}\n${block}`, 2],
  ]),
  ['# A\n\nPrimeiro parágrafo.\n\n---\n# nota\n\ncampus: Z\n\n---\ntexto', 5],
  // A digit after the colon is no time of day.
  ...['turma:101', 'nivel:3', 'campus:2024', 'campus:08:30', '2024:1'].map((line): [string, number] => [
    `***\n${line}\n***\ntexto`,
    1,
  ]),
  // Invisible lines do not count.
  [`***\n${many('')}campus: Z\n***\ntexto`, 1],
  [`***\n${many('# nota')}campus: Z\n***\ntexto`, 1],
  [`***\n${many('<!-- nota -->')}campus: Z\ntexto`, 1],
  [`***\n${many('&nbsp;')}campus: Z\ntexto`, 1],
  // Unintended characters.
  ...['\u0000', '\ufffd', '\ufffc', '\ud800', '\udc00', '\u0301', '\ue000'].flatMap(
    (odd): [string, number][] => [
      [`${odd}${block}`, 1],
      [`-${odd}--\ncampus: Z\n---\ntexto`, 1],
      [`${odd}\n${block}`, 1],
    ],
  ),
  // A long key between fence-like lines.
  ['***\nUma chave de muitas palavras: Z\n***\ntexto', 1],
  [`***\n${'campus'.repeat(20)}: Z\n***\ntexto`, 1],
  ['Título\n---\nUma chave de muitas palavras: Z\n---\ntexto', 2],
  // Other lines used as fences.
  ...[
    '<hr class="x">',
    '&mdash;&mdash;&mdash;',
    '&#8212;',
    '| --- |',
    '|---|---|',
    '<p>---</p>',
    '[meta]',
    '<yaml>',
    '<front-matter>',
    'BEGIN META',
    'Início dos metadados:',
    '$$',
    'Metadados:',
    'METADATA',
    '**Front-matter**',
    '=begin',
    '%YAML 1.2',
  ].flatMap((fence): [string, number][] => [
    [`${fence}\ncampus: Z\ntexto`, 1],
    [`Introdução.\n\n${fence}\n\n<b>campus</b>: Z\ntexto`, 3],
  ]),
  ['// ---\n// campus: Z\n// ---\ntexto', 1],
  ['| --- |\n| campus: Z |\n| --- |\ntexto', 1],
  ['Introdução.\n\n--- # filtro\ncampus: Z\ntexto', 3],
  // Other separators between fence-like lines.
  ...['campus - B', 'campus – B', 'campus | B', 'campus\tB', 'campus » B', 'campus ∷ B', 'campus ➜ B'].map(
    (line): [string, number] => [`***\n${line}\n***\ntexto`, 1],
  ),
  // Above a fence-like line.
  ['Telefone: 1234\nE-mail: x\n\n---\nTexto', 1],
  ['campus:\n  - Z\n  - Y\n---\ntexto', 1],
  ['- campus: Z\n- curso: Y\n---\ntexto', 1],
  ['Introdução.\ncampus: Z\ncurso: Y\n===\ntexto', 2],
  ['***\n- campus: Z\n***\ntexto', 1],
  ['***\n# campus: Z\n***\ntexto', 1],
  ['+++\ncampus = Z\n+++\ntexto', 1],
  ['Introdução.\n\n***\n- campus: Z\ntexto', 3],
];

const accepted: readonly [what: string, content: string][] = [
  ['lines of data', 'Horário: 8h\nTelefone: 1234\n\nHorário: 9h'],
  [
    'a heading and prose',
    '# Biblioteca\n\nA biblioteca abre às 8:30 e às 08:30: veja https://uni.example/?a=b',
  ],
  ['a table', '# Cursos\n\n| a | b |\n|---|---|\n| Direito: noite | 8:00 |\n\n---\n\nTexto.'],
  ['a table below a rule', 'Texto.\n\n---\n\n| Nome: x | b |\n|:--|--:|\n| c | d |\n\nTexto.'],
  ['a table of one column', '| Nome: x |\n| --- |\n| Valor: y |\n\nTexto.'],
  ['two tables', '| a | b |\n|---|---|\n| c: d | e |\n\nTexto.\n\n| a | b |\n|---|---|\n| c: d | e |'],
  ['bold data', '# Biblioteca\n\n**Horário:** 8h às 12h\n**Telefone:** 1234\n\n---\n\nTexto.'],
  ['a list', '# Contatos\n\n- Nome: valor\n- Outro: valor\n\n---\n\nTexto.'],
  ['a list with an introduction', 'Documentos:\n\n- RG\n- CPF\n\n---\n\nTexto.'],
  ['a rule and prose', 'Texto.\n\n---\n\nOutro texto às 8:30.\n\n***\n\nVeja https://uni.example/a'],
  ['a rule and times', '***\n8:30 às 12:00\n***\nTexto.'],
  ['a rule and an address', '***\nhttps://uni.example/?a=b\n***\nTexto.'],
  [
    'underlined headings',
    'Biblioteca\n=====\nTodos os dias.\nHorário: 8h\n\nContatos\n-----\nTelefone: 1234',
  ],
  [
    'prose below underlined headings',
    'Biblioteca\n---\nA biblioteca fica bem aqui no centro: térreo.\n\nContatos\n---\nTexto.',
  ],
  ['headings between rules', 'Texto.\n\n---\n\n## Contatos: secretaria\n\nTexto.\n\n---\n\n## Outro: x'],
  ['a comment', '<!-- nota -->\nHorário: 8h\nTexto.'],
  ['an entity within a word', 'Hor&aacute;rio: 8h\nTelefone: 1234'],
  ['data far below', `${'Uma linha de texto.\n'.repeat(30)}\n---\nHorário: 8h`],
];

type TextKind = 'markdown' | 'text' | 'csv' | 'html';

/** The passages for everybody that an import makes of a document, in a filtered dataset; 'refused' where it makes none. */
async function openPassagesOf(kind: TextKind, content: string): Promise<readonly string[] | 'refused'> {
  const read = await parseDocument({ kind, bytes: Buffer.from(content) }, () => {}).catch(() => 'refused');
  if (typeof read === 'string' || !('text' in read) || read.text.hasFalseFrontMatter) return 'refused';
  const passages = runToEnd(cutPassages(read.text, { name: 'Guia', limit: 8_000, most: 1_000 })) ?? [];
  const stored = passages.map(passage => readContent(passage.content, 'filtered_rag'));
  if (stored.some(each => 'error' in each)) return 'refused';
  return stored.flatMap(each => ('error' in each || each.frontMatter ? [] : [each.content]));
}

/** What stands above them in a longer document. */
const sections = '# Guia\n\nUm parágrafo.\n\n'.repeat(30);

describe('what looks like front-matter', () => {
  for (const [content, line] of refused) {
    it(`is at fault: ${JSON.stringify(content.slice(0, 60))}`, async () => {
      expect(frontMatterOf(content)).to.include({ line });
      for (const kind of ['markdown', 'text', 'csv'] as const)
        expect(await openPassagesOf(kind, content), kind).to.equal('refused');
    });
  }

  for (const [what, content] of accepted) {
    it(`is not ${what}`, async () => {
      expect(frontMatterOf(content)).to.equal(undefined);
      expect(await openPassagesOf('markdown', content)).to.not.equal('refused');
      expect(await openPassagesOf('text', content)).to.not.equal('refused');
    });
  }

  it('is refused where it would begin a passage or become a heading, however far below', async () => {
    for (const above of ['---', '***', '***\n# Título', '- a', '.'])
      for (const line of ['campus: Z', '- campus: Z', '# campus: Z', 'campus - Z'])
        for (const below of ['---', '***', '===']) {
          const document = `${sections}${above}\n${line}\n${below}\ntexto`;
          if (frontMatterOf(document.slice(sections.length)) === undefined) continue;
          for (const kind of ['markdown', 'text'] as const)
            expect(await openPassagesOf(kind, document), JSON.stringify(document.slice(-40))).to.equal(
              'refused',
            );
        }
  });

  it('is refused in a document that has only a look: a page has rules, paragraphs and headings', async () => {
    for (const fence of ['<hr>', '<p>---</p>', '<h1>***</h1>', '<div>———</div>'])
      for (const line of ['<p>campus: Z</p>', 'campus: Z', '<h2>campus: Z</h2>'])
        expect(
          await openPassagesOf('html', `<html><title>Guia</title>${fence}${line}${fence}<p>texto</p>`),
          `${fence} ${line}`,
        ).to.equal('refused');
    expect(await openPassagesOf('html', '<h1>Guia</h1><hr><p>Um texto.</p><hr>')).to.have.length(1);
  });

  it('is read at the head of whatever is read as it was written', async () => {
    for (const kind of ['markdown', 'text', 'csv'] as const)
      expect(await openPassagesOf(kind, '---\ncampus: Z\n---\n\ncurso;preço\nDireito;10'), kind).to.eql([]);
  });

  it('is never taken for text where it is a block, whatever stands above', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '---',
        '***',
        '===',
        'a: b',
        'a',
        '',
        '- a',
        '| a: b |',
        '|---|',
        '# a',
        '<!-- a -->',
        '```',
      ),
      fc.string({ unit: anyCharacter }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 9 }), above => {
        expect(frontMatterOf([...above, block].join('\n'))).not.to.equal(undefined);
      }),
      { numRuns: 1000 },
    );
  });

  it('is at fault where an escape stands for what nobody sees', () => {
    for (const value of [
      String.raw`"\u200b"`,
      String.raw`"Z\u0000"`,
      String.raw`a, "\ud800"`,
      String.raw`["\u202eZ"]`,
      String.raw`"\u00a0"`,
    ])
      expect(frontMatterOf(`---\ncampus: ${value}\n---\ntexto`), value).to.include({ line: 2 });
  });
});
