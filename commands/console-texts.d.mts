/** A text of the console, or a literal that is data. */
export interface ConsoleText {
  readonly kind: 'jsx' | 'attribute' | 'literal' | 'template' | 'count' | 'page';
  readonly key: string;
  /** The key of entries for this file alone. */
  readonly ownKey: string;
  /** The attribute of an element in whose value it stands. */
  readonly attribute?: string | undefined;
  readonly start: number;
  readonly end: number;
}
type Entries = Readonly<Record<string, string>>;

export const languages: readonly string[];
export function readEntries(language: string): Entries;
export function listTexts(path: string, code: string): readonly ConsoleText[];
export function keyIn(entries: Entries, text: ConsoleText): string | undefined;
export function translateCode(path: string, code: string, entries: Entries): string;
