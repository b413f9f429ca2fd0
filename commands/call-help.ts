import { tags } from '../queues/contract/operation.ts';
import { type OperationName, operationNames, operationOf } from '../queues/contract/operations/index.ts';
import { partOf, type Shape } from '../queues/contract/shape.ts';
import { isForCommands } from './run-operation.ts';

/* The help of `npm run call`, made from the contract. */

export function listOperations(): string {
  const nouns = Object.entries(tags).flatMap(([tag, about]) => {
    const names = operationNames.filter(name => operationOf(name).tag === tag && isForCommands(name));
    if (names.length === 0) return [];
    const width = Math.max(...names.map(name => name.length)) + 2;
    return [
      `\n${tag}: ${about}`,
      ...names.map(name => `  ${name.padEnd(width)}${operationOf(name).summary}`),
    ];
  });
  return [
    'npm run call -- OPERATION [body.json | -] [--host SLUG] [--FIELD VALUE …]',
    'The answer is JSON on standard output; a failure is on standard error, with exit code 1.',
    'npm run call -- OPERATION --help shows the fields of an operation.',
    ...nouns,
  ].join('\n');
}

export function describeOperation(name: OperationName): string {
  const { summary, description, body, example } = operationOf(name);
  return [
    `${name}: ${summary}`,
    ...(description === undefined ? [] : [description]),
    '',
    '  --host SLUG: the host, in place of its id',
    ...linesOf(body, '--', '  '),
    '',
    `Example, as ${name}.json: npm run call -- ${name} ${name}.json`,
    JSON.stringify(example.body, null, 2),
  ].join('\n');
}

/** Fields get flags that begin with `above`; without it they are in the items of a list, which are JSON, and get none. */
function linesOf(shape: Shape<unknown>, above: string | undefined, indent: string): string[] {
  const part = partOf(shape);
  if (part.kind === 'choice') return part.among.flatMap(each => linesOf(each, above, indent));
  if (part.kind === 'list') return linesOf(part.item, undefined, indent);
  if (part.kind !== 'object') return [];
  return part.fields.flatMap(({ name, shape: inner, isRequired }) => {
    const flag = `${above ?? ''}${name}`;
    const { description = '' } = (inner.describe().flags ?? {}) as { readonly description?: string };
    const line = `${indent}${flag} ${isRequired ? '(required) ' : ''}${formOf(inner)}. ${description}`;
    return [line, ...linesOf(inner, above && `${flag}.`, `${indent}  `)];
  });
}

function formOf(shape: Shape<unknown>): string {
  const part = partOf(shape);
  switch (part.kind) {
    case 'value':
      return part.form;
    case 'choice':
      return [...new Set(part.among.map(formOf))].join(', or ');
    case 'list':
      return `a list of ${part.min} to ${part.max}, each ${formOf(part.item)}`;
    case 'map':
      return `an object of at most ${part.max} fields, each ${formOf(part.value)}`;
    case 'object':
      return 'an object';
  }
}
