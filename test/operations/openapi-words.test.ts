import { expect } from 'chai';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { type Contract, openContract, someOf } from '../support/contract.ts';
import { type Fields, pathsOf, send } from '../support/operation-calls.ts';
import { borrowService } from '../support/service.ts';
import { type ApiDocument, type DescribedResponse, readApiDocument } from './api-document.ts';

/** Headers of the connection and the body, which a document does not declare. */
const ofTheMessage = [
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
];
const CALLS_WITHOUT_OPERATION = [
  'completeChat',
  'callTools',
  'receiveSigned',
  'liveHealth',
  'readyHealth',
  'workersHealth',
  'runTests',
];

describe('what /openapi.json says of each call', () => {
  let contract: Contract;
  let document: ApiDocument;
  before(async () => {
    contract = await openContract({
      enableTestEndpoint: true,
      appEnv: 'development',
      corsOrigins: ['https://a.example'],
    });
    document = await readApiDocument(contract.service);
  });
  after(() => contract.close());

  it('has every call of the service, the test run where it is enabled, and nothing else', async () => {
    const ids = document.calls.map(({ operationId }) => operationId.replace(/Alias\d$/, ''));
    expect(new Set(ids)).to.deep.equal(new Set([...operationNames, ...CALLS_WITHOUT_OPERATION]));
    const paths = operationNames.flatMap(pathsOf);
    expect(document.calls).to.have.length(paths.length + CALLS_WITHOUT_OPERATION.length);
    const without = await borrowService();
    try {
      const { raw } = await readApiDocument(without);
      expect(Object.keys(raw['paths'] as Fields)).to.not.include('/api/tests/run');
      expect(JSON.stringify(raw)).to.not.include('testToken');
    } finally {
      await without.close();
    }
  });

  it('has a description of its own for each property, parameter and header', () => {
    const described = [...propertiesIn(document.raw, '')];
    expect(described.length).to.be.greaterThan(800);
    const bare = described.filter(([path, { description }]) => !isToldIn(description, path));
    expect(bare.map(([path]) => path)).to.deep.equal([]);
  });

  it('notices a property without words, or with no more than its name', () => {
    const told = (description?: string) => isToldIn(description, 'a.properties.avatarName');
    expect([
      told(),
      told(''),
      told('Avatar name.'),
      told('The avatar name.'),
      told('avatar_name'),
    ]).to.not.include(true);
    expect(told('Name of the avatar, as people see it.')).to.equal(true);
    const nested = { properties: { a: { items: { anyOf: [{ properties: { b: {} } }] } } } };
    expect([...propertiesIn(nested, '')].map(([path]) => path)).to.deep.equal([
      '.properties.a',
      '.properties.a.items.anyOf.0.properties.b',
    ]);
  });

  it('has for each call one tag, which is what it is about and not how the work is queued', () => {
    const { tags } = document.raw as { tags: { name: string; description: string }[] };
    for (const { name, description } of tags) expect(description, name).to.match(/\w+ \w+ \w+/);
    const used = document.calls.map(({ tags: own, operationId }) => {
      expect(own, operationId).to.have.length(1);
      return own[0];
    });
    expect(new Set(used)).to.deep.equal(new Set(tags.map(({ name }) => name)));
    expect(new Set(tags.map(({ name }) => name)).size).to.equal(tags.length);
    const sizes = tags.map(({ name }) => used.filter(each => each === name).length);
    expect(Math.max(...sizes), 'calls under one tag').to.be.at.most(10);
  });

  it('has for each request and each answer an example that its schema takes', () => {
    const wrong = document.calls.flatMap(({ operationId, parameters, requestBody, responses }) => [
      ...parameters
        .filter(({ required }) => required)
        .flatMap(({ name, schema, example }) =>
          document.faults(schema, example).map(fault => `${operationId} ${name} ${fault}`),
        ),
      ...[...(requestBody ? [requestBody] : []), ...Object.values(responses)].flatMap(each =>
        exampleFaults(each).map(fault => `${operationId} ${fault}`),
      ),
    ]);
    expect(wrong).to.deep.equal([]);
  });

  const exampleFaults = ({ content }: DescribedResponse): string[] => {
    const { schema, example, examples = {} } = content['application/json'];
    const values = example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
    return values.length === 0 ? ['has no example'] : values.flatMap(value => document.faults(schema, value));
  };

  it('declares each header that an answer carries', async () => {
    const { service, samples } = contract;
    const seen = new Set<string>();
    for (const name of operationNames) {
      const { path, method } = operationOf(name);
      const described = document.call(path.replaceAll(/:(\w+)/g, '{$1}'), method);
      const own = [
        send(service, name, samples[name]),
        send(service, name, samples[name], {
          headers: { prefer: 'respond-async', origin: 'https://a.example' },
        }),
      ];
      const common = () => [
        send(service, name, samples[name], { token: undefined }),
        send(service, name, { jobId: 'wrong' }),
        service.call(path, undefined, { method: 'DELETE' }),
      ];
      // One place answers these for all operations.
      const answers = await Promise.all([...own, ...(someOf(operationNames).includes(name) ? common() : [])]);
      for (const { status, headers } of answers) {
        for (const each of headers.keys()) seen.add(each);
        expect(undeclaredIn(headers, described.responses[status]), `${name} ${status}`).to.deep.equal([]);
      }
    }
    expect([...seen]).to.include.members([
      'x-request-id',
      'cache-control',
      'www-authenticate',
      'allow',
      'location',
      'preference-applied',
      'vary',
      'access-control-allow-origin',
      'content-security-policy',
    ]);
  });

  it('declares Retry-After wherever a call may be told to come again', () => {
    for (const { operationId, responses } of document.calls) {
      for (const [status, { headers }] of Object.entries(responses)) {
        const isTold = Object.keys(headers ?? {}).includes('Retry-After');
        expect(isTold, `${operationId} ${status}`).to.equal(status === '429' || status === '503');
      }
    }
  });

  it('declares the headers that a request may carry', () => {
    for (const name of operationNames) {
      const { path, method, mayRespondAsync } = operationOf(name);
      const { parameters } = document.call(path.replaceAll(/:(\w+)/g, '{$1}'), method);
      const inHeader = parameters.filter(each => each['in'] === 'header').map(each => each.name);
      expect(inHeader, name).to.have.members([
        'X-Request-Id',
        'x-choosen-host-id',
        'traceparent',
        ...(method === 'POST' ? ['Idempotency-Key'] : []),
        ...(mayRespondAsync ? ['Prefer', 'X-Callback-Url'] : []),
      ]);
    }
  });

  it('tells what the healths and the test run answer as they answer it', async () => {
    const calls = [
      ...['/health/live', '/health/ready', '/health/workers'].map(path => ['GET', path, undefined] as const),
      ['POST', '/api/tests/run', { watch: true }] as const,
      ['POST', '/api/tests/run', '{'] as const,
    ];
    for (const [method, path, sent] of calls) {
      const { status, body, headers } = await contract.service.call(path, sent, { method, token: undefined });
      const described = document.call(path, method).responses[status];
      const { schema } = described?.content['application/json'] ?? {};
      expect([path, document.faults(schema ?? false, body)]).to.deep.equal([path, []]);
      expect(undeclaredIn(headers, described)).to.deep.equal([]);
    }
  });
});

