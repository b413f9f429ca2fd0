/** Marks, and the two signs that become marks under NFKC. More than 30 in a row stand in no text of any language. */
const excessMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
const beyondLatin = /[\u0300-\uffff]/;

/**
 * Unicode normalization in time that grows with the text: putting marks in their order takes the square of how many stand in
 * a row, so of each run the first 30 stay, as in Unicode's stream-safe format.
 */
export function normalizeText(text: string, form: 'NFD' | 'NFKC'): string {
  return (beyondLatin.test(text) ? text.replace(excessMarks, '$1') : text).normalize(form);
}
