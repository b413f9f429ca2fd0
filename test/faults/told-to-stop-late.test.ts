import { expect } from 'chai';
import { startApi } from '../../api/start.ts';
import { makeLog } from '../../platform/log.ts';
import { eventually } from '../support/eventually.ts';
import { hold } from '../support/scripted-model.ts';
import { openOwnService, serviceAt } from '../support/service.ts';

describe('an api that is told to stop with a turn that takes too long', () => {
  const service = openOwnService({ requestTimeoutMs: 20_000 });

  it('refuses it with 503 and Retry-After within its limit, ends, and has the model’s call closed', async () => {
    const held = hold();
    service.model.script(held.script);
    const conversationId = await service.newConversation();
    const leaving = await startApi(service.settings, makeLog('test', 'silent'));
    const { ask } = await serviceAt(service, `http://127.0.0.1:${leaving.port}`);
    const asked = ask('Longo?', { conversationId });
    await held.held;
    await leaving.close(100);
    const answer = await asked;
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
    const running = async () => {
      const { rows } = await service.db.raw(`select 1 from turns where state = 'running'`);
      return rows.length;
    };
    await eventually(running, turns => turns === 0);
    held.release();
  });

  it('is not ready from then on, and still takes what comes before anybody has looked', async () => {
    const leaving = await startApi(service.settings, makeLog('test', 'silent'));
    const through = await serviceAt(service, `http://127.0.0.1:${leaving.port}`);
    const closing = leaving.close(20_000);
    const ready = through.call('/health/ready', undefined, { token: undefined });
    const [{ status, body }] = await Promise.all([ready, through.newConversation()]);
    expect([status, body.checks.process]).to.deep.equal([503, 'down']);
    await closing;
  });
});
