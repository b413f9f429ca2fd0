import { expect } from 'chai';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { type DescribedCall, readApiDocument } from '../operations/api-document.ts';
import { eachAmong, openContract } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import { bodyOperations, bodySchemaOf, send } from '../support/operation-calls.ts';
import type { ApiResponse } from '../support/service.ts';

export function describeDocumentedAnswers(asked: readonly OperationName[]): void {
  const eachOf = eachAmong(asked);
  describe('what /openapi.json says of an operation', () => {
    const { service, demo, acme, samples } = openOnce(() => openContract());
    const document = openOnce(() => readApiDocument(service));
    let [domain, scopeless] = ['', ''];
    before(async () => {
      domain = await service.makeToken({ hostIds: [demo.hostId, acme.hostId] });
      scopeless = await service.makeToken({ hostIds: [demo.hostId], scopes: [] });
    });

    const described = (name: OperationName): DescribedCall => {
      const { path, method } = operationOf(name);
      return document.call(path.replaceAll(/:(\w+)/g, '{$1}'), method);
    };
    const faults = (schema: unknown, value: unknown) => document.faults(schema, value);
    const answerFaults = (name: OperationName, { status, body }: ApiResponse) =>
      faults(described(name).responses[status]?.content['application/json'].schema ?? false, body);

    eachOf(asked, 'is answered as it says, with success and with refusals', async name => {
      const { choosenHostId: _, ...bare } = samples[name];
      const answers = await Promise.all([
        send(service, name, samples[name]),
        send(service, name, samples[name], { token: undefined }),
        send(service, name, samples[name], { token: acme.token }),
        send(service, name, samples[name], { token: scopeless }),
        send(service, name, bare, { token: domain }),
        send(service, name, { jobId: 'wrong' }),
        send(service, name, samples[name], { headers: { prefer: 'respond-async' } }),
      ]);
      const seen = answers.map(answer => [answer.status, answerFaults(name, answer)]);
      expect(seen).to.deep.equal(answers.map(({ status }) => [status, []]));
      expect(new Set(answers.map(({ status }) => status)).size).to.be.greaterThan(2);
    });

    eachOf(
      bodyOperations,
      'takes a body that is as it says, with fields that nobody declared too',
      async name => {
        const schema = described(name).requestBody?.content['application/json'].schema;
        expect(faults(schema, samples[name])).to.deep.equal([]);
        expect(faults(schema, { ...samples[name], unknownField: 1 })).to.deep.equal([]);
        expect(faults(schema, bodySchemaOf(name).required ? {} : [])).to.not.be.empty;
      },
    );
  });
}
