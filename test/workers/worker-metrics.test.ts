import { expect } from 'chai';
import { failure } from '../../queues/contract/failure.ts';
import type { Job } from '../../queues/transport/consumer.ts';
import { makeWorkerMetrics } from '../../workers/metrics.ts';

const callOf = (name: string, cost = '0') => {
  const usage = { input: 2, cached: 0, output: 1 };
  const call = { name, purpose: 'turn', status: 404, startedAt: '', durationMs: 10, tokens: 3 } as const;
  return { ...call, usage, cost };
};
const labelsOf = (text: string) =>
  text.split('\n').filter(line => line.startsWith('parley_model_calls_total{'));

describe('the figures of a worker', () => {
  it('tell models apart up to a number, however many names a tenant makes up, and lose no call', async () => {
    const { onModelCall, registry } = makeWorkerMetrics('w', { caro: 1_000_000 });
    for (let nth = 0; nth < 5_000; nth += 1) onModelCall(callOf(`inventado-${nth}`));
    onModelCall(callOf('caro', '3'));
    const text = await registry.metrics();
    const lines = labelsOf(text);
    expect(lines.length).to.be.within(10, 102);
    const counted = lines.map(line => Number(line.split(' ').at(-1)));
    expect(counted.reduce((sum, count) => sum + count, 0)).to.equal(5_001);
    // A model with a price always has its own label.
    expect(text).to.match(/parley_model_cost_total\{model="caro",process="w"\} 3\n/);
  });

  it('count a model whatever it is called', async () => {
    const { onModelCall, registry } = makeWorkerMetrics('w', { caro: 1_000_000 });
    for (const name of ['constructor', '__proto__', 'toString']) onModelCall(callOf(name));
    const text = await registry.metrics();
    for (const name of ['constructor', '__proto__', 'toString'])
      expect(text).to.contain(`parley_model_cost_total{model="${name}",process="w"} 0\n`);
  });

  it('never fail whoever counts: a call that took less than no time is told of, and the next is counted', async () => {
    const told: unknown[] = [];
    const { onModelCall, registry } = makeWorkerMetrics('w', {}, error => told.push(error));
    onModelCall({ ...callOf('m'), durationMs: -5 });
    expect(told).to.have.length(1);
    onModelCall(callOf('m'));
    expect(labelsOf(await registry.metrics())).to.deep.equal([
      'parley_model_calls_total{model="m",status="404",process="w"} 2',
    ]);
  });

  it('count a job with the outcome that its caller was told, also where its handler never ends', async () => {
    const { countJobs, registry } = makeWorkerMetrics('w');
    const counted = countJobs({ handle: () => new Promise(() => {}), storeOutcome: async () => {} });
    const job = { queue: 'turns', operation: 'reason', arrivedAt: 0, deadline: 1, remainingMs: () => 0 };
    void counted.handle(job as Job);
    await counted.storeOutcome(job as Job, failure('deadline'));
    const text = await registry.metrics();
    expect(text).to.contain('parley_jobs_total{operation="reason",code="408",process="w"} 1');
    expect(text).to.match(/parley_job_run_seconds_count\{[^}]*operation="reason"[^}]*\} 1/);
  });

  it('keep a name to its own line, whatever stands in it', async () => {
    const { onModelCall, registry } = makeWorkerMetrics('w');
    onModelCall(callOf('a"} 1\nup{x="\\'));
    const lines = labelsOf(await registry.metrics());
    expect(lines).to.deep.equal([
      'parley_model_calls_total{model="a\\"} 1\\nup{x=\\"\\\\",status="404",process="w"} 1',
    ]);
  });
});
