import { strToU8, zipSync } from 'fflate';
import { makePdf } from '../../support/pdf.ts';
import { makeXlsx } from '../../support/xlsx.ts';
import type { Cell, Part, Run, Table, Words } from './any-document.ts';

/* Writes any document in each format, as programs write it. */

const joined = (runs: readonly Run[], write: (run: Run) => string): string => runs.map(write).join(' ');

export function writeMarkdown(parts: readonly Part[], words: Words): Uint8Array {
  const inline = (run: Run): string => {
    const { text, address } = words.run(run);
    if (run.style === 'link') return `[${text}](${address})`;
    return run.style === 'plain' ? text : run.style === 'bold' ? `**${text}**` : `~~${text}~~`;
  };
  const line = (runs: readonly Run[]) => joined(runs, inline);
  const written = parts.map(part => {
    if (part.kind === 'heading') return `${'#'.repeat(part.level)} ${line(part.runs)}`;
    if (part.kind === 'list')
      return part.items
        .map(({ runs, inner }, at) =>
          [
            `${part.isOrdered ? `${at + 1}.` : '-'} ${line(runs)}`,
            ...inner.map(each => `   - ${line(each)}`),
          ].join('\n'),
        )
        .join('\n');
    if (part.kind === 'table') {
      const rows = part.rows.map(cells => `| ${cells.map(({ runs }) => line(runs)).join(' | ')} |`);
      const [header = '', ...others] = rows;
      return [header, `|${'---|'.repeat(part.rows[0]?.length ?? 1)}`, ...others].join('\n');
    }
    if (part.kind === 'quote') return `> ${line(part.runs)}`;
    if (part.kind === 'lines') return `\`\`\`\n${part.runs.map(inline).join('\n')}\n\`\`\``;
    return line(part.runs);
  });
  return Buffer.from(written.join('\n\n'));
}

