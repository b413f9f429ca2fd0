import { isJsonObject } from '../platform/json-object.ts';
import { RawJson } from '../platform/raw-json.ts';
import { type Failure, isFailure, refusals } from '../queues/contract/failure.ts';
import { type OperationName, operationOf } from '../queues/contract/operations/index.ts';
import { fieldsOf, readJson, type Words } from './call-fields.ts';
import { runOperation } from './run-operation.ts';
import { withDatabase } from './with-database.ts';

/** Runs the operation that the words tell and prints its answer; a failure is an error, which `withDatabase` prints. */
export function callOperation(name: OperationName, { first, flags }: Words): Promise<void> {
  return withDatabase(async db => {
    const [path, ...others] = first;
    if (others.length > 0) throw new Error(`"${others[0]}" follows no flag: see --help.`);
    const body = path === undefined ? {} : readJson(path);
    if (!isJsonObject(body)) throw new Error(`${path} contains no JSON object.`);
    const fieldFlags = new Map([...flags].filter(([flag]) => flag !== 'host'));
    const fields = fieldsOf(operationOf(name).body, { first, flags: fieldFlags }, body);
    const outcome = await runOperation(db, name, fields, flags.get('host'));
    if (isFailure(outcome)) throw new Error(describeFailure(outcome));
    const data = outcome.data instanceof RawJson ? outcome.data.parse() : outcome.data;
    console.log(JSON.stringify(data, null, 2));
  });
}

/** The name of the refusal, its message, and a line for each field. */
export function describeFailure({
  code,
  message,
  data: { fields = [], hint, cases = [] } = {},
}: Failure): string {
  const [name] = Object.entries(refusals).find(([, [, known]]) => known === message) ?? [code];
  const lines = fields.map(({ path, message: wrong }) => `  ${path} ${wrong}`);
  const failing = cases.map(({ case: title, failed }) => `  ${title}: ${failed.join(', ')}`);
  return [`${name}: ${message}${hint === undefined ? '' : ` (${hint})`}`, ...lines, ...failing].join('\n');
}
