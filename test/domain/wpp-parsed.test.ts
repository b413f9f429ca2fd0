import { expect } from 'chai';
import { parseWpp } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';

function describeCases(
  name: string,
  cases: readonly (readonly [sentence: string, answer: string, text: string])[],
): void {
  describe(`The text of an answer ${name}`, () => {
    for (const [sentence, answer, text] of cases)
      it(sentence, () => {
        expect(parseWpp(answer).items).to.deep.equal([{ type: 'text', content: text }]);
      });
  });
}

// biome-ignore format: a table
describeCases('in paragraphs', [
  ['leaves plain text alone', 'Olá, Maria! Tudo bem?', 'Olá, Maria! Tudo bem?'],
  ['keeps one blank line between paragraphs', 'um\n\ndois', 'um\n\ndois'],
  ['folds three and more line breaks', 'um\n\n\n\n\ndois', 'um\n\ndois'],
  ['folds breaks that only spaces part', 'um\n \n\t\n  \ndois', 'um\n\ndois'],
  ['reads CRLF and lone CR as line breaks', 'um\r\ndois\rtrês\r\n\r\nquatro', 'um\ndois\ntrês\n\nquatro'],
  ['reads the Unicode separators as line breaks', 'um\u2028dois\u2029três', 'um\ndois\ntrês'],
  ['reads line ends that are written as two characters',
    'Documentos:\\n- RG\\n\\n- **CPF**\\r\\nAté 10/03.\\nàs 8h\\\\nFim',
    'Documentos:\n- RG\n\n- *CPF*\nAté 10/03.\nàs 8h\nFim'],
  ['leaves them alone in paths, code and the name of a command',
    'Abra C:\\novo\\Notas, pasta\\nova, \\\\srv\\nfe `a\\nB` ```x\\nY``` e use \\n para quebrar: a \\neq b',
    'Abra C:\\novo\\Notas, pasta\\nova, \\srv\\nfe `a\\nB` ```x\\nY``` e use \\n para quebrar: a ≠ b'],
  ['takes the spaces and backslash of a hard break away', 'um  \ndois\\\ntrês', 'um\ndois\ntrês'],
  ['breaks at <br> in any spelling', 'um<br>dois<BR/>três<br />quatro', 'um\ndois\ntrês\nquatro'],
  ['makes a blank line of two <br>', 'um<br><br>dois', 'um\n\ndois'],
  ['drops a horizontal rule and keeps its distance', 'um\n\n---\ndois\n***\ntrês\n_ _ _\nfim',
    'um\n\ndois\n\ntrês\n\nfim'],
  ['trims the margins of lines', '   um   \n   dois', 'um\ndois'],
  ['keeps spaces inside a line', 'um  dois', 'um  dois'],
  ['drops characters without width where nothing else stands', '\u200bum\u200b\n\u200b\ndois\ufeff',
    'um\n\ndois'],
  ['keeps emojis whole', 'Oi 👩🏽‍🎓 ❤️', 'Oi 👩🏽‍🎓 ❤️'],
  ['decodes entities, and leaves unknown ones', 'A &amp; B &lt;x&gt;&nbsp;&#231;&#xE3;o &foo;',
    'A & B <x> ção &foo;'],
  ['decodes every entity that HTML names, and one that is a space to a space',
    'matr&iacute;cula &rarr; &copy;&Tab;2026&NewLine;&hellip; &#150; &#0; &amp &AMPx;',
    'matrícula → © 2026 … – \ufffd &amp &AMPx;'],
  ['takes a decoded sign for no mark', '&#42;a&#42;', '*a*'],
  ['keeps what a backslash escapes, without the backslash', '\\*um\\* \\[dois\\] 1\\. C:\\pasta',
    '*um* [dois] 1. C:\\pasta'],
  ['keeps tags that nobody knows, and those that nothing closes', '<curso>um</curso> <p>',
    '<curso>um</curso> <p>'],
  ['reads the paragraphs of HTML, and leaves out what has no mark',
    '<p>Olá, <strong>Ana</strong>!</p><p>Até <u>10/03</u>.</p>', 'Olá, *Ana*!\nAté 10/03.'],
  ['reads the headings and lists of HTML, and leaves out its comments',
    'Cursos:<!-- dois --><ul>\n<li>Direito</li>\n<li><b>Letras</b></li>\n</ul>Fim<hr><h3>Horário</h3>Das 8h.',
    'Cursos:\n- Direito\n- *Letras*\nFim\n\n*Horário*\nDas 8h.'],
  ['reads the summary of details as a line of bold',
    '<details>\n<summary>Documentos</summary>\n\n- RG\n\n</details>\n<details open><summary>Mais</summary>CPF</details> fim',
    '*Documentos*\n\n- RG\n\n*Mais*\nCPF\nfim'],
  ['says an address in angles without its scheme', '<mailto:a@b.br> <tel:+5511>', 'a@b.br +5511'],
  ['keeps a footnote as it is', 'um[^1]\n\n[^1]: nota', 'um[^1]\n\n[^1]: nota'],
  ['keeps prices, phones, dates and long numbers',
    'R$ 1.234,56 (11) 99999-9999 10/12/2025 12345678901234567890',
    'R$ 1.234,56 (11) 99999-9999 10/12/2025 12345678901234567890'],
]);

