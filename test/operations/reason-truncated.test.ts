import { expect } from 'chai';
import { openConversation } from '../support/conversation.ts';
import { openEvents } from '../support/event-client.ts';
import type { ModelScript } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { openService } from '../support/service.ts';

const WHOLE = 'A secretaria atende das 8h às 21h. Traga o RG.';
const CUT = `${WHOLE} A taxa custa R$ 1.`;

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
  const conversation = openConversation(service, withReceipt);
  const stored = async () => (await conversation.said()).at(-1);
  const STORED = `assistant: ${WHOLE}`;

  it('is marked, in the receipt too, and ends with its last whole sentence, as it is stored', async () => {
    service.model.script(cutShort(CUT));
    const { data, text, receipt } = await conversation.ask('Que horas?');
    expect([data.truncated, text, await stored()]).to.deep.equal([true, WHOLE, STORED]);
    expect(data.assistantResponse.wppParsed).to.deep.equal([{ type: 'text', content: WHOLE }]);
    expect(receipt.warnings.join()).to.contain('cut');
    service.model.say(WHOLE);
    const usual = await conversation.ask('Que horas?');
    expect(usual.data).to.not.have.property('truncated');
    expect(usual.receipt.warnings).to.deep.equal([]);
  });

  it('is marked whatever name the server has for it, and kept where no sentence of it is whole', async () => {
    for (const reason of ['max_tokens', 'MAX_TOKENS', 'model_length', 'content_filter']) {
      service.model.script(cutShort('A secretaria atende das', reason));
      const { data, text } = await conversation.ask('Que horas?');
      expect([data.truncated, text], reason).to.deep.equal([true, 'A secretaria atende das']);
    }
  });

  it('is the same text to who reads it while it is generated', async () => {
    service.model.script(cutShort(CUT));
    const client = await openEvents(service, { conversationId: conversation.id, question: 'Que horas?' });
    const { data } = (await client.readAll()).at(-1)?.data ?? {};
    const told = [client.text(), data.assistantResponse.string, data.truncated, await stored()];
    expect(told).to.deep.equal([WHOLE, WHOLE, true, STORED]);
  });

  it('ends with `length` for a client of OpenAI, whole or in chunks', async () => {
    service.model.script(cutShort(CUT));
    const asked = { model: 'principal', messages: [{ role: 'user', content: 'Que horas?' }] };
    const [choice] = (await service.call('/v1/chat/completions', asked)).body.choices;
    expect(choice).to.include({ finish_reason: 'length' });
    expect(choice.message).to.include({ content: WHOLE });
    const { body: chunks } = await service.call('/v1/chat/completions', { ...asked, stream: true });
    expect(chunks).to.contain('"finish_reason":"length"').and.not.contain('"finish_reason":"stop"');
  });

  it('is an incomplete response, which stays one', async () => {
    service.model.script(cutShort(CUT));
    const told = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    const { body: given } = await service.call('/v1/responses', { model: 'principal', input: 'Que horas?' });
    expect(given).to.deep.include(told);
    const { parley: _parley, ...kept } = given;
    expect((await service.call(`/v1/responses/${given.id}`)).body).to.deep.equal(kept);
  });
});
