import { expect } from 'chai';
import { type OperationName, operationNames } from '../../queues/contract/operations/index.ts';
import { eachAmong, formsFor, openContract } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import { bodyOperations, checkedOperations, send } from '../support/operation-calls.ts';

export function describePrivateAnswers(asked: readonly OperationName[]): void {
  const eachOf = eachAmong(asked);
  describe('what is answered to one', () => {
    const { service, demo, acme, samples } = openOnce(() => openContract());

    eachOf(operationNames, 'is stored by nobody in between, success or refusal', async name => {
      const answers = await Promise.all([
        send(service, name, samples[name]),
        send(service, name, samples[name], { token: undefined }),
        send(service, name, samples[name], { method: 'PUT' }),
      ]);
      expect(answers.map(({ headers }) => headers.get('cache-control'))).to.deep.equal(
        answers.map(() => 'no-store'),
      );
    });

    describe('who names the host in the header and in the body', () => {
      const ask = (name: OperationName, header: string, choosenHostId: unknown) =>
        send(
          service,
          name,
          { ...samples[name], choosenHostId },
          { headers: { 'x-choosen-host-id': header } },
        );

      eachOf(
        checkedOperations.filter(name => name !== 'queueSearchEvents'),
        'takes the same host twice, and refuses two hosts with 400',
        async name => {
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
        for (const odd of formsFor(name, [7, {}, [], true]))
          expect((await ask(name, demo.hostId, odd)).status).to.be.below(500);
      });
    });
  });
}
