import { operationOf } from '../queues/contract/operations/index.ts';
import type { Shape } from '../queues/contract/shape.ts';
import { type FormName, words } from './words.ts';

/*
 * The limits of the fields that forms show, from the contract. The build runs this file and puts its result into the page
 * (`commands/build-console.mjs`), which so knows the contract without the library that checks it.
 */

export interface FieldShape {
  readonly type?: 'string' | 'integer' | 'boolean' | 'array';
  /** Whether a text must not be empty, or a number not absent. */
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
}

interface Schema {
  readonly anyOf?: readonly [Schema, ...Schema[]];
  readonly type?: NonNullable<FieldShape['type']>;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
}

function shapeOf({ anyOf, type, minLength = 0, maxLength, minimum, maximum, pattern }: Schema): FieldShape {
  // The other choice is no value: null, or an empty text.
  if (anyOf) return { ...shapeOf(anyOf[0]), isRequired: false };
  return {
    ...(type && { type }),
    ...((type === 'integer' || minLength > 0) && { isRequired: true }),
    ...(maxLength !== undefined && { maxLength }),
    ...(minimum !== undefined && { min: minimum }),
    ...(maximum !== undefined && { max: maximum }),
    // Browsers read patterns with the flag `v`, in which a hyphen in brackets is escaped.
    ...(pattern !== undefined && { pattern: pattern.replaceAll('-]', String.raw`\-]`) }),
  };
}

function shapesOf(name: FormName): Readonly<Record<string, FieldShape>> {
  const body: Shape<unknown> = operationOf(name).body;
  const { properties } = body['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as {
    readonly properties: Readonly<Record<string, Schema>>;
  };
  return Object.fromEntries(Object.keys(words[name]).map(field => [field, shapeOf(properties[field] ?? {})]));
}

const names = Object.keys(words) as FormName[];

export const shapes = Object.fromEntries(names.map(name => [name, shapesOf(name)])) as Readonly<
  Record<FormName, Readonly<Record<string, FieldShape>>>
>;
