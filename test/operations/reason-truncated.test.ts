import { expect } from 'chai';
import { recordsOf } from '../support/conversation-records.ts';
import { openEvents } from '../support/event-client.ts';
import { type ModelScript, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

const WHOLE = 'A secretaria atende das 8h às 21h. Traga o RG.';
const CUT = `${WHOLE} A taxa custa R$ 1.`;

/** A model whose server cuts its answer. */
const cutShort =
  (text: string, finish_reason = 'length'): ModelScript =>
  ({ model, stream }, response) => {
    const usage = { prompt_tokens: 40, completion_tokens: 2, total_tokens: 42 };
    if (!stream) {
      const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason }];
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify({ id: 'c', model, choices, usage }));
    }
    response.setHeader('content-type', 'text/event-stream');
    for (const choice of [
      { delta: { content: text }, finish_reason: null },
      { delta: {}, finish_reason },
    ])
      response.write(`data: ${JSON.stringify({ id: 'c', model, choices: [{ index: 0, ...choice }] })}\n\n`);
    response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
  };

describe('an answer that the server of its model cut', () => {
  const service = openService();
  let conversationId: string;
  beforeEach(async () => {
    conversationId = await service.newConversation();
  });

  const stored = async () => (await recordsOf(service.db, conversationId)).said.at(-1)?.content;
  const ask = async () =>
    (await service.ask('Que horas?', { conversationId, reasoningConfig: { svcCompleteLog: true } })).body
      .data;

  it('is marked, in the receipt too, and ends with its last whole sentence, as it is stored', async () => {
    service.model.script(cutShort(CUT));
    const { truncated, assistantResponse, svcCompleteLog } = await ask();
    expect([truncated, assistantResponse.string, await stored()]).to.deep.equal([true, WHOLE, WHOLE]);
    expect(assistantResponse.wppParsed).to.deep.equal([{ type: 'text', content: WHOLE }]);
    expect(svcCompleteLog[0].warnings.join()).to.contain('cut');
    service.model.script(say(WHOLE));
    const usual = await ask();
    expect(usual).to.not.have.property('truncated');
    expect(usual.svcCompleteLog[0].warnings).to.deep.equal([]);
  });

  it('is marked whatever name the server has for it, and kept where no sentence of it is whole', async () => {
    service.model.script(cutShort('A secretaria atende das', 'max_tokens'));
    const { truncated, assistantResponse } = await ask();
    expect([truncated, assistantResponse.string]).to.deep.equal([true, 'A secretaria atende das']);
  });

  it('is the same text to who reads it while it is generated', async () => {
    service.model.script(cutShort(CUT));
    const client = await openEvents(service, { conversationId, question: 'Que horas?' });
    const { data } = (await client.readAll()).at(-1)?.data ?? {};
    expect([client.text(), data.assistantResponse.string, data.truncated]).to.deep.equal([
      WHOLE,
      WHOLE,
      true,
    ]);
    expect(await stored()).to.equal(WHOLE);
  });

  it('ends with `length` for a client of OpenAI, whole or in chunks', async () => {
    service.model.script(cutShort(CUT));
    const post = (more: object) =>
      fetch(`${service.baseURL}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.demo.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'principal',
          messages: [{ role: 'user', content: 'Que horas?' }],
          ...more,
        }),
      });
    const { choices } = (await (await post({})).json()) as {
      choices: [{ finish_reason: string; message: object }];
    };
    expect(choices[0]).to.include({ finish_reason: 'length' });
    expect(choices[0].message).to.include({ content: WHOLE });
    const chunks = await (await post({ stream: true })).text();
    expect(chunks).to.contain('"finish_reason":"length"').and.not.contain('"finish_reason":"stop"');
  });
});