export function writeHtml(parts: readonly Part[], words: Words): Uint8Array {
  let panels = 0;
  const inline = (run: Run): string => {
    const { text, address } = words.run(run);
    if (run.style === 'link') return `<a href="${address}">${text}</a>`;
    const name = { plain: 'span', bold: 'b', struck: words.said.length % 2 ? 's' : 'del' }[run.style];
    return `<${name}>${text}</${name}>`;
  };
  const line = (runs: readonly Run[]) => joined(runs, inline);
  const cell = ({ runs, rowSpan, columnSpan }: Cell, name: string) =>
    `<${name} rowspan="${rowSpan}" colspan="${columnSpan}">${line(runs)}</${name}>`;
  const written = parts.map(part => {
    if (part.kind === 'heading') return `<h${part.level}>${line(part.runs)}</h${part.level}>`;
    if (part.kind === 'list') {
      const name = part.isOrdered ? 'ol' : 'ul';
      const items = part.items.map(({ runs, inner }) => {
        const nested = inner.map(each => `<li>${line(each)}</li>`).join('');
        return `<li>${line(runs)}${nested && `<ul>${nested}</ul>`}</li>`;
      });
      return `<${name}>${items.join('')}</${name}>`;
    }
    if (part.kind === 'table') {
      const caption = part.caption > 0 ? `<caption>${words.say(part.caption)}</caption>` : '';
      const rows = part.rows.map(
        (cells, at) => `<tr>${cells.map(each => cell(each, at < part.headRows ? 'th' : 'td')).join('')}</tr>`,
      );
      return `<table>${caption}${rows.join('')}</table>`;
    }
    if (part.kind === 'quote') return `<blockquote>${line(part.runs)}</blockquote>`;
    if (part.kind === 'lines') return `<pre>${part.runs.map(inline).join('\n')}</pre>`;
    if (part.kind === 'box') return `<dl><dt>${words.say(1)}</dt><dd>${line(part.runs)}</dd></dl>`;
    if (part.kind !== 'panel') return `<p>${part.runs.map(inline).join('<br>')}</p>`;
    panels += 1;
    if (panels % 2) return `<details><summary>${words.say(2)}</summary>${line(part.runs)}</details>`;
    return `<button aria-controls="p${panels}">${words.say(2)}</button><div id="p${panels}" hidden>${line(part.runs)}</div>`;
  });
  return Buffer.from(`<!doctype html><body>${written.join('\n')}</body>`);
}

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const LINKS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export function writeDocx(parts: readonly Part[], words: Words): Uint8Array {
  const links: string[] = [];
  const inline = (run: Run): string => {
    const { text, address } = words.run(run);
    const properties = { plain: '', link: '', bold: '<w:b/>', struck: '<w:strike/>' }[run.style];
    const xml = `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text} </w:t></w:r>`;
    if (run.style !== 'link') return xml;
    links.push(
      `<Relationship Id="l${links.length}" Type="${LINKS}/hyperlink" Target="${address}" TargetMode="External"/>`,
    );
    return `<w:hyperlink r:id="l${links.length - 1}">${xml}</w:hyperlink>`;
  };
  const paragraph = (runs: readonly Run[], properties = '') =>
    `<w:p><w:pPr>${properties}</w:pPr>${runs.map(inline).join('')}</w:p>`;
  const item = (runs: readonly Run[], level: number, list: number) =>
    paragraph(runs, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`);
  const written = parts.map(part => {
    if (part.kind === 'heading') return paragraph(part.runs, `<w:pStyle w:val="Heading${part.level}"/>`);
    if (part.kind === 'list')
      return part.items
        .map(({ runs, inner }) => {
          const list = part.isOrdered ? 1 : 2;
          return item(runs, 0, list) + inner.map(each => item(each, 1, list)).join('');
        })
        .join('');
    if (part.kind !== 'table') return paragraph(part.runs);
    const caption = paragraph(
      part.caption > 0 ? [{ style: 'plain', words: part.caption }] : [],
      '<w:pStyle w:val="Caption"/>',
    );
    return caption + docxTable(part, paragraph);
  });
  const numbering = `<w:numbering ${WORD}><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="Art. %1º"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%2 –"/></w:lvl></w:abstractNum>
    <w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="●"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/><w:lvlText w:val="●"/></w:lvl></w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num></w:numbering>`;
  const styles = `<w:styles ${WORD}><w:style w:type="paragraph" w:styleId="Caption"><w:name w:val="caption"/></w:style>${[1, 2, 3, 4, 5, 6].map(level => `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`).join('')}</w:styles>`;
  const relations = (inner: string) =>
    strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`,
    );
  const to = (name: string, target: string) =>
    `<Relationship Id="${name}" Type="${LINKS}/${name}" Target="${target}"/>`;
  return zipSync({
    '[Content_Types].xml': strToU8(
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    ),
    '_rels/.rels': relations(to('officeDocument', 'word/document.xml')),
    'word/_rels/document.xml.rels': relations(
      to('numbering', 'numbering.xml') + to('styles', 'styles.xml') + links.join(''),
    ),
    'word/numbering.xml': strToU8(numbering),
    'word/styles.xml': strToU8(styles),
    'word/document.xml': strToU8(
      `<w:document ${WORD} xmlns:r="${LINKS}"><w:body>${written.join('')}</w:body></w:document>`,
    ),
  });
}

/** A cell over several rows has one in each of them, which says that it goes on. */
function docxTable({ rows, headRows }: Table, paragraph: (runs: readonly Run[]) => string): string {
  const xml = (cell: Cell, merge: string) =>
    `<w:tc><w:tcPr><w:gridSpan w:val="${cell.columnSpan}"/>${merge}</w:tcPr>${paragraph(merge === '<w:vMerge/>' ? [] : cell.runs)}</w:tc>`;
  const written = rows.map((row, at) => {
    const above = rows
      .slice(0, at)
      .flatMap((cells, from) => cells.filter(({ rowSpan }) => from + rowSpan > at));
    const cells = [...row, ...above].toSorted((a, b) => a.column - b.column);
    const inRow = cells.map(cell =>
      xml(cell, above.includes(cell) ? '<w:vMerge/>' : cell.rowSpan > 1 ? '<w:vMerge w:val="restart"/>' : ''),
    );
    return `<w:tr>${at < headRows ? '<w:trPr><w:tblHeader/></w:trPr>' : ''}${inRow.join('')}</w:tr>`;
  });
  return `<w:tbl>${written.join('')}</w:tbl>`;
}

