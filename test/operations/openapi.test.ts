import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { MAX_VALUES } from '../../api/guards/json-bounds.ts';
import { refusals } from '../../queues/contract/failure.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { type Contract, eachOf, openContract } from '../support/contract.ts';
import { bodyOperations, bodySchemaOf, type Fields, pathsOf, send } from '../support/operation-calls.ts';
import type { ApiResponse } from '../support/service.ts';
import { type ApiDocument, type DescribedCall, readApiDocument } from './api-document.ts';

describe('/openapi.json', () => {
  let contract: Contract;
  let document: ApiDocument;
  let [domain, scopeless] = ['', ''];
  before(async () => {
    contract = await openContract();
    const { service, demo, acme } = contract;
    document = await readApiDocument(service);
    domain = await service.makeToken({ hostIds: [demo.hostId, acme.hostId] });
    scopeless = await service.makeToken({ hostIds: [demo.hostId], scopes: [] });
  });
  after(() => contract.close());

  const described = (name: OperationName): DescribedCall => {
    const { path, method } = operationOf(name);
    return document.call(path.replaceAll(/:(\w+)/g, '{$1}'), method);
  };
  const faults = (schema: unknown, value: unknown) => document.faults(schema, value);
  const answerFaults = (name: OperationName, { status, body }: ApiResponse) =>
    faults(described(name).responses[status]?.content['application/json'].schema ?? false, body);

  eachOf(bodyOperations, 'tells how much a body may hold', async name => {
    const { description } = described(name).requestBody ?? {};
    expect(description).to.include('1 MiB').and.include(`${MAX_VALUES} values`).and.include('32 levels');
  });

  it('is OpenAPI 3.1 and has nothing that a linter complains about', async () => {
    expect(document.raw['openapi']).to.match(/^3\.1\.\d$/);
    const broken = { openapi: document.raw['openapi'], paths: {} };
    const found = await lint({ 'openapi.json': document.raw, 'broken.json': broken });
    expect(
      new Set(found.map(({ location: [{ source }] }) => source.ref)),
      JSON.stringify(found),
    ).to.deep.equal(new Set(['broken.json']));
  });

  eachOf(operationNames, 'is described for people', async name => {
    const { summary } = operationOf(name);
    expect(described(name)).to.include({ operationId: name, summary });
    expect(summary.length).to.be.within(5, 120);
  });

  eachOf(operationNames, 'names the scope that a token needs, under each of its paths', async name => {
    const { scope, orScope, isForOperators } = operationOf(name);
    const needed = [scope, orScope].flatMap(each => (each === undefined ? [] : `\`${each}\``));
    const rights = scope === undefined ? 'needs the scope of the call' : `Scope: ${needed.join(' or ')}`;
    for (const path of pathsOf(name)) {
      const { description } = document.call(path.replaceAll(/:(\w+)/g, '{$1}'), operationOf(name).method);
      expect(description, path).to.include(rights);
      if (isForOperators) expect(description, path).to.include('a token of operators');
    }
  });

  it('names the scope for the clients of OpenAI, too', () => {
    expect(document.call('/v1/chat/completions', 'POST').description).to.include('Scope: `reason`');
  });

  eachOf(operationNames, 'has for every refusal that it can give an example in its envelope', async name => {
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
      expect(Object.keys(examples), status).to.not.be.empty;
      for (const [refusal, { value }] of Object.entries(examples)) {
        // No refusal, but a health answer with components that are down.
        if (refusal === 'down') continue;
        const [code, message] = refusals[refusal as keyof typeof refusals];
        expect(value, refusal).to.include({ code, message });
        expect(String(code)).to.equal(status);
        expect(description).to.include(message);
      }
    }
  });

  eachOf(operationNames, 'is answered as it says, with success and with refusals', async name => {
    const { service, acme, samples } = contract;
    const { choosenHostId: _, ...bare } = samples[name];
    const answers = await Promise.all([
      send(service, name, samples[name]),
      send(service, name, samples[name], { token: undefined }),
      send(service, name, samples[name], { token: acme.token }),
      send(service, name, samples[name], { token: scopeless }),
      send(service, name, bare, { token: domain }),
      send(service, name, { jobId: 'wrong' }),
      send(service, name, samples[name], { headers: { prefer: 'respond-async' } }),
    ]);
    const seen = answers.map(answer => [answer.status, answerFaults(name, answer)]);
    expect(seen).to.deep.equal(answers.map(({ status }) => [status, []]));
    expect(new Set(answers.map(({ status }) => status)).size).to.be.greaterThan(2);
  });

  eachOf(
    bodyOperations,
    'takes a body that is as it says, with fields that nobody declared too',
    async name => {
      const schema = described(name).requestBody?.content['application/json'].schema;
      expect(faults(schema, contract.samples[name])).to.deep.equal([]);
      expect(faults(schema, { ...contract.samples[name], unknownField: 1 })).to.deep.equal([]);
      expect(faults(schema, bodySchemaOf(name).required ? {} : [])).to.not.be.empty;
    },
  );

  it('asks for the token or the cookie of a session everywhere, and is itself for everybody', async () => {
    const { security, components } = document.raw as { security: Fields; components: Fields };
    expect(security).to.deep.equal([{ token: [] }, { session: [] }]);
    expect(components).to.have.nested.include({
      'securitySchemes.token.type': 'http',
      'securitySchemes.token.scheme': 'bearer',
      'securitySchemes.session.in': 'cookie',
      'securitySchemes.session.name': 'parley_session',
    });
    const response = await fetch(`${contract.service.baseURL}/openapi.json`);
    expect([response.status, response.headers.get('content-type')]).to.deep.equal([
      200,
      'application/json; charset=utf-8',
    ]);
  });

  it('has a page whose every part comes from here', async () => {
    const page = await (await fetch(`${contract.service.baseURL}/docs`)).text();
    const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');
    const fetched = parts.filter(address => !address.startsWith('data:'));
    expect(fetched.length).to.be.greaterThan(1);
    for (const address of fetched) {
      expect(address).to.match(/^\/docs\//);
      const response = await fetch(`${contract.service.baseURL}${address}`);
      expect(response.status, address).to.equal(200);
      expect((await response.text()).length, address).to.be.greaterThan(50);
    }
  });

  it('is sent compressed, like the page, to who takes that', async () => {
    const { baseURL } = contract.service;
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

interface Finding {
  readonly message: string;
  readonly location: readonly [{ readonly source: { readonly ref: string } }];
}

/** The findings of the linter, each with its file, without telemetry. */
async function lint(files: Readonly<Record<string, unknown>>): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-openapi-'));
  try {
    const names = Object.keys(files);
    for (const name of names) await writeFile(join(folder, name), JSON.stringify(files[name]));
    const args = [linter, 'lint', '--format=json', ...names];
    const linted = promisify(execFile)(process.execPath, args, {
      cwd: folder,
      env: { HOME: folder, ...quiet },
    });
    // It exits with 1 on errors, with the same output.
    const { stdout } = await linted.catch((error: { stdout: string }) => error);
    // One JSON text for each file, one after the other.
    const told = stdout
      .split(/(?<=^\})(?=\{$)/m)
      .map(text => (JSON.parse(text) as { problems: Finding[] }).problems);
    expect(told).to.have.length(names.length);
    return told.flat();
  } finally {
    await rm(folder, { recursive: true });
  }
}

const require = createRequire(import.meta.url);
const linter = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin', 'cli.js');
const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