// biome-ignore format: a table
describeCases('with emphasis', [
  ['writes bold with one star', '**um** __dois__', '*um* *dois*'],
  ['writes italic with underscores', '*um* _dois_', '_um_ _dois_'],
  ['writes strike-through with one tilde', '~~um~~', '~um~'],
  ['writes bold around italic', '***um*** ___dois___', '*_um_* *_dois_*'],
  ['nests what the answer nests', '**um _dois_ três** e *a **b** c*', '*um _dois_ três* e _a *b* c_'],
  ['parts a triple opening by what closes first', '***um** dois* ***um* dois**', '_*um* dois_ *_um_ dois*'],
  ['doubles no bold inside bold', '****um**** **a **b** c**', '*um* *a b c*'],
  ['leaves stars between spaces and numbers alone', '2 * 3 * 4 = 2*3*4, 2**3 e 4**5',
    '2 * 3 * 4 = 2*3*4, 2**3 e 4**5'],
  ['leaves signs inside words alone', 'snake_case_x, alun*s e professor*s',
    'snake_case_x, alun*s e professor*s'],
  ['leaves one tilde alone', '~10 ou ~feito~', '~10 ou ~feito~'],
  ['finds a partner behind marks that found none', '*a* _b _c d* e_ f_ *g*', '_a_ _b c d* e f_ _g_'],
  ['reads marks right behind brackets', 'um [dois]*três*', 'um [dois]_três_'],
  ['leaves marks without a partner', '**um dois_ ~~três', '**um dois_ ~~três'],
  ['parts bold from the word that its closing touches', '**Prazo:**até sexta, **RG,**2 *CPF:*1',
    '*Prazo:* até sexta, *RG,* 2 _CPF:_ 1'],
  ['leaves out marks that stand within a word',
    '**pré**matrícula, re**matrícula**, custa**R$ 10** e ~~in~~apto, ***a**b*',
    'prématrícula, rematrícula, custaR$ 10 e inapto, _ab_'],
  ['writes what is highlighted in bold', 'até ==10/03==, ==**sem** falta==', 'até *10/03*, *sem falta*'],
  ['leaves other equals signs alone', 'a == b == c, x==y==z, ==, ====, a=1',
    'a == b == c, x==y==z, ==, ====, a=1'],
  ['reads bold with a blank inside its marks', '**Prazo: **10/03, ** não **\n** Prazo:** 10/03',
    '*Prazo:* 10/03, ** não **\n*Prazo:* 10/03'],
  ['reads the tags of HTML for emphasis', '<strong>um</strong> <EM>dois</EM> <del>três</del>',
    '*um* _dois_ ~três~'],
  ['reads bold around quotation marks', 'a **"um"**, b', 'a *"um"*, b'],
  ['closes bold at a line’s end and opens it again', '**um\ndois**', '*um*\n*dois*'],
  ['lets an escaped star close nothing', '**um\\*dois**', '*um*dois*'],
  ['drops marks without words', 'um\n\n****', 'um'],
  ['protects code, and what looks like a mark in it', 'use `a *b* [c](d)` e ``x`y``',
    'use `a *b* [c](d)` e ``x`y``'],
  ['reads code of three back-quotes on one line', '```um``` *dois*', '```um``` _dois_'],
  ['leaves a back-quote without a partner', 'um ` dois', 'um ` dois'],
]);

