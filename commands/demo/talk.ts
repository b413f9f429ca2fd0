import past from './past.json' with { type: 'json' };

/** A conversation that several people had alike: each began it in their own words. */
export interface DemoTalk {
  readonly topic: string;
  readonly categories: readonly string[];
  readonly summary: string;
  readonly tip: string;
  /** The score is from -1 to 1. */
  readonly mood: { readonly score: number; readonly why: string };
  /** The interest of the person, from 0 to 100. */
  readonly heat: number;
  /** Who began it, and with what; the name is empty where nobody said one. */
  readonly asked: readonly { readonly name: string; readonly question: string }[];
  /**
   * The messages that follow: `> ` by the person, `< ` by the assistant, `! ` by the assistant, which asks for a person of
   * the team, `Name: ` by one of the team, `# Name: ` a note of theirs. `= 3`: closed, and opened again after three days.
   */
  readonly lines: readonly string[];
  /** How long ago the last message of a conversation of today came, for each who asked. */
  readonly minutesAgo?: readonly number[] | undefined;
  /** The person of the team who attends it now. */
  readonly attendedBy?: string | undefined;
  /** The subject of the ticket that the assistant opened. */
  readonly ticket?: string | undefined;
}

/** Those of students first, then of applicants, then of today. The answers are sentences of the demo's knowledge (db/seed). */
export const demoTalks: readonly DemoTalk[] = past.talks;

export interface DemoMessage {
  readonly author: 'user' | 'assistant' | 'human' | 'note';
  /** The name of the person of the team. */
  readonly name: string | null;
  readonly content: string;
  /** It asks for a person of the team. */
  readonly asksForPerson: boolean;
  /** Days that the conversation was closed before it. */
  readonly daysClosed: number;
}

const authors = { '>': 'user', '<': 'assistant', '!': 'assistant' } as const;

/** The messages that follow the first question. */
export function readLines(lines: readonly string[]): DemoMessage[] {
  let daysClosed = 0;
  return lines.flatMap(line => {
    const [sign, rest] = [line.slice(0, 1), line.slice(2)];
    if (sign === '=') {
      daysClosed = Number(rest);
      return [];
    }
    const message = { ...readMessage(line, sign, rest), asksForPerson: sign === '!', daysClosed };
    daysClosed = 0;
    return [message];
  });
}

function readMessage(line: string, sign: string, rest: string) {
  if (sign === '>' || sign === '<' || sign === '!')
    return { author: authors[sign], name: null, content: rest };
  const said = sign === '#' ? rest : line;
  const end = said.indexOf(': ');
  return {
    author: sign === '#' ? ('note' as const) : ('human' as const),
    name: said.slice(0, end),
    content: said.slice(end + 2),
  };
}
