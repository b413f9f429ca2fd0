/** The digits of the text, in order, without anything between them. */
export function readDigits(text: string): string {
  return text.replaceAll(/[^0-9]/g, '');
}
