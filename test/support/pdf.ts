import PDFDocument from 'pdfkit';

type Options = ConstructorParameters<typeof PDFDocument>[0];

/** The bytes of a PDF with what `draw` draws. */
export async function makePdf(
  draw: (pdf: InstanceType<typeof PDFDocument>) => void,
  options: Options = {},
): Promise<Buffer> {
  const pdf = new PDFDocument(options);
  const pieces: Buffer[] = [];
  pdf.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = new Promise(resolve => pdf.on('end', resolve));
  draw(pdf);
  pdf.end();
  await ended;
  return Buffer.concat(pieces);
}

export interface Section {
  readonly heading: string;
  readonly paragraphs: readonly string[];
}

/** One section a page, under a title. */
export function makePdfOf(title: string, sections: readonly Section[]): Promise<Buffer> {
  return makePdf(pdf => {
    pdf.fontSize(24).text(title);
    for (const [at, { heading, paragraphs }] of sections.entries()) {
      if (at > 0) pdf.addPage();
      pdf.fontSize(16).text(heading);
      pdf.fontSize(11);
      for (const paragraph of paragraphs) pdf.moveDown().text(paragraph);
    }
  });
}
