import { connect } from 'node:net';
import { expect } from 'chai';
import { purgeFiles } from '../../db/conversations/files.ts';
import { eventually } from '../support/eventually.ts';
import { openEach } from '../support/opened.ts';
import { waitForLock } from '../support/wait-for-lock.ts';
import { openProcesses } from './processes.ts';

describe('a web process that is killed while a file is sent', () => {
  const { service, spawnApi } = openProcesses({ workers: 1 });
  const { db, demo } = service;
  const api = openEach(() => spawnApi());
  const file = {
    name: 'vídeo.mp4',
    content_base64: Buffer.alloc(8 * 1_048_576, 'canário').toString('base64'),
  };
  const bodyFor = (conversationId: string) => ({ conversationId, author: 'human', attachments: [file] });

  it('leaves nothing of a body that has half come', async () => {
    const conversationId = await demo.newConversation();
    const text = JSON.stringify({ hostId: demo.hostId, ...bodyFor(conversationId) });
    const { port, hostname } = new URL(api.service.baseURL);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const head = [
      'POST /api/externalAPIs/public/svcReasoning/appendMessageHelper HTTP/1.1',
      'host: parley',
      `authorization: Bearer ${demo.token}`,
      'content-type: application/json',
      `content-length: ${text.length}`,
    ];
    await new Promise(resolve =>
      socket.write(`${head.join('\r\n')}\r\n\r\n${text.slice(0, text.length / 2)}`, resolve),
    );
    api.kill('SIGKILL');
    await api.ended;
    expect(await db('files').where({ host_id: demo.hostId })).to.deep.equal([]);
  });

  it('leaves nothing of a file that is half stored, and who sends it again elsewhere sends it once', async () => {
    const conversationId = await demo.newConversation();
    const headers = { 'idempotency-key': `file-${conversationId}` };
    const stored = () => db('files').where({ conversation_id: conversationId }).select('id', 'message_seq');
    const lost = await db.transaction(async tx => {
      // The row that the file refers to: its insert waits here.
      await tx.raw('select from conversations where id = ? for update', [conversationId]);
      const sending = api.service
        .call(
          '/api/externalAPIs/public/svcReasoning/appendMessageHelper',
          { hostId: demo.hostId, ...bodyFor(conversationId) },
          { headers, token: demo.token },
        )
        .then(
          () => false,
          () => true,
        );
      await waitForLock(tx);
      api.kill('SIGKILL');
      await api.ended;
      return sending;
    });
    expect(lost).to.equal(true);
    await eventually(stored, []);
    const again = await demo.call('appendMessage', bodyFor(conversationId), { headers });
    expect(again.status).to.equal(201);
    expect(await stored()).to.have.length(1);
    const { items } = (await demo.call('listMessages', { conversationId })).body.data;
    expect(items.map(({ attachments }: { attachments: unknown[] }) => attachments.length)).to.deep.equal([1]);
  });

  it('leaves a whole file without a message at most, which is deleted after minutes', async () => {
    const conversationId = await demo.newConversation();
    const row = {
      host_id: demo.hostId,
      conversation_id: conversationId,
      place: 0,
      size: 1,
      sealed_key: '',
      content: 'x',
    };
    const ids = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];
    await db('files').insert(
      ids.map((id, at) => ({ ...row, id, created_at: new Date(Date.now() - at * 16 * 60_000) })),
    );
    await purgeFiles(db, undefined);
    expect(await db('files').where({ conversation_id: conversationId }).pluck('id')).to.deep.equal([ids[0]]);
  });
});
