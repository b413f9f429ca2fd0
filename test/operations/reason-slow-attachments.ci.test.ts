import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { refusals } from '../../queues/contract/failure.ts';
import { recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { readRecording } from '../support/recordings.ts';
import { type ApiResponse, openOwnService } from '../support/service.ts';

describe('what is attached to a turn and does not come in time', () => {
  type Ended = ApiResponse & { readonly conversationId: string };
  const service = openOwnService({
    requestTimeoutMs: 3_000,
    transcriptionModel: 'whisper-1',
    egressAllowPrivate: true,
  });
  const { model } = service;
  let endless: Ended;
  let silent: Ended;
  const open: ServerResponse[] = [];
  const files = createServer((_request, response) => {
    open.push(response);
    response.write('OggS');
  });
  let closedCalls = 0;
  before(async () => {
    await once(files.listen(0, '127.0.0.1'), 'listening');
    model.onTranscription = (_request, response) => void response.once('close', () => (closedCalls += 1));
    const { port } = files.address() as AddressInfo;
    const ask = async (source: object) => {
      const conversationId = await service.newConversation();
      const attachments = [{ type: 'audio', content_type: 'audio/ogg', ...source }];
      return { conversationId, ...(await service.ask(undefined, { conversationId, attachments })) };
    };
    // Each takes all its time.
    [endless, silent] = await Promise.all([ask({ url: `http://127.0.0.1:${port}/nota.ogg` }), ask(bytes)]);
  });
  after(async () => {
    for (const response of open) response.destroy();
    files.close();
  });

  const bytes = { content_base64: readRecording('tone.ogg').toString('base64') };
  const expectEnded = async ({ conversationId, status, body }: Ended) => {
    expect([status, body.message]).to.deep.equal(refusals.deadline);
    const states = () => service.db('turns').where({ conversation_id: conversationId }).pluck('state');
    await eventually(states, ['unanswered']);
    await eventually(() => service.db('turn_attachments').pluck('id'), []);
    expect((await recordsOf(service.db, conversationId)).said).to.deep.equal([]);
    expect(model.requests).to.deep.equal([]);
  };

  it('ends with its turn where its source never ends, and keeps nothing', async () => {
    await expectEnded(endless);
    expect(open).to.have.length(1);
    await eventually(() => open[0]?.destroyed, true);
  });

  it('ends with its turn where the transcriber never answers, which is asked no more then', async () => {
    await expectEnded(silent);
    await eventually(() => closedCalls, 1);
    expect(model.transcriptionRequests).to.have.length(1);
  });
});
