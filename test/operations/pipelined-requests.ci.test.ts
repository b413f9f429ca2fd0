import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { openConnection } from '../support/raw-connection.ts';
import { hold } from '../support/scripted-model.ts';
import { openService, PUBLIC } from '../support/service.ts';

describe('requests that are sent before the response to the last one', () => {
  const service = openService();
  const { demo, model } = service;

  const open = () => openConnection(service.baseURL);
  const requestOf = (path: string, body: object, requestId = 'sem-nome') => {
    const json = JSON.stringify(body);
    const lines = [
      `POST ${path} HTTP/1.1`,
      'Host: parley',
      `X-Request-Id: ${requestId}`,
      `Authorization: Bearer ${demo.token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(json)}`,
      '',
      json,
    ];
    return lines.join('\r\n');
  };
  const turn = (conversationId: string) =>
    requestOf(`${PUBLIC}/svcReasoning`, { hostId: demo.hostId, conversationId, question: 'Oi?' });
  const created = (requestId?: string) =>
    requestOf(`${PUBLIC}/createConversationId`, { hostId: demo.hostId, hostSlug: demo.slug }, requestId);

  it('are answered in their order', async () => {
    const { socket, read } = await open();
    const ids = Array.from({ length: 5 }, (_, at) => `pedido-${at}`);
    socket.write(ids.map(id => created(id)).join(''));
    const text = await eventually(read, answers => answers.split('HTTP/1.1 200').length === 6);
    expect(text.match(/(?<=x-request-id: )\S+/gi)).to.deep.equal(ids);
    socket.destroy();
  });

  it('are all cancelled when their client leaves', async () => {
    const held = hold();
    model.script(held.script);
    const [first, second] = [await service.newConversation(), await service.newConversation()];
    const { socket } = await open();
    const calls = model.requests.length;
    socket.write(turn(first) + turn(second));
    await eventually(() => model.requests.length, calls + 2);
    socket.destroy();
    await eventually(
      async () =>
        (await service.db('turns').whereIn('conversation_id', [first, second]).where({ state: 'unanswered' }))
          .length,
      2,
    );
    held.release();
  });

  it('end their connection where they are more than eight', async () => {
    const held = hold();
    model.script(held.script);
    const calls = model.requests.length;
    const { socket, read, closed } = await open();
    for (let n = 0; n < 8; n += 1) socket.write(turn(await service.newConversation()));
    await eventually(() => model.requests.length, calls + 8);
    socket.write(created());
    await closed;
    expect(read()).to.equal('');
    held.release();
  });
});
