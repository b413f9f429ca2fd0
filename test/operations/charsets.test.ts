import { expect } from 'chai';
import { listMessageTexts } from '../support/conversation-records.ts';
import { deal } from '../support/crm.ts';
import { openService } from '../support/service.ts';
import { hmacOf, makeSource, sendRaw } from '../support/signed.ts';

const QUESTION = 'Qual é o horário às terças? “São João” custa 5 €';
/** Letters of Windows-1252 that ISO-8859-1 has not. */
const others: Readonly<Record<string, number>> = { '€': 0x80, '“': 0x93, '”': 0x94 };
const toBytes = (value: unknown) =>
  Buffer.from(Array.from(JSON.stringify(value), letter => others[letter] ?? letter.charCodeAt(0)));
const typed = (charset: string) => ({ 'content-type': `application/json; charset=${charset}` });

describe('a body in another charset that its Content-Type declares', () => {
  const service = openService();
  const { demo } = service;

  it('is the question of a turn, and of a client of OpenAI and of MCP', async () => {
    const conversationId = await service.newConversation();
    const turn = { hostId: demo.hostId, conversationId, question: QUESTION };
    for (const charset of ['ISO-8859-1', 'windows-1252', '"latin1"'])
      await demo.call('reason', toBytes(turn), { headers: typed(charset) });
    const [{ id: model }] = (await service.call('/v1/models')).body.data;
    const chat = { model, messages: [{ role: 'user', content: QUESTION }] };
    await service.call('/v1/chat/completions', toBytes(chat), { headers: typed('cp1252') });
    const params = { name: 'reason', arguments: turn };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const headers = { ...typed('l1'), accept: 'application/json, text/event-stream' };
    await service.call('/mcp', toBytes(message), { headers });
    const asked = service.model.requests.map(({ messages }) => messages.at(-1)?.content);
    expect(asked.filter(text => text?.includes(QUESTION))).to.have.length(5);
    const said = await listMessageTexts(service.db, conversationId);
    expect(said.filter(each => each === `user: ${QUESTION}`)).to.have.length(4);
  });

  it('is a record whose names keep their letters, also a signed one, whose signature is over its bytes', async () => {
    const body = toBytes({ ...deal(1), firstname: 'João', lastname: 'Conceição' });
    await demo.call('receiveDeal', body, { headers: typed('iso-8859-1') });
    const secret = 'a secret of the shop';
    const source = await makeSource(service, { scheme: 'hmac', settings: { header: 'X-Signature' }, secret });
    const signed = toBytes({ ...deal(2), firstname: 'João', lastname: 'Conceição' });
    const headers = { 'x-signature': hmacOf(secret, signed), ...typed('iso-8859-1') };
    expect((await sendRaw(service, source.path, signed, headers)).status).to.equal(200);
    const refused = await sendRaw(service, source.path, signed, { ...headers, ...typed('utf-8') });
    expect(refused.status).to.equal(400);
    const names = service.db('leads').where({ host_id: demo.hostId }).whereIn('external_id', ['1', '2']);
    const name = { firstname: 'João', lastname: 'Conceição' };
    expect(await names.select('firstname', 'lastname')).to.deep.equal([name, name]);
  });
});
