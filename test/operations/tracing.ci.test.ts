import { expect } from 'chai';
import { startTracing } from '../../platform/tracing.ts';
import { openOnce } from '../support/opened.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { borrowService, startService } from '../support/service.ts';
import { startTraceCollector } from './trace-collector.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('a request that is traced', () => {
  const collector = openOnce(startTraceCollector);

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
    expect(ours.map(({ name }) => name)).to.have.members(['reason', 'work reason', 'chat scripted']);
    expect(named('reason')?.parentSpanId).to.equal('00f067aa0ba902b7');
    expect(named('work reason')?.parentSpanId).to.equal(named('reason')?.spanId);
    expect(named('chat scripted')?.parentSpanId).to.equal(named('work reason')?.spanId);
    expect(collector.sent.join()).to.not.match(/Zuleica|secretaria/);
    expect(attributesOf(named('chat scripted'))).to.deep.equal({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'scripted',
      'gen_ai.response.model': 'scripted',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 41,
      'gen_ai.usage.output_tokens': 1,
      purpose: 'turn',
    });
  });

  it('names the tools that ran, and has what was said where the operator asks for it', async () => {
    const tracing = startTracing('test', collector.endpoint);
    const service = await startService({ traceContents: true });
    const baseURL = 'https://erp.invalid';
    const { toolId } = await service.demo.make('saveRestTool', { avatarId: service.demo.avatarId, baseURL });
    const boletos = { cpf: '52998224725' };
    service.model.script(
      rounds(
        call([['ask_human_help', { reason: 'user_request' }], ['financeiro__boletos', boletos], ['Zuleica']]),
        say('Às 8h.'),
      ),
    );
    const trace = TRACE.replace('4', '5');
    const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    await service.ask('Quero falar com alguém', {}, { headers });
    await service.demo.call('tryRestTool', { toolId, function: 'boletos', arguments: boletos }, { headers });
    await service.close();
    await tracing.close();
    const ours = collector.sent.flatMap(spansIn).filter(({ traceId }) => traceId === trace);
    const ran = ours.filter(({ name }) => name.startsWith('execute_tool')).map(attributesOf);
    expect(ran.map(attributes => attributes['gen_ai.tool.name'])).to.have.members([
      'ask_human_help',
      'unknown',
      'financeiro__boletos',
      'financeiro__boletos',
    ]);
    const [first, last] = ours.filter(({ name }) => name === 'chat scripted').map(attributesOf);
    const said = (attributes: typeof first, way: 'input' | 'output') =>
      (JSON.parse(String(attributes?.[`gen_ai.${way}.messages`])) as { parts: object[] }[]).flatMap(
        ({ parts }) => parts,
      );
    expect(said(first, 'input')).to.deep.include({ type: 'text', content: 'Quero falar com alguém' });
    expect(said(first, 'output')[0]).to.include({ type: 'tool_call', name: 'ask_human_help' });
    expect(said(last, 'input').at(-1)).to.include({ type: 'tool_call_response' });
    expect(said(last, 'output')).to.deep.equal([{ type: 'text', content: 'Às 8h.' }]);
  });
});

function attributesOf(span: Span | undefined): Record<string, unknown> {
  return Object.fromEntries(span?.attributes.map(({ key, value }) => [key, plainOf(value)]) ?? []);
}

/** OTLP has the type of a value as its key. */
function plainOf(value: object): unknown {
  const [[kind, plain] = []] = Object.entries(value);
  return kind === 'arrayValue' ? (plain as { values: object[] }).values.map(plainOf) : plain;
}

function spansIn(body: string): Span[] {
  const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
