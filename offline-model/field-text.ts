import { foldText } from '../text/fold.ts';
import { type DialogueDigest, personalValue } from './dialogue-digest.ts';
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
  email: 'nao-informado@example.invalid',
  uri: 'https://example.invalid/',
  uuid: '00000000-0000-4000-8000-000000000000',
};
/** In code points. A larger `minLength` is not met, because it would only cost memory. */
const MAX_PADDED = 10_000;

/** Text for a string field that meets its schema where possible. */
export function writeFieldText(field: Field, digest: DialogueDigest): string {
  const { format = '' } = field.schema;
  if (format === 'email' && digest.email !== undefined) return digest.email;
  return formatSamples[format] ?? fitLength(chooseContent(field, digest), field.schema);
}

function chooseContent({ name, index, schema }: Field, digest: DialogueDigest): string {
  const [isKnown, value] = personalValue(name, digest);
  const empty = schema.minLength ? UNKNOWN : '';
  if (isKnown || value !== undefined) return value ?? empty;
  const field = foldText(name);
  if (/categor|tag|label|keyword|palavra/.test(field)) return digest.topics[index] ?? UNKNOWN;
  if (/topic|tema|assunto|title|titulo|subject/.test(field))
    return digest.topics.slice(0, 3).join(', ') || UNKNOWN;
  const labelled = findLabelledValue(digest.text, name);
  return labelled ?? (/name$|nome/.test(field) ? empty : digest.summary || UNKNOWN);
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
