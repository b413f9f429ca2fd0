import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { openOwnService, startService } from '../support/service.ts';

const PASSWORD = 'what operators know';
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`ops:${password}`).toString('base64')}`,
});

describe('the figures at /metrics', () => {
  const service = openOwnService({ opsPassword: PASSWORD, modelPrices: { scripted: 2_000_000 } });
  before(async () => {
    service.model.say('Às 8h.');
  });
  const figures = (headers: Record<string, string> = basic(PASSWORD)) =>
    service.call('/metrics', undefined, { headers, token: undefined });

  it('are for operators alone', async () => {
    expect((await figures(basic('another'))).status).to.equal(401);
    expect((await figures({})).status).to.equal(401);
    expect((await figures()).status).to.equal(200);
  });

  it('count requests by operation and status, and show every queue', async () => {
    await service.ask('Que horas abre?');
    await service.ask('Que horas abre?', {}, { token: 'none' });
    const { body } = await figures();
    expect(body).to.match(
      /parley_requests_total\{operation="reason",status="200",process="web-[^"]+"\} [1-9]/,
    );
    expect(body).to.match(
      /parley_requests_total\{operation="other",status="401",process="web-[^"]+"\} [1-9]/,
    );
    for (const queue of ['turns', 'catalog'])
      expect(body).to.match(new RegExp(`parley_queue_depth\\{queue="${queue}",process="web-[^"]+"\\} 0\\n`));
  });

  it('have what the workers counted, each process by its name', async () => {
    await service.ask('Que horas abre?');
    const seen = await eventually(
      async () => String((await figures()).body),
      body => /parley_jobs_total\{operation="reason"/.test(body),
    );
    expect(seen).to.match(/parley_jobs_total\{operation="reason",code="200",process="worker-[^"]+"\} [1-9]/);
    expect(seen).to.match(/parley_job_wait_seconds_count\{[^}]*queue="turns"[^}]*\} [1-9]/);
    const counted = (name: string) =>
      Number(new RegExp(`${name}\\{model="scripted"[^}]*\\} (\\d+)`).exec(seen)?.[1]);
    expect(counted('parley_model_calls_total')).to.be.at.least(1);
    expect(counted('parley_model_cost_total')).to.equal(2 * counted('parley_model_tokens_total'));
    expect(seen).to.match(/parley_index_lag_seconds\{process="worker-[^"]+"\} [\d.]+\n/);
    expect(seen.match(/# TYPE parley_jobs_total/g)).to.have.length(1);
    expect(seen).to.match(/parley_worker_slots\{queue="turns",process="worker-[^"]+"\} 32\n/);
    expect(seen).to.match(/parley_workers_wanted\{queue="turns",process="web-[^"]+"\} 1\n/);
  });
});

describe('the figures without a password for operators', () => {
  it('are nowhere', async () => {
    const service = await startService({ workers: false });
    const { status } = await service.call('/metrics');
    await service.close();
    expect(status).to.equal(404);
  });
});

describe('the health of the workers', () => {
  it('is well while nothing waits, and while what waits is being worked off', async () => {
    const service = await startService({ indexer: true });
    service.model.say('Às 8h.');
    await service.ask('Que horas abre?');
    const { status, body } = await service.call('/health/workers');
    await service.close();
    expect(status).to.equal(200);
    expect(body.queues.turns).to.include({ status: 'ok', waiting: 0, oldest_ms: null });
    expect(body.queues.turns.last_completed_ms).to.be.a('number');
  });

  it('is bad as soon as the oldest job is late and none ends', async () => {
    const service = await startService({ workers: false, requestTimeoutMs: 1_000 });
    const headers = { prefer: 'respond-async' };
    // No worker serves the queue for creating the conversation either.
    const conversationId = '2f3b794f-633c-45b1-a2e2-68c323cd2740';
    expect((await service.ask('Que horas abre?', { conversationId }, { headers })).status).to.equal(202);
    const seen = await eventually(
      () => service.call('/health/workers'),
      answer => answer.body.queues.turns.status === 'down',
    );
    await service.close();
    expect(seen.status).to.equal(503);
    expect(seen.body).to.deep.include({ status: 'down' });
    expect(seen.body.queues.turns).to.include({ status: 'down', waiting: 1, last_completed_ms: null });
    expect(seen.body.queues.catalog).to.include({ status: 'ok' });
  });
});
