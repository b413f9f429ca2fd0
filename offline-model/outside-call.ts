import { foldText } from '../text/fold.ts';
import type { Message, Tool } from './chat-request.ts';

/* Calls of other systems: their answers are told, and those that change something wait for a yes. */

/** A function of another system, as the service names it. */
const OF_SYSTEM = /[^_]__[^_]/;
/** Says in the answer of a function that it was not called, with the arguments that the person has to confirm. */
const ASKS = /dizer sim\. Os dados: (\{.*\})$/m;
/** In characters. */
const MAX_TOLD = 600;

/** Returns the answer of a function of another system as a text for people; undefined for what is no such answer. */
export function tellAnswer(tool: string, result: string): string | undefined {
  const asked = ASKS.exec(result)?.[1];
  if (asked !== undefined)
    return `Posso fazer isto com estes dados: ${told(asked) ?? asked}? Responda sim para confirmar.`;
  const text = OF_SYSTEM.test(tool) && /^[[{]/.test(result) ? told(result) : undefined;
  return text && text.length <= MAX_TOLD ? text : undefined;
}

/** Each object on a line of its own: its values with their names. */
function told(json: string): string | undefined {
  try {
    return linesOf(JSON.parse(json)).join('\n');
  } catch {
    return undefined;
  }
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(linesOf);
  if (value === null) return [];
  if (typeof value !== 'object') return [wordOf(value)];
  const entries = Object.entries(value);
  const plain = entries.filter(([, inner]) => typeof inner !== 'object');
  const line = plain.map(([name, inner]) => `${name.replaceAll('_', ' ')}: ${wordOf(inner)}`).join(', ');
  const inner = entries.flatMap(([, each]) => (typeof each === 'object' ? linesOf(each) : []));
  return [line, ...inner].filter(Boolean);
}

const wordOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const YES = /^(?:sim|isso|pode|confirmo|confirmado|claro|ok)\b[^?]{0,40}$/;

/** Finds the call that the prompt says waits for a yes, where the last message is one. */
export function confirmedCall(messages: readonly Message[], tools: readonly Tool[]) {
  const said = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  if (!YES.test(foldText(said).trim())) return undefined;
  const prompt = messages.filter(({ role }) => role === 'system').map(({ text }) => text);
  const waiting = /a pessoa foi perguntada:\n- (\S+) (\{.*\})$/m.exec(prompt.join('\n'));
  const tool = tools.find(({ name }) => name === waiting?.[1]);
  return tool && { kind: 'call' as const, tool: tool.name, args: waiting?.[2] ?? '{}' };
}