// biome-ignore format: a table
describeCases('with formulas', [
  ['writes formulas in plain signs',
    'A média é \\( MF = \\frac{N1 + N2}{2} \\) e deve ser \\(\\geq 6{,}0\\).',
    'A média é MF = (N1 + N2)/2 e deve ser ≥ 6,0.'],
  ['writes those on lines of their own',
    'Assim:\n\\[\nMF = \\dfrac{2 \\times P_1 + 3 \\cdot P_{final}}{5}\n\\]\ne $$x^2 \\le \\sqrt{y+1}$$',
    'Assim:\nMF = (2 × P1 + 3 · P_final)/5\ne x² ≤ √(y+1)'],
  ['writes those between dollars', 'se $n_1 \\ge 7$, $x$ e $a=b$.', 'se n1 ≥ 7, x e a=b.'],
  ['writes a price in a formula', 'A taxa é $R\\$ 200{,}00$ por semestre.',
    'A taxa é R$ 200,00 por semestre.'],
  ['writes what is set in words, powers, roots and rows',
    '\\[\\begin{aligned} \\text{Média} &= \\left( a \\right) \\\\ b &= 10^{-3} \\quad \\sqrt[3]{8} 30^\\circ \\max x^{ab} \\end{aligned}\\]',
    'Média = ( a ); b = 10⁻³ ³√8 30° max x^ab'],
  ['writes an environment that stands alone', '\\begin{cases} a \\\\ b^2 \\end{cases}', 'a; b²'],
  ['writes commands outside of a formula', 'Nota = \\frac{a}{b} \\geq 6 e 3 \\times 2 \\text{ pontos}',
    'Nota = a/b ≥ 6 e 3 × 2 pontos'],
  ['leaves prices alone', 'De R$ 10 a R$ 20, $5 ou $10=R$ 50, US$ 3, $ 4 = $ 5, ($) e ($$), custa $2-$3, $a',
    'De R$ 10 a R$ 20, $5 ou $10=R$ 50, US$ 3, $ 4 = $ 5, ($) e ($$), custa $2-$3, $a'],
  ['leaves paths, code, and escaped brackets alone',
    'C:\\times\\pi \\server\\frac `\\(\\frac{a}{b}\\)` \\[dois\\] \\(três\\)',
    'C:\\times\\pi \\server\\frac `\\(\\frac{a}{b}\\)` [dois] (três)'],
  ['leaves a formula that does not end', '\\( a = b e $x = ', '( a = b e $x ='],
]);

// biome-ignore format: a table
describeCases('with headings', [
  ['makes a heading bold', '# Um\n\n###### Dois', '*Um*\n\n*Dois*'],
  ['doubles no bold in a heading', '## **Um** e dois', '*Um e dois*'],
  ['leaves a heading plain whose own star would end its bold', '# *nix\n## C* x\n## 2*3',
    '*nix\nC* x\n*2*3*'],
  ['keeps italic in a heading', '## Um *dois*', '*Um _dois_*'],
  ['reads a heading without its blank, where it is no hashtag', '##Prazos\n#**Datas**\n###1. Um\n#um2',
    '*Prazos*\n*Datas*\n*1. Um*\n#um2'],
  ['drops the closing signs of a heading, not those of a word', '## Um ##\n## C#', '*Um*\n*C#*'],
  ['takes no hashtag and no seventh level for a heading', '#um\n####### dois', '#um\n####### dois'],
  ['makes a heading of an underlined line', 'Um\n===\ndois\n\nTrês\n---\nquatro',
    '*Um*\ndois\n\n*Três*\nquatro'],
  ['takes dashes under several lines for a rule', 'um\ndois\n---\ntrês', 'um\ndois\n\ntrês'],
  ['keeps the distance of what is dropped', 'um\n\n##\ndois', 'um\n\ndois'],
  ['drops an empty heading', 'um\n\n##\n\ndois', 'um\n\ndois'],
]);

