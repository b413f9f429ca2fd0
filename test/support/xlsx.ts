import { strToU8, zipSync } from 'fflate';

export interface Sheet {
  readonly name: string;
  /** `<row>`s, and what stands before and behind them. */
  readonly rows: string;
  readonly before?: string;
  readonly after?: string;
  readonly isHidden?: boolean;
  readonly links?: readonly string[];
}

const NAMES = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`;
const relationsOf = (targets: readonly string[]) =>
  strToU8(
    `<Relationships>${targets.map((target, at) => `<Relationship Id="r${at}" Type="x/${/(\w+)\.xml$/.exec(target)?.[1] ?? 'hyperlink'}" Target="${target}"/>`).join('')}</Relationships>`,
  );

export function makeXlsx(
  sheets: readonly Sheet[],
  { styles = '', texts = '', properties = '' } = {},
): Uint8Array {
  const listed = sheets.map(
    ({ name, isHidden }, at) =>
      `<sheet name="${name}" sheetId="${at + 1}" ${isHidden ? 'state="hidden"' : ''} r:id="r${at}"/>`,
  );
  const files: Record<string, Uint8Array> = {};
  for (const [at, { rows, before = '', after = '', links = [] }] of sheets.entries()) {
    files[`xl/worksheets/sheet${at}.xml`] = strToU8(
      `<worksheet ${NAMES}>${before}<sheetData>${rows}</sheetData>${after}</worksheet>`,
    );
    files[`xl/worksheets/_rels/sheet${at}.xml.rels`] = relationsOf(links);
  }
  const targets = [
    ...sheets.map((_, at) => `worksheets/sheet${at}.xml`),
    '/xl/styles.xml',
    'sharedStrings.xml',
  ];
  return zipSync({
    'xl/workbook.xml': strToU8(
      `<?xml version="1.0"?><workbook ${NAMES}>${properties}<sheets>${listed.join('')}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': relationsOf(targets),
    'xl/styles.xml': strToU8(`<styleSheet ${NAMES}>${styles}</styleSheet>`),
    'xl/sharedStrings.xml': strToU8(`<sst ${NAMES}>${texts}</sst>`),
    ...files,
  });
}

/** A row; a text as it is, a number with the place of its style, or the XML of a cell. */
export function rowOf(number: number, cells: readonly (string | readonly [number, number])[]): string {
  const xml = cells.map((cell, at) => {
    const place = `${String.fromCharCode(65 + at)}${number}`;
    if (typeof cell !== 'string') return `<c r="${place}" s="${cell[1]}"><v>${cell[0]}</v></c>`;
    if (cell.startsWith('<')) return cell.replace('<c', `<c r="${place}"`);
    return cell === '' ? '' : `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  });
  return `<row r="${number}">${xml.join('')}</row>`;
}
