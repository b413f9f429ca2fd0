import { isJsonObject } from '../../../platform/json-object.ts';
import { truncateForModel } from '../schemas/known-arguments.ts';

export interface RestAnswer {
  readonly status: number;
  readonly mediaType: string;
  readonly text: string;
}

/** What a model gets of one answer; the rest of JSON is cut off. */
const MAX_ANSWER_LENGTH = 16_000;
const MAX_REFUSAL_LENGTH = 500;

export function isRefusal({ status }: Pick<RestAnswer, 'status'>): boolean {
  return status < 200 || status >= 300;
}

/** Writes an answer as text for the model: of JSON the parts that `pick` names, or all of it. */
export function formatRestAnswer(answer: RestAnswer, pick: readonly string[] | undefined): string {
  const { status, mediaType, text } = answer;
  if (isRefusal(answer))
    return `O sistema recusou com ${status}. ${text.trim().slice(0, MAX_REFUSAL_LENGTH)}`.trim();
  if (text.trim() === '') return `O sistema respondeu ${status}, sem conteúdo.`;
  if (text.includes('\0')) return `[arquivo ${mediaType}]`;
  return truncateForModel(partsOf(text, pick), MAX_ANSWER_LENGTH);
}

/** JSON that fits is given as it was written, because numbers of many digits would change. */
function partsOf(text: string, pick: readonly string[] | undefined): string {
  if (!pick && text.length <= MAX_ANSWER_LENGTH) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (!pick) return JSON.stringify(value);
  const picked = pickParts(value, pick.map(tokensOf));
  return picked === undefined ? '' : JSON.stringify(picked);
}

type Tokens = readonly string[];

function tokensOf(pointer: string): Tokens {
  return pointer
    .split('/')
    .slice(1)
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the value with nothing but the named parts, each in its place; undefined where it has none of them. */
function pickParts(value: unknown, wanted: readonly Tokens[]): unknown {
  if (wanted.some(({ length }) => length === 0)) return value;
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((item, at) => [String(at), item])
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  const picked = entries.flatMap(([name, inner]): [string, unknown][] => {
    const below = wanted.filter(([token]) => token === '*' || token === name).map(tokens => tokens.slice(1));
    const part = below.length > 0 ? pickParts(inner, below) : undefined;
    return part === undefined ? [] : [[name, part]];
  });
  if (picked.length === 0) return undefined;
  return Array.isArray(value) ? picked.map(([, part]) => part) : Object.fromEntries(picked);
}