// biome-ignore format: a table
describeCases('with lists', [
  ['writes every bullet as a dash', '* um\n+ dois\n- três', '- um\n- dois\n- três'],
  ['keeps numbers and their signs', '1. um\n2. dois\n10) dez', '1. um\n2. dois\n10) dez'],
  ['indents by two spaces a level, whatever the answer does', '- a\n    - b\n        - c\n- d\n\t- e',
    '- a\n  - b\n    - c\n- d\n  - e'],
  ['takes one column more for no level', '- a\n - b', '- a\n- b'],
  ['nests bullets under numbers', '1. a\n   - b\n2. c\n  - d', '1. a\n  - b\n2. c\n  - d'],
  ['keeps the blank lines of a loose list', '- a\n\n- b\n\n\n- c', '- a\n\n- b\n\n- c'],
  ['keeps an item’s further lines and paragraphs', '1. a\n   mais\n\n   outro\n2. b',
    '1. a\nmais\n\noutro\n2. b'],
  ['writes the boxes of a task list as signs', '- [ ] um\n  * [x] dois\n1. [X] três\n- [x]\n- a [ ] quatro',
    '- ☐ um\n  - ☑ dois\n1. ☑ três\n- [x]\n- a [ ] quatro'],
  ['drops a bullet without words', '- um\n-\n- \n- dois', '- um\n- dois'],
  ['keeps a number that ends a sentence', 'O total é\n42.', 'O total é\n42.'],
  ['takes no year for a list', 'Desde\n2024. Depois', 'Desde\n2024. Depois'],
  ['takes no signed number for a bullet', '-5 graus\n+55 11', '-5 graus\n+55 11'],
  ['emphasises inside items', '- **Curso:** *Direito*', '- *Curso:* _Direito_'],
  ['reads a heading inside an item', '1. ## Um\n2. dois', '1. *Um*\n2. dois'],
  ['starts again at the margin after a paragraph', '  - a\n\ntexto\n\n- b', '- a\n\ntexto\n\n- b'],
]);

describeCases('with quotes and code', [
  ['keeps quotes, also where the space is missing', '> um\n>dois', '> um\n> dois'],
  ['keeps the depth of a quote', '> um\n>> dois', '> um\n> > dois'],
  ['reads what stands in a quote', '> - **um**\n>\n> ## dois', '> - *um*\n\n> *dois*'],
  [
    'keeps code blocks to the letter',
    '```js\nif (a) {\n  b(*c*);\n}\n```',
    '```js\nif (a) {\n  b(*c*);\n}\n```',
  ],
  ['writes a fence of tildes with back-quotes', '~~~\num\n~~~', '```\num\n```'],
  ['closes a fence that the answer leaves open', 'um\n```\ndois', 'um\n```\ndois\n```'],
  ['folds the empty lines of code too', '```\num\n\n\n\ndois\n```', '```\num\n\ndois\n```'],
  ['takes a fence’s margin off its lines', '1. a\n   ```\n   b\n     c\n   ```', '1. a\n```\nb\n  c\n```'],
  ['takes > inside a fence for code', '```\n> um\n```', '```\n> um\n```'],
  ['reads a fence inside a quote', '> ```\n> um\n> ```\ndois', '> ```\n> um\n> ```\ndois'],
  [
    'reads a fence of Markdown as what is in it, wherever it stands',
    'Segue:\n``` markdown\n# Prazos\n\n**Até** 10/03.\n\n```js\nx\n```\n```\nMais?',
    'Segue:\n\n*Prazos*\n\n*Até* 10/03.\n\n```js\nx\n```\n\nMais?',
  ],
  ['reads a fence of Markdown that is never closed', '```md\n**um**', '*um*'],
  ['drops an empty fence', 'um\n```\n```\ndois', 'um\ndois'],
]);

describeCases('with tables', [
  ['joins cells by a bar and drops the rule', '| a | b |\n|---|:-:|\n| 1 | 2 |', 'a | b\n1 | 2'],
  ['reads a table without outer bars', 'a | b\n--- | ---\n1 | 2', 'a | b\n1 | 2'],
  [
    'parts a table from the words around it',
    'um:\n\n|a|b|\n|-|-|\n|1|2|\n\ndois',
    'um:\n\na | b\n1 | 2\n\ndois',
  ],
  ['reads a table under a line of words', 'um:\n|a|b|\n|-|-|\n|1|2|\ndois', 'um:\na | b\n1 | 2\ndois'],
  ['emphasises inside cells, and folds a break', '|a|b|\n|-|-|\n|**x**<br>y|_z_|', 'a | b\n*x* y | _z_'],
  ['keeps an escaped bar inside its cell', '|a|b|\n|-|-|\n|x \\| y|z|', 'a | b\nx | y | z'],
  ['keeps the place of an empty cell', '|a|b|c|\n|-|-|-|\n|x||z|\n||y||', 'a | b | c\nx |  | z\n| y'],
  ['leaves a bar in a sentence alone', 'um | dois', 'um | dois'],
]);

describe('The text of an answer', () => {
  // biome-ignore format: a list
  const nothings = [
    '', ' \n\t\n ', '\u200b', '-', '* ', '---', '> ', '#', '****', '[]()', '![]()', '```\n```', '| |',
  ];
  for (const nothing of nothings)
    it(`has no item without words: ${JSON.stringify(nothing)}`, () => {
      expect(parseWpp(nothing)).to.deep.equal({ items: [], warnings: [] });
    });
});
