import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SVC } from '../../queues/contract/operations/paths.ts';
import type { Tenant } from '../support/operation-calls.ts';
import { openConnection, type RawConnection } from '../support/raw-connection.ts';
import { borrowService, PUBLIC, type Service } from '../support/service.ts';

const MIB = 1_048_576;
/** More than one host can hold, whatever memory this machine has. */
const MANY = 80;
const MANY_DOCUMENTS = 13;

describe('bodies that are not read to their end', () => {
  let service: Service;
  const open: RawConnection[] = [];
  beforeEach(async () => {
    service = await borrowService();
  });
  afterEach(async () => {
    for (const { socket } of open) socket.destroy();
    await Promise.all(open.splice(0).map(({ closed }) => closed));
    await service.close();
  });

  /** Sends the head and the first byte of a body; resolves with the status if it is refused before it is read. */
  const begin = async (path: string, token: string, length: string) => {
    const connection = await openConnection(service.baseURL);
    open.push(connection);
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: parley',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      length,
    ];
    connection.socket.write(`${head.join('\r\n')}\r\n\r\n1\r\n{`);
    return connection;
  };
  /** Until one is refused; returns its answer. */
  const fill = async (path: string, token: string, length: string) => {
    for (let at = 0; at < MANY; at += 1) {
      await begin(path, token, length);
      // An answer to a later request of this host tells that the earlier one was looked at.
      await service.call(`${PUBLIC}/createConversationId`, {}, { token: 'nobody' });
      const refused = open.map(({ read }) => read()).find(Boolean);
      if (refused) return { refused, after: at };
    }
    return { refused: '', after: MANY };
  };
  const fillWithDocuments = async ({ hostId }: Tenant) => {
    for (let at = 0; at < MANY_DOCUMENTS; at += 1)
      await begin(
        `${SVC}/importDocumentHelper`,
        await service.makeToken({ hostIds: [hostId] }),
        `Content-Length: ${20 * MIB}`,
      );
    // An answer to a later request of this host tells that those before it were looked at.
    await service.call(`${PUBLIC}/createConversationId`, {}, { token: 'nobody' });
  };
  const converse = ({ hostId, slug, token }: Tenant) =>
    service.call(`${PUBLIC}/createConversationId`, { hostId, hostSlug: slug }, { token });

  it('with a document wait for room beyond the part of their host, whichever of its tokens sends them', async () => {
    const { acme, demo } = service;
    await fillWithDocuments(demo);
    const content = Buffer.alloc(4 * MIB, 'a').toString('base64');
    const document = {
      dataset_id: randomUUID(),
      name: 'x',
      content_type: 'text/plain',
      content_base64: content,
    };
    const waiting = service.call(`${SVC}/importDocumentHelper`, { hostId: demo.hostId, ...document });
    expect(await Promise.race([waiting, converse(acme)])).to.have.nested.property('body.data.conversationId');
    for (const { socket } of open) socket.destroy();
    // The dataset is unknown.
    expect((await waiting).status).to.equal(404);
  });

  it('make a read that may be large wait until there is room', async () => {
    const { demo, acme } = service;
    await fillWithDocuments(demo);
    const ids = { hostId: demo.hostId, avatar_id: randomUUID(), dataset_ids: [randomUUID()] };
    const reading = service.call(`${SVC}/chunkReadHelper`, ids);
    expect(await Promise.race([reading, converse(acme)])).to.have.nested.property('body.data.conversationId');
    for (const { socket } of open) socket.destroy();
    // The avatar is unknown.
    expect((await reading).status).to.equal(404);
  });

  it('are counted as the largest that they may become where they do not tell their length', async () => {
    const { demo, acme } = service;
    const path = `${PUBLIC}/createConversationId`;
    const { refused, after } = await fill(path, demo.token, 'Transfer-Encoding: chunked');
    expect(refused).to.match(/^HTTP\/1\.1 503 /);
    expect(after).to.be.within(4, 70);
    expect((await converse(acme)).status).to.equal(200);
  });
});
