import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { deal } from '../support/crm.ts';
import { eventually } from '../support/eventually.ts';
import { openService } from '../support/service.ts';
import { makeSource, sendRaw, standardHeaders } from '../support/signed.ts';

describe('a refusal', () => {
  const service = openService();
  const { demo } = service;

  it('has its name on every road: from the api, a worker, a stored reply, a job, /v1, /mcp and a signed record', async () => {
    const unknown = { hostId: demo.hostId, conversationId: randomUUID() };
    const find = (options = {}) => demo.call('getConversationInformation', unknown, options);
    const turn = (headers: Record<string, string>) =>
      demo.call('reason', { ...unknown, question: 'E?' }, { headers });
    const key = { 'idempotency-key': randomUUID() };
    const [late, source] = [await turn({ prefer: 'respond-async' }), await makeSource(service)];
    const job = await eventually(
      () => service.call(`/jobs/${late.body.data.jobId}`),
      ({ body }) => body.data.state === 'completed',
    );
    const params = { name: 'getConversationInformation', arguments: unknown };
    const tool = await service.call(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { headers: { accept: 'application/json, text/event-stream' } },
    );
    const chat = {
      metadata: { conversation_id: unknown.conversationId },
      messages: [{ role: 'user', content: 'E?' }],
    };
    const v1 = await service.call('/v1/chat/completions', { model: 'principal', ...chat });
    const signed = standardHeaders(JSON.stringify(deal(1)));
    const reasons = {
      api: (await find({ token: 'none' })).body.data.reason,
      worker: (await find()).body.data.reason,
      replies: [(await turn(key)).body.data.reason, (await turn(key)).body.data.reason],
      job: job.body.data.data.reason,
      v1: [v1.body.data.reason, v1.body.error.code],
      tool: JSON.parse(JSON.parse(tool.body.split('data: ')[1]).result.content[0].text).data.reason,
      signed: (await sendRaw(service, source.path, JSON.stringify(deal(2)), signed)).body.data.reason,
    };
    const gone = 'conversation-not-found';
    expect(reasons).to.deep.equal({
      api: 'unauthorized',
      worker: gone,
      replies: [gone, gone],
      job: gone,
      v1: [gone, gone],
      tool: gone,
      signed: 'signature-invalid',
    });
  });

  it('of a body names the rule that each field breaks, with its limit, whoever checks the field', async () => {
    const question = 'x'.repeat(16_001);
    const checked = await service.ask(question);
    const dialogue = await service.ask('', { originalDialogue: [question] });
    const rulesIn = ({ body }: typeof checked) =>
      body.data.fields.map(({ path, rule, limit }: Record<string, unknown>) => [path, rule, limit]);
    expect(rulesIn(checked)).to.deep.equal([['question', 'max-length', 16_000]]);
    expect(rulesIn(dialogue)).to.deep.equal([['originalDialogue[0]', 'max-length', 16_000]]);
  });
});
