/** Says which conversations `erase` and `export-person` leave out. */
export function leftText(ids: readonly string[]): string {
  const text =
    ids.length === 1
      ? '1 conversation with an identifier of theirs was left, because it names'
      : `${ids.length} conversations with an identifier of theirs were left, because they name`;
  return `${text} another e-mail: ${ids.join(', ')}`;
}
