import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Waiters } from '../../queues/transport/waiters.ts';
import { openConversation } from '../support/conversation.ts';
import { type EventClient, openEvents, type ReceivedEvent, readEvents } from '../support/event-client.ts';
import { eventually } from '../support/eventually.ts';
import { openConnection } from '../support/raw-connection.ts';
import { fail, hold, type ModelScript, say, sayInPieces, sayThenCall } from '../support/scripted-model.ts';
import { openOwnService, PUBLIC } from '../support/service.ts';

describe('an answer that is read while it is generated', () => {
  const settings = { requestTimeoutMs: 20_000, openaiModel: 'a', modelFallbacks: { a: ['b'] } };
  const service = openOwnService(settings);
  const { demo, model } = service;
  const conversation = openConversation(service);

  const open = (headers?: Record<string, string>, more: object = {}) =>
    openEvents(service, { conversationId: conversation.id, question: 'Bom dia', ...more }, headers);
  const stringIn = (event?: ReceivedEvent) => event?.data.data.assistantResponse.string;
  /** The client has read this, in its pieces and as a whole, and it is stored. */
  const expectAnswered = async (client: EventClient, text: string) => {
    const events = await client.readAll();
    expect([client.text(), stringIn(events.at(-1)), await storedAnswers()]).to.deep.equal([
      text,
      text,
      [text],
    ]);
    return events;
  };
  /** Each piece of the model waits until its gate is opened. */
  const makeGates = (count: number) => {
    const opens: (() => void)[] = [];
    const opened = Array.from({ length: count }, (_, at) => new Promise<void>(open => (opens[at] = open)));
    return { wait: async (at: number) => opened[at], open: (at: number) => opens[at]?.() };
  };
  const storedAnswers = async () =>
    (await conversation.said()).flatMap(text => text.split(/^assistant: /).slice(1));
  /** Says this, and breaks off once the second gate is opened. */
  const breakOff =
    (text: string, gate: ReturnType<typeof makeGates>): ModelScript =>
    (request, response) =>
      sayInPieces([text, ''], async at => {
        await gate.wait(at);
        if (at === 1) response.destroy();
      })(request, response);

  it('has nothing of what the model thinks before it', async () => {
    model.script(sayInPieces(['<thi', 'nk>Quer o', ' horário.</th', 'ink>\n\nDas 8h', ' às 21h.']));
    await expectAnswered(await open(), 'Das 8h às 21h.');
  });

  it('comes piece by piece, and then as a whole', async () => {
    const gate = makeGates(3);
    model.script(sayInPieces(['A secretaria ', 'atende ', 'das 8h às 21h.'], gate.wait));
    gate.open(0);
    const client = await open();
    const { status, headers } = client.response;
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/event-stream; charset=utf-8']);
    expect(headers.get('cache-control')).to.equal('no-store, no-transform');
    await client.waitForText('A secretaria ');
    gate.open(1);
    await client.waitForText('A secretaria atende ');
    gate.open(2);
    const events = await expectAnswered(client, 'A secretaria atende das 8h às 21h.');
    expect(events.slice(0, -1).every(({ event }) => event === 'delta')).to.equal(true);
    const answer = events.at(-1);
    expect(answer?.event).to.equal('answer');
    expect(answer?.data).to.include({ code: 200, message: 'Success' });
    expect(answer?.data.data.tokensControl).to.deep.equal([{ model: 'a', tokens: 42 }]);
  });

  it('is whole where the model does not stream, and long', async () => {
    const text = 'á'.repeat(99_000);
    for (const script of [say(text), sayInPieces([text])]) {
      await conversation.restart();
      model.script(script);
      await expectAnswered(await open(), text);
    }
  });

  it('keeps characters whole that the model splits', async () => {
    model.script(sayInPieces(['Olá \ud83d', '\ude00', '!']));
    const events = await expectAnswered(await open(), 'Olá 😀!');
    expect(events.map(({ event }) => event)).to.not.include('replace');
  });

  it('is replaced after a fallback', async () => {
    const gate = makeGates(2);
    gate.open(0);
    const [broken, whole] = [breakOff('Um momento', gate), sayInPieces(['Bom dia!'])];
    model.script((request, response) => (request.model === 'a' ? broken : whole)(request, response));
    const client = await open();
    await client.waitForText('Um momento');
    model.script(whole);
    gate.open(1);
    expect((await expectAnswered(client, 'Bom dia!')).map(({ event }) => event)).to.include('replace');
  });

  it('is replaced by each next text, also where the model has to be asked again', async () => {
    const [first, ...more] = ['Um momento', 'Já vejo', 'Bom dia!'];
    let asked = 0;
    // The first is cut short: no model says how it ended. The second calls what it may not call.
    const cutShort: ModelScript = ({ model }, response) => {
      const choices = [{ index: 0, delta: { content: first }, finish_reason: null }];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ id: 'chatcmpl-1', model, choices })}\n\ndata: [DONE]\n\n`);
    };
    model.script((request, response) => {
      asked += 1;
      if (asked === 1) return cutShort(request, response);
      if (asked === 2) return sayThenCall(more[0] ?? '', 'no_such_tool', {})(request, response);
      return sayInPieces([more[1] ?? ''])(request, response);
    });
    const events = await expectAnswered(await open(), 'Bom dia!');
    expect(asked).to.equal(3);
    const voided = events.filter(({ event }) => event === 'replace');
    expect(voided.at(-1)?.data.text).to.equal('Bom dia!');
  });

  it('is whole although no message about its pieces or its end arrives', async () => {
    const { notePiece, noteEnd } = Waiters.prototype;
    let lost = 0;
    Waiters.prototype.notePiece = () => void (lost += 1);
    Waiters.prototype.noteEnd = () => {};
    try {
      model.script(sayInPieces(['A secretaria ', 'atende ', 'das 8h às 21h.']));
      const events = await expectAnswered(await open(), 'A secretaria atende das 8h às 21h.');
      expect(lost).to.be.above(0);
      expect(events.map(({ event }) => event)).to.deep.equal(['delta', 'answer']);
    } finally {
      Object.assign(Waiters.prototype, { notePiece, noteEnd });
    }
  });

  it('comes to a client of HTTP/1.0 without chunks, and ends with its connection', async () => {
    const gate = makeGates(2);
    model.script(sayInPieces(['Bom ', 'dia!'], gate.wait));
    gate.open(0);
    const body = JSON.stringify({ hostId: demo.hostId, conversationId: conversation.id, question: 'Oi' });
    const client = await openConnection(service.baseURL);
    client.socket.write(
      [
        `POST ${PUBLIC}/svcReasoning HTTP/1.0`,
        `Authorization: Bearer ${demo.token}`,
        'Accept: text/event-stream',
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );
    await eventually(client.read, text => text.includes('Bom '));
    gate.open(1);
    await client.closed;
    const [head = '', ...rest] = client.read().split('\r\n\r\n');
    expect(head).to.match(/^HTTP\/1\.1 200 /);
    expect(head.toLowerCase()).to.include('connection: close').and.not.include('transfer-encoding');
    const events = readEvents(rest.join('\r\n\r\n'));
    expect(events.map(({ event }) => event)).to.deep.equal(['delta', 'delta', 'answer']);
    expect(stringIn(events.at(-1))).to.equal('Bom dia!');
  });

  it('is an ordinary error response where it fails before the first piece', async () => {
    model.script(fail(400));
    const failed = await open();
    expect(failed.response.status).to.equal(503);
    expect(await failed.response.json()).to.include({ code: 503 });
    for (const [body, status] of [
      [{ question: [7] }, 400],
      [{ conversationId: randomUUID() }, 404],
    ] as const)
      expect((await open({}, body)).response.status).to.equal(status);
    expect((await open({ Authorization: 'Bearer wrong' })).response.status).to.equal(401);
  });

  it('ends with an error event where it fails later', async () => {
    const gate = makeGates(2);
    gate.open(0);
    model.script(breakOff('Um momento', gate));
    const client = await open();
    await client.waitForText('Um momento');
    model.script(fail(400));
    gate.open(1);
    const events = await client.readAll();
    const { event, data } = events.at(-1) ?? expect.fail();
    expect([event, data.code]).to.deep.equal(['error', 503]);
    expect(data.data.requestId).to.be.a('string');
  });

  it('stops the model when the client disconnects', async () => {
    const gate = makeGates(2);
    gate.open(0);
    let noteClosed = () => {};
    const closed = new Promise<void>(resolve => (noteClosed = resolve));
    model.script((request, response) => {
      response.once('close', noteClosed);
      return sayInPieces(['Um momento', ''], gate.wait)(request, response);
    });
    const client = await open();
    await client.waitForText('Um momento');
    client.disconnect();
    await closed;
    expect(await storedAnswers()).to.deep.equal([]);
    gate.open(1);
  });

  it('comes to each of two callers with one Idempotency-Key as a whole', async () => {
    const gate = hold(sayInPieces(['Bom ', 'dia!']));
    model.script(gate.script);
    const headers = { 'Idempotency-Key': `k-${conversation.id}` };
    const clients = [open(headers), open(headers)];
    await gate.held;
    gate.release();
    for (const client of await Promise.all(clients)) {
      const events = await client.readAll();
      expect(client.text()).to.equal('Bom dia!');
      expect(events.filter(({ event }) => event === 'answer')).to.have.length(1);
    }
    const again = await open(headers);
    expect((await again.readAll()).map(({ event }) => event)).to.deep.equal(['delta', 'answer']);
    expect(await storedAnswers()).to.deep.equal(['Bom dia!']);
  });

  it('is JSON for a client that does not want events', async () => {
    model.script(sayInPieces(['Bom dia!']));
    expect((await conversation.ask('Bom dia')).text).to.equal('Bom dia!');
    expect(model.requests.at(-1)?.stream).to.equal(undefined);
  });
});
