import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { makeProviderSeal } from '../../workers/model/host-providers.ts';
import { openEvents } from '../support/event-client.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import type { Tenant } from '../support/operation-calls.ts';
import { readRecording } from '../support/recordings.ts';
import { fail, hear, say, sayInPieces, startScriptedModel } from '../support/scripted-model.ts';
import { type ApiResponse, openOwnService, startService } from '../support/service.ts';
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
  const { demo, acme } = service;
  beforeEach(async () => {
    for (const model of [own, neighbours, service.model]) model.reset();
    own.models = ['grande', 'pequeno'];
    service.model.models = ['scripted'];
    service.logged.length = 0;
    await service.db('host_providers').delete();
    await service.db('avatars').update({ model: null });
    await setHost(service.db, 'demo', { modelFallbacks: [], monthlyBudget: '' });
    for (const table of ['spend_days', 'spend_deltas']) await service.db(table).delete();
  });

  const as = (tenant: Tenant, helper: string, body: object = {}) =>
    service.call(`${SVC}/${helper}`, { hostId: tenant.hostId, ...body }, { token: tenant.token });
  const save = (more: object = {}, tenant = demo) =>
    as(tenant, 'saveHostProviderHelper', { name: 'nosso', baseURL: own.baseURL, apiKey: KEY, ...more });
  const list = (tenant = demo) => as(tenant, 'hostProvidersListHelper');
  const pathsOf = ({ body }: ApiResponse) => body.data.fields.map(({ path }: { path: string }) => path);
  const nameModel = (model: string, tenant = demo) =>
    service.db('avatars').where({ host_id: tenant.hostId }).update({ model });
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
      expect((await list()).body.data).to.deep.equal([body.data]);
      expect((await list(acme)).body.data).to.deep.equal([]);
      const changed = await as(demo, 'saveHostProviderHelper', { name: 'nosso', models: [] });
      expect(changed.body.data).to.deep.equal({ ...body.data, models: [], createdAt });
      const { body: gone } = await as(demo, 'saveHostProviderHelper', { name: 'nosso', deleted: true });
      expect(gone.data).to.include({ name: 'nosso', apiKey: '***', deleted: true });
      expect((await list()).body.data).to.deep.equal([]);
      expect((await as(demo, 'saveHostProviderHelper', { name: 'nosso', deleted: true })).status).to.equal(
        404,
      );
    });

    it('have the list of their provider and the names of its settings, for the host alone', async () => {
      await save({ models: ['oculto'] });
      const modelsOf = async (tenant: Tenant) =>
        (await demo.call('listModels', {}, { token: tenant.token })).body.data;
      const ofInstallation = { openai: ['scripted'] };
      expect(await modelsOf(demo)).to.deep.equal({
        ...ofInstallation,
        nosso: ['nosso/grande', 'nosso/pequeno', 'nosso/oculto'],
      });
      expect(await modelsOf(acme)).to.deep.equal(ofInstallation);
    });

    it('of several that are saved at once, one alone transcribes', async () => {
      const names = ['um', 'dois', 'tres', 'quatro', 'cinco', 'seis', 'um', 'dois', 'tres', 'quatro'];
      const saved = await Promise.all(names.map(name => save({ name, transcriptionModel: 'ouvido' })));
      expect(saved.map(({ status }) => status)).to.deep.equal(names.map(() => 200));
      expect(await service.db('host_providers').whereNot({ transcription_model: '' })).to.have.length(1);
    });

    it('keep the key only while the origin stays', async () => {
      await save();
      const elsewhere = { name: 'nosso', baseURL: neighbours.baseURL };
      for (const more of [{}, { apiKey: '***' }]) {
        const refused = await as(demo, 'saveHostProviderHelper', { ...elsewhere, ...more });
        expect([refused.status, ...pathsOf(refused)]).to.deep.equal([400, 'apiKey']);
      }
      const kept = { name: 'nosso', baseURL: `${own.baseURL}/`, apiKey: '***' };
      expect((await as(demo, 'saveHostProviderHelper', kept)).status).to.equal(200);
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
        const refused = await save(more);
        expect([refused.status, ...pathsOf(refused)]).to.deep.equal([400, path]);
        expect((await list()).body.data).to.deep.equal([]);
      });

    it('have names with which none of the installation begins', async () => {
      service.model.models = ['scripted'];
      const gateway = await startService({ modelPrices: {} });
      gateway.model.models = ['meta/llama', 'scripted'];
      const { hostId, token } = gateway.demo;
      const provider = { hostId, name: 'meta', baseURL: 'https://model.example/v1', apiKey: KEY };
      const refused = await gateway.call(`${SVC}/saveHostProviderHelper`, provider, { token });
      await gateway.close();
      expect([refused.status, ...pathsOf(refused)]).to.deep.equal([400, 'name']);
    });

    it('are reached at public addresses only', async () => {
      for (const baseURL of someForms) {
        const refused = await save({ baseURL });
        expect([refused.status, ...pathsOf(refused)], baseURL).to.deep.equal([400, 'baseURL']);
      }
    });

    it('are for the scope admin, and at most 20', async () => {
      const token = await service.makeToken({ hostIds: [demo.hostId], scopes: ['manage', 'reason'] });
      for (const helper of ['saveHostProviderHelper', 'hostProvidersListHelper']) {
        const { status, body } = await as({ ...demo, token }, helper, { name: 'nosso' });
        expect([status, body.data.hint]).to.deep.equal([403, 'it needs the scope admin']);
      }
      const made = await Promise.all(Array.from({ length: 21 }, (_, at) => save({ name: `p${at}` })));
      expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([
        ...Array(20).fill(200),
        409,
      ]);
    });
  });

  describe('in turns', () => {
    const editAvatar = (tenant: Tenant, model: string) =>
      service
        .db('avatars')
        .where({ host_id: tenant.hostId })
        .first('id')
        .then(({ id }) =>
          demo.call('editAvatar', { host_id: tenant.hostId, avatar_id: id, model }, { token: tenant.token }),
        );

    it('answer with the key of the host, under the names that the provider knows', async () => {
      await save();
      expect((await editAvatar(demo, 'nosso/grande')).status).to.equal(200);
      own.script(say('Da casa.'));
      const answered = await service.ask('Oi?');
      expect(answered.body.data.assistantResponse.string).to.equal('Da casa.');
      expect(triesOf(answered)).to.include('nosso/grande 200');
      expect(own.requests).to.have.length(1);
      expect(own.requests[0]).to.include({ model: 'grande' });
      expect(own.requests[0]?.headers.authorization).to.equal(`Bearer ${KEY}`);
      expect(service.model.requests).to.deep.equal([]);
    });

    it('are streamed', async () => {
      await save();
      await nameModel('nosso/grande');
      own.script(sayInPieces(['Da ', 'casa.']));
      const conversationId = await service.newConversation();
      const client = await openEvents(service, { conversationId, question: 'Oi?' });
      const events = await client.readAll();
      expect(events.map(({ event }) => event)).to.deep.equal(['delta', 'delta', 'answer']);
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
      const refused = await speak();
      expect([refused.status, ...pathsOf(refused)]).to.deep.equal([400, 'attachments[0]']);
      await save({ transcriptionModel: 'fala' });
      expect((await speak()).body.data?.question).to.equal('Que horas abre?');
    });

    it('are unknown to another host: to save one is refused, and to have one is no answer', async () => {
      await save();
      const [refused, unknown] = [await editAvatar(acme, 'nosso/grande'), await editAvatar(acme, 'outro/x')];
      expect([refused.status, refused.body.data.fields]).to.deep.equal([400, unknown.body.data.fields]);
      await nameModel('nosso/grande', acme);
      const turn = await askAs(acme);
      expect(turn.status).to.equal(503);
      expect([...own.requests, ...service.model.requests]).to.deep.equal([]);
    });

    it('of two hosts with the same names are each asked with their own key', async () => {
      await save();
      await save({ baseURL: neighbours.baseURL, apiKey: OTHER_KEY, models: ['grande'] }, acme);
      for (const tenant of [demo, acme]) await nameModel('nosso/grande', tenant);
      await Promise.all([askAs(demo), askAs(acme)]);
      expect(own.requests.map(({ headers }) => headers.authorization)).to.deep.equal([`Bearer ${KEY}`]);
      expect(neighbours.requests.map(({ headers }) => headers.authorization)).to.deep.equal([
        `Bearer ${OTHER_KEY}`,
      ]);
    });

    it('that are down are followed by a fallback, open no breaker of a neighbour and are no outage', async () => {
      await save();
      await save({ baseURL: neighbours.baseURL, apiKey: OTHER_KEY, models: ['grande'] }, acme);
      for (const tenant of [demo, acme]) await nameModel('nosso/grande', tenant);
      await setHost(service.db, 'demo', { modelFallbacks: ['scripted'] });
      own.script(fail(500));
      for (let turn = 0; turn < 5; turn += 1) {
        const { status, body } = await service.ask('Oi?');
        expect([status, body.data.assistantResponse.string]).to.deep.equal([200, 'Tudo certo.']);
      }
      expect(own.requests.length).to.be.below(5);
      const turn = await askAs(acme);
      expect([turn.status, triesOf(turn)]).to.deep.equal([200, ['nosso/grande 200']]);
      expect(service.logged.filter(line => line.includes('the language model'))).to.deep.equal([]);
    });

    it('may be fallbacks', async () => {
      await save();
      await setHost(service.db, 'demo', { modelFallbacks: ['nosso/pequeno'] });
      service.model.script(fail(500));
      expect((await service.ask('Oi?')).status).to.equal(200);
      expect(own.requests.at(-1)).to.include({ model: 'pequeno' });
    });

    it('that were deleted are a 503, or the fallback, and what was for them goes to nobody else', async () => {
      await save();
      await nameModel('nosso/grande');
      expect((await service.ask('Oi?')).status).to.equal(200);
      await as(demo, 'saveHostProviderHelper', { name: 'nosso', deleted: true });
      expect((await service.ask('Oi?')).status).to.equal(503);
      expect(service.model.requests).to.deep.equal([]);
      await setHost(service.db, 'demo', { modelFallbacks: ['scripted'] });
      expect((await service.ask('Oi?')).status).to.equal(200);
    });

    it('are tried in an evaluation before an avatar gets one', async () => {
      await save();
      const { id } = await service.db('avatars').where({ host_id: demo.hostId }).first('id');
      const cases = [{ question: 'Oi?', expect: { contains: 'certo' } }];
      expect((await as(demo, 'saveEvaluationCasesHelper', { avatarId: id, cases })).status).to.equal(200);
      const change = { host_id: demo.hostId, avatar_id: id, model: 'nosso/grande', evaluate: true };
      own.script(say('Outra coisa.'));
      expect((await as(demo, 'editAvatarHelper', change)).status).to.equal(409);
      own.script(say('Está certo.'));
      expect((await as(demo, 'editAvatarHelper', change)).status).to.equal(200);
      await as(demo, 'saveEvaluationCasesHelper', { avatarId: id, cases: [] });
    });

    it('whose key cannot be read are as if the provider refused it', async () => {
      await save();
      const sealed = await makeProviderSeal('another secret key').seal(KEY, 'a');
      await service.db('host_providers').update({ sealed_key: sealed });
      await nameModel('nosso/grande');
      expect((await service.ask('Oi?')).status).to.equal(503);
    });

    it('are called at no address that became a private one', async () => {
      await save();
      await service.db('host_providers').update({ base_url: service.model.baseURL });
      await nameModel('nosso/grande');
      expect((await service.ask('Oi?')).status).to.equal(503);
      expect(service.model.requests).to.deep.equal([]);
      await service.db('host_providers').update({ base_url: own.baseURL });
      own.script((_request, response) => {
        response.writeHead(307, { location: `${service.model.baseURL}/chat/completions` }).end();
      });
      expect((await service.ask('Oi?')).status).to.equal(503);
      expect(service.model.requests).to.deep.equal([]);
    });
  });

  describe('in spend', () => {
    it('have their own price, and count for no budget', async () => {
      await save();
      await nameModel('nosso/pequeno');
      await setHost(service.db, 'demo', { monthlyBudget: '0.01' });
      for (const model of ['nosso/pequeno', 'nosso/grande']) {
        await nameModel(model);
        expect((await service.ask('Oi?')).status, model).to.equal(200);
      }
      const recorded = await eventually(
        () => rowsOf<{ model: string; cost: string; own: string }>(service.db)`
          select model, cost::float8 as cost, own_cost::float8 as own from spend_deltas order by model`,
        rows => rows.length === 2,
      );
      expect(recorded).to.deep.equal([
        { model: 'nosso/grande', cost: 0, own: 0 },
        { model: 'nosso/pequeno', cost: 42, own: 42 },
      ]);
      expect(await service.db('spend_reservations')).to.deep.equal([]);
      const spent = async () =>
        (await as(demo, 'getSpendHelper', { startDate: today(0), endDate: today(2) })).body.data;
      expect(await eventually(spent, ({ cost }) => cost === '42')).to.include({ calls: 2 });
      // 42 of them are the host's own: a turn of the installation fits.
      await setHost(service.db, 'demo', { monthlyBudget: '30000' });
      await service.db('avatars').update({ model: null });
      expect((await service.ask('Oi?')).status).to.equal(200);
    });

    it('are asked as the fallback that fits, where the budget is used up', async () => {
      await save();
      await setHost(service.db, 'demo', { monthlyBudget: '0', modelFallbacks: ['scripted', 'nosso/grande'] });
      const answered = await service.ask('Oi?');
      expect([answered.status, triesOf(answered)]).to.deep.equal([200, ['scripted 0', 'nosso/grande 200']]);
    });
  });

  it('leave the key in no table, no log line and no answer', async () => {
    const headers = { 'idempotency-key': 'p1' };
    const body = { hostId: demo.hostId, name: 'nosso', baseURL: own.baseURL, apiKey: KEY };
    const saved = await demo.call('saveHostProvider', body, { token: demo.token, headers });
    await nameModel('nosso/grande');
    own.script((_request, response) => {
      const error = JSON.stringify({ error: { message: KEY } });
      response.writeHead(401, { 'content-type': 'application/json' }).end(error);
    });
    const answers = [saved, await service.ask('Oi?'), await list(), await as(demo, 'auditListHelper')];
    expect(answers[1]?.status).to.equal(503);
    const tables = await rowsOf<{ name: string }>(service.db)`
      select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
    let seen = 0;
    for (const { name } of tables) {
      const { rows } = await service.db.raw(`select t::text as row from ${name} t`);
      seen += rows.length;
      for (const { row } of rows) expect(row, name).to.not.include(KEY);
    }
    expect(seen).to.be.above(100);
    for (const answer of answers) expect(JSON.stringify(answer.body)).to.not.include(KEY);
    expect(service.logged.join('\n')).to.not.include(KEY);
    const audited = answers[3]?.body.data.items.filter(
      ({ table }: { table: string }) => table === 'host_providers',
    );
    expect(audited[0].after).to.include({ name: 'nosso', base_url: own.baseURL });
  });

  async function askAs(tenant: Tenant): Promise<ApiResponse> {
    const { token } = tenant;
    const host = { hostId: tenant.hostId, hostSlug: tenant.slug };
    const made = await demo.call('createConversation', host, { token });
    const { conversationId } = made.body.data;
    const question = { hostId: tenant.hostId, conversationId, question: 'Oi?' };
    return demo.call('reason', question, { token });
  }
});

function today(later: number): string {
  return new Date(Date.now() + (later - 1) * 86_400_000).toISOString().slice(0, 10);
}
