import type { Tool } from '@modelcontextprotocol/server';
import type { Token } from '../../db/hosts/tokens.ts';
import type { Operation } from '../../queues/contract/operation.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { findMissingRight } from '../guards/authenticate.ts';
import { jsonSchemaOf } from '../openapi/json-schema-of.ts';

interface OperationTool {
  readonly operation: Operation;
  readonly tool: Tool;
}

/** The key is the name of the operation. A tool takes an object, so an operation whose body may be another value is none. */
const tools: ReadonlyMap<string, OperationTool> = new Map(
  operationNames.flatMap(name => {
    const operation = operationOf(name);
    const { type, ...schema } = jsonSchemaOf(operation.body);
    if (type !== 'object') return [];
    return [[name, { operation, tool: toolOf(name, operation, { type, ...schema }) }] as const];
  }),
);

/** The operations that the token has the rights for. */
export function listTools(token: Token): Tool[] {
  const theirs = [...tools.values()].filter(({ operation }) => !findMissingRight(token, operation));
  return theirs.map(({ tool }) => tool);
}

export function isTool(name: string): name is OperationName {
  return tools.has(name);
}

function toolOf(
  name: OperationName,
  { summary, description, effect }: Operation,
  inputSchema: Tool['inputSchema'],
): Tool {
  return {
    name,
    title: summary,
    description: description === undefined ? summary : `${summary}. ${description}`,
    inputSchema,
    annotations: { readOnlyHint: effect === 'reads', destructiveHint: effect === 'changes' },
  };
}
