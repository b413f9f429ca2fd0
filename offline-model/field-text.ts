import type { DialogueDigest } from './dialogue-digest.ts';
import { toComparableText } from './extraction/words.ts';
import type { JsonSchema } from './json-schema.ts';
import { findLabelledValue } from './labelled-value.ts';

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly index: number;
}

const unknown = 'não informado';

const formats: Readonly<Record<string, string>> = {
  'date-time': '2000-01-01T00:00:00Z',
  date: '2000-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'nao-informado@example.invalid',
  hostname: 'example.invalid',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  uri: 'https://example.invalid/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

// No text can be derived from any pattern; these match common patterns of codes, dates, numbers and names.
const patternTrials = [
  '0',
  'a',
  'A',
  'texto',
  'Texto',
  '00',
  '000',
  '0000',
  'aaa',
  'AAA',
  'a_b',
  'a-b',
  '2000-01-01',
  '00:00',
];

const titleFields = /topic|tema|assunto|title|titulo|subject|categor|tag|label/;
const nameFields = /(^|_)(name|nome|firstname|lastname)$|user_?name|nome/;

function contentFor({ name, index, schema }: Field, digest: DialogueDigest): string {
  const folded = toComparableText(name);
  const none = schema.minLength ? unknown : '';
  if (/mail/.test(folded)) return digest.email ?? none;
  if (/phone|telefone|celular|whatsapp/.test(folded)) return digest.phone ?? none;
  if (/(^|_)cpf(_|$)/.test(folded)) return digest.cpf ?? unknown;
  if (/categor|tag|label|keyword|palavra/.test(folded)) return digest.topics[index] ?? unknown;
  if (titleFields.test(folded)) return digest.topics.slice(0, 3).join(', ') || unknown;
  if (nameFields.test(folded)) return digest.name ?? findLabelledValue(digest.text, name) ?? none;
  return findLabelledValue(digest.text, name) ?? (digest.summary || unknown);
}

function matchesPattern(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

/** Lengths in JSON Schema count code points. */
function fitLength(text: string, { minLength = 0, maxLength = Infinity }: JsonSchema): string {
  const points = Array.from(text);
  const padding = '.'.repeat(Math.max(0, Math.min(minLength, 10_000) - points.length));
  return points.length > maxLength ? points.slice(0, maxLength).join('') : text + padding;
}

/** Text for a string field that meets its schema where possible. */
export function textForField(field: Field, digest: DialogueDigest): string {
  const { schema } = field;
  const format = schema.format === undefined ? undefined : formats[schema.format];
  if (schema.format === 'email' && digest.email !== undefined) return digest.email;
  if (format !== undefined) return format;
  const content = fitLength(contentFor(field, digest), schema);
  const { pattern } = schema;
  if (pattern === undefined) return content;
  const short = [content, ...patternTrials].filter(text => text.length <= 40);
  return short.map(text => fitLength(text, schema)).find(text => matchesPattern(text, pattern)) ?? content;
}