function undeclaredIn(sent: Headers, described: DescribedResponse | undefined): string[] {
  const declared = Object.keys(described?.headers ?? {}).map(name => name.toLowerCase());
  return [...sent.keys()].filter(name => !ofTheMessage.includes(name) && !declared.includes(name));
}

type Property = readonly [path: string, described: { readonly description?: string }];

/** Every property of a schema, every parameter and every header, at any depth. */
function* propertiesIn(value: unknown, path: string): Generator<Property> {
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'example' || key === 'examples') continue;
    const here = `${path}.${key}`;
    // Keys of these are names, not keywords of the document; a property may be called `properties`.
    const isNamed = ['properties', 'securitySchemes'].includes(key) || here === '.components.headers';
    if (!isNamed) yield* propertiesIn(inner, here);
    else
      for (const [name, told] of Object.entries(inner as Fields))
        yield* withInner(told as Fields, `${here}.${name}`);
    if (key === 'parameters')
      for (const each of inner as Fields[]) yield [`${here}.${String(each['name'])}`, each];
  }
}

function* withInner(property: Fields, path: string): Generator<Property> {
  yield [path, property];
  yield* propertiesIn(property, path);
}

/** Whether the description says more than the name. */
function isToldIn(description: string | undefined, path: string): boolean {
  const wordsOf = (text: string) =>
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const ofName = new Set(['the', 'a', 'an', 'of', ...wordsOf(path.split('.').at(-1) ?? '')]);
  return (
    wordsOf(description ?? '').filter(word => !ofName.has(word)).length >= 1 && (description ?? '').length > 9
  );
}
