import { Download } from 'lucide';
import { decimalMark, writeCsvCell } from '../format.ts';
import { Icon } from './icon.tsx';

export interface Column<Row> {
  readonly head: string;
  readonly of: (row: Row) => string | number;
  /** How people read its numbers; the file has them as they are. */
  readonly format?: (value: number) => string;
}

/** Figures in rows; the first column names them. People can save it as a file for a spreadsheet. */
export function DataTable<Row>(props: {
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}) {
  const { title, columns, rows } = props;
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Tabela: ${title}`}>
        <table>
          <thead>
            <tr>
              {columns.map(({ head }) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at}>{columns.map((column, nth) => makeCell(column, row, nth === 0))}</tr>
            ))}
          </tbody>
        </table>
      </div>
      <button
        type="button"
        class="quiet slim csv"
        aria-label={`Baixar CSV: ${title}`}
        onClick={() => saveFile(`${title}.csv`, 'text/csv', writeCsv(columns, rows))}
      >
        <Icon of={Download} size={16} /> Baixar CSV
      </button>
    </>
  );
}

function makeCell<Row>({ head, of, format = formatNumber }: Column<Row>, row: Row, isFirst: boolean) {
  const value = of(row);
  const text = typeof value === 'number' ? format(value) : value;
  return isFirst ? (
    <th key={head} scope="row">
      {text}
    </th>
  ) : (
    <td key={head}>{text}</td>
  );
}

const formatNumber = (value: number): string => value.toLocaleString('pt-BR');

/** Spreadsheets in Portuguese expect semicolons, and a comma in numbers. */
function writeCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ head }) => head), ...rows.map(row => columns.map(({ of }) => of(row)))];
  // Spreadsheets expect another mark between cells than in numbers.
  const between = decimalMark === ',' ? ';' : ',';
  return lines.map(cells => cells.map(writeCsvCell).join(between)).join('\r\n');
}

/** Gives the person a file, as a download. */
export function saveFile(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  // Spreadsheets recognise UTF-8 by this mark.
  link.href = URL.createObjectURL(new Blob(['\ufeff', text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
