import { expect } from 'chai';
import fc from 'fast-check';
import { lengthOf, maxCharactersOf } from '../../../workers/domain/documents/block.ts';
import { cutPassages } from '../../../workers/domain/documents/cut-passages.ts';
import { readHtml } from '../../../workers/knowledge/parser/read-html.ts';
import { runToEnd } from '../../support/run-to-end.ts';

const ADDRESS = 'https://www.exemplo.edu.br/cursos/direito';
const passagesOf = (html: string, address?: string) =>
  (runToEnd(cutPassages(readHtml(html, address), { name: 'Guia', limit: 8_000, most: 20_000 })) ?? []).map(
    ({ content }) => content,
  );
const textOf = (html: string, address?: string) =>
  passagesOf(html, address).join('\n').replace('## Guia\n\n', '');

describe('a link of a page', () => {
  it('keeps its address, which is said once', () => {
    const cases = [
      [
        'Baixe o <a href="https://exemplo.br/edital(1).pdf">edital</a>.',
        'Baixe o [edital](https://exemplo.br/edital%281%29.pdf).',
      ],
      ['<a href="/inscricao">Inscrição</a>', '[Inscrição](https://www.exemplo.edu.br/inscricao)'],
      ['<a href="https://exemplo.br/">www.exemplo.br</a>', 'https://exemplo.br/'],
      ['<a href="mailto:Sec@x.br?subject=a">sec@x.br</a>', 'sec@x.br'],
      ['<a href="mailto:sec@x.br?subject=a">a secretaria</a>', '[a secretaria](mailto:sec@x.br)'],
      ['<a href="tel:+551133334444">(11) 3333-4444</a>', '(11) 3333-4444'],
      ['<a href="tel:+551133334444">Ligue</a>', '[Ligue](tel:+551133334444)'],
      ['<a href="/e.pdf"><img src="y" alt="Edital"></a>', '[Edital](https://www.exemplo.edu.br/e.pdf)'],
      ['<a href="/w" aria-label="WhatsApp"><i></i></a>', '[WhatsApp](https://www.exemplo.edu.br/w)'],
      ['<a href="#fim">Fim</a> <a href="javascript:x()">Já</a> <a href="/x"><img src="y"></a>', 'Fim Já'],
    ] as const;
    for (const [html, text] of cases) expect(textOf(`<p>${html}</p>`, ADDRESS)).to.equal(text);
    expect(textOf('<p><a href="/inscricao">Inscrição</a></p>')).to.equal('Inscrição');
    expect(textOf('<base href="https://b.br/c/"><p><a href="d">D</a></p>')).to.equal('[D](https://b.br/c/d)');
  });

  it('stands in the cell of its table, below its heading, and behind the blocks that it holds', () => {
    const table =
      '<table><tr><td>Edital</td></tr><tr><td>1</td><td><a href="/1">baixar</a></td></tr></table>';
    expect(textOf(table, ADDRESS)).to.include('| 1 | [baixar](https://www.exemplo.edu.br/1) |');
    expect(textOf('<h2><a href="/2">Edital 2</a></h2><p>Aberto.</p>', ADDRESS)).to.equal(
      '## Edital 2\n\n[Edital 2](https://www.exemplo.edu.br/2)\n\nAberto.',
    );
    expect(textOf('<a href="/3"><h2>Edital 3</h2><p>Aberto.</p></a>', ADDRESS)).to.equal(
      '## Edital 3\n\nAberto.\n\nhttps://www.exemplo.edu.br/3',
    );
  });

  it('to a note has the note beside it, which stands nowhere else', () => {
    const notes = [
      '<sup><a href="#n" id="m">1</a></sup>|<li id="n"><p>Exceto feriados. <a href="#m">↩</a></p></li>',
      '<sup id="m"><a href="#n">[1]</a></sup>|<li id="n"><a href="#m">^</a> Exceto feriados.</li>',
      '<a href="#_ftn1" name="_ftnref1"><sup>[1]</sup></a>|<p><a href="#_ftnref1" name="_ftn1">[1]</a> Exceto feriados.</p>',
    ];
    for (const each of notes) {
      const [mark, note] = each.split('|');
      expect(
        passagesOf(`<h2>A</h2><p>Abre às 8h${mark}, sempre.</p><h2>B</h2><p>Fim.</p>${note}`),
      ).to.deep.equal(['## A\n\nAbre às 8h (1: Exceto feriados.), sempre.', '## B\n\nFim.']);
    }
  });
});

