import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { makeProviderSeal } from '../../workers/model/host-providers.ts';
import { expectWrong } from '../support/contract.ts';
import { openEvents } from '../support/event-client.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { readRecording } from '../support/recordings.ts';
import { fail, hear, sayInPieces, startScriptedModel } from '../support/scripted-model.ts';
import { type ApiResponse, openOwnService, startService } from '../support/service.ts';
import { textOfDatabase } from '../support/stored-rows.ts';
import { someForms } from '../workers/egress-forms.ts';

const KEY = 'sk-the-key-of-the-host';
const OTHER_KEY = 'sk-the-key-of-the-neighbour';

describe("a host's own models", () => {
  const own = openOnce(startScriptedModel);
  const neighbours = openOnce(startScriptedModel);
  const service = openOwnService(() => ({
    egressAllow: [own, neighbours].map(({ baseURL }) => ({
      range: ['127.0.0.1', 32] as const,
      port: Number(new URL(baseURL).port),
    })),
    insightConcurrency: 0,
    modelPrices: { scripted: 1_000_000, 'nosso/pequeno': 1_000_000 },
  }));
  const { demo, acme, db, model } = service;
  beforeEach(async () => {
    for (const each of [own, neighbours, model]) each.reset();
    own.models = ['grande', 'pequeno'];
    model.models = ['scripted'];
    service.logged.length = 0;
    await db('host_providers').delete();
    await db('avatars').update({ model: null });
    await setHost(db, 'demo', { modelFallbacks: [], monthlyBudget: '' });
    for (const table of ['spend_deltas', 'spend_days']) await db(table).delete();
  });

  const change = (changes: Fields, host = demo) =>
    host.call('saveHostProvider', { name: 'nosso', ...changes });
  const save = (more: Fields = {}, host = demo) =>
    change({ baseURL: own.baseURL, apiKey: KEY, ...more }, host);
  const list = async (host = demo) => (await host.call('listHostProviders')).body.data;
  const nameModel = (name: string, host = demo) =>
    db('avatars').where({ host_id: host.hostId }).update({ model: name });
  const triesOf = ({ body }: ApiResponse) =>
    body.data.restStatus.map(({ name, status }: { name: string; status: number }) =>
      `${name} ${status}`.replace('model:', ''),
    );

  describe('as they are saved', () => {
    it('are listed with a mask, and changed field by field', async () => {
      const { status, body } = await save({ models: ['oculto'] });
      expect(status, JSON.stringify(body)).to.equal(200);
      const { createdAt, ...data } = body.data;
      expect(data).to.deep.equal({
        hostId: demo.hostId,
        name: 'nosso',
        baseURL: own.baseURL,
        apiKey: '***',
        models: ['oculto'],
        insightModel: '',
        transcriptionModel: '',
      });
      expect([await list(), await list(acme)]).to.deep.equal([[body.data], []]);
      expect((await change({ models: [] })).body.data).to.deep.equal({ ...body.data, models: [], createdAt });
      const { body: gone } = await change({ deleted: true });
      expect(gone.data).to.include({ name: 'nosso', apiKey: '***', deleted: true });
      expect(await list()).to.deep.equal([]);
      expect((await change({ deleted: true })).status).to.equal(404);
    });

    it('have the list of their provider and the names of its settings, for the host alone', async () => {
      await save({ models: ['oculto'] });
      const ofInstallation = { openai: ['scripted'] };
      const nosso = ['nosso/grande', 'nosso/pequeno', 'nosso/oculto'];
      expect((await demo.call('listModels')).body.data).to.deep.equal({ ...ofInstallation, nosso });
      expect((await acme.call('listModels')).body.data).to.deep.equal(ofInstallation);
    });

    it('of several that are saved at once, one alone transcribes', async () => {
      const names = ['um', 'dois', 'tres', 'quatro', 'cinco', 'seis', 'um', 'dois', 'tres', 'quatro'];
      const saved = await Promise.all(names.map(name => save({ name, transcriptionModel: 'ouvido' })));
      expect(saved.map(({ status }) => status)).to.deep.equal(names.map(() => 200));
      expect(await db('host_providers').whereNot({ transcription_model: '' })).to.have.length(1);
    });

    it('keep the key only while the origin stays', async () => {
      await save();
      for (const more of [{}, { apiKey: '***' }])
        expectWrong(await change({ baseURL: neighbours.baseURL, ...more }), 'apiKey');
      expect((await change({ baseURL: `${own.baseURL}/`, apiKey: '***' })).status).to.equal(200);
    });

    for (const [why, more, path] of [
      ['no address', { baseURL: undefined }, 'baseURL'],
      ['an address that is none', { baseURL: 'model' }, 'baseURL'],
      ['a password in it', { baseURL: 'https://a:b@model.example/v1' }, 'baseURL'],
      ['a query', { baseURL: 'https://model.example/v1?key=a' }, 'baseURL'],
      ['no key', { apiKey: undefined }, 'apiKey'],
      ['a mask for a key', { apiKey: '***' }, 'apiKey'],
      ['a key that no header can have', { apiKey: 'sk\nx' }, 'apiKey'],
      ['a slash in the name', { name: 'a/b' }, 'name'],
      ['the name of a provider of the installation', { name: 'openai' }, 'name'],
      ['a model for embeddings', { embeddingModel: 'text-embedding-3-small' }, 'embeddingModel'],
      ['models that are no texts', { models: [5] }, 'models[0]'],
    ] as const)
      it(`with ${why} are a 400 that names the field and saves nothing`, async () => {
        expectWrong(await save(more), path);
        expect(await list()).to.deep.equal([]);
      });

    it('have names with which none of the installation begins', async () => {
      model.models = ['scripted'];
      const gateway = await startService({ modelPrices: {} });
      gateway.model.models = ['meta/llama', 'scripted'];
      const refused = await save({ name: 'meta', baseURL: 'https://model.example/v1' }, gateway.demo);
      await gateway.close();
      expectWrong(refused, 'name');
    });

    it('are reached at public addresses only', async () => {
      for (const baseURL of someForms) expectWrong(await save({ baseURL }), 'baseURL');
    });

    it('are for the scope admin, and at most 20', async () => {
      const token = await service.makeToken({ hostIds: [demo.hostId], scopes: ['manage', 'reason'] });
      for (const name of ['saveHostProvider', 'listHostProviders'] as const) {
        const { status, body } = await demo.call(name, { name: 'nosso' }, { token });
        expect([status, body.data.hint]).to.deep.equal([403, 'it needs the scope admin']);
      }
      const made = await Promise.all(Array.from({ length: 21 }, (_, at) => save({ name: `p${at}` })));
      expect(made.map(({ status }) => status)).to.have.members([...Array(20).fill(200), 409]);
    });
  });

  describe('in turns', () => {
    const editAvatar = (host: typeof demo, name: string) =>
      host.call('editAvatar', { avatar_id: host.avatarId, model: name });

    it('answer with the key of the host, under the names that the provider knows', async () => {
      await save();
      expect((await editAvatar(demo, 'nosso/grande')).status).to.equal(200);
      own.say('Da casa.');
      const answered = await service.ask('Oi?');
      expect(answered.body.data.assistantResponse.string).to.equal('Da casa.');
      expect(triesOf(answered)).to.include('nosso/grande 200');
      expect(own.requests).to.have.length(1);
      expect(own.requests[0]).to.include({ model: 'grande' });
      expect(own.requests[0]?.headers.authorization).to.equal(`Bearer ${KEY}`);
      expect(model.requests).to.deep.equal([]);
    });

    it('are streamed', async () => {
      await save();
      await nameModel('nosso/grande');
      own.script(sayInPieces(['Da ', 'casa.']));
      const conversationId = await service.newConversation();
      const client = await openEvents(service, { conversationId, question: 'Oi?' });
      expect((await client.readAll()).map(({ event }) => event)).to.deep.equal(['delta', 'delta', 'answer']);
      expect(client.text()).to.equal('Da casa.');
    });

    it('hear recordings, also where the installation transcribes none', async () => {
      const content_base64 = readRecording('tone.ogg').toString('base64');
      const attachments = [{ type: 'audio', content_type: 'audio/ogg', content_base64 }];
      const speak = async () => {
        const conversationId = await service.newConversation();
        return demo.call('reason', { conversationId, attachments });
      };
      own.onTranscription = hear('Que horas abre?');
      await save();
      expectWrong(await speak(), 'attachments[0]');
      await save({ transcriptionModel: 'fala' });
      expect((await speak()).body.data?.question).to.equal('Que horas abre?');
    });

    it('are unknown to another host: to save one is refused, and to have one is no answer', async () => {
      await save();
      const [refused, unknown] = [await editAvatar(acme, 'nosso/grande'), await editAvatar(acme, 'outro/x')];
      expect([refused.status, refused.body.data.fields]).to.deep.equal([400, unknown.body.data.fields]);
      await nameModel('nosso/grande', acme);
      expect((await acme.ask('Oi?')).status).to.equal(503);
      expect([...own.requests, ...model.requests]).to.deep.equal([]);
    });

    it('of two hosts with the same names are each asked with their own key', async () => {
      await save();
      await save({ baseURL: neighbours.baseURL, apiKey: OTHER_KEY, models: ['grande'] }, acme);
      for (const host of [demo, acme]) await nameModel('nosso/grande', host);
      await Promise.all([demo.ask('Oi?'), acme.ask('Oi?')]);
      const keys = [own, neighbours].map(({ requests }) => requests.map(each => each.headers.authorization));
      expect(keys).to.deep.equal([[`Bearer ${KEY}`], [`Bearer ${OTHER_KEY}`]]);
    });

    it('that are down are followed by a fallback, open no breaker of a neighbour and are no outage', async () => {
      await save();
      await save({ baseURL: neighbours.baseURL, apiKey: OTHER_KEY, models: ['grande'] }, acme);
      for (const host of [demo, acme]) await nameModel('nosso/grande', host);
      await setHost(db, 'demo', { modelFallbacks: ['scripted'] });
      own.script(fail(500));
      for (let turn = 0; turn < 5; turn += 1) {
        const { status, body } = await service.ask('Oi?');
        expect([status, body.data.assistantResponse.string]).to.deep.equal([200, 'Tudo certo.']);
      }
      expect(own.requests.length).to.be.below(5);
      const turn = await acme.ask('Oi?');
      expect([turn.status, triesOf(turn)]).to.deep.equal([200, ['nosso/grande 200']]);
      expect(service.logged.filter(line => line.includes('the language model'))).to.deep.equal([]);
    });

    it('may be fallbacks', async () => {
      await save();
      await setHost(db, 'demo', { modelFallbacks: ['nosso/pequeno'] });
      model.script(fail(500));
      expect((await service.ask('Oi?')).status).to.equal(200);
      expect(own.requests.at(-1)).to.include({ model: 'pequeno' });
    });

    it('that were deleted are a 503, or the fallback, and what was for them goes to nobody else', async () => {
      await save();
      await nameModel('nosso/grande');
      expect((await service.ask('Oi?')).status).to.equal(200);
      await change({ deleted: true });
      expect((await service.ask('Oi?')).status).to.equal(503);
      expect(model.requests).to.deep.equal([]);
      await setHost(db, 'demo', { modelFallbacks: ['scripted'] });
      expect((await service.ask('Oi?')).status).to.equal(200);
    });

    it('are tried in an evaluation before an avatar gets one', async () => {
      await save();
      const { avatarId } = demo;
      const cases = [{ question: 'Oi?', expect: { contains: 'certo' } }];
      expect((await demo.call('saveEvaluationCases', { avatarId, cases })).status).to.equal(200);
      const given = { avatar_id: avatarId, model: 'nosso/grande', evaluate: true };
      own.say('Outra coisa.');
      expect((await demo.call('editAvatar', given)).status).to.equal(409);
      own.say('Está certo.');
      expect((await demo.call('editAvatar', given)).status).to.equal(200);
      await demo.call('saveEvaluationCases', { avatarId, cases: [] });
    });

    it('whose key cannot be read are as if the provider refused it', async () => {
      await save();
      const sealed = await makeProviderSeal('another secret key').seal(KEY, 'a');
      await db('host_providers').update({ sealed_key: sealed });
      await nameModel('nosso/grande');
      expect((await service.ask('Oi?')).status).to.equal(503);
    });

    it('are called at no address that became a private one', async () => {
      await save();
      await db('host_providers').update({ base_url: model.baseURL });
      await nameModel('nosso/grande');
      expect((await service.ask('Oi?')).status).to.equal(503);
      expect(model.requests).to.deep.equal([]);
      await db('host_providers').update({ base_url: own.baseURL });
      own.script((_request, response) => {
        response.writeHead(307, { location: `${model.baseURL}/chat/completions` }).end();
      });
      expect((await service.ask('Oi?')).status).to.equal(503);
      expect(model.requests).to.deep.equal([]);
    });
  });

  describe('in spend', () => {
    it('have their own price, and count for no budget', async () => {
      await save();
      await nameModel('nosso/pequeno');
      await setHost(db, 'demo', { monthlyBudget: '0.01' });
      for (const name of ['nosso/pequeno', 'nosso/grande']) {
        await nameModel(name);
        expect((await service.ask('Oi?')).status, name).to.equal(200);
      }
      const recorded = await eventually(
        () => rowsOf<{ model: string; cost: string; own: string }>(db)`
          select model, cost::float8 as cost, own_cost::float8 as own from spend_deltas order by model`,
        { length: 2 },
      );
      expect(recorded).to.deep.equal([
        { model: 'nosso/grande', cost: 0, own: 0 },
        { model: 'nosso/pequeno', cost: 42, own: 42 },
      ]);
      expect(await db('spend_reservations')).to.deep.equal([]);
      const spent = async () =>
        (await demo.call('getSpend', { startDate: today(0), endDate: today(2) })).body.data;
      expect(await eventually(spent, { cost: '42' })).to.include({ calls: 2 });
      // 42 of them are the host's own: a turn of the installation fits.
      await setHost(db, 'demo', { monthlyBudget: '30000' });
      await db('avatars').update({ model: null });
      expect((await service.ask('Oi?')).status).to.equal(200);
    });

    it('are asked as the fallback that fits, where the budget is used up', async () => {
      await save();
      await setHost(db, 'demo', { monthlyBudget: '0', modelFallbacks: ['scripted', 'nosso/grande'] });
      const answered = await service.ask('Oi?');
      expect([answered.status, triesOf(answered)]).to.deep.equal([200, ['scripted 0', 'nosso/grande 200']]);
    });
  });

  it('leave the key in no table, no log line and no answer', async () => {
    const headers = { 'idempotency-key': 'p1' };
    const body = { name: 'nosso', baseURL: own.baseURL, apiKey: KEY };
    const saved = await demo.call('saveHostProvider', body, { headers });
    await nameModel('nosso/grande');
    own.script((_request, response) => {
      const error = JSON.stringify({ error: { message: KEY } });
      response.writeHead(401, { 'content-type': 'application/json' }).end(error);
    });
    const [asked, audit] = [await service.ask('Oi?'), await demo.call('listAudit')];
    const answers = [saved, asked, audit, await demo.call('listHostProviders')];
    expect(asked.status).to.equal(503);
    const stored = await textOfDatabase(db);
    expect(stored.filter(row => row.includes(KEY))).to.deep.equal([]);
    expect(stored.length).to.be.above(100);
    for (const answer of answers) expect(JSON.stringify(answer.body)).to.not.include(KEY);
    expect(service.logged.join('\n')).to.not.include(KEY);
    const audited = audit.body.data.items.find(({ table }: Fields) => table === 'host_providers');
    expect(audited.after).to.include({ name: 'nosso', base_url: own.baseURL });
  });
});

function today(later: number): string {
  return new Date(Date.now() + (later - 1) * 86_400_000).toISOString().slice(0, 10);
}
