import { expect } from 'chai';
import { NO_MASKING } from '../../workers/domain/masking/masking.ts';
import { makeModel } from '../../workers/model/model.ts';
import type { ModelCall } from '../../workers/model/model-call.ts';
import { makeOpenAiProvider } from '../../workers/model/openai.ts';
import { eventually } from '../support/eventually.ts';
import { noLedger, spenderOf } from '../support/no-ledger.ts';
import { hold, startScriptedModel } from '../support/scripted-model.ts';

describe('a call of a model that never answers', () => {
  it('is counted when its turn ends, so that metrics and log know of it', async () => {
    const scripted = await startScriptedModel();
    const held = hold();
    scripted.script(held.script);
    const counted: ModelCall[] = [];
    const model = makeModel({
      ledger: noLedger,
      directory: {
        providerOf: async () => makeOpenAiProvider('main', { baseURL: scripted.baseURL }),
      },
      defaultModel: 'm',
      onCall: call => counted.push(call),
    });
    const turn = new AbortController();
    const asked = model.complete(undefined, [{ role: 'user', content: 'Oi?' }], {
      purpose: 'turn',
      spender: spenderOf('a'),
      masking: NO_MASKING,
      signal: turn.signal,
    });
    await held.held;
    turn.abort(new Error('deadline'));
    expect(await asked.catch((error: Error) => error.message)).to.equal('deadline');
    await eventually(
      () => counted.length,
      count => count === 1,
    );
    expect(counted[0]).to.deep.include({ name: 'm', status: 0, error: 'aborted' });
    held.release();
    await scripted.close();
  });
});
