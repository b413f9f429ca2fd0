import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { generateSource } from 'oazapfts';
import { openOnce } from '../support/opened.ts';
import { openService } from '../support/service.ts';
import { root } from '../support/source-files.ts';
import { readApiDocument } from './api-document.ts';

const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** Code that a developer writes with the API document only. */
const use = `
import * as api from './client.ts';

export async function useApi(baseUrl: string, token: string, hostId: string, hostSlug: string) {
  const options = { baseUrl, headers: { authorization: 'Bearer ' + token } };
  const begun = await api.createConversation({ hostId, hostSlug }, {}, options);
  if (begun.status !== 200) throw new Error(begun.data.message);
  const conversationId: string = begun.data.data.conversationId;
  const question = { hostId, conversationId, question: 'Qual é o horário?', reasoningConfig: { svcCompleteLog: true } };
  const turn = await api.reason(question, { idempotencyKey: 'client-1' }, options);
  if (turn.status !== 200) throw new Error(turn.data.message);
  const said: string = turn.data.data.assistantResponse['string'];
  const [receipt] = turn.data.data.svcCompleteLog;
  const calls: number | undefined = receipt?.modelCalls.length;
  const found = await api.searchFulltext({ query: 'horário', limit: 5 }, {}, options);
  if (found.status !== 200) throw new Error(found.data.message);
  const origins: ('conversations' | 'leads' | 'tickets')[] = found.data.results.map(each => each.origin_table);
  const ticket = { external_id: 1, email: 'ana@example.com', subject: 'Boleto', turno: 'noite' };
  const received = await api.receiveTicket(ticket, {}, options);
  if (received.status !== 200) throw new Error(received.data.message);
  const status: 'created' | 'updated' | 'unchanged' = received.data.entityData.status;
  const later = await api.reason({ ...question, question: 'E no sábado?' }, { prefer: 'respond-async' }, options);
  if (later.status !== 202) throw new Error('not accepted');
  const jobId: string = later.data.data.jobId;
  const job = await api.findJob(jobId, {}, options);
  if (job.status !== 200) throw new Error(job.data.message);
  const state: 'queued' | 'running' | 'completed' | 'failed' = job.data.data.state;
  const unknown = await api.findJob('none', {}, options);
  if (unknown.status === 200) throw new Error('found');
  const requestId: string = unknown.data.data.requestId;
  return { said, calls, origins, extra: received.data.interData, status, state, code: unknown.data.code, requestId };
}
`;

describe('a client that is generated from /openapi.json', () => {
  const service = openService();
  const client = openOnce(async () => generateClient((await readApiDocument(service)).raw));
  after(() => client.remove());

  it('does not compile where it sends or reads what is not declared', async () => {
    const wrong = use
      .replace('hostSlug }', 'hostSlug: 5 }')
      .replace('limit: 5', "limit: 'five'")
      .replace('.entityData.status', '.entityData.fate');
    const lines = await client.compile(wrong);
    expect(lines.filter(line => line.startsWith('use.ts') || line.includes('/use.ts('))).to.have.length(3);
  });

  it('compiles with the compiler of this project, and talks to the running service', async () => {
    expect(await client.compile(use)).to.deep.equal([]);
    service.model.say('Abre às 8h.');
    const { useApi } = await client.load();
    const { hostId, slug, token } = service.demo;
    const seen = await useApi(service.baseURL, token, hostId, slug);
    expect(seen).to.deep.include({
      said: 'Abre às 8h.',
      calls: 1,
      extra: [{ field: 'turno', value: 'noite' }],
      status: 'created',
      code: 404,
    });
    expect(seen['state']).to.be.oneOf(['queued', 'running', 'completed']);
    expect(seen['requestId']).to.match(/^[0-9a-f-]{36}$/);
  });
});

/** A client generated from an API document, in its own folder, with code that uses it. */
async function generateClient(document: unknown) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-client-'));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write('openapi.json', JSON.stringify(document));
  await write('package.json', '{ "type": "module" }');
  await write('client.ts', await generateSource(join(folder, 'openapi.json')));
  // Generated clients do not distinguish undefined from absent.
  const compilerOptions = { exactOptionalPropertyTypes: false, types: ['node'], rootDir: '/' };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: ['use.ts'] };
  await write('tsconfig.json', JSON.stringify(config));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    /** The compiler errors of this module, which may import from `./client.ts`. */
    async compile(source: string): Promise<string[]> {
      await write('use.ts', source);
      const args = [compiler, '--noEmit', '--pretty', 'false', '-p', folder];
      // It exits with 1 if there are errors, and prints them.
      const { stdout } = await promisify(execFile)(process.execPath, args).catch(error => error);
      return String(stdout).split('\n').filter(Boolean);
    },
    load: () => import(join(folder, 'use.ts')),
    remove: () => rm(folder, { recursive: true }),
  };
}