describe('what a button of a page opens', () => {
  it('is read although it is hidden, with the button as its heading, and ends with it', () => {
    const forms = [
      '<div><button aria-controls="a"><span>Quem pode?</span></button></div><div id="a" hidden><p>Todos.</p></div>',
      '<h3><button data-bs-toggle="collapse" data-bs-target="#a">Quem pode?</button></h3><div id="a" style="display: none">Todos.</div>',
      '<a data-toggle="collapse" href="#a">Quem pode?</a><div id="a" hidden>Todos.</div>',
      '<div><button aria-expanded="false">Quem pode?</button></div><div hidden>Todos.</div>',
      '<details><summary><b>Quem pode?</b></summary>Todos.</details>',
      '<button class="accordion">Quem pode?</button><div class="panel">Todos.</div>',
      '<h4>Quem pode?</h4><div style="display:none">Todos.</div>',
      '<div onclick="abre(this)">Quem pode?</div><div style="display: none">Todos.</div>',
      '<div class="faq-pergunta">Quem pode?</div><div hidden>Todos.</div>',
    ];
    for (const form of forms)
      expect(passagesOf(`<h1>Bolsas</h1><p>Há bolsas.</p>${form}<p>Fale conosco.</p>`)).to.deep.equal([
        '## Bolsas\n\nHá bolsas.',
        '## Bolsas > Quem pode?\n\nTodos.',
        '## Bolsas\n\nFale conosco.',
      ]);
    const menu =
      '<button data-bs-toggle="dropdown" aria-expanded="false">Menu</button><ul hidden><li>Início</li></ul>';
    expect(passagesOf(`${menu}<button>Enviar</button><p>Olá</p>`)).to.deep.equal(['## Guia\n\nOlá']);
  });
});

describe('a form of a page', () => {
  it('is read with its tables, without what its fields hold and its buttons say', () => {
    const fields = `<input type="hidden" value="oculto"><input value="escrito"><textarea>rascunho</textarea>
      <select><option>opcao</option></select><datalist><option>sugestao</option></datalist>
      <button>Enviar</button><input type="submit" value="Pesquisar">`;
    const page = `<form><fieldset><legend>Monitoria</legend>${fields}<h2>Bolsas</h2><p>São 12 meses.</p>
      <table><tr><th>Área</th><th>Valor</th></tr><tr><td>Física</td><td>R$ 300</td></tr></table></fieldset></form>`;
    expect(readHtml(page).blocks).to.deep.equal([
      { kind: 'text', text: 'Monitoria' },
      { kind: 'heading', level: 2, text: 'Bolsas' },
      { kind: 'text', text: 'São 12 meses.' },
      { kind: 'table', header: ['Área', 'Valor'], rows: [['Física', 'R$ 300']] },
    ]);
    expect(readHtml('<form role="search"><label>Procurar</label></form>').blocks).to.deep.equal([]);
  });
});

