import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { eventually } from '../support/eventually.ts';
import { insightRequests, sayInsight, waitForInsights } from '../support/insight-answers.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { readRecording } from '../support/recordings.ts';
import { formFor, hear, type ScriptedModel, say, startScriptedModel } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

const KEY = 'sk-the-key-of-the-host';

describe("a host's own models, outside of turns", () => {
  const own = openOnce(startScriptedModel);
  const neighbours = openOnce(startScriptedModel);
  const service = openOwnService(() => ({
    egressAllow: [own, neighbours].map(({ baseURL }) => ({
      range: ['127.0.0.1', 32] as const,
      port: Number(new URL(baseURL).port),
    })),
    insightConcurrency: 2,
    transcriptionModel: 'whisper-1',
    modelPrices: { 'nosso/ouvido': { minute: 30 }, 'whisper-1': { minute: 30 }, scripted: 1 },
  }));
  const { demo, acme } = service;
  beforeEach(async () => {
    for (const model of [own, neighbours, service.model]) model.reset();
    await service.db('host_providers').delete();
    await setHost(service.db, 'demo', { monthlyBudget: '' });
  });

  const save = (more: Fields = {}) =>
    demo.call('saveHostProvider', { name: 'nosso', baseURL: own.baseURL, apiKey: KEY, ...more });
  const listed = async (field: string) =>
    (await demo.call('listHostProviders')).body.data.map((each: Fields) => each[field]);

  const frontSchema = { type: 'object', properties: { nome: { type: 'string' } }, required: ['nome'] };
  const fillForm = (host: typeof demo) =>
    host.call('generateAgent', { agent: { agentName: 'a', frontSchema }, instructions: 'Preencha.' });

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
    expect(await listed('insightModel')).to.deep.equal(['', 'x']);
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
    expect([asked, insightRequests(service).length]).to.deep.equal([[['pequeno', 'insight']], 0]);
  });

  describe('transcribe recordings', () => {
    const speak = async (host: typeof demo) => {
      const content_base64 = readRecording('tone.ogg').toString('base64');
      const attachments = [{ type: 'audio', content_type: 'audio/ogg', content_base64 }];
      return host.call('reason', { conversationId: await host.newConversation(), attachments });
    };
    const heardBy = (model: ScriptedModel) =>
      model.transcriptionRequests.map(({ model: name, headers }) => [name, headers.authorization]);

    it('with the key of the host where one is named for that, of one provider at a time', async () => {
      for (const model of [own, neighbours, service.model]) model.onTranscription = hear('Que horas abre?');
      await save({ transcriptionModel: 'fala' });
      const { status, body } = await speak(demo);
      expect([status, body.data?.question], JSON.stringify(body)).to.deep.equal([200, 'Que horas abre?']);
      expect(body.data.restStatus.map(({ name }: { name: string }) => name)).to.include('model:nosso/fala');
      expect((await speak(acme)).status).to.equal(200);
      expect([heardBy(own), heardBy(service.model).length]).to.deep.equal([[['fala', `Bearer ${KEY}`]], 1]);
      await save({ name: 'outro', baseURL: neighbours.baseURL, transcriptionModel: 'x' });
      expect((await speak(demo)).status).to.equal(200);
      expect([heardBy(own).length, heardBy(neighbours).length]).to.deep.equal([1, 1]);
      expect(await listed('transcriptionModel')).to.deep.equal(['', 'x']);
      await save({ name: 'outro', baseURL: neighbours.baseURL, transcriptionModel: '' });
      expect((await speak(demo)).status).to.equal(200);
      expect(heardBy(service.model)).to.have.length(2);
    });

    it('at their own price, and count for no budget', async () => {
      own.onTranscription = hear('Que horas abre?');
      await save({ transcriptionModel: 'ouvido', models: ['grande'] });
      await service.db('avatars').where({ host_id: demo.hostId }).update({ model: 'nosso/grande' });
      await setHost(service.db, 'demo', { monthlyBudget: '0.01' });
      expect((await speak(demo)).status).to.equal(200);
      await service.db('avatars').update({ model: null });
      const recorded = await eventually(
        () => rowsOf<{ purpose: string; cost: string; own: string }>(service.db)`
          select purpose, cost::float8 as cost, own_cost::float8 as own from spend_deltas
          where model in ('nosso/ouvido', 'nosso/grande') order by purpose`,
        { length: 2 },
      );
      expect(recorded).to.deep.equal([
        { purpose: 'transcription', cost: 1, own: 1 },
        { purpose: 'turn', cost: 0, own: 0 },
      ]);
      expect(await service.db('spend_reservations')).to.deep.equal([]);
    });

    it('at no other provider where theirs is down', async () => {
      service.model.onTranscription = hear('Que horas abre?');
      await save({ transcriptionModel: 'fala' });
      own.onTranscription = (_request, response) => void response.writeHead(401).end('{}');
      expect((await speak(demo)).status).to.equal(503);
      expect(heardBy(service.model)).to.deep.equal([]);
    });
  });
});
