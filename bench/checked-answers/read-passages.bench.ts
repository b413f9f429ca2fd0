import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Slot {
  readonly kind: string;
  readonly value: string;
}

/** A text with figures: plain pieces, and slots by their number in the passage. */
export type Template = readonly (string | number)[];

export interface PassageTemplate {
  readonly slots: readonly Slot[];
  readonly text: Template;
  readonly answers: readonly { readonly mark: string; readonly text: Template }[];
  readonly questions: readonly Question[];
}

/** A question that one figure of the passage answers alone. */
export interface Question {
  readonly mark: string;
  readonly slot: number;
  readonly text: string;
}

export function readPassages(file: string): PassageTemplate[] {
  const source = readFileSync(join(process.cwd(), 'bench/checked-answers', file), 'utf8');
  const blocks = source.split('\n\n').filter(block => block.startsWith('P '));
  return blocks.map(block => {
    const [first = '', ...lines] = block.trim().split('\n');
    const slots: Slot[] = [];
    const text = readTemplate(first.slice(2), name => {
      const colon = name.indexOf(':');
      return slots.push({ kind: name.slice(0, colon), value: name.slice(colon + 1) }) - 1;
    });
    const answers = lines
      .filter(line => !line.startsWith('q'))
      .map(line => ({
        mark: line.slice(0, 2),
        text: readTemplate(line.slice(3), name => Number(name) - 1),
      }));
    const questions = lines
      .filter(line => line.startsWith('q'))
      .map(line => ({ mark: line.slice(0, 2), slot: Number(line.slice(3, 4)) - 1, text: line.slice(5) }));
    return { slots, text, answers, questions };
  });
}

function readTemplate(text: string, slotOf: (name: string) => number): Template {
  return text.split(/[{}]/).map((piece, at) => (at % 2 === 0 ? piece : slotOf(piece)));
}

/** The sentences of a template with at least one figure. */
export function sentencesOf(template: Template): Template[] {
  const sentences: (string | number)[][] = [[]];
  for (const piece of template) {
    if (typeof piece === 'number') {
      sentences.at(-1)?.push(piece);
      continue;
    }
    const [first = '', ...others] = piece.split(/(?<=\.)\s+(?=[A-ZÀ-Ú])/);
    sentences.at(-1)?.push(first);
    for (const other of others) sentences.push([other]);
  }
  return sentences.filter(sentence => sentence.some(piece => typeof piece === 'number'));
}
