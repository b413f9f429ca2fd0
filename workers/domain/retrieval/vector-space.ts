/** An embedding; comparable only within one model and dimension. */
export type Vector = readonly number[];

/** Names the space in which vectors of a model are stored. */
export function spaceOf(model: string, { length }: Vector): string {
  return `${model}/${length}`;
}

const MAX_DIMENSIONS = 16_000;

/**
 * Reads the vectors of an embedding response, in the order of the texts. Undefined unless each text has one, all have one
 * length, and none is zero: a zero vector has no cosine.
 */
export function vectorsIn(answer: unknown, texts: number): Vector[] | undefined {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== texts) return undefined;
  const vectors: (Vector | undefined)[] = Array.from({ length: texts });
  for (const [at, item] of data.entries()) {
    const { index = at, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    if (typeof index !== 'number' || !isVector(embedding)) return undefined;
    vectors[index] = embedding;
  }
  const [first] = vectors;
  const areWhole = vectors.length === texts && vectors.every(vector => vector?.length === first?.length);
  return first && areWhole ? (vectors as Vector[]) : undefined;
}

function isVector(value: unknown): value is Vector {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DIMENSIONS) return false;
  return value.every(Number.isFinite) && value.some(number => Math.fround(number) !== 0);
}
