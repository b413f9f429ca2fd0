import type { Refusal } from '../queues/contract/failure.ts';
import type { Tag } from '../queues/contract/operation.ts';
import type { Json } from './openapi/json-schema-of.ts';

/**
 * A call that is no operation: `web` answers it itself, or in another form. Its route and the API document are derived from it.
 */
export interface Call {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  readonly method: 'GET' | 'POST';
  /** Koa router syntax. */
  readonly path: string;
  /** Replaces the access token; its name leads to one of the schemes below. */
  readonly security?: readonly Json[];
  readonly securitySchemes?: Json;
  readonly parameters: readonly Json[];
  readonly requestBody?: Json;
  /** The answers by status, beside the refusals. One without a description is a success. */
  readonly answers: { readonly [status: number]: Json };
  readonly refusals: readonly Refusal[];
}
