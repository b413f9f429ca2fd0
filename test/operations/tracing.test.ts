import { expect } from 'chai';
import { startTracing } from '../../platform/tracing.ts';
import { say } from '../support/scripted-model.ts';
import { borrowService } from '../support/service.ts';
import { startTraceCollector, type TraceCollector } from '../support/trace-collector.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('a request that is traced', () => {
  let collector: TraceCollector;
  before(async () => {
    collector = await startTraceCollector();
  });
  after(() => collector.close());

  it('is one trace from its caller over the queue to the model, and holds nothing that was said', async () => {
    const tracing = startTracing('test', collector.endpoint);
    const service = await borrowService();
    service.model.script(say('Às 8h.'));
    const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    await service.ask('Que horas abre a secretaria?', { userData: { name: 'Zuleica' } }, { headers });
    await service.close();
    await tracing.close();
    const ours = collector.sent.flatMap(spansIn).filter(({ traceId }) => traceId === TRACE);
    const named = (name: string) => ours.find(span => span.name === name);
    expect(ours.map(({ name }) => name)).to.have.members(['reason', 'work reason', 'model']);
    expect(named('reason')?.parentSpanId).to.equal('00f067aa0ba902b7');
    expect(named('work reason')?.parentSpanId).to.equal(named('reason')?.spanId);
    expect(named('model')?.parentSpanId).to.equal(named('work reason')?.spanId);
    expect(collector.sent.join()).to.not.match(/Zuleica|secretaria/);
  });
});

function spansIn(body: string): Span[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
