import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { expect } from 'chai';
import { composeGreeting } from '../../commands/launcher/print-greeting.ts';
import { upsertPerson } from '../../db/hosts/people.ts';
import { makeLog } from '../../platform/log.ts';
import { startWorkers } from '../../workers/start.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { openOwnService, type Service } from '../support/service.ts';
import { makeFolder, type TempFolder } from '../support/temp-folder.ts';

const opsPassword = 'the password of operators';
describe('the launcher', () => {
  const service = openOwnService({ opsPassword });
  /** Its workers have come and gone. It is on the address of HOST alone. */
  const idle = openOwnService({ workers: false, requestTimeoutMs: 300, host: '127.0.0.1' });
  const folder = openOnce(makeFolder);
  const idleFolder = openOnce(makeFolder);

  describe('what npm start says when it is ready', () => {
    const greet = (showsSecrets: boolean) => greetingOf(service, folder, showsSecrets);

    it('holds the demo token and the password on a terminal, with calls to paste', async () => {
      const said = await greet(true);
      const token = (await folder.read('demo-token')).trim();
      for (const told of ['institution demo', 'offline-extractive', folder.path])
        expect(said).to.include(told);
      expect(said).to.include(opsPassword).and.to.include(`"Authorization: Bearer ${token}"`);
    });

    it('holds a site whose page has the chat, which keeps its key from one start to the next', async () => {
      const keys = new Set<string>();
      for (const _start of [1, 2]) {
        const [, site = ''] = /a site +(http:\S+)/.exec(await greet(true)) ?? [];
        const page = await fetch(site);
        expect(page.headers.get('content-security-policy')).to.include(`script-src ${service.baseURL}`);
        const [, key = ''] = /chat\.js" data-key="(\S+)"/.exec(await page.text()) ?? [];
        const options = { token: undefined, headers: { origin: site } };
        const visit = await service.call(`/site-chat/${key}/visits`, {}, options);
        expect(visit.body.data.title).to.equal('Universidade Horizonte');
        keys.add(key);
      }
      expect([...keys]).to.have.lengthOf(1);
    });

    it('holds a link that signs in once, as the admin of the demo', async () => {
      const person = { id: randomUUID(), email: 'marina@horizonte.example', disabled: false };
      await service.demo.inHost(scope =>
        upsertPerson(scope, { ...person, name: 'Marina Alves', role: 'admin' }),
      );
      const said = await greet(true);
      const [, link] = /#entrar=(lnk_\w+)/.exec(said) ?? [];
      expect(said).to.include('as Marina Alves').and.to.not.include('token -- link');
      const exchange = () => service.call('/console/sign-in', undefined, { method: 'POST', token: link });
      expect([(await exchange()).status, (await exchange()).status]).to.deep.equal([200, 401]);
      expect(await greet(false)).to.not.include('lnk_');
    });

    it('says elsewhere where they are kept, and nothing of what they are', async () => {
      const said = await greet(false);
      const kept = folder.pathOf('demo-token');
      const token = (await folder.read('demo-token')).trim();
      expect((await stat(kept)).mode & 0o777).to.equal(0o600);
      expect(said).to.not.include(token).and.to.not.include('svc_').and.to.not.include(opsPassword);
      expect(said).to.include(kept).and.to.include(folder.pathOf('ops-password'));
      expect(said).to.include(`"Authorization: Bearer $(cat '${kept}')"`);
      const link = `npm run token -- link --host demo --url ${service.baseURL}`;
      expect(said.trimEnd().split('\n').at(-1)).to.equal(
        `A link that signs in to the console: DATA_DIR='${folder.path}' ${link}`,
      );
    });
  });

  describe('what npm start says when no conversation can be started', () => {
    it('has the address and the token all the same, and calls to complete', async () => {
      const workers = await startWorkers(idle.settings, makeLog('worker', 'silent'));
      await eventually(() => idle.call('/health/ready'), { status: 200 });
      await workers.close();
      const said = await greetingOf(idle, idleFolder, true);
      const token = (await idleFolder.read('demo-token')).trim();
      expect(said).to.include(idle.baseURL).and.to.include(`demo token   ${token}`);
      expect(said).to.include('"conversationId":"<the conversationId of the answer>"');
    });
  });

  describe('where the API listens', () => {
    const isReached = async (address: string, port: string) => {
      const socket = connect(Number(port), address);
      const reached = await Promise.race([
        once(socket, 'connect').then(() => true),
        once(socket, 'error').then(() => false),
      ]).catch(() => false);
      socket.destroy();
      return reached;
    };

    it('is the address of HOST alone, or every one without it', async () => {
      for (const [{ baseURL }, others] of [
        [idle, false],
        [service, true],
      ] as const) {
        const { port } = new URL(baseURL);
        expect(await isReached('127.0.0.1', port)).to.equal(true);
        expect(await isReached('127.0.0.2', port)).to.equal(others);
      }
    });
  });
});

function greetingOf(
  { baseURL, settings }: Service,
  { path: dataDir }: TempFolder,
  showsSecrets: boolean,
): Promise<string> {
  const greeted = {
    base: baseURL,
    opsPassword,
    model: 'offline-extractive',
    dataDir,
    showsSecrets,
    embedded: { databaseUrl: settings.databaseUrl },
  };
  return composeGreeting(greeted, new AbortController().signal);
}
