import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { fieldError } from '../../platform/field-error.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import { shapeErrors } from '../support/exact-shape.ts';
import { addressOf, type Fields } from '../support/operation-calls.ts';
import { openOwnService } from '../support/service.ts';

const step = (more: Fields = {}): Fields => ({
  type: 'notification-conversation',
  content: 'Pergunte o nome.',
  description: 'Nome',
  ...more,
});

const interest = { agentName: 'registrar_interesse', schemaName: 'interesse' };

describe('flows', () => {
  const service = openOwnService();
  const { demo, acme } = service;
  let base: Fields;
  before(() => {
    service.model.models = ['scripted', 'gpt-large'];
    base = { hostId: demo.hostId, avatarId: demo.avatarId, decisionName: 'Captação', chainJson: [step()] };
  });

  const save = (body: Fields) => demo.call('saveFlow', body);
  const made = async (more: Fields = {}): Promise<Fields> => (await save({ ...base, ...more })).body.data;
  const stored = async (id: unknown): Promise<Fields | undefined> =>
    (await demo.call('listFlows')).body.data.find((each: Fields) => each['id'] === id);
  const versions = (id: unknown) => service.db('flow_versions').where({ flow_id: id });
  const counts = async () => [await service.db('flows').count(), await service.db('flow_versions').count()];

  describe('saved without an id', () => {
    it('are made, with defaults for what is left out and the token as who wrote', async () => {
      const { status, body } = await save(base);
      const { id, createdAt, updatedAt, createdBy, lastUpdateBy, ...rest } = body.data;
      const token = await service.db('token_hosts').where({ host_id: demo.hostId, token_id: createdBy });
      expect(status).to.equal(200);
      expect([token.length, lastUpdateBy, updatedAt]).to.deep.equal([1, createdBy, createdAt]);
      expect(rest).to.deep.equal({
        ...base,
        decisionType: 'custom',
        active: true,
        deleted: false,
        promptTemplateName: '',
        model: '',
        templateRef: null,
      });
      expect(await stored(id)).to.deep.equal(body.data);
    });

    it('keep every kind of step as it was given, those nobody knows too', async () => {
      const chainJson = [
        step({ canRepeat: false, agents: [interest] }),
        step({ type: 'notification-trigger', agents: [] }),
        step({ type: 'message', canRepeat: true }),
        step({ type: 'agent' }),
        step({ type: 'handoff', content: '' }),
        step({ type: 'end', description: '' }),
        step({ type: 'from-tomorrow' }),
      ];
      const more = { decisionType: 'recepcao', templateRef: 'recepcao', active: false };
      expect(await made({ chainJson, ...more })).to.deep.include({ chainJson, ...more });
    });

    it('take no model that nobody has, neither made nor changed, and are told the nearest', async () => {
      const { id } = await made({ model: 'gpt-large' });
      const before = await counts();
      for (const body of [base, { id }])
        expectWrong(await save({ ...body, model: 'gpt-lage' }), 'model', '"gpt-large"');
      expect(await counts()).to.deep.equal(before);
      expect((await save({ id, model: '' })).body.data.model).to.equal('');
    });

    it('need an avatar, a name and steps, and 404 tells an avatar that is not the host’s', async () => {
      const before = await counts();
      expectWrong(await save({ decisionName: 'x' }), ['avatarId', 'chainJson']);
      for (const avatarId of [randomUUID(), acme.avatarId])
        expectRefused(await save({ ...base, avatarId }), 'avatar-not-found');
      expect(await counts()).to.deep.equal(before);
    });

    it('take one to a hundred steps', async () => {
      const many = (length: number) => Array.from({ length }, () => step());
      expect((await save({ ...base, chainJson: many(100) })).status).to.equal(200);
      for (const length of [0, 101])
        expectWrong(await save({ ...base, chainJson: many(length) }), 'chainJson');
    });
  });

  const badSteps: readonly [what: string, step: unknown, path: string][] = [
    ['no type', step({ type: undefined }), 'chainJson[2].type'],
    ['an empty type', step({ type: '' }), 'chainJson[2].type'],
    ['a number for content', step({ content: 5 }), 'chainJson[2].content'],
    ['no description', step({ description: undefined }), 'chainJson[2].description'],
    ['text for canRepeat', step({ canRepeat: 'false' }), 'chainJson[2].canRepeat'],
    [
      'an agent without its schema',
      step({ agents: [{ agentName: 'a' }] }),
      'chainJson[2].agents[0].schemaName',
    ],
    ['agents that are no list', step({ agents: { agentName: 'a' } }), 'chainJson[2].agents'],
    ['text in its place', 'step', 'chainJson[2]'],
    ['null in its place', null, 'chainJson[2]'],
  ];
  for (const [what, bad, path] of badSteps)
    it(`refuse a step with ${what} by its index, and change nothing`, async () => {
      const flow = await made();
      const before = await counts();
      for (const target of [base, { id: flow['id'] }])
        expectWrong(await save({ ...target, chainJson: [step(), step(), bad] }), path);
      expect(await counts()).to.deep.equal(before);
      expect(await stored(flow['id'])).to.deep.equal(flow);
    });

  it('refuse a step whose agent the host does not have, or not with that schema, naming both, and change nothing', async () => {
    const flow = await made();
    const before = await counts();
    const agents = [
      interest,
      { agentName: 'nobody', schemaName: 'x' },
      { agentName: interest.agentName, schemaName: 'boleto' },
    ];
    for (const target of [base, { id: flow['id'] }]) {
      const answer = await save({ ...target, chainJson: [step(), step({ type: 'agent', agents })] });
      expect([answer.status, answer.body.data.fields]).to.deep.equal([
        400,
        [
          fieldError('chainJson[1].agents[1].agentName', 'unknown', '"nobody" is no agent of this host'),
          fieldError(
            'chainJson[1].agents[2].schemaName',
            'unknown',
            'the agent "registrar_interesse" has the schema "interesse"',
          ),
        ],
      ]);
    }
    expect(await counts()).to.deep.equal(before);
  });

  describe('saved with an id', () => {
    const changes: readonly Fields[] = [
      { decisionName: 'Outro nome' },
      { chainJson: [step({ type: 'end' })] },
      { promptTemplateName: 'recepcao' },
      { model: 'scripted' },
      { templateRef: 'ref' },
      { templateRef: null },
      { decisionType: 'outro' },
      { active: false },
      { deleted: true },
      {},
    ];
    for (const change of changes)
      it(`change ${JSON.stringify(change).slice(0, 40)} and keep all else`, async () => {
        const flow = await made({ templateRef: 'first' });
        const { status, body } = await save({ id: flow['id'], ...change });
        const { updatedAt } = body.data;
        expect([status, body.data]).to.deep.equal([200, { ...flow, ...change, updatedAt }]);
        expect(Date.parse(updatedAt)).to.be.greaterThan(Date.parse(flow['updatedAt'] as string));
      });

    it('refuse a change on a version that is no longer the last', async () => {
      const flow = await made();
      const change = { id: flow['id'], expectedUpdatedAt: flow['updatedAt'] };
      const first = await save({ ...change, decisionName: 'um' });
      const second = await save({ ...change, decisionName: 'dois' });
      expect([first.status, second.status]).to.deep.equal([200, 409]);
      expect(await versions(flow['id'])).to.have.length(2);
      expect((await save({ ...change, expectedUpdatedAt: '2100-01-01' })).status).to.equal(409);
      const again = await save({ ...change, expectedUpdatedAt: first.body.data.updatedAt });
      expect(again.body.data.decisionName).to.equal('um');
    });

    it('lose none of many changes at once: one that names the version wins, those that do not all stand', async () => {
      const flow = await made();
      const change = { id: flow['id'] };
      const guarded = Array.from({ length: 8 }, (_, at) =>
        save({ ...change, expectedUpdatedAt: flow['updatedAt'], decisionName: `nome ${at}` }),
      );
      const statuses = (await Promise.all(guarded)).map(answer => answer.status);
      expect(statuses).to.have.members([200, ...Array(7).fill(409)]);
      const parts = [{ model: 'scripted' }, { templateRef: 'x' }, { decisionType: 'y' }, { active: false }];
      await Promise.all(parts.map(part => save({ ...change, ...part })));
      expect(await stored(flow['id'])).to.deep.include(Object.assign({}, ...parts));
      expect(await versions(flow['id'])).to.have.length(6);
    });
  });

  describe('to begin with', () => {
    it('come with and without a body, to every kind of token, and can be saved as they are', async () => {
      const domain = await service.makeToken({ hostIds: [demo.hostId, acme.hostId], name: 'domain' });
      const address = addressOf('listFlowTemplates');
      const ask = (body?: object) => service.call(address, body, { token: domain, method: 'POST' });
      const [bare, empty] = [await ask(), await ask({})];
      expect(bare.body).to.deep.equal(empty.body);
      expect(shapeErrors(operationOf('listFlowTemplates').data, bare.body.data)).to.deep.equal([]);
      const names = bare.body.data.map((each: Fields) => each['promptTemplateName']);
      expect(names).to.have.length.of.at.least(4);
      expect(new Set(names).size).to.equal(names.length);
      for (const { description: _, ...template } of bare.body.data)
        expect((await save({ ...base, ...template })).body.data).to.deep.include(template);
    });
  });
});
