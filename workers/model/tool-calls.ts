import { MAX_NAME_LENGTH } from '../../queues/contract/shape.ts';
import type { ToolCall } from './provider.ts';

/*
 * Reads the calls of an answer, which servers write in several ways: arguments as an object, chunks without an index, a name in
 * each chunk, several calls under one index.
 */

/** Further calls of one answer are dropped here; how many of the others are run is up to the caller. */
const MAX_CALLS = 64;

/** Arguments that no JSON can be written of: whoever reads them tells the model so. */
const UNREADABLE = 'unreadable';

export interface StreamedCall {
  readonly index: number | undefined;
  id: string;
  readonly function: { name: string; arguments: string };
  /** The last part of the arguments; the whole is not looked at, since each look would copy it. */
  tail: string;
}

interface CallPart {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** Adds the parts of calls that a chunk has: a call's id and name come first, then its arguments. */
export function addCalls(calls: StreamedCall[], parts: unknown): void {
  if (!Array.isArray(parts)) return;
  for (const part of parts.map(partOf)) {
    const begun = callOf(calls, part);
    if (!begun && calls.length >= MAX_CALLS) continue;
    const call = begun ?? { index: part.index, id: '', function: { name: '', arguments: '' }, tail: '' };
    if (!begun) calls.push(call);
    call.id ||= part.id;
    if (call.function.name !== part.name && call.function.name.length <= MAX_NAME_LENGTH)
      call.function.name += part.name;
    call.function.arguments += part.args;
    if (part.args.trim() !== '') call.tail = part.args.trim();
  }
}

function partOf(part: unknown): CallPart {
  const { index, id, function: wanted } = (part ?? {}) as Readonly<Record<string, unknown>>;
  const { name, arguments: args } = (wanted ?? {}) as Readonly<Record<string, unknown>>;
  return {
    index: Number.isSafeInteger(index) ? (index as number) : undefined,
    id: isShortText(id) ? id : '',
    name: typeof name === 'string' ? name : '',
    args: argumentsText(args),
  };
}

/** The call that a part continues, or undefined where the part begins one. */
function callOf(calls: readonly StreamedCall[], part: CallPart): StreamedCall | undefined {
  const { index, id, name } = part;
  const known =
    index === undefined
      ? id !== '' && calls.findLast(call => call.id === id)
      : calls.findLast(call => call.index === index);
  if (known) return beginsAnother(known, part) ? undefined : known;
  const last = calls.at(-1);
  const isNamed = id !== '' || name !== '';
  if (!last || (isNamed && index !== undefined)) return undefined;
  return beginsAnother(last, part) ? undefined : last;
}

/** Some servers give each part a new id, or repeat the name: then the arguments tell, since no JSON has `}{`. */
function beginsAnother(call: StreamedCall, { id, name, args }: CallPart): boolean {
  const { name: known } = call.function;
  if (name === '' || known === '' || (id !== '' && id === call.id)) return false;
  const isOtherId = id !== '' && call.id !== '';
  if (name !== known) return isOtherId || call.tail !== '';
  const next = args.trimStart();
  return call.tail.endsWith('}') && (next.startsWith('{') || (isOtherId && next === ''));
}

export function callsIn(calls: unknown): ToolCall[] {
  if (!Array.isArray(calls)) return [];
  const ids = new Set<string>();
  return calls.slice(0, MAX_CALLS).flatMap((call: unknown, at) => {
    const { id, function: wanted } = (call ?? {}) as { id?: unknown; function?: Record<string, unknown> };
    const name = wanted?.['name'];
    if (!isShortText(name)) return [];
    // Without a unique id, the results of two calls could not be told apart.
    const callId = isShortText(id) && id !== '' && !ids.has(id) ? id : `call_${at}`;
    ids.add(callId);
    return [{ id: callId, name, arguments: argumentsText(wanted?.['arguments']) || '{}' }];
  });
}

/** Only arguments that are absent are none. */
function argumentsText(args: unknown): string {
  if (typeof args === 'string') return args;
  if ((args ?? undefined) === undefined) return '';
  try {
    return JSON.stringify(args);
  } catch {
    // JSON is read at any depth, but not written: 10,000 levels exceed the stack.
    return UNREADABLE;
  }
}

export function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH;
}
