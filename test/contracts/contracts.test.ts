import { expect } from 'chai';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { expectRefused, representatives } from '../support/contract.ts';
import { type Fields, pathsOf } from '../support/operation-calls.ts';
import { borrowService, type Service } from '../support/service.ts';
import { describeBadInput } from './bad-input.ts';
import { describeCalls } from './calls.ts';
import { describeDocumentedAnswers } from './documented-answers.ts';
import { describeOptionalFields } from './optional-fields.ts';
import { describePrivateAnswers } from './private-answers.ts';
import { describeTenancy } from './tenancy.ts';

describeCalls(representatives);
describeTenancy(representatives);
describeOptionalFields(representatives);
describePrivateAnswers(representatives);
describeDocumentedAnswers(representatives);
describeBadInput(representatives);

describe('the declared operations', () => {
  let service: Service;
  before(async () => {
    service = await borrowService();
  });
  after(() => service.close());

  it('has paths that no other has', () => {
    const routes = operationNames.flatMap(name =>
      pathsOf(name).map(path => `${operationOf(name).method} ${path.replaceAll(/:\w+/g, ':')}`),
    );
    expect(routes).to.deep.equal([...new Set(routes)]);
  });

  it('stands in the published document under each of its paths, with a name of its own', async () => {
    const { body } = await service.call('/openapi.json', undefined, { token: undefined });
    const listed = Object.entries<Record<string, Fields>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
    );
    const declared = operationNames.flatMap(name =>
      pathsOf(name).map(path => ({
        path: path.replaceAll(/:(\w+)/g, '{$1}'),
        method: operationOf(name).method.toLowerCase(),
      })),
    );
    expect(listed.map(({ path, method }) => ({ path, method }))).to.include.deep.members(declared);
    expect(new Set(listed.map(entry => entry.operationId))).to.have.property('size', listed.length);
    expect(listed.map(entry => entry.operationId)).to.include.members(operationNames);
  });

  it('leaves 404 to the addresses where there is none', async () => {
    for (const address of ['/api', '/api/externalAPIs/public', '/jobs', '/jobs/a/b', '//api']) {
      expectRefused(await service.call(address, undefined, { token: undefined }), 'not-found');
      expectRefused(await service.call(address, {}), 'not-found');
    }
  });
});