describe('a part of a page', () => {
  const banner = '<header><h1>Portal</h1></header><aside>Mais lidas</aside><nav>Início</nav>';
  const foot = '<div role="complementary">Ao lado</div><footer>Rodapé</footer>';
  const header = '<header><h2>Monitoria</h2><nav>Voltar</nav><p>Até maio.</p></header>';

  it('keeps its header, which the page itself does not', () => {
    for (const part of ['main', 'article', 'section', 'div role="article"', 'div role="main"']) {
      const body = `<${part}>${header}<div><p>São 12 horas.</p></div></${part.split(' ')[0]}>`;
      expect(passagesOf(`${banner}<div>${body}</div>${foot}`), part).to.deep.equal([
        '## Monitoria\n\nAté maio.\n\nSão 12 horas.',
      ]);
    }
  });

  it('keeps the box beside its text, which a page around it does not', () => {
    for (const part of ['main', 'article'])
      for (const box of ['aside', 'div role="complementary"', 'aside role="note"']) {
        const notice = `<${box}>Prazo novo: julho.</${box.split(' ')[0]}>`;
        const body = `<${part}><h2>Monitoria</h2><p>Peça.</p>${notice}</${part}>`;
        expect(passagesOf(`${banner}<div>${body}</div>${foot}`), box).to.deep.equal([
          '## Monitoria\n\nPeça.\n\nPrazo novo: julho.',
        ]);
      }
  });
});

describe('raised digits of a page', () => {
  it('are no part of the number beside them: a mark, a power or the cents of a price', () => {
    const cases = [
      ['São 12<sup>3</sup> bolsas', 'São 12³ bolsas'],
      ['Sala 7<span style="vertical-align: super">12</span>.', 'Sala 7¹².'],
      ['<style>.c4{vertical-align:super}</style>Sala 7<span class="c4">1</span>', 'Sala 7¹'],
      ['São 12<sup>1, 2</sup>', 'São 12¹, ²'],
      ['São 12<sup><a href="#">3</a></sup> e 5<a href="#"><sup>4</sup></a>', 'São 12³ e 5⁴'],
      ['Por R$ 350<sup><a href="#n10">10</a></sup>', 'Por R$ 350¹⁰'],
      ['CO<sub>2</sub>, 10<sub>2</sub>, x<sub>1</sub>2', 'CO2, 10₂, x₁ 2'],
      ['<sup>2</sup>15 horas', '² 15 horas'],
      ['12<sup>4 São novas</sup>', '12 4 São novas'],
      ['50 m<sup>2</sup>, 10<sup>-3</sup>', '50 m², 10⁻³'],
      ['R$ 2.350<sup>90</sup>, $2,350<sup>90</sup>, R$ 18<sup>05</sup>', 'R$ 2.350,90, $2,350.90, R$ 18,05'],
      ['R$ 2.350,<sup>90</sup> e R$ 18<sup>,05</sup>', 'R$ 2.350,90 e R$ 18,05'],
      ['R$ 18,00<sup>12</sup> ou R$ <sup>18</sup>', 'R$ 18,00¹² ou R$ 18'],
      ['1<sup>o</sup> lugar <sup>até 10/03</sup>', '1o lugar até 10/03'],
      ['Sala 7<sup><a href="#n">1</a></sup><p id="n"></p>', 'Sala 7 (1)'],
      ['Sala<p style="vertical-align:super">2</p>', 'Sala\n\n2'],
      ['<ul><li><sup>3</sup> Três são novas</ul>', '- 3 Três são novas'],
    ] as const;
    for (const [html, text] of cases) expect(textOf(`<div>${html}</div>`)).to.equal(text);
    for (const mark of ['<sup><a href="/n">3</a></sup>', '<a href="/n"><sup>3</sup></a>']) {
      const [heading] = readHtml(`<h2>Bolsas de 12${mark} meses</h2>`, ADDRESS).blocks;
      expect(heading).to.include({ text: 'Bolsas de 12³ meses' });
    }
  });
});

describe('a list of a page', () => {
  it('is one text with the numbers that the page shows, whatever lists and paragraphs its items have', () => {
    const cases = [
      ['<ol><li>Peça</li><li>Pague</li></ol>', '1. Peça\n2. Pague'],
      ['<ol type="I" start="3"><li>Peça<li value="9">Pague</ol>', 'III. Peça\nIX. Pague'],
      ['<ol><li>Peça<ol type="a"><li>aqui</ol>já<li>Pague</ol>', '1. Peça\na. aqui\njá\n2. Pague'],
      ['<ul><li><p>RG</p><p>e CPF</p></li><li><div>Foto</div></li></ul>', '- RG\ne CPF\n- Foto'],
      ['<ul><li><s>RG</s></li><li> </li><li>CPF</li></ul>', '- CPF'],
    ] as const;
    for (const [html, text] of cases) expect(textOf(html)).to.equal(text);
  });
});

