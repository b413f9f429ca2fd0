const letter = /[\p{L}\p{N}]/u;
const separator = /[.@/]/;

/** What the index reads as one word: runs without a blank that hold a dot, an at or a slash, up to their last letter. */
export function addressesIn(text: string): string[] {
  return text.split(/\s+/).map(upToLastLetter).filter(isAddress);
}

/** Walked from the end: an expression that looks for its last letter tries every place in turn. */
function upToLastLetter(run: string): string {
  const characters = Array.from(run);
  return characters.slice(0, characters.findLastIndex(each => letter.test(each)) + 1).join('');
}

function isAddress(run: string): boolean {
  return separator.test(run.slice(1));
}
