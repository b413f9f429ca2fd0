import { isBlank } from '../user-data.ts';
import type { AskStep } from './flow-walk.ts';
import { type AskKind, readValue } from './read-value.ts';
import { asks, breaksOff, clausesOf, correctionIn, spokenWordsOf, wantsPerson } from './talk.ts';

/** The messages of a turn, as far as they may answer a question of the flow. */
export interface SaidNow {
  /** The newest first: the question of the turn, and the open ones before it. */
  readonly messages: readonly string[];
  /** The id of a button. */
  readonly choice?: string | undefined;
  /** The message of the person in the turn before. */
  readonly before?: string | undefined;
  /** Whether the last word was no question of the flow: staff wrote since, or something else was asked. */
  readonly isAboutElse?: boolean;
  /** The local time in milliseconds, as if in UTC. */
  readonly today: number;
}

/** How the person took the question that was asked. `isAside`: the message also asks something, which a model has to answer. */
export type Said =
  | { readonly kind: 'nothing' | 'aside' | 'invalid' }
  | { readonly kind: 'break'; readonly isAside: boolean }
  | {
      readonly kind: 'value' | 'correction';
      readonly ask: AskStep;
      readonly value: string | number;
      readonly isAside: boolean;
    };

export interface AskedNow {
  /** The question that waits for its answer; undefined if all are answered. */
  readonly open: AskStep | undefined;
  readonly times: number;
  /** The questions answered before, the newest first. */
  readonly answered: readonly AskStep[];
  readonly data: Readonly<Record<string, unknown>>;
}

export function saidOf(asked: AskedNow, now: SaidNow): Said {
  const messages = now.messages.map(spokenWordsOf).filter(text => text !== '');
  const pressed = now.choice === undefined ? undefined : pressedIn(asked, now.choice);
  if (pressed) return pressed;
  if (now.isAboutElse) return saidAmongElse(asked, messages, now.today);
  if (!asked.open || asked.times === 0) return saidAfterAll(asked, now, messages[0]);
  for (const message of messages) {
    const said = readMessage(asked, asked.open, message, now.today);
    if (said) return said;
  }
  const [newest] = messages;
  if (newest === undefined) return { kind: 'nothing' };
  return { kind: messages.some(text => asks(text) || wantsPerson(text)) ? 'aside' : 'invalid' };
}

/** One message answers one question: only what is of the wanted kind whoever asked for it is an answer to this one, too. */
function saidAmongElse({ open, times }: AskedNow, messages: readonly string[], today: number): Said {
  const isAsked = open !== undefined && times > 0 && isIdentifier(open.kind);
  const [found] = isAsked ? messages.flatMap(message => readValue(message, open, today) ?? []) : [];
  if (!open || !found) return { kind: 'nothing' };
  return { kind: 'value', ask: open, value: found.value, isAside: true };
}

/** A button of the open question, or of an earlier one, which corrects it. */
function pressedIn({ open, times, answered }: AskedNow, id: string): Said | undefined {
  const among = [...(open && times > 0 ? [open] : []), ...answered];
  const ask = among.find(({ choices }) => choices.some(choice => choice.id === id));
  if (!ask) return undefined;
  return { kind: ask === open ? 'value' : 'correction', ask, value: id, isAside: false };
}

function readMessage(asked: AskedNow, open: AskStep, message: string, today: number): Said | undefined {
  const found = open.kind === 'text' ? undefined : readValue(message, open, today);
  const value = found && (found.isAll || isIdentifier(open.kind) || !asks(message)) ? found : undefined;
  const taken = value && ({ kind: 'value', ask: open, value: value.value } as const);
  // A choice may be named like a break.
  if (taken && value.isAll && open.kind === 'choice') return { ...taken, isAside: false };
  const broken = breakIn(message);
  if (broken) return broken;
  const corrected = correctionOf(asked, message, today);
  // After a wrong answer, a word of correction is about that one.
  if (corrected && !(taken && asked.times > 1)) return corrected;
  if (taken) return { ...taken, isAside: !value.isAll && asks(message) };
  if (open.kind !== 'text' || asks(message) || wantsPerson(message)) return undefined;
  const text = readValue(message, open, today);
  return text && { kind: 'value', ask: open, value: text.value, isAside: false };
}

function isIdentifier(kind: AskKind): boolean {
  return kind === 'cpf' || kind === 'email' || kind === 'phone';
}

function breakIn(message: string): Said | undefined {
  const [first, rest] = clausesOf(message);
  if (breaksOff(first) && asks(rest)) return { kind: 'break', isAside: true };
  return breaksOff(message) ? { kind: 'break', isAside: false } : undefined;
}

/** Right after the last answer, it may still be corrected. */
function saidAfterAll(asked: AskedNow, { before, today }: SaidNow, message: string | undefined): Said {
  const [last] = asked.answered;
  if (asked.open || !last || before === undefined || message === undefined) return { kind: 'nothing' };
  const words = spokenWordsOf(before);
  const said = readValue(correctionIn(words)?.rest ?? words, last, today);
  if (said?.value !== asked.data[last.name]) return { kind: 'nothing' };
  return correctionOf(asked, message, today) ?? { kind: 'nothing' };
}

/** The newest answer whose kind the corrected value has; a free text takes any value, so only what is no identifier. */
function correctionOf({ answered, data }: AskedNow, message: string, today: number): Said | undefined {
  const correction = correctionIn(message);
  if (!correction) return undefined;
  const [newest, ...earlier] = answered.filter(({ name }) => !isBlank(data[name]));
  const identified = earlier.filter(({ kind }) => isIdentifier(kind));
  const among = newest?.kind === 'text' ? [...identified, newest] : [...(newest ? [newest] : []), ...earlier];
  for (const ask of among) {
    if (ask.kind === 'text' && (ask !== newest || !correction.isSure)) continue;
    const found = readValue(correction.rest, ask, today) ?? readLast(correction.rest, ask, today);
    if (found && (found.isAll || !asks(message)))
      return { kind: 'correction', ask, value: found.value, isAside: false };
  }
  return undefined;
}

/** `não é 12, é 13`: the last clause has the value. */
function readLast(text: string, ask: AskStep, today: number) {
  const clauses = text.split(/[,;.\n] /);
  return clauses.length > 1 ? readValue(clauses.at(-1) ?? '', ask, today) : undefined;
}
