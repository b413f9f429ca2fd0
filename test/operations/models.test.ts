import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { makeModelDirectory } from '../../workers/model/model-directory.ts';
import { makeOpenAiProvider } from '../../workers/model/openai.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { openOwnService, PUBLIC } from '../support/service.ts';

const paths = ['modelListHelper', 'modelsListHelper'].map(name => `${PUBLIC}/svcReasoning/${name}`);
const DEAD = 'http://127.0.0.1:1/v1';

describe('the models of several providers', () => {
  const [other, silent] = [openOnce(startScriptedModel), openOnce(startScriptedModel)];
  const service = openOwnService(() => ({
    llmProviders: {
      other: { baseURL: other.baseURL, apiKey: 'key of other' },
      dead: { baseURL: DEAD, apiKey: 'x', models: ['dead-but-named'] },
      unnamed: { baseURL: DEAD },
      openai: { baseURL: silent.baseURL, models: ['named'] },
    },
  }));
  before(() => {
    other.models = ['other-large', 'shared'];
    service.model.models = ['scripted', 'shared'];
  });

  const modelOf = async (name: string) => {
    const avatars = service.db('avatars').where({ host_id: service.demo.hostId });
    await avatars.clone().update({ model: name });
    const { status } = await service.ask('Qual é o horário?');
    await avatars.update({ model: null });
    return status;
  };

  it('are listed by provider under both spellings, a dead one with what its settings name', async () => {
    for (const path of paths) {
      const { status, body } = await service.call(path, {});
      const dead = { dead: ['dead-but-named'], unnamed: [] };
      const data = {
        main: ['scripted', 'shared'],
        other: ['other-large', 'shared'],
        ...dead,
        openai: ['named'],
      };
      expect([status, body]).to.deep.equal([200, { code: 200, message: 'Success', data }]);
    }
  });

  it('are each asked for an answer at their own provider, with its key', async () => {
    const before = service.model.requests.length;
    expect(await modelOf('other-large')).to.equal(200);
    expect(service.model.requests).to.have.length(before);
    expect(other.requests.at(-1)).to.include({ model: 'other-large' });
    expect(other.requests.at(-1)?.headers.authorization).to.equal('Bearer key of other');
    expect(await modelOf('named')).to.equal(200);
    expect(silent.requests.at(-1)).to.include({ model: 'named' });
  });

  it('are asked at the main provider where it has them, too, or where nobody has', async () => {
    const before = other.requests.length;
    for (const name of ['shared', 'unheard-of']) {
      expect(await modelOf(name)).to.equal(200);
      expect(service.model.requests.at(-1)).to.include({ model: name });
    }
    expect(other.requests).to.have.length(before);
  });
});

