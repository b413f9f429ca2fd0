import { expect } from 'chai';
import { type Refusal, refusals } from '../../queues/contract/failure.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import type { Fields, Tenant } from './operation-calls.ts';
import { type Samples, samplesOf } from './samples.ts';
import { formFor, say } from './scripted-model.ts';
import {
  type ApiResponse,
  borrowService,
  type Service,
  type ServiceOptions,
  startService,
} from './service.ts';

/** A running service, and for each operation a body with which it succeeds. */
export interface Contract {
  readonly service: Service;
  readonly demo: Tenant;
  readonly acme: Tenant;
  /** The samples have the ids of the demo host. */
  readonly samples: Samples;
  close(): Promise<void>;
}

/** Takes the service of this process, or, given options, one of its own. */
export async function openContract(options?: ServiceOptions): Promise<Contract> {
  const service = await (options ? startService(options) : borrowService());
  const { demo, acme } = service;
  const text = '## Olá\n![foto](https://a.example/b.png) e [site](https://a.example) **fim**';
  service.model.script(say(request => (request.response_format ? formFor(request) : text)));
  const samples = await samplesOf(service, demo);
  return { service, demo, acme, samples, close: () => service.close() };
}

type Run = (name: OperationName) => Promise<unknown>;

/** One test for each of these operations. */
export function eachOf(names: readonly OperationName[], title: string, run: Run): void {
  for (const name of names) it(`${name} ${title}`, () => run(name));
}

/** One test for each of the operations that are among those asked. */
export function eachAmong(asked: readonly OperationName[]): typeof eachOf {
  return (names, title, run) =>
    eachOf(
      names.filter(name => asked.includes(name)),
      title,
      run,
    );
}

/**
 * A turn, a list, a record, an upload, a search, one without fields, one for operators and one by GET. What one place does
 * for all operations is seen by these; all others are asked where only CI runs.
 */
export const representatives: readonly OperationName[] = [
  'reason',
  'listConversations',
  'receiveTicket',
  'importDocument',
  'searchFulltext',
  'listFlowTemplates',
  'saveHost',
  'findJob',
];

export function isRepresentative(name: OperationName): boolean {
  return representatives.includes(name);
}

/** Each operation is asked in one of the forms in turn, and the representatives in all. */
export function formsFor<T>(name: OperationName, forms: readonly T[]): readonly T[] {
  const at = operationNames.indexOf(name) % forms.length;
  return isRepresentative(name) ? forms : forms.slice(at, at + 1);
}

/** The data of a success. */
export function ok({ status, body }: ApiResponse) {
  expect(status, JSON.stringify(body)).to.be.oneOf([200, 201]);
  return body.data;
}

/** Expects exactly the envelope of this refusal, with or without the error of OpenAI's form. */
export function expectRefused(
  { status, headers, body }: ApiResponse,
  refusal: Refusal,
  more: Fields = {},
): void {
  const [code, message] = refusals[refusal];
  const requestId = headers.get('x-request-id');
  const { error: _error, ...envelope } = body;
  expect({ status, body: envelope }).to.deep.equal({
    status: code,
    body: { code, message, data: { requestId, reason: refusal, ...more } },
  });
}

/** Expects a 400 that names exactly these fields; the message of the first is, or matches, this one. */
export function expectWrong(
  { status, body }: ApiResponse,
  paths: string | readonly string[],
  message: string | RegExp = '',
): void {
  const fields: { path: string; message: string }[] = body.data?.fields ?? [];
  const found = { status, paths: fields.map(({ path }) => path) };
  expect(found, JSON.stringify(body)).to.deep.equal({ status: 400, paths: [paths].flat() });
  if (typeof message === 'string') expect(fields[0]?.message).to.include(message);
  else expect(fields[0]?.message).to.match(message);
}

export async function expectAccepted(name: OperationName, answer: Promise<ApiResponse>): Promise<void> {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).to.equal(operationOf(name).status);
}
