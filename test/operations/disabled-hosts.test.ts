import { expect } from 'chai';
import { expectRefused } from '../support/contract.ts';
import { deal, findArrivals } from '../support/crm.ts';
import { eventually } from '../support/eventually.ts';
import { importAndWait, makeDataset, sendDocument, untilImported } from '../support/imports.ts';
import { insightRequests, waitForInsights, withInsights } from '../support/insight-answers.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { startReceiver } from '../support/receiver.ts';
import { runCommand } from '../support/run-command.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';
import { makeSource, sendSigned } from '../support/signed.ts';

describe('a host that is disabled', () => {
  const service = openOwnService({ egressAllowPrivate: true, insightConcurrency: 2 });
  const { demo, acme, db, model } = service;
  const receiver = openOnce(startReceiver);
  afterEach(() => set(false));

  const set = async (disabled: boolean) => {
    const { status, body } = await demo.call('saveHost', { hostId: demo.hostId, disabled });
    expect([status, body.data.disabled]).to.deep.equal([200, disabled]);
  };
  const listAvatars = (token: string, choosenHostId?: string) =>
    demo.call('listAvatars', { host_slug: 'demo', choosenHostId }, { token });
  const addWebhook = async (host: typeof demo, path: string): Promise<string> => {
    const webhook = { name: 'CRM', url: `${receiver.url}/${path}`, events: [] };
    return (await host.call('saveWebhook', webhook)).body.data.webhookId;
  };
  /** The workers have looked for such work once more since, and served another host. */
  const untilOthersWere = {
    async imported() {
      const dataset_id = await makeDataset(service, acme);
      const document = { dataset_id, name: 'Outro', url: `${service.baseURL}/nothing` };
      await importAndWait({ db, demo: acme }, document);
    },
    async told() {
      await acme.call('testWebhook', { webhookId: await addWebhook(acme, 'other') });
      const delivered = () => db('deliveries').where({ host_id: acme.hostId, state: 'delivered' });
      await eventually(delivered, { length: 1 });
    },
    async summarized() {
      const conversationId = await acme.newConversation();
      expect((await acme.ask('Outra?', { conversationId })).status).to.equal(200);
      await waitForInsights(service, conversationId);
    },
  };

  it('has tokens that get 403 with the reason, for every body, until it is enabled again', async () => {
    const domain = await service.makeToken({ hostIds: [demo.hostId, acme.hostId] });
    await set(true);
    expectRefused(await listAvatars(demo.token), 'host-disabled');
    expectRefused(await demo.call('listAvatars', { nonsense: 7 }), 'host-disabled');
    expectRefused(await demo.call('createConversation', {}), 'host-disabled');
    expectRefused(await service.call('/v1/models'), 'host-disabled');
    expectRefused(await service.call('/jobs/k0'), 'host-disabled');
    expectRefused(await listAvatars(domain, demo.hostId), 'host-disabled');
    expectRefused(await listAvatars(service.operatorToken, demo.hostId), 'host-disabled');
    const models = (await service.call('/v1/models', undefined, { token: domain })).body.data;
    expect(models.map((model: { owned_by: string }) => model.owned_by)).to.deep.equal(['acme']);
    const available: Fields[] = (await listAvatars(domain)).body.data.availableHosts;
    expect(available.map(({ host_slug: slug }) => slug)).to.deep.equal(['acme']);
    await set(false);
    expect((await listAvatars(demo.token)).status).to.equal(200);
    expect((await listAvatars(domain, demo.hostId)).status).to.equal(200);
  });

  it('is listed as disabled, can be read about by operators, and its change is audited', async () => {
    const settings = { DATABASE_URL: service.settings.databaseUrl, SECRET_KEY: service.settings.secretKey };
    const run = (...args: string[]) => runCommand('host', args, settings);
    expect((await run('set', '--slug', 'demo', '--disabled', 'on')).code).to.equal(0);
    const [names = [], ...rows] = (await run('list')).out.split('\n').map(line => line.split('\t'));
    const [slug, disabled] = [names.indexOf('slug'), names.indexOf('disabled')];
    const listed = Object.fromEntries(rows.map(row => [row[slug], row[disabled]]));
    expect(listed).to.include({ demo: 'true', acme: 'false' });
    const hosts: Fields[] = (await demo.call('listHosts')).body.data.items;
    const seen = Object.fromEntries(hosts.map(({ slug, disabled }) => [slug, disabled]));
    expect(seen).to.deep.equal({ acme: false, demo: true });
    const asked = { choosenHostId: demo.hostId, limit: 1 };
    const audit = await demo.call('listAudit', asked, { token: service.operatorToken });
    expect(audit.body.data.items[0]).to.deep.include({ after: { disabled: true } });
  });

  it('gets no signed records, and takes those that are sent again afterwards', async () => {
    const source = await makeSource(service);
    await set(true);
    expectRefused(await sendSigned(service, source, deal(1)), 'host-disabled');
    expect(await findArrivals(service, 1)).to.deep.equal([]);
    await set(false);
    expect((await sendSigned(service, source, deal(1))).status).to.equal(200);
  });

  it('is sent what waited for it as soon as it is enabled again, however long that was', async () => {
    const webhookId = await addWebhook(demo, 'events');
    await set(true);
    const ofHost = { host_id: demo.hostId };
    await db('events').insert({ ...ofHost, id: webhookId, type: 'webhook.test', data: {} });
    const times = { due_at: new Date(0), scheduled_at: new Date(0) };
    await db('deliveries').insert({ ...ofHost, event_id: webhookId, webhook_id: webhookId, ...times });
    await untilOthersWere.told();
    const delivery = () => db('deliveries').where(ofHost).first();
    expect(await delivery()).to.deep.include({ state: 'pending', attempts: 0, is_claimed: false });
    const paths = () => receiver.received.map(({ path }) => path);
    expect(paths()).to.deep.equal(['/other']);
    await set(false);
    const { attempts } = await eventually(delivery, { state: 'delivered' });
    expect([attempts, ...paths()]).to.deep.equal([1, '/other', '/events']);
  });

  it('keeps imports that wait, and reads them when it is enabled again', async () => {
    const dataset_id = await makeDataset(service);
    // Within one transaction with the order: no worker may be quicker.
    const held = await db.transaction();
    await held.raw('lock table document_imports in share row exclusive mode');
    const document = { name: 'Guia', content_type: 'text/plain', content: 'Texto.', dataset_id };
    const sending = sendDocument(service, document);
    await set(true);
    await held.rollback();
    const { jobId } = (await sending).body.data;
    await untilOthersWere.imported();
    const [row] = await db('document_imports').where({ id: jobId });
    expect(row).to.deep.include({ stage: 'waiting', ended_at: null, attempts: 0 });
    await set(false);
    expect((await untilImported(service, jobId)).state).to.equal('completed');
  });

  it('asks no model for insights or for turns that waited, and makes up for the insights afterwards', async () => {
    const held = hold(say('Oi!'));
    model.script(withInsights(undefined, held.script));
    const conversationId = await service.newConversation();
    const first = service.ask('Um?', { conversationId });
    await held.held;
    const next = service.ask('Dois?', { conversationId });
    await eventually(() => db('turns').where({ conversation_id: conversationId }), { length: 2 });
    await set(true);
    const requests = model.requests.length;
    held.release();
    expect((await first).status).to.equal(200);
    const { status, body } = await next;
    expect([status, body.data.hint]).to.deep.equal([503, 'The host was disabled meanwhile']);
    expect(model.requests.length).to.equal(requests);
    await db('insights_due').update({ due_at: new Date(0) });
    const askedAbout = (question: string) =>
      insightRequests(service).filter(({ messages }) => JSON.stringify(messages).includes(question));
    await untilOthersWere.summarized();
    expect([askedAbout('Outra?').length, askedAbout('Um?').length]).to.deep.equal([1, 0]);
    expect(await db('insights_due').where({ conversation_id: conversationId })).to.have.length(1);
    await set(false);
    await waitForInsights(service, conversationId);
    expect(askedAbout('Um?')).to.have.length(1);
  });
});
