import { expect } from 'chai';
import { MAX_VALUES } from '../../api/guards/json-bounds.ts';
import { refusals } from '../../queues/contract/failure.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { openOnce } from '../support/opened.ts';
import { type Fields, pathsOf } from '../support/operation-calls.ts';
import { borrowService, openService } from '../support/service.ts';
import { type DescribedCall, readApiDocument, withTestRun } from './api-document.ts';

const CALLS_WITHOUT_OPERATION =
  'completeChat createResponse callTools receiveSigned visitSite askOnSite readOnSite liveHealth readyHealth workersHealth runTests'.split(
    ' ',
  );

describe('/openapi.json', () => {
  const service = openService(withTestRun);
  const document = openOnce(() => readApiDocument(service));

  const described = (name: OperationName): DescribedCall => {
    const { path, method } = operationOf(name);
    return document.call(path.replaceAll(/:(\w+)/g, '{$1}'), method);
  };

  it('tells of each operation what it is for, the scope that its token needs, and how much a body may hold', () => {
    for (const name of operationNames) {
      const { summary, scope, orScope, isForOperators, method } = operationOf(name);
      expect(described(name)).to.include({ operationId: name, summary });
      expect(summary.length, name).to.be.within(5, 120);
      const needed = [scope, orScope].flatMap(each => (each === undefined ? [] : `\`${each}\``));
      const rights = scope === undefined ? 'needs the scope of the call' : `Scope: ${needed.join(' or ')}`;
      for (const path of pathsOf(name)) {
        const { description } = document.call(path.replaceAll(/:(\w+)/g, '{$1}'), method);
        expect(description, path).to.include(rights);
        if (isForOperators) expect(description, path).to.include('a token of operators');
      }
      const { description } = described(name).requestBody ?? {};
      if (method === 'POST')
        expect(description, name)
          .to.include('1 MiB')
          .and.include(`${MAX_VALUES} values`)
          .and.include('32 levels');
    }
  });

  it('says that a record may be a form, and nothing else may', () => {
    const forms = document.calls.filter(
      ({ requestBody }) => requestBody && 'application/x-www-form-urlencoded' in requestBody.content,
    );
    const names = forms.map(({ operationId }) => operationId);
    expect(names).to.have.members(['receiveTicket', 'receiveDeal', 'receiveObject', 'receiveSigned']);
  });

  it('names the scope for the clients of OpenAI, too', () => {
    expect(document.call('/v1/chat/completions', 'POST').description).to.include('Scope: `reason`');
  });

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
    const bare = (all: Property[]) =>
      all.flatMap(([path, { description }]) => (isToldIn(description, path) ? [] : [path]));
    expect(bare(described)).to.deep.equal([]);
    // No words, and no more than the name, are none.
    const words = [undefined, '', 'Avatar name.', 'The avatar name.', 'avatar_name'];
    const wordless = words.map(description => ['a.properties.avatarName', { description }] as Property);
    expect(bare(wordless)).to.have.length(words.length);
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

  it('has for every refusal of an operation an example in its envelope', () => {
    for (const name of operationNames) {
      const { responses } = described(name);
      const own = operationOf(name).refusals;
      const failing = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      const exampleNames = failing.flatMap(([, { content }]) =>
        Object.keys(content['application/json'].examples ?? {}),
      );
      expect(exampleNames).to.include.members([
        ...own,
        'unauthorized',
        'body-invalid',
        'internal',
        'unavailable',
      ]);
      for (const [status, { description, content }] of failing) {
        const { examples = {} } = content['application/json'];
        expect(Object.keys(examples), `${name} ${status}`).to.not.be.empty;
        for (const [refusal, { value }] of Object.entries(examples)) {
          // No refusal, but a health answer with components that are down.
          if (refusal === 'down') continue;
          const [code, message] = refusals[refusal as keyof typeof refusals];
          expect(value, refusal).to.include({ code, message });
          expect(String(code)).to.equal(status);
          expect(description).to.include(message);
        }
      }
    }
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

  it('asks for the token or the cookie of a session everywhere, and is itself for everybody', async () => {
    const { security, components } = document.raw as { security: Fields; components: Fields };
    expect(security).to.deep.equal([{ token: [] }, { session: [] }]);
    expect(components).to.have.nested.include({
      'securitySchemes.token.type': 'http',
      'securitySchemes.token.scheme': 'bearer',
      'securitySchemes.session.in': 'cookie',
      'securitySchemes.session.name': 'parley_session',
    });
    const response = await fetch(`${service.baseURL}/openapi.json`);
    expect([response.status, response.headers.get('content-type')]).to.deep.equal([
      200,
      'application/json; charset=utf-8',
    ]);
  });

  it('has a page whose every part comes from here', async () => {
    const page = await (await fetch(`${service.baseURL}/docs`)).text();
    const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');
    const fetched = parts.filter(address => !address.startsWith('data:'));
    expect(fetched.length).to.be.greaterThan(1);
    for (const address of fetched) {
      expect(address).to.match(/^\/docs\//);
      const response = await fetch(`${service.baseURL}${address}`);
      expect(response.status, address).to.equal(200);
      expect((await response.text()).length, address).to.be.greaterThan(50);
    }
  });

  it('is sent compressed, like the page, to who takes that', async () => {
    const { baseURL } = service;
    for (const path of ['/openapi.json', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css']) {
      const encodings = ['gzip', 'identity'].map(async accepted => {
        const { headers } = await fetch(`${baseURL}${path}`, { headers: { 'accept-encoding': accepted } });
        expect(headers.get('vary'), path).to.include('Accept-Encoding');
        return headers.get('content-encoding');
      });
      expect(await Promise.all(encodings), path).to.deep.equal(['gzip', null]);
    }
  });
});

type Property = readonly [path: string, described: { readonly description?: string | undefined }];

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
