/** Says which conversations `erase` and `export-person` leave out. */
export function leftText(ids: readonly string[]): string {
  const text =
    ids.length === 1
      ? '1 conversation with that phone was left, because it names'
      : `${ids.length} conversations with that phone were left, because they name`;
  return `${text} another e-mail: ${ids.join(', ')}`;
}
