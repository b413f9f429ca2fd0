import { expect } from 'chai';
import { setHost } from '../../db/hosts.ts';
import { fail, say } from '../support/scripted-model.ts';
import { type Service, startService } from '../support/service.ts';

const TURNS = 60;

describe('turns whose model fails while it has a fallback', () => {
  let service: Service;
  before(async () => {
    service = await startService({ modelFallbacks: { scripted: ['second'] }, requestTimeoutMs: 30_000 });
  });
  after(() => service.close());

  it('are all answered by the fallback, and say which model answered and which was tried', async () => {
    service.model.script((request, response) =>
      (request.model === 'second' ? say('Do segundo.') : fail(429))(request, response),
    );
    const turns = await Promise.all(Array.from({ length: TURNS }, () => service.ask('Oi?')));
    expect(turns.map(({ status }) => status)).to.deep.equal(turns.map(() => 200));
    const [{ body }] = turns as [(typeof turns)[0]];
    expect(body.data.assistantResponse.string).to.equal('Do segundo.');
    expect(body.data.tokensControl.map(({ model }: { model: string }) => model)).to.deep.equal(['second']);
    const tries = turns.map(turn =>
      turn.body.data.restStatus.map(
        (each: { name: string; status: number }) => `${each.name} ${each.status}`,
      ),
    );
    expect(tries).to.deep.include(['model:scripted 429', 'model:second 200']);
    expect(tries).to.deep.include(['model:second 200']);
  });

  it('are answered by that of their host, where it names one', async () => {
    await setHost(service.db, 'demo', { modelFallbacks: ['third'] });
    service.model.script((request, response) =>
      (request.model === 'third' ? say('Do terceiro.') : fail(500))(request, response),
    );
    const { body } = await service.ask('Oi?');
    expect(body.data.assistantResponse.string).to.equal('Do terceiro.');
  });
});
