import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Fields } from '../support/operation-calls.ts';
import type { Service } from '../support/service.ts';

export interface Media {
  readonly schema: Fields;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: Fields }>>;
}
export interface DescribedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content: { readonly 'application/json': Media };
}
export interface DescribedCall {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly (Fields & { readonly name: string; readonly schema: Fields })[];
  readonly requestBody?: DescribedResponse;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

/** Settings of an api that has all its calls, and headers of CORS. */
export const withTestRun = {
  enableTestEndpoint: true,
  appEnv: 'development',
  corsOrigins: ['https://a.example'],
} as const;

export interface ApiDocument {
  readonly raw: Fields;
  /** Every call, with references to responses resolved. */
  readonly calls: readonly DescribedCall[];
  call(path: string, method: string): DescribedCall;
  /** How this value differs from that part of the document. */
  faults(schema: unknown, value: unknown): string[];
}

export async function readApiDocument(service: Pick<Service, 'call'>): Promise<ApiDocument> {
  const { body: raw } = await service.call('/openapi.json', undefined, { token: undefined });
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  formats.default(ajv);
  const compiled = new Map<unknown, ReturnType<typeof ajv.compile>>();
  const { schemas } = raw.components;
  const call = (path: string, method: string): DescribedCall => {
    const described = raw.paths[path][method.toLowerCase()];
    const led = Object.entries<{ $ref?: string }>(described.responses).map(([status, answer]) => {
      const name = (answer.$ref ?? '').replace('#/components/responses/', '');
      return [status, name ? raw.components.responses[name] : answer];
    });
    return { ...described, responses: Object.fromEntries(led) };
  };
  return {
    raw,
    calls: Object.entries<Fields>(raw.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => call(path, method)),
    ),
    call,
    faults(schema, value) {
      const check = compiled.get(schema) ?? ajv.compile({ ...(schema as object), components: { schemas } });
      compiled.set(schema, check);
      void check(value);
      return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    },
  };
}
