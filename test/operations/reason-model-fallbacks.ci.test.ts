import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { makeLog } from '../../platform/log.ts';
import { startWorkers, type WorkerSettings } from '../../workers/start.ts';
import { expectWrong } from '../support/contract.ts';
import { informationOf, insightSample, waitForInsights, withInsights } from '../support/insight-answers.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { runCommand } from '../support/run-command.ts';
import { fail, formFor, say, startScriptedModel } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

const SLOTS = 4;
/** When the turns of the first slots have failed, the others leave the model alone. */
const TURNS = 3 * SLOTS;

describe('turns whose model fails while it has a fallback', () => {
  const service = openOwnService({
    modelFallbacks: { scripted: ['second'] },
    requestTimeoutMs: 30_000,
    workerConcurrency: SLOTS,
    insightConcurrency: 2,
  });

  it('are all answered by the fallback, and say which model answered and which was tried', async () => {
    service.model.script((request, response) =>
      (request.model === 'second' ? say('Do segundo.') : fail(429))(request, response),
    );
    const turns = await Promise.all(Array.from({ length: TURNS }, () => service.ask('Oi?')));
    expect(turns.map(({ status }) => status)).to.deep.equal(turns.map(() => 200));
    const [{ data, text }] = turns as [(typeof turns)[0]];
    expect(text).to.equal('Do segundo.');
    expect(data.tokensControl.map(({ model }: Fields) => model)).to.deep.equal(['second']);
    const toTry = ({ name, status }: Fields) => `${String(name)} ${String(status)}`;
    const tries = turns.map(turn => turn.data.restStatus.map(toTry));
    expect(tries).to.deep.include(['model:scripted 429', 'model:second 200']);
    expect(tries).to.deep.include(['model:second 200']);
  });

  it('are answered by that of their host, where it names one', async () => {
    await setHost(service.db, 'demo', { modelFallbacks: ['third'] });
    service.model.script((request, response) =>
      (request.model === 'third' ? say('Do terceiro.') : fail(500))(request, response),
    );
    expect((await service.ask('Oi?')).text).to.equal('Do terceiro.');
  });

  it('also for the form of an agent and for an insight', async () => {
    await setHost(service.db, 'demo', { modelFallbacks: ['third'] });
    const insight = withInsights();
    service.model.script((request, response) => {
      if (request.model !== 'third') return fail(500)(request, response);
      return (request.headers['x-parley-purpose'] === 'agent' ? say(formFor) : insight)(request, response);
    });
    const frontSchema = { type: 'object', properties: { curso: { type: 'string' } } };
    await service.demo.make('generateAgent', { agent: { agentName: 'a', frontSchema } });
    const conversationId = await service.newConversation();
    await service.ask('Oi?', { conversationId });
    await waitForInsights(service, conversationId);
    const { body } = await informationOf(service, conversationId);
    expect(body.data).to.include({ main_topic: insightSample.main_topic });
  });
});

describe('the names of fallbacks', () => {
  const telling = openOnce(async () => {
    const model = await startScriptedModel();
    model.models = ['scripted', 'small', 'large'];
    return model;
  });
  const service = openOwnService(() => ({ openaiBaseUrl: telling.baseURL }));
  const stored = async () => (await service.db('hosts').where({ slug: 'demo' }).first()).model_fallbacks;
  const save = (modelFallbacks: string[]) => service.demo.call('saveHost', { modelFallbacks });

  it('are refused by saveHostHelper where no provider has them, each with the nearest one', async () => {
    const wrong = ['modelFallbacks[1]', 'modelFallbacks[2]'];
    expectWrong(await save(['small', 'larg', 'smal']), wrong, 'the nearest is "large"');
    expect(await stored()).to.deep.equal([]);
    expect((await save(['small'])).status).to.equal(200);
    expect((await save([])).status).to.equal(200);
  });

  it('are refused by the command, too, and nothing is changed', async () => {
    const run = (names: string) =>
      runCommand('host', ['set', '--slug', 'demo', '--share', '3', '--model-fallbacks', names], {
        DATABASE_URL: service.settings.databaseUrl,
        SECRET_KEY: service.settings.secretKey,
        OPENAI_BASE_URL: telling.baseURL,
        OPENAI_MODEL: 'scripted',
      });
    const { code, err } = await run('small,larg');
    expect([code, err.split('\n').at(1)]).to.deep.equal([
      1,
      '  modelFallbacks[1] names a model that no provider has; the nearest is "large"',
    ]);
    expect(await stored()).to.deep.equal([]);
    expect((await run('small,large')).code).to.equal(0);
    expect(await stored()).to.deep.equal(['small', 'large']);
  });

  /** One is enough to see whether it starts. */
  const workerQueues = ['turns'];
  const log = makeLog('test', 'silent');
  const start = (modelFallbacks: Record<string, string[]>, more: Partial<WorkerSettings> = {}) =>
    startWorkers({ ...service.settings, workerQueues, modelFallbacks, ...more }, log).then(
      async workers => workers.close(),
      (error: Error) => [error.name, error.message],
    );

  it('of the setting end the start of a worker, also that of the model that has them', async () => {
    const refusal = (name: string, nearest: string) => [
      'Error',
      `setting "MODEL_FALLBACKS": "${name}" names a model that no provider has; the nearest is "${nearest}"`,
    ];
    expect(await start({ scripted: ['small', 'larg'] })).to.deep.equal(refusal('larg', 'large'));
    expect(await start({ smal: ['large'] })).to.deep.equal(refusal('smal', 'small'));
    expect(await start({ small: ['large'] })).to.equal(undefined);
  });

  it('of prices end the start of a worker, too, but not that of a model for speech', async () => {
    expect(await start({}, { modelPrices: { large: 1, larg: { input: 1, output: 2 } } })).to.deep.equal([
      'Error',
      'setting "MODEL_PRICES": "larg" names a model that no provider has; the nearest is "large"',
    ]);
    expect(await start({}, { modelPrices: { large: 1, fala: { minute: 0.006 } } })).to.equal(undefined);
  });

  it('of the setting may be of the models of LLM_PROVIDERS, also where their provider lists others', async () => {
    const llmProviders = { gateway: { baseURL: telling.baseURL, models: ['unlisted'] } };
    expect(await start({ scripted: ['unlisted'] }, { llmProviders })).to.equal(undefined);
  });

  it('of the setting are taken while a provider cannot be asked: that may be why they are needed', async () => {
    const llmProviders = { down: { baseURL: 'http://127.0.0.1:1/v1', models: ['other'] } };
    expect(await start({ scripted: ['larg'] }, { llmProviders })).to.equal(undefined);
  });
});
