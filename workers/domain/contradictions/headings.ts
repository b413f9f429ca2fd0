import { stemOf } from '../../../text/words.ts';
import type { StatedValue } from './value-classes.ts';

/** The headings above a statement. */
export interface Heading {
  readonly stems: ReadonlySet<string>;
  /** The values that they name: years, terms, calls. */
  readonly values: readonly StatedValue[];
}

const HASHES = /^(#{1,6})\s/;
/** It stands above what follows it, up to the next one. */
const BOLD = /^\*\*[^*\n]{1,120}\*\*\s*$/;
const [BELOW_HASHES, BELOW_BOLD] = [7, 8];

/** Numbers under these are of pages. */
const CONTENTS = ['sumario', 'indice'].map(stemOf);

export function isTableOfContents({ stems }: Heading): boolean {
  return CONTENTS.some(stem => stems.has(stem));
}

/** The level of a heading, from 1 for `#`; undefined for another line. */
export function headingLevelOf(line: string): number | undefined {
  const hashes = HASHES.exec(line)?.[1];
  if (hashes) return hashes.length;
  return BOLD.test(line) ? BELOW_HASHES : undefined;
}

/** Keeps the headings above the line that is read: each ends those of its level and below. */
export function makeHeadings() {
  let open: readonly (Heading & { readonly level: number })[] = [];
  let current: Heading = joined(open);
  const end = (level: number) => {
    if (!open.some(each => each.level >= level)) return;
    open = open.filter(each => each.level < level);
    current = joined(open);
  };
  return {
    add(level: number, heading: Heading): void {
      end(level);
      open = [...open, { ...heading, level }];
      current = joined(open);
    },
    addTableHeader(heading: Heading): void {
      this.add(BELOW_BOLD, heading);
    },
    endTable: () => end(BELOW_BOLD),
    current: () => current,
  };
}

const NONE: Heading = { stems: new Set(), values: [] };

function joined(headings: readonly Heading[]): Heading {
  const [first = NONE] = headings;
  if (headings.length < 2) return first;
  return {
    stems: new Set(headings.flatMap(({ stems }) => [...stems])),
    values: headings.flatMap(({ values }) => values),
  };
}
