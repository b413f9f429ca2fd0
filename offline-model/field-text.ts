import type { DialogueDigest } from './dialogue-digest.ts';
import { toComparableText } from './extraction/words.ts';
import type { JsonSchema } from './json-schema.ts';
import { findLabelledValue } from './labelled-value.ts';

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly index: number;
}

/** Stands where the dialogue says nothing about a field. */
const UNKNOWN_TEXT = 'não informado';

const formatSamples: Readonly<Record<string, string>> = {
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

// Deriving a text from a pattern is not supported; these match common patterns of codes, dates, numbers and names.
const patternCandidates = [
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

/** Code points. A larger minLength is not met, because it would only cost memory. */
const MAX_PADDED_LENGTH = 10_000;
/** Characters. The pattern is untrusted: on short texts backtracking stays cheap. */
const MAX_PATTERN_INPUT_LENGTH = 40;

const titleFields = /topic|tema|assunto|title|titulo|subject|categor|tag|label/;
const nameFields = /(^|_)(name|nome|firstname|lastname)$|user_?name|nome/;

function chooseContent({ name, index, schema }: Field, digest: DialogueDigest): string {
  const fieldName = toComparableText(name);
  const emptyText = schema.minLength ? UNKNOWN_TEXT : '';
  if (/mail/.test(fieldName)) return digest.email ?? emptyText;
  if (/phone|telefone|celular|whatsapp/.test(fieldName)) return digest.phone ?? emptyText;
  if (/(^|_)cpf(_|$)/.test(fieldName)) return digest.cpf ?? UNKNOWN_TEXT;
  if (/categor|tag|label|keyword|palavra/.test(fieldName)) return digest.topics[index] ?? UNKNOWN_TEXT;
  if (titleFields.test(fieldName)) return digest.topics.slice(0, 3).join(', ') || UNKNOWN_TEXT;
  if (nameFields.test(fieldName)) return digest.name ?? findLabelledValue(digest.text, name) ?? emptyText;
  return findLabelledValue(digest.text, name) ?? (digest.summary || UNKNOWN_TEXT);
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
  const codePoints = Array.from(text);
  const padding = '.'.repeat(Math.max(0, Math.min(minLength, MAX_PADDED_LENGTH) - codePoints.length));
  return codePoints.length > maxLength ? codePoints.slice(0, maxLength).join('') : text + padding;
}

/** Text for a string field that meets its schema where possible. */
export function writeFieldText(field: Field, digest: DialogueDigest): string {
  const { schema } = field;
  const sample = schema.format === undefined ? undefined : formatSamples[schema.format];
  if (schema.format === 'email' && digest.email !== undefined) return digest.email;
  if (sample !== undefined) return sample;
  const content = fitLength(chooseContent(field, digest), schema);
  const { pattern } = schema;
  if (pattern === undefined) return content;
  const candidates = [content, ...patternCandidates].filter(text => text.length <= MAX_PATTERN_INPUT_LENGTH);
  return (
    candidates.map(text => fitLength(text, schema)).find(text => matchesPattern(text, pattern)) ?? content
  );
}
