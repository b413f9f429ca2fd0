/** The separator between a table's head and its rows. */
export function isTableRule(body: string): boolean {
  let hasDash = false;
  for (const char of body) {
    if (char === '-') hasDash = true;
    else if (char !== '|' && char !== ':' && char !== ' ' && char !== '\t') return false;
  }
  return hasDash && body.includes('|');
}

/** The cells between bars; an escaped bar belongs to its cell. */
export function splitTableCells(row: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let from = row[0] === '|' ? 1 : 0;
  for (let at = from; at <= row.length; at++) {
    const isEscaped = row[at] === '\\' && row[at + 1] === '|';
    if (isEscaped) {
      cell += row.slice(from, at);
      from = ++at;
    } else if (at === row.length || row[at] === '|') {
      cells.push((cell + row.slice(from, at)).trim());
      cell = '';
      from = at + 1;
    }
  }
  if (cells.at(-1) === '') cells.pop();
  return cells;
}
