import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { operationNames } from '../../queues/contract/operations/index.ts';
import { type Contract, eachOf, formsFor, openContract } from '../support/contract.ts';
import { bodyOperations, checkedOperations, send } from '../support/operation-calls.ts';

describe('what is answered to one', () => {
  let contract: Contract;
  before(async () => {
    contract = await openContract();
  });
  after(() => contract.close());

  eachOf(operationNames, 'is stored by nobody in between, success or refusal', async name => {
    const { service, samples } = contract;
    const answers = await Promise.all([
      send(service, name, samples[name]),
      send(service, name, samples[name], { token: undefined }),
      send(service, name, samples[name], { method: 'PUT' }),
    ]);
    expect(answers.map(({ headers }) => headers.get('cache-control'))).to.deep.equal(
      answers.map(() => 'no-store'),
    );
  });

  it('is stored by nobody at any other address, but files of the pages', async () => {
    const { service } = contract;
    const get = async (path: string) =>
      (await service.call(path, undefined, { token: undefined })).headers.get('cache-control');
    for (const path of [
      '/nowhere',
      '/jobs/none',
      '/health/ready',
      '/openapi.json',
      '/metrics',
      '/api/tests/run',
    ]) {
      expect(await get(path), path).to.equal('no-store');
    }
    expect(await get('/docs/swagger-ui.css')).to.equal('public, max-age=3600');
    expect(await get('/console')).to.equal('no-cache');
  });

  it('is stored by nobody where it is not even a request', async () => {
    const { hostname, port } = new URL(contract.service.baseURL);
    const socket = connect(Number(port), hostname);
    socket.end('nonsense\r\n\r\n');
    const chunks: Buffer[] = [];
    socket.on('data', chunk => chunks.push(chunk));
    await once(socket, 'close');
    expect(String(Buffer.concat(chunks)))
      .to.include('400')
      .and.to.include('Cache-Control: no-store');
  });

  describe('who names the host in the header and in the body', () => {
    const ask = (name: (typeof operationNames)[number], header: string, choosenHostId: unknown) =>
      send(
        contract.service,
        name,
        { ...contract.samples[name], choosenHostId },
        { headers: { 'x-choosen-host-id': header } },
      );

    eachOf(
      checkedOperations.filter(name => name !== 'queueSearchEvents'),
      'takes the same host twice, and refuses two hosts with 400',
      async name => {
        const { demo, acme } = contract;
        for (const [header, body] of [
          [demo.hostId, acme.hostId],
          [acme.hostId, demo.hostId],
        ] as const) {
          const { status, body: answer } = await ask(name, header, body);
          expect([status, answer.data.fields?.[0]?.path], name).to.deep.equal([400, 'choosenHostId']);
        }
        const same = await ask(name, demo.hostId.toUpperCase(), demo.hostId);
        // Some samples can be created only once.
        expect(same.status, JSON.stringify(same.body)).to.be.oneOf([200, 201, 202, 409]);
        expect((await ask(name, demo.hostId, null)).status).to.be.oneOf([200, 201, 202, 409]);
      },
    );

    eachOf(bodyOperations, 'gets no 500 for a host that is no text', async name => {
      for (const odd of formsFor(name, [7, {}, [], true])) {
        expect((await ask(name, contract.demo.hostId, odd)).status).to.be.below(500);
      }
    });
  });
});
