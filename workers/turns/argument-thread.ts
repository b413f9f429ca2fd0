import { parentPort } from 'node:worker_threads';
import type { JsonObject } from '../../platform/json-object.ts';
import { argumentErrorsOf } from '../domain/schemas/schema-errors.ts';

/* A thread that checks one call at a time. Its first message says that it has started. */

export interface ArgumentCheck {
  readonly schema: JsonObject;
  readonly args: JsonObject;
}

parentPort?.on('message', ({ schema, args }: ArgumentCheck) =>
  parentPort?.postMessage(argumentErrorsOf(schema, args), []),
);
parentPort?.postMessage(undefined, []);