describe('the directory of models', () => {
  const servers: ScriptedModel[] = [];
  after(() => Promise.all(servers.map(server => server.close())));

  const told = async (name: string, names: readonly string[] = [], models: readonly string[] = []) => {
    const server = await startScriptedModel();
    server.models = names;
    servers.push(server);
    return { server, provider: makeOpenAiProvider(name, { baseURL: server.baseURL, models }) };
  };
  const patient = { timeoutMs: 10_000, cacheMs: 60_000, cacheFailureMs: 60_000 };

  it('waits for no provider that hangs longer than its own limit, and not again', async () => {
    // Named, too: on a busy machine it may not be asked in time itself.
    const { provider: quick } = await told('quick', ['a'], ['a']);
    const { provider: hanging, server } = await told('hanging', ['b'], ['named']);
    let asked = 0;
    server.onModels = () => void (asked += 1);
    const directory = makeModelDirectory([quick, hanging], undefined, { ...patient, timeoutMs: 200 });
    for (const _ of [1, 2, 3]) {
      expect(await directory.list()).to.deep.equal({ quick: ['a'], hanging: ['named'] });
      // Long enough for a second request, if there were one.
      await delay(20);
    }
    expect(asked).to.equal(1);
  });

  it('asks once for many who want to know at the same time, and keeps the answer', async () => {
    const { provider, server } = await told('one', ['a']);
    let asked = 0;
    server.onModels = answer => {
      asked += 1;
      answer();
    };
    const directory = makeModelDirectory([provider], undefined, patient);
    await Promise.all([directory.list(), directory.list(), directory.findModelError('a')]);
    await directory.list();
    expect(asked).to.equal(1);
  });

  it('gives an old list at once while the provider is asked anew', async () => {
    const { provider, server } = await told('one', ['old']);
    const directory = makeModelDirectory([provider], undefined, { ...patient, cacheMs: 1 });
    expect(await directory.list()).to.deep.equal({ one: ['old'] });
    server.models = ['new'];
    let answer: (() => void) | undefined;
    server.onModels = tell => (answer = tell);
    await eventually(directory.list, () => answer !== undefined);
    expect(await directory.list()).to.deep.equal({ one: ['old'] });
    server.onModels = tell => tell();
    answer?.();
    const seen = await eventually(directory.list, list => list['one']?.[0] === 'new');
    expect(seen).to.deep.equal({ one: ['new'] });
  });

  it('keeps the last list of a provider that died', async () => {
    const { provider, server } = await told('one', ['last'], ['named']);
    const impatient = { ...patient, cacheMs: 1, cacheFailureMs: 1 };
    const directory = makeModelDirectory([provider], undefined, impatient);
    expect(await directory.list()).to.deep.equal({ one: ['last', 'named'] });
    let failed = 0;
    server.onModels = (_goOn, response) => {
      failed += 1;
      response.destroy();
    };
    await eventually(directory.list, () => failed > 1);
    expect(await directory.list()).to.deep.equal({ one: ['last', 'named'] });
  });

  it('takes nothing for a name that is none, whatever a provider sends', async () => {
    const { provider, server } = await told('one', [], ['named']);
    const answers = ['{}', 'null', '[]', '{"data":5}', 'no JSON', ''];
    for (const body of answers) {
      server.onModels = (_goOn, response) => response.end(body);
      const directory = makeModelDirectory([provider], undefined, patient);
      expect(await directory.list(), body).to.deep.equal({ one: ['named'] });
    }
    const data = [null, 5, {}, { id: 7 }, { id: '' }, { id: 'x'.repeat(201) }, { id: 'a' }, { id: 'a' }];
    server.onModels = (_goOn, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
    const directory = makeModelDirectory([provider], undefined, patient);
    expect(await directory.list()).to.deep.equal({ one: ['a', 'named'] });
  });

  it('refuses a name that nobody has, and tells the nearest', async () => {
    const { provider } = await told('one', ['gpt-large', 'gpt-small']);
    const dead = makeOpenAiProvider('dead', { baseURL: DEAD, models: ['local-7b'] });
    const directory = makeModelDirectory([provider, dead], 'the-default', patient);
    const errorOf = async (name: string) => (await directory.findModelError(name))?.message;
    expect(await errorOf('GPT-smal')).to.include('the nearest is "gpt-small"');
    expect(await errorOf('local7b')).to.include('the nearest is "local-7b"');
    for (const name of ['gpt-large', 'local-7b', 'the-default'])
      expect(await directory.findModelError(name)).to.equal(undefined);
  });

  it('knows the models of the settings, also where their provider lists others', async () => {
    const { provider } = await told('gateway', ['listed'], ['unlisted', 'listed']);
    const directory = makeModelDirectory([provider], undefined, patient);
    expect(await directory.list()).to.deep.equal({ gateway: ['listed', 'unlisted'] });
    expect(await directory.findModelError('unlisted')).to.equal(undefined);
    expect(await directory.findCertainError('unlisted')).to.equal(undefined);
    expect(await directory.findCertainError('unheard')).to.include({ rule: 'unknown' });
  });

  it('takes any name where one provider cannot tell its models, for that one may have it', async () => {
    const { provider: empty } = await told('empty');
    const { provider: telling } = await told('one', ['gpt-large']);
    const dead = makeOpenAiProvider('dead', { baseURL: DEAD });
    for (const providers of [
      [empty, dead],
      [telling, dead],
      [telling, empty],
    ]) {
      const directory = makeModelDirectory(providers, undefined, patient);
      expect(await directory.findModelError('anything')).to.equal(undefined);
    }
    expect(await makeModelDirectory([], undefined).findModelError('anything')).to.equal(undefined);
  });
});
