type JsonObject = Readonly<Record<string, unknown>>;

const DEEPEST = 32;

/** What the model wrote as arguments, if it is a JSON object that can be stored; else what to tell the model. */
export function toolArgumentsOf(text: string): { args: JsonObject } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch {
    return { problem: 'os argumentos não são JSON' };
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return { problem: 'os argumentos não são um objeto JSON' };
  }
  if (isDeeper(value, DEEPEST)) return { problem: 'os argumentos têm níveis demais' };
  return { args: scrubbed(value) as JsonObject };
}

/** Without what neither PostgreSQL nor a person can read: NUL, and half of a surrogate pair. */
function scrubbedText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Text of another's making, as the model is told it. */
export function toldText(text: string, most: number): string {
  return text.length <= most ? scrubbedText(text) : `${scrubbedText(text.slice(0, most))}\n(cortado)`;
}

function scrubbed(value: unknown): unknown {
  if (typeof value === 'string') return scrubbedText(value);
  if (Array.isArray(value)) return value.map(scrubbed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [scrubbedText(key), scrubbed(inner)]),
  );
}

function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some(inner => isDeeper(inner, levels - 1));
}
