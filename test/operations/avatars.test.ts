import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { exampleSteps } from '../../queues/contract/operations/flow-step-shape.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openOwnService } from '../support/service.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

describe('avatars', () => {
  const service = openOwnService();
  const { demo, acme, db, model } = service;
  before(() => {
    model.models = ['scripted', 'gpt-small', 'gpt-large'];
  });

  let made = 0;
  const create = (body: Fields, host = demo) => host.call('createSubAvatar', { avatar_name: 'Bia', ...body });
  const edit = (body: Fields, host = demo) => host.call('editAvatar', body);
  const newAvatar = async (body: Fields = {}): Promise<Fields> =>
    (await create({ sub_slug: `made-${(made += 1)}`, ...body })).body.data;
  const listed = async (host = demo): Promise<Fields[]> =>
    (await host.call('listAvatars')).body.data.avatarsAdminList.avatars;
  const counts = () => Promise.all(['avatars', 'dataset_avatars', 'replies'].map(table => db(table).count()));

  describe('read', () => {
    it('are as they were created, and as they were edited since, with their prompt and datasets', async () => {
      const given = {
        avatar_picture: 'https://a.example/x.png',
        prompt_envelop: 'x'.repeat(500_000),
        model: 'gpt-small',
      };
      const avatar = await newAvatar({ ...given, avatar_id: demo.avatarId });
      const { avatar_id, datasets } = avatar;
      expect(datasets).to.have.length(1);
      expect((await demo.call('readAvatar', { avatar_id })).body.data).to.deep.equal(avatar);
      await edit({ avatar_id, model: '', avatar_name: 'Eva' });
      const { status, body } = await demo.call('readAvatar', { avatar_id });
      expect([status, body.data]).to.deep.equal([200, { ...avatar, model: '', avatar_name: 'Eva' }]);
    });
  });

  describe('edited', () => {
    const changes: readonly Fields[] = [
      { avatar_name: 'Eva' },
      { avatar_picture: 'https://a.example/eva.png' },
      { avatar_picture: 'data:image/webp;base64,UklGRg==' },
      { avatar_picture: '' },
      { prompt_envelop: 'Você é a Eva.' },
      { prompt_envelop: '' },
      { model: 'gpt-large' },
      { model: '' },
      {},
    ];
    for (const change of changes)
      it(`change ${JSON.stringify(change)} and keep all else`, async () => {
        const given = { avatar_picture: 'https://a.example/x.png', prompt_envelop: 'Oi', model: 'gpt-small' };
        const { datasets: _, ...avatar } = await newAvatar(given);
        const { status, body } = await edit({ avatar_id: avatar['avatar_id'], ...change });
        expect([status, body.data]).to.deep.equal([200, { ...avatar, ...change }]);
      });

    for (const avatar_picture of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      '//a.example/x.png',
      'https://a.example/\nx.png',
      'data:image/svg+xml;base64,PHN2Zz4=',
      'data:text/html,x',
    ])
      it(`keep their picture where the new one is ${JSON.stringify(avatar_picture)}, and the answer names it`, async () => {
        const { avatar_id } = await newAvatar();
        const why =
          /^must be an http or https URL, a `data:` URL of a picture, or empty, of at most 2000 characters$/;
        expectWrong(await edit({ avatar_id, avatar_picture }), 'avatar_picture', why);
        expectWrong(await create({ sub_slug: 'pictured', avatar_picture }), 'avatar_picture', why);
      });

    it('answer in the next turn as what they are now', async () => {
      const { avatar_id, sub_slug } = await newAvatar();
      await edit({ avatar_id, prompt_envelop: 'Fale como um pirata.', model: 'gpt-large' });
      await service.ask('Oi?', { subSlug: sub_slug });
      const [asked] = model.requests.slice(-1);
      expect(asked?.model).to.equal('gpt-large');
      expect(JSON.stringify(asked?.messages)).to.include('Fale como um pirata.');
    });
  });

  describe('deleted', () => {
    it('answer no turn, are in no list and nobody’s to change, and leave their slug and what they did', async () => {
      const { avatar_id, sub_slug } = await newAvatar();
      const flow = { avatarId: avatar_id, decisionName: 'Fluxo', chainJson: [exampleSteps[0]] };
      const { id: flowId } = (await demo.call('saveFlow', flow)).body.data;
      const conversationId = await service.newConversation();
      expect((await service.ask('Oi?', { conversationId, subSlug: sub_slug })).status).to.equal(200);
      const gone = await edit({ avatar_id, deleted: true });
      expect([gone.status, gone.body.data]).to.deep.include(200);
      expect(gone.body.data).to.include({ avatar_id, sub_slug, deleted: true });
      const unknown = await service.ask('Oi?', { conversationId, subSlug: 'ninguem' });
      const refused = await service.ask('Oi?', { conversationId, subSlug: sub_slug });
      expect([refused.status, refused.body.message]).to.deep.equal([404, unknown.body.message]);
      expect(refused.body.data.hint).to.equal(unknown.body.data.hint).and.not.include(sub_slug);
      expect((await listed()).map(each => each['avatar_id'])).not.to.include(avatar_id);
      for (const [name, body, status] of [
        ['readAvatar', { avatar_id }, 404],
        ['editAvatar', { avatar_id, deleted: false }, 409],
        ['saveFlow', { ...flow, decisionName: 'Outro' }, 404],
        ['saveMcpConfig', { avatarId: avatar_id, name: 'x', config: { url: 'https://mcp.example' } }, 404],
        ['listEvaluationCases', { avatarId: avatar_id }, 404],
        ['createSubAvatar', { sub_slug: 'filha', avatar_name: 'Eva', avatar_id }, 404],
        ['createDataset', { datasetName: 'Guia', avatarIds: [avatar_id] }, 404],
      ] as const)
        expect((await demo.call(name, body)).status, name).to.equal(status);
      const { body } = await service.call('/v1/models', undefined);
      expect(JSON.stringify(body)).not.to.include(sub_slug);
      expect((await newAvatar({ sub_slug }))['avatar_id']).not.to.equal(avatar_id);
      expect((await service.ask('Oi?', { conversationId, subSlug: sub_slug })).status).to.equal(200);
      const messages = await demo.call('listMessages', { conversationId });
      expect(messages.body.data.items.length).to.be.greaterThan(1);
      expect(JSON.stringify((await demo.call('listFlows')).body)).to.include(flowId);
    });

    it('are refused like an unknown one, and the oldest one leaves its place to the next', async () => {
      expect((await edit({ avatar_id: randomUUID(), deleted: true })).status).to.equal(409);
      const { avatar_id } = await newAvatar();
      await db('avatars').where({ id: avatar_id }).update({ created_at: '2020-01-01' });
      expect((await listed())[0]).to.include({ avatar_id });
      await edit({ avatar_id, deleted: true });
      expect((await listed())[0]).to.include({ avatar_id: demo.avatarId });
    });

    it('leave one that answers, also where the last two are deleted at the same time', async () => {
      const second = (await create({ sub_slug: 'segunda' }, acme)).body.data.avatar_id;
      const remove = (avatar_id: string) => edit({ avatar_id, deleted: true }, acme);
      const other = await db.transaction();
      await other('avatars').where({ id: acme.avatarId }).update({ deleted: true });
      const removed = remove(second);
      await waitForLock(other);
      await other.commit();
      const { status, body } = await removed;
      expect([status, body.message]).to.deep.equal([409, 'The last avatar of a host cannot be deleted']);
      expect(body.data.hint).to.include('create another avatar first');
      expect((await remove(acme.avatarId)).body.message).to.equal('sub-avatar does not exist');
      expect(await listed(acme)).to.have.length(1);
    });
  });

  it('take no model that nobody has, and are told the nearest', async () => {
    const { avatar_id } = await newAvatar();
    const before = await counts();
    const model = 'gpt-lage';
    for (const answer of [await edit({ avatar_id, model }), await create({ sub_slug: 'x9', model })])
      expectWrong(answer, 'model', /^(?!.*gpt-lage").*"gpt-large"/s);
    expect(await counts()).to.deep.equal(before);
  });

  describe('made', () => {
    it('have what was given and what is usual for the rest, and stand in the list', async () => {
      const { status, body } = await create({ sub_slug: 'vestibular' });
      const { avatar_id, ...rest } = body.data;
      expect([status, body.message]).to.deep.equal([201, 'Created']);
      expect(rest).to.deep.equal({
        sub_slug: 'vestibular',
        avatar_picture: '',
        avatar_name: 'Bia',
        prompt_envelop: '',
        model: '',
        on_unsupported: 'pass',
        on_failure: 'error',
        failure_text: '',
        idle_after_minutes: null,
        answer_in_audio: false,
        rewrite: false,
        answer_mode: 'model',
        language: 'pt-BR',
        datasets: [],
      });
      const found = (await listed()).find(each => each['avatar_id'] === avatar_id);
      expect(found).to.include({ sub_slug: 'vestibular' });
    });

    it('inherit what is left out, the datasets too, and nothing that is given', async () => {
      const given = {
        avatar_picture: 'https://a.example/p.png',
        prompt_envelop: 'Oi',
        model: 'gpt-small',
        on_unsupported: 'withhold',
        on_failure: 'handoff',
        failure_text: 'Já chamo alguém.',
        idle_after_minutes: 30,
        language: 'pt-BR',
      };
      const { avatar_id, datasets } = await newAvatar({ ...given, dataset_ids: [demo.datasetId] });
      expect(datasets).to.have.length(1);
      expect(await newAvatar({ avatar_id })).to.deep.include({ ...given, datasets });
      const own = { avatar_picture: '', prompt_envelop: 'Olá', model: '' };
      expect(await newAvatar({ avatar_id, ...own, dataset_ids: [] })).to.deep.include({
        ...own,
        datasets: [],
      });
    });

    it('read the datasets that they are linked to, each once', async () => {
      const [{ datasets } = { datasets: undefined }] = await listed();
      const avatar = await newAvatar({ dataset_ids: [demo.datasetId, demo.datasetId] });
      expect(avatar['datasets']).to.deep.equal(datasets).and.have.length(1);
      const { body } = await service.ask('Qual é o horário da secretaria?', {
        subSlug: avatar['sub_slug'],
        reasoningConfig: { svcCompleteLog: true },
      });
      expect(JSON.stringify(body.data.svcCompleteLog)).to.include('secretaria');
    });

    it('leave nothing where one of several datasets, or the avatar to inherit from, is not there', async () => {
      const foreign = (await acme.call('createDataset', { datasetName: 'Deles' })).body.data.id;
      const before = await counts();
      const named = { sub_slug: 'none' };
      for (const missing of [randomUUID(), foreign])
        expectRefused(
          await create({ ...named, dataset_ids: [demo.datasetId, missing] }),
          'dataset-not-found',
        );
      for (const avatar_id of [randomUUID(), acme.avatarId])
        expectRefused(await create({ ...named, avatar_id }), 'avatar-not-found');
      expect(await counts()).to.deep.equal(before);
    });

    it('are 409 where the sub_slug is taken in this host, by many at once too, and free in another', async () => {
      const at = { sub_slug: 'twice' };
      const statuses = (await Promise.all([create(at), create(at), create(at)])).map(({ status }) => status);
      expect(statuses).to.have.members([201, 409, 409]);
      expect((await create(at, acme)).status).to.equal(201);
    });

    it('come with a dataset that is made with them, or not at all', async () => {
      const at = { sub_slug: 'with-dataset', new_dataset_name: 'Site' };
      const [made, taken] = [await create(at), await create(at)];
      expect(made.body.data.datasets).to.have.length(1);
      expectRefused(taken, 'sub-slug-taken');
      const { data } = (await demo.call('listDatasets', {})).body;
      expect(
        data.filter(({ dataset_name: name }: { dataset_name: string }) => name === 'Site'),
      ).to.have.length(1);
    });

    for (const sub_slug of ['', 'A', 'a', '-ab', 'a b', 'ab_', 'á1', `a${'b'.repeat(63)}`, 'ab\n'])
      it(`take no ${JSON.stringify(sub_slug)} for a sub_slug`, async () => {
        expectWrong(await create({ sub_slug }), 'sub_slug');
      });
  });
});
