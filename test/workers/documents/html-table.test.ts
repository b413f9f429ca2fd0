import { expect } from 'chai';
import { cutPassages } from '../../../workers/domain/documents/cut-passages.ts';
import { readHtml } from '../../../workers/knowledge/parser/read-html.ts';
import { runToEnd } from '../../support/run-to-end.ts';

const tableOf = (html: string) => {
  const [table] = readHtml(`<table>${html}</table>`).blocks;
  return table?.kind === 'table' ? table : expect.fail('It is no table.');
};

describe('a table of a page', () => {
  it('has a cell over several rows or columns in each of them', () => {
    const { header, rows } = tableOf(
      `<tr><th>Curso</th><th>Turno</th><th>Vagas</th></tr><tr><td rowspan="2">Direito</td><td>Manhã</td><td>40</td></tr>
      <tr><td>Noite</td><td>60</td></tr><tr><td>Letras</td><td colspan="2">a definir</td></tr><tr><td rowspan="0">EAD<td>A<td>1<tr><td>B<td>2`,
    );
    expect(header).to.deep.equal(['Curso', 'Turno', 'Vagas']);
    expect(rows).to.deep.equal([
      ['Direito', 'Manhã', '40'],
      ['Direito', 'Noite', '60'],
      ['Letras', 'a definir', 'a definir'],
      ['EAD', 'A', '1'],
      ['EAD', 'B', '2'],
    ]);
  });

  it('may be made of elements with roles, and other texts that a page lays apart are not one word', () => {
    const roles = `<div role="table"><div role="row"><span role="columnheader">Curso</span><span role="columnheader">Vagas</span></div>
      <div role="row"><span role="cell">Direito</span><span role="cell">40</span></div></div>`;
    expect(readHtml(roles).blocks).to.deep.equal([
      { kind: 'table', header: ['Curso', 'Vagas'], rows: [['Direito', '40']] },
    ]);
    const [day, date] = ['<span>Início</span>', '<b>10/03</b>'];
    const laid = [
      `<div style="display: flex">${day}${date}</div>`,
      `<style>.a{display:inline-grid}</style><p class="a">${day}${date}</p>`,
      `<div class="row mt-2">${day}${date}</div>`,
      '<p><span style="display:inline-block">Início</span><b style="display:table-cell">10/03</b></p>',
    ];
    for (const html of laid)
      expect(readHtml(html).blocks).to.deep.equal([{ kind: 'text', text: 'Início 10/03' }]);
    const price = '<span>R$ 1</span><span>.450</span><sup>00</sup><span>/mês</span>';
    const [priced] = readHtml(`<div class="d-flex">${price}</div>`).blocks;
    expect(priced).to.deep.equal({ kind: 'text', text: 'R$ 1.450,00/mês' });
    const [plain] = readHtml('<p class="row">Iní<b>cio</b></p>').blocks;
    expect(plain).to.deep.equal({ kind: 'text', text: 'Início' });
  });

  it('has the rows of its header in one, whether they are marked as such or only grouped', () => {
    const expected = ['Curso', 'Manhã · Ampla', 'Manhã · Cotas', 'Noite · Ampla'];
    for (const name of ['th', 'td']) {
      const rows = `<tr><td rowspan="2">Curso</td><td colspan="2">Manhã</td><td>Noite</td></tr>
        <tr><td>Ampla</td><td>Cotas</td><td>Ampla</td></tr>`.replaceAll('td', name);
      const { header, rows: values } = tableOf(
        `${rows}<tr><td>Direito</td><td>1</td><td>2</td><td>3</td></tr>`,
      );
      expect(header).to.deep.equal(expected);
      expect(values).to.deep.equal([['Direito', '1', '2', '3']]);
    }
  });

  it('has no header where each row has its own name', () => {
    const { header, rows } = tableOf(
      '<tr><th>Prazo</th><td>10/03</td></tr><tr><th>Local</th><td>Bloco A</td></tr>',
    );
    expect(header).to.deep.equal(['', '']);
    expect(rows).to.deep.equal([
      ['Prazo', '10/03'],
      ['Local', 'Bloco A'],
    ]);
  });

  it('is told with its caption, in each of its parts', () => {
    const rows = Array.from({ length: 400 }, (_, at) => `<tr><td>Dia ${at}</td><td>8h às 22h</td></tr>`).join(
      '',
    );
    const table = `<tr><th>Dia</th><th>Hora</th></tr>${rows}</table>`;
    const pages = [
      `<table><caption>Horário da biblioteca</caption>${table}`,
      `<figure><table>${table}<figcaption>Horário da biblioteca</figcaption></figure>`,
      `<table><tr><th colspan="2">Horário da biblioteca</th></tr>${table}`,
    ];
    for (const page of pages) {
      const form = { name: 'Guia', limit: 8_000, most: 20_000 };
      const passages = runToEnd(cutPassages(readHtml(page), form)) ?? [];
      expect(passages.length).to.be.greaterThan(1);
      for (const { content } of passages)
        expect(content).to.include('Horário da biblioteca\n\n| Dia | Hora |\n| --- | --- |\n| Dia ');
    }
  });

  it('keeps the lines of a cell and a table in a cell together, and reads one that only arranges the page', () => {
    const inner = '<table><tr><td>Ampla</td><td>20</td></tr></table>';
    expect(
      tableOf(
        `<tr><th>Curso</th><th>Vagas</th></tr><tr><td>Direito<br>e <p>Letras</p></td><td>${inner}</td></tr>`,
      ).rows,
    ).to.deep.equal([['Direito\ne\nLetras', 'Ampla\n20']]);
    expect(readHtml(`<table><tr><td>${inner}</td><td>Ao lado</td></tr></table>`).blocks).to.deep.equal([
      { kind: 'table', header: ['Ampla', '20'], rows: [] },
      { kind: 'text', text: 'Ao lado' },
    ]);
  });

  it('that would be far longer than its page is refused', () => {
    const wide = `<table>${'<tr><td colspan=1000><td>'.repeat(2_000)}</table>`;
    const tall = `<table><tr><td rowspan=0>${'a'.repeat(100_000)}<td>${'<tr><td>'.repeat(1_000)}</table>`;
    const notes = `${'<sup><a href="#n">1</a></sup>'.repeat(20_000)}<p id="n">${'nota '.repeat(190)}</p>`;
    for (const page of [wide, tall, notes]) expect(() => readHtml(page)).to.throw('too-many-passages');
    const far = `https://a.example/${'a'.repeat(1_500)}/`;
    expect(() => readHtml('<a href="b">c</a>'.repeat(20_000), far)).to.throw('too-many-passages');
  });
});