describe('what the style of a page strikes through', () => {
  it('is left out, and what only looks so under a pointer stays', () => {
    const style =
      'p{color:red}.c1,span.c2{font-size:1pt;text-decoration:line-through}.c3:hover{text-decoration:line-through}';
    const { blocks, struck } = readHtml(
      `<style>${style}</style><p>Até <span class="x c1">abril</span> <span class="c2">maio</span> <i class="c3">junho</i></p>`,
    );
    expect(blocks).to.deep.equal([{ kind: 'text', text: 'Até junho' }]);
    expect(struck).to.equal(2);
  });
});

describe('the words of a page', () => {
  let count = 0;
  const word = fc.constant(0).map(() => `palavra${(count += 1)}`);
  const struck = fc.constant(0).map(() => `revogada${(count += 1)}`);
  const inline = fc.oneof(
    word,
    fc.tuple(word, word).map(words => words.join(' ')),
    word.map(each => `<a href="/x">${each}</a>`),
    word.map(each => `<b>${each}</b>`),
    fc
      .tuple(struck, fc.constantFrom('s', 'strike', 'del', 'span style="text-decoration: line-through"'))
      .map(([each, tag]) => `<${tag}>${each}</${tag.split(' ')[0]}>`),
  );
  const some = fc.array(inline, { minLength: 1, maxLength: 4 }).map(all => all.join(' '));
  const span = fc.constantFrom('', '', ' rowspan="2"', ' colspan="2"', ' rowspan="3" colspan="3"');
  const cell = fc.tuple(fc.constantFrom('td', 'th'), span, some);
  const row = fc.array(cell, { minLength: 1, maxLength: 4 }).map(cells => {
    const all = cells.map(([name, spans, text]) => `<${name}${spans}>${text}</${name}>`);
    return `<tr>${all.join('')}</tr>`;
  });
  const table = fc
    .tuple(some, fc.array(row, { minLength: 1, maxLength: 5 }))
    .map(([caption, rows]) => `<table><caption>${caption}</caption>${rows.join('')}</table>`);
  const element = fc.oneof(
    fc
      .tuple(fc.constantFrom('h1', 'h2', 'h3', 'p', 'blockquote', 'pre'), some)
      .map(([tag, text]) => `<${tag}>${text}</${tag}>`),
    fc
      .array(some, { minLength: 1, maxLength: 3 })
      .map(items => `<ul>${items.map(each => `<li>${each}</li>`).join('')}</ul>`),
    table,
    fc.tuple(some, some).map(([title, text]) => `<details><summary>${title}</summary>${text}</details>`),
    fc.tuple(some, some).map(([title, text]) => `<a href="/y"><h3>${title}</h3><p>${text}</p></a>`),
  );

  it('stand all in a passage but those that are struck through, which are counted', () => {
    const isWhole = (elements: string[]) => {
      const page = elements.join('');
      const words = new Set(
        passagesOf(page, ADDRESS)
          .join('\n')
          .match(/(?:palavra|revogada)\d+/g),
      );
      const wanted = page.match(/palavra\d+/g) ?? [];
      expect(
        wanted.filter(each => !words.has(each)),
        page,
      ).to.deep.equal([]);
      const gone = page.match(/revogada\d+/g) ?? [];
      expect(
        gone.filter(each => words.has(each)),
        page,
      ).to.deep.equal([]);
      expect(readHtml(page).struck ?? 0, page).to.equal(gone.length);
      const length = readHtml(page).blocks.reduce((sum, block) => sum + lengthOf(block), 0);
      expect(length).to.be.below(maxCharactersOf(page.length));
    };
    fc.assert(fc.property(fc.array(element, { maxLength: 8 }), isWhole), { numRuns: 300 });
  });
});
