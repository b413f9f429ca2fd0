import { expect } from 'chai';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { insightRequests, sayInsight, waitForInsights } from '../support/insight-answers.ts';
import { formFor, type ScriptedModel, say, startScriptedModel } from '../support/scripted-model.ts';
import { type Service, startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';

const KEY = 'sk-the-key-of-the-host';

describe("a host's own models, outside of turns", () => {
  let service: Service;
  let own: ScriptedModel;
  let neighbours: ScriptedModel;
  let demo: Tenant;
  let acme: Tenant;
  before(async () => {
    own = await startScriptedModel();
    neighbours = await startScriptedModel();
    service = await startService({
      egressAllow: [own, neighbours].map(({ baseURL }) => ({
        range: ['127.0.0.1', 32] as const,
        port: Number(new URL(baseURL).port),
      })),
      insightConcurrency: 2,
    });
    ({ demo, acme } = service);
  });
  beforeEach(async () => {
    for (const model of [own, neighbours, service.model]) model.reset();
    await service.db('host_providers').delete();
  });
  after(() => Promise.all([service.close(), own.close(), neighbours.close()]));

  const as = (tenant: Tenant, helper: string, body: object = {}) =>
    service.call(`${SVC}/${helper}`, { hostId: tenant.hostId, ...body }, { token: tenant.token });
  const save = (more: object = {}) =>
    as(demo, 'saveHostProviderHelper', { name: 'nosso', baseURL: own.baseURL, apiKey: KEY, ...more });
  const list = () => as(demo, 'hostProvidersListHelper');

  const agent = {
    agentName: 'a',
    frontSchema: { type: 'object', properties: { nome: { type: 'string' } }, required: ['nome'] },
  };
  const fillForm = (tenant: Tenant) =>
    as(tenant, 'generateAgentHelper', { agent, instructions: 'Preencha.' });

  it('fill in the forms of agents where one is named for that, of one provider at a time', async () => {
    for (const model of [own, neighbours, service.model]) model.script(say(formFor));
    await save({ insightModel: 'pequeno' });
    const filled = await fillForm(demo);
    expect(filled.status, JSON.stringify(filled.body)).to.equal(200);
    expect(own.requests).to.have.length(1);
    expect(own.requests[0]).to.include({ model: 'pequeno' });
    expect((await fillForm(acme)).status).to.equal(200);
    expect([own.requests.length, service.model.requests.length]).to.deep.equal([1, 1]);
    await save({ name: 'outro', baseURL: neighbours.baseURL, insightModel: 'x' });
    expect((await fillForm(demo)).status).to.equal(200);
    expect([own.requests.length, neighbours.requests.length]).to.deep.equal([1, 1]);
    expect((await list()).body.data.map((each: { insightModel: string }) => each.insightModel)).to.deep.equal(
      ['', 'x'],
    );
    await save({ name: 'outro', baseURL: neighbours.baseURL, insightModel: '' });
    expect((await fillForm(demo)).status).to.equal(200);
    expect(service.model.requests).to.have.length(2);
  });

  it('make the insights of the host', async () => {
    await save({ insightModel: 'pequeno' });
    own.script(sayInsight());
    const conversationId = await service.newConversation();
    expect((await service.ask('Oi?', { conversationId })).status).to.equal(200);
    await waitForInsights(service, conversationId);
    const asked = own.requests.map(({ model, headers }) => [model, headers['x-parley-purpose']]);
    const { length } = insightRequests(service);
    expect([asked, length]).to.deep.equal([[['pequeno', 'insight']], 0]);
  });
});
