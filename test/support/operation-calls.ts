import { jsonSchemaOf } from '../../api/openapi/json-schema-of.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';

export type Fields = Record<string, unknown>;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into answers freely.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  readonly method?: string;
}

/** A host, and the text of a token for it. */
export interface Tenant {
  readonly hostId: string;
  readonly slug: string;
  readonly token: string;
}

/** The part of a service that calls it. */
export interface Calls {
  readonly demo: Tenant;
  readonly operatorToken: string;
  /** A string or bytes are sent unchanged. Without `token`, the demo host’s is used. */
  call(path: string, body?: unknown, options?: CallOptions): Promise<ApiResponse>;
}

/** JSON Schema, as far as the shapes of operations use it. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The operations with a body; the others have fields in their path only. */
export const bodyOperations = operationNames.filter(name => operationOf(name).method === 'POST');

/** Operations whose fields the API validates; the worker validates records. */
export const checkedOperations = bodyOperations.filter(name => !operationOf(name).takesRecords);

export function takesLists(name: OperationName): boolean {
  return (
    (jsonSchemaOf(operationOf(name).body) as Schema).anyOf?.some(({ type }) => type === 'array') ?? false
  );
}

/** The schema of a single body, where a list is allowed, too. */
export function bodySchemaOf(name: OperationName): Schema {
  const schema = jsonSchemaOf(operationOf(name).body) as Schema;
  return schema.anyOf?.find(({ type }) => type === 'object') ?? schema;
}

/** Every path of the operation, in router syntax. */
export function pathsOf(name: OperationName): string[] {
  const { path, aliases = [] } = operationOf(name);
  return [path, ...aliases];
}

/** The first of its paths, with its parameters filled in. */
export function addressOf(name: OperationName, fields: Fields = {}): string {
  return filled(operationOf(name).path, fields);
}

export function filled(path: string, fields: Fields): string {
  return path.replaceAll(/:(\w+)/g, (_, field: string) => {
    const value = fields[field];
    return typeof value === 'string' ? encodeURIComponent(value) : 'x';
  });
}

/** Calls the operation with these fields, as who may; a body that is no object is sent unchanged. */
export function send(
  service: Calls,
  name: OperationName,
  body: unknown,
  options: CallOptions = {},
): Promise<ApiResponse> {
  const { method } = operationOf(name);
  const address = addressOf(name, typeof body === 'object' ? (body as Fields) : {});
  const token = tokenFor(service, name);
  return service.call(address, method === 'GET' ? undefined : body, { method, token, ...options });
}

/** The token of the demo host, or of operators where others may not. */
export function tokenFor(service: Calls, name: OperationName): string {
  return operationOf(name).isForOperators ? service.operatorToken : service.demo.token;
}

/** The answer without the values that differ in every answer. */
export function comparable({ status, body }: ApiResponse) {
  const { requestId: _, ...data } = body.data ?? {};
  return { status, body: { ...body, data } };
}

/** A copy of the body with another value in this field; `a.b` is the field b of a. */
export function withField(body: Fields, path: string, value: unknown): Fields {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...body, [first]: value };
  const inner = body[first];
  const held = inner !== null && typeof inner === 'object' ? (inner as Fields) : {};
  return { ...body, [first]: withField(held, rest.join('.'), value) };
}

/** The paths of all fields in objects of the body, with their schemas. */
export function fieldsOf(schema: Schema, above = ''): [path: string, schema: Schema][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${above}${name}`;
    return [[path, field] as [string, Schema], ...fieldsOf(field, `${path}.`)];
  });
}

/** The path of each field of an object, and of the objects in it. */
export function pathsIn(value: unknown, above = ''): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${above}${name}`,
    ...pathsIn(inner, `${above}${name}.`),
  ]);
}
