import { partOf, type Shape } from '../../queues/contract/shape.ts';

/** A list or map in a body, and how to make a body with this value there. */
export interface DeclaredLength {
  /** The path in a refusal: the first item of each list above it. */
  readonly path: string;
  readonly kind: 'list' | 'map';
  readonly max: number;
  bodyWith(value: unknown): unknown;
}

/** All lists and maps in a body of this shape whose length is limited. */
export function declaredLengths(
  shape: Shape<unknown>,
  path = '',
  bodyWith: DeclaredLength['bodyWith'] = value => value,
): DeclaredLength[] {
  const part = partOf(shape);
  switch (part.kind) {
    case 'value':
      return [];
    case 'list':
      return [
        { path, kind: 'list', max: part.max, bodyWith },
        ...declaredLengths(part.item, `${path}[0]`, value => bodyWith([value])),
      ];
    case 'map':
      return [
        { path, kind: 'map', max: part.max, bodyWith },
        ...declaredLengths(part.value, joinPath(path, 'a'), value => bodyWith({ a: value })),
      ];
    case 'object':
      return part.fields.flatMap(({ name, shape: field }) =>
        declaredLengths(field, joinPath(path, name), value => bodyWith({ [name]: value })),
      );
    case 'choice':
      return part.among.flatMap(each => declaredLengths(each, path, bodyWith));
  }
}

function joinPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A JSON list of about this many characters. */
export function longList(item: string, size: number): string {
  return `[${Array(Math.floor(size / (item.length + 1)))
    .fill(item)
    .join(',')}]`;
}

/** A JSON object of about this many characters, with undeclared names. */
export function longMap(value: string, size: number): string {
  const count = Math.floor(size / (value.length + 10));
  return `{${Array.from({ length: count }, (_, at) => `"~${at.toString(36)}":${value}`).join(',')}}`;
}

const MIB = 1_048_576;

/** Texts of about 1 MiB that are no id, phone or time, although they begin as one. */
export const longTexts: readonly string[] = [
  '0'.repeat(MIB),
  '9-'.repeat(MIB / 2),
  `${'2026-01-01T'.repeat(90_000)}!`,
  ' '.repeat(MIB),
];
