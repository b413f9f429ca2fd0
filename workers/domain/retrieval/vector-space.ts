/** A vector of a model; only those of one model with as many numbers can be compared. */
export type Vector = readonly number[];

/** What the vectors of a model are kept under. */
export function spaceOf(model: string, { length }: Vector): string {
  return `${model}/${length}`;
}

const MOST_DIMENSIONS = 16_000;

/**
 * The vectors of an answer, in the order of the texts that were sent: undefined unless it has one for each, all of one
 * length and made of numbers, of which some are not 0, for nothing can be compared with nothing.
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
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_DIMENSIONS) return false;
  return value.every(Number.isFinite) && value.some(number => Math.fround(number) !== 0);
}
