import { foldText } from '../text/fold.ts';
import type { DialogueDigest } from './dialogue-digest.ts';
import type { JsonSchema } from './json-schema.ts';
import { findLabelledValue } from './labelled-value.ts';

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly index: number;
}

/** Stands where the dialogue says nothing about a field. */
const UNKNOWN = 'não informado';
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
/** No text is derived from a pattern; these match common ones of codes, dates and names. */
const patternSamples = '0 a A texto Texto 00 000 0000 aaa AAA a_b a-b 2000-01-01 00:00'.split(' ');
/** In code points. A larger `minLength` is not met, because it would only cost memory. */
const MAX_PADDED = 10_000;
/** In characters. The pattern is untrusted: on short texts backtracking stays cheap. */
const MAX_MATCHED = 40;

/** Text for a string field that meets its schema where possible. */
export function writeFieldText(field: Field, digest: DialogueDigest): string {
  const { format = '', pattern } = field.schema;
  if (format === 'email' && digest.email !== undefined) return digest.email;
  const sample = formatSamples[format];
  if (sample !== undefined) return sample;
  const content = fitLength(chooseContent(field, digest), field.schema);
  if (pattern === undefined) return content;
  const candidates = [content, ...patternSamples].filter(text => text.length <= MAX_MATCHED);
  const fitting = candidates.map(text => fitLength(text, field.schema));
  return fitting.find(text => matchesPattern(text, pattern)) ?? content;
}

function chooseContent({ name, index, schema }: Field, digest: DialogueDigest): string {
  const field = foldText(name);
  const empty = schema.minLength ? UNKNOWN : '';
  if (/mail/.test(field)) return digest.email ?? empty;
  if (/phone|telefone|celular|whatsapp/.test(field)) return digest.phone ?? empty;
  if (/(^|_)cpf(_|$)/.test(field)) return digest.cpf ?? UNKNOWN;
  if (/categor|tag|label|keyword|palavra/.test(field)) return digest.topics[index] ?? UNKNOWN;
  if (/topic|tema|assunto|title|titulo|subject/.test(field))
    return digest.topics.slice(0, 3).join(', ') || UNKNOWN;
  const labelled = findLabelledValue(digest.text, name);
  if (/(^|_)(name|firstname|lastname)$|user_?name|nome/.test(field)) return digest.name ?? labelled ?? empty;
  return labelled ?? (digest.summary || UNKNOWN);
}

function matchesPattern(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

/** Lengths in JSON Schema count code points. */
function fitLength(
  text: string,
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema,
): string {
  const codePoints = Array.from(text);
  if (codePoints.length > maxLength) return codePoints.slice(0, maxLength).join('');
  return text + '.'.repeat(Math.max(0, Math.min(minLength, MAX_PADDED) - codePoints.length));
}
