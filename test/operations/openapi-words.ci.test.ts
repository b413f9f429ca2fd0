import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { isRepresentative, openContract } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import { send } from '../support/operation-calls.ts';
import { type DescribedResponse, readApiDocument, withTestRun } from './api-document.ts';

/** Headers of the connection and the body, which a document does not declare. */
const ofTheMessage = [
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
];
describe('what /openapi.json says of each call', () => {
  const contract = openOnce(() => openContract(withTestRun));
  const document = openOnce(() => readApiDocument(contract.service));

  it('is OpenAPI 3.1 and has nothing that a linter complains about', async () => {
    expect(document.raw['openapi']).to.match(/^3\.1\.\d$/);
    const broken = { openapi: document.raw['openapi'], paths: {} };
    const found = await lint({ 'openapi.json': document.raw, 'broken.json': broken });
    expect(
      new Set(found.map(({ location: [{ source }] }) => source.ref)),
      JSON.stringify(found),
    ).to.deep.equal(new Set(['broken.json']));
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
        // Refused, too, if its sample can be taken once only.
        ...(isRepresentative(name) ? [send(service, name, { ...samples[name], unknown: 1 })] : []),
      ];
      const common = () => [
        send(service, name, samples[name], { token: undefined }),
        send(service, name, { jobId: 'wrong' }),
        service.call(path, undefined, { method: 'DELETE' }),
      ];
      // One place answers these for all operations.
      const answers = await Promise.all([...own, ...(isRepresentative(name) ? common() : [])]);
      for (const { status, headers } of answers) {
        for (const each of headers.keys()) seen.add(each);
        expect(undeclaredIn(headers, described.responses[status]), `${name} ${status}`).to.deep.equal([]);
      }
    }
    const { headers } = await send(service, 'listHosts', {}, { headers: { origin: 'https://a.example' } });
    expect(headers.get('access-control-expose-headers')).to.include('Parley-Ignored-Fields');
    expect([...seen]).to.include.members([
      'x-request-id',
      'cache-control',
      'www-authenticate',
      'allow',
      'location',
      'preference-applied',
      'vary',
      'access-control-allow-origin',
      'parley-ignored-fields',
      'content-security-policy',
    ]);
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
    const linted = promisify(execFile)(process.execPath, [linter, 'lint', '--format=json', ...names], {
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