/** With a title above it, as programs export it. */
export function writeCsv({ rows, caption }: Table, words: Words): Uint8Array {
  const cell = ({ runs }: Cell) => `"${joined(runs, run => words.say(run.words))}"`;
  const lines = rows.map(cells => cells.map(cell).join(';'));
  const title = caption > 0 && (rows[0]?.length ?? 0) > 1 ? [words.say(caption)] : [];
  return Buffer.from([...title, ...lines].join('\r\n'));
}

export function writeXlsx(tables: readonly Table[], words: Words): Uint8Array {
  const links: string[][] = [];
  const sheets = tables.map(({ rows, caption, columns }, sheet) => {
    const [targets, areas, marks]: [string[], string[], string[]] = [[], [], []];
    links.push(targets);
    const placeOf = (row: number, column: number) => `${String.fromCharCode(65 + column)}${row + 2}`;
    const written = rows.map((cells, row) => {
      const xml = cells.map(({ column, rowSpan, columnSpan, runs }) => {
        const place = placeOf(row, column);
        if (rowSpan * columnSpan > 1)
          areas.push(`${place}:${placeOf(row + rowSpan - 1, column + columnSpan - 1)}`);
        const inline = runs.map(run => {
          const { text, address } = words.run({
            ...run,
            style: run === runs[0] || run.style !== 'link' ? run.style : 'plain',
          });
          if (address !== '' && targets.push(address))
            marks.push(`<hyperlink ref="${place}" r:id="r${targets.length - 1}"/>`);
          return `<r><rPr>${run.style === 'struck' ? '<strike/>' : ''}</rPr><t>${text} </t></r>`;
        });
        return runs.length === 0 ? '' : `<c r="${place}" t="inlineStr"><is>${inline.join('')}</is></c>`;
      });
      return `<row r="${row + 2}">${xml.join('')}</row>`;
    });
    const title =
      caption > 0 ? `<row r="1"><c r="A1" t="inlineStr"><is><t>${words.say(caption)}</t></is></c></row>` : '';
    if (caption > 0 && columns > 2) areas.push(`A1:${placeOf(-1, columns - 1)}`);
    const merged = areas.map(area => `<mergeCell ref="${area}"/>`).join('');
    const after = `<mergeCells>${merged}</mergeCells><hyperlinks>${marks.join('')}</hyperlinks>`;
    return { name: `Aba ${sheet}`, rows: title + written.join(''), after, links: targets };
  });
  return makeXlsx(sheets);
}

/** Struck text is only drawn over in a PDF, and an address is not shown: both are plain text. */
export function writePdf(parts: readonly Part[], words: Words): Promise<Uint8Array> {
  const line = (runs: readonly Run[]) => joined(runs, run => words.say(run.words));
  return makePdf(pdf => {
    for (const part of parts) {
      pdf.font('Helvetica').fontSize(11);
      if (part.kind === 'heading')
        pdf
          .fontSize(24 - 2 * part.level)
          .text(line(part.runs))
          .moveDown(0.5);
      else if (part.kind === 'list')
        for (const { runs, inner } of part.items) {
          pdf.text(`${part.isOrdered ? 'a)' : '•'} ${line(runs)}`);
          for (const each of inner) pdf.text(`– ${line(each)}`, { indent: 20 });
        }
      else if (part.kind === 'table') drawTable(pdf, part, line);
      else pdf.text(line(part.runs));
      pdf.moveDown();
    }
  });
}

function drawTable(
  pdf: Parameters<Parameters<typeof makePdf>[0]>[0],
  { rows, columns }: Table,
  line: (runs: readonly Run[]) => string,
): void {
  const width = 460 / columns;
  for (const cells of rows) {
    if (pdf.y > 650) pdf.addPage();
    const { y } = pdf;
    let bottom = y;
    for (const { column, columnSpan, runs } of cells) {
      const text = line(runs);
      pdf.text(text, 72 + column * width, y, { width: columnSpan * width - 8 });
      bottom = Math.max(bottom, pdf.y);
    }
    pdf.y = bottom + 2;
  }
  pdf.x = 72;
}
