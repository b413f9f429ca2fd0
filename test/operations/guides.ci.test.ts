import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import getPort from 'get-port';
import { parseAllowed } from '../../platform/allowed-address.ts';
import { startModelServer } from '../offline-model/with-model-server.ts';
import { eventually } from '../support/eventually.ts';
import { blockOf, blocksOf, startProgram } from '../support/guide.ts';
import { openOnce } from '../support/opened.ts';
import { type Service, startService } from '../support/service.ts';
import { root } from '../support/source-files.ts';

const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
const OWN_SYSTEM = 'docs/guides/your-own-system.md';
/** The first commands of the README: they define BASE, call, field and HOST_ID. */
const asked = /^BASE=[^]*?(?=^# a conversation)/m.exec(textOf('README.md'))?.[0] ?? '';

describe('what the guides show', () => {
  const model = openOnce(startModelServer);
  let service: Service;
  let folder: string;
  let port: string;
  before(async () => {
    port = String(await getPort());
    const pages = ['docs/guides/first-webhook.md', OWN_SYSTEM].map(textOf).join('\n');
    const settings = [...pages.matchAll(/EGRESS_ALLOW=(\S+?)`? npm start/g)].map(
      ([, setting = '']) => setting,
    );
    service = await startService({
      egressAllow: settings.flatMap(setting => parseAllowed(setting.replace(/:\d+$/, `:${port}`)) ?? []),
      ...model.settings,
    });
    // In the project, so that packages are found.
    folder = await mkdtemp(join(root, 'node_modules', '.cache-guides-'));
    await mkdir(join(folder, '.data'));
    await writeFile(join(folder, '.data', 'demo-token'), service.demo.token);
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  const paste = async (commands: string) => {
    const script = `${asked}${commands}`.replace('http://127.0.0.1:3000', service.baseURL);
    const before = await readdir(folder);
    const { stdout } = await promisify(execFile)('bash', ['-ec', script], { cwd: folder });
    const made = (await readdir(folder)).filter(name => !before.includes(name));
    // Which git ignores.
    expect(made.filter(name => name !== 'try')).to.deep.equal([]);
    return stdout;
  };

  it('as a first webhook receives and verifies events', async () => {
    const saved = await paste(blockOf('docs/guides/first-webhook.md', 'bash').replace('9000', port));
    const { secret, webhookId } = JSON.parse(saved).data;
    const page = 'docs/guides/first-webhook.md';
    const program = await startProgram(page, folder, { WEBHOOK_SECRET: secret, PORT: port });
    try {
      await service.demo.call('testWebhook', { webhookId });
      await eventually(
        async () => program.said.join(''),
        text => text.includes('webhook.test {}'),
      );
      expect((await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' })).status).to.equal(401);
    } finally {
      await program.close();
    }
  });

  it('as a first document imports it', async () => {
    await cp(join(root, 'docs', 'guides'), join(folder, 'docs', 'guides'), { recursive: true });
    // Somebody who pastes it looks once a second. Each look starts four processes.
    const commands = blockOf('docs/guides/first-document.md', 'bash').replace('sleep 1', 'sleep 0.4');
    expect(JSON.parse(await paste(commands)).data).to.deep.include({ state: 'completed', code: 200 });
  });

  it('as a system of one’s own is asked, and changes something once after a yes', async () => {
    const program = await startProgram(OWN_SYSTEM, folder, { PORT: port });
    try {
      const commands = blocksOf(OWN_SYSTEM, 'bash').map(block => block.replace('9100', port));
      const said = await paste(commands.join(''));
      expect(said).to.match(
        /10201\.500088 7 16560000083050\n[^]*Posso fazer [^]*10201\.500088 1 16660000083050\n/,
      );
      expect(said.match(/rest:\S+ \d+/g)).to.deep.equal([
        'rest:financeiro:listar_boletos 200',
        'rest:financeiro:emitir_segunda_via 202',
        'rest:financeiro:emitir_segunda_via 200',
      ]);
      expect(program.said.join('').match(/segunda via do boleto 7/g)).to.have.length(1);
    } finally {
      await program.close();
    }
  });

  it('as an OpenAI client gets an answer of the demonstration', async () => {
    await writeFile(join(folder, 'client.mjs'), blockOf('docs/guides/openai-client.md', 'js'));
    const env = { ...process.env, PARLEY_URL: service.baseURL, PARLEY_TOKEN: service.demo.token };
    const { stdout } = await promisify(execFile)(process.execPath, ['client.mjs'], { cwd: folder, env });
    expect(stdout).to.include('das 8h às 21h');
  });
});
