const letter = /[\p{L}\p{N}]/u;
const separator = /[.@/]/;

/**
 * Tokens that the index keeps whole: runs without blanks that contain a dot, an at sign or a slash, up to their last
 * letter.
 */
export function addressesIn(text: string): string[] {
  return text.split(/\s+/).map(upToLastLetter).filter(isAddress);
}

/** Scans from the end: a regular expression would backtrack. */
function upToLastLetter(run: string): string {
  const characters = Array.from(run);
  return characters.slice(0, characters.findLastIndex(each => letter.test(each)) + 1).join('');
}

function isAddress(run: string): boolean {
  return separator.test(run.slice(1));
}
