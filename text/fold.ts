/** Combining marks, and two characters that become marks under NFKC. No language uses more than 30 in a row. */
const excessMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
const beyondLatin = /[\u0300-\uffff]/;

/**
 * Unicode normalization in linear time: ordering a run of marks takes quadratic time, so the first 30 of each run
 * are kept, as in the stream-safe format of Unicode.
 */
export function normalizeText(text: string, form: 'NFD' | 'NFKC'): string {
  return (beyondLatin.test(text) ? text.replace(excessMarks, '$1') : text).normalize(form);
}
