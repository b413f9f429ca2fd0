import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { exampleSteps } from '../../queues/contract/operations/flow-step-shape.ts';
import { openOwnService, PUBLIC } from '../support/service.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

const SVC = `${PUBLIC}/svcReasoning`;
type Fields = Record<string, unknown>;

describe('avatars', () => {
  const service = openOwnService();
  const { demo, acme } = service;
  before(async () => {
    service.model.models = ['scripted', 'gpt-small', 'gpt-large'];
  });

  let made = 0;
  const create = (body: Fields, token = demo.token) =>
    demo.call('createSubAvatar', { avatar_name: 'Bia', ...body }, { token });
  const edit = (body: Fields, token = demo.token) => demo.call('editAvatar', { ...body }, { token });
  const newAvatar = async (body: Fields = {}): Promise<Fields> =>
    (await create({ sub_slug: `made-${(made += 1)}`, ...body })).body.data;
  const listed = async (host_slug = demo.slug, token = demo.token): Promise<Fields[]> => {
    const { body } = await demo.call('listAvatars', { host_slug }, { token });
    return body.data.avatarsAdminList.avatars;
  };
  const counts = async () =>
    Promise.all(['avatars', 'dataset_avatars', 'replies'].map(table => service.db(table).count()));

  describe('read', () => {
    const read = (avatar_id: unknown, host = demo.hostId, token = demo.token) =>
      demo.call('readAvatar', { host_id: host, avatar_id }, { token });

    it('are as they were created, and as they were edited since, with their prompt and datasets', async () => {
      const given = {
        avatar_picture: 'https://a.example/x.png',
        prompt_envelop: 'x'.repeat(500_000),
        model: 'gpt-small',
      };
      const [{ avatar_id: parent }] = (await listed()) as [Fields];
      const avatar = await newAvatar({ ...given, avatar_id: parent });
      expect(avatar['datasets']).to.have.length(1);
      expect((await read(avatar['avatar_id'])).body.data).to.deep.equal(avatar);
      await edit({ avatar_id: avatar['avatar_id'], model: '', avatar_name: 'Eva' });
      const { status, body } = await read(avatar['avatar_id']);
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
    for (const change of changes) {
      it(`change ${JSON.stringify(change)} and keep all else`, async () => {
        const given = { avatar_picture: 'https://a.example/x.png', prompt_envelop: 'Oi', model: 'gpt-small' };
        const { datasets: _, ...avatar } = await newAvatar(given);
        const { status, body } = await edit({ avatar_id: avatar['avatar_id'], ...change });
        expect(status).to.equal(200);
        expect(body.data).to.deep.equal({ ...avatar, ...change });
      });
    }

    for (const avatar_picture of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      '//a.example/x.png',
      'https://a.example/\nx.png',
      'data:image/svg+xml;base64,PHN2Zz4=',
      'data:text/html,x',
    ])
      it(`keep their picture where the new one is ${JSON.stringify(avatar_picture)}, and the answer names it`, async () => {
        const { datasets: _, ...avatar } = await newAvatar();
        const changed = await edit({ avatar_id: avatar['avatar_id'], avatar_picture });
        const made = await create({ sub_slug: 'pictured', avatar_picture });
        for (const { status, body } of [changed, made])
          expect([status, body.data.fields]).to.deep.equal([
            400,
            [
              {
                path: 'avatar_picture',
                message:
                  'must be an http or https URL, a `data:` URL of a picture, or empty, of at most 2000 characters',
              },
            ],
          ]);
      });

    it('answer in the next turn as what they are now', async () => {
      const { avatar_id, sub_slug } = await newAvatar();
      await edit({ avatar_id, prompt_envelop: 'Fale como um pirata.', model: 'gpt-large' });
      await service.ask('Oi?', { subSlug: sub_slug });
      const { model, messages } = service.model.requests.at(-1) ?? {};
      expect(model).to.equal('gpt-large');
      expect(JSON.stringify(messages)).to.include('Fale como um pirata.');
    });

    it('are 409 where there is no such avatar, or it is another host’s', async () => {
      const before = await counts();
      const [foreign] = await listed(acme.slug, acme.token);
      for (const avatar_id of [randomUUID(), foreign?.['avatar_id']]) {
        const { status, body } = await edit({ avatar_id, avatar_name: 'Eva' });
        expect([status, body.message]).to.deep.equal([409, 'sub-avatar does not exist']);
      }
      expect(await counts()).to.deep.equal(before);
    });
  });

  describe('deleted', () => {
    it('answer no turn, are in no list and nobody’s to change, and leave their slug and what they did', async () => {
      const { hostId } = demo;
      const { avatar_id, sub_slug } = await newAvatar({});
      const flow = { hostId, avatarId: avatar_id, decisionName: 'Fluxo', chainJson: [exampleSteps[0]] };
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
      for (const [path, body, status] of [
        ['readAvatarHelper', { host_id: hostId, avatar_id }, 404],
        ['editAvatarHelper', { host_id: hostId, avatar_id, deleted: false }, 409],
        ['saveDecisionChainHelper', { ...flow, decisionName: 'Outro' }, 404],
        [
          'saveMCPConfigHelper',
          { hostId, avatarId: avatar_id, name: 'x', config: { url: 'https://mcp.example' } },
          404,
        ],
        ['evaluationCasesListHelper', { hostId, avatarId: avatar_id }, 404],
        ['createSubAvatarHelper', { host_id: hostId, sub_slug: 'filha', avatar_name: 'Eva', avatar_id }, 404],
        ['createDatasetsHelper', { hostId, datasetName: 'Guia', avatarIds: [avatar_id] }, 404],
      ] as const)
        expect((await service.call(`${SVC}/${path}`, body)).status, path).to.equal(status);
      const { body } = await service.call('/v1/models', undefined);
      expect(JSON.stringify(body)).not.to.include(sub_slug);
      const again = await newAvatar({ sub_slug });
      expect(again['avatar_id']).not.to.equal(avatar_id);
      expect((await service.ask('Oi?', { conversationId, subSlug: sub_slug })).status).to.equal(200);
      const messages = await demo.call('listMessages', { hostId, conversationId });
      expect(messages.body.data.items.length).to.be.greaterThan(1);
      const flows = await demo.call('listFlows', { hostId });
      expect(JSON.stringify(flows.body)).to.include(flowId);
    });

    it('are refused like an unknown one, and the oldest one leaves its place to the next', async () => {
      const [oldest] = await listed();
      expect((await edit({ avatar_id: randomUUID(), deleted: true })).status).to.equal(409);
      const { avatar_id } = await newAvatar({});
      await service.db('avatars').where({ id: avatar_id }).update({ created_at: '2020-01-01' });
      expect((await listed())[0]).to.include({ avatar_id });
      await edit({ avatar_id, deleted: true });
      expect((await listed())[0]).to.include({ avatar_id: oldest?.['avatar_id'] });
    });

    it('leave one that answers, also where the last two are deleted at the same time', async () => {
      const { hostId, slug, token } = acme;
      await create({ host_id: hostId, sub_slug: 'segunda' }, token);
      const [first, second] = await listed(slug, token);
      const remove = (avatar?: Fields) =>
        edit({ host_id: hostId, avatar_id: avatar?.['avatar_id'], deleted: true }, token);
      const other = await service.db.transaction();
      await other('avatars').where({ id: first?.['avatar_id'] }).update({ deleted: true });
      const removed = remove(second);
      await waitForLock(service.db);
      await other.commit();
      const { status, body } = await removed;
      expect([status, body.message]).to.deep.equal([409, 'The last avatar of a host cannot be deleted']);
      expect(body.data.hint).to.include('create another avatar first');
      expect((await remove(first)).body.message).to.equal('sub-avatar does not exist');
      expect(await listed(slug, token)).to.have.length(1);
    });
  });

  it('take no model that nobody has, and are told the nearest', async () => {
    const { avatar_id } = await newAvatar();
    const before = await counts();
    for (const ask of [
      edit({ avatar_id, model: 'gpt-lage' }),
      create({ sub_slug: 'x9', model: 'gpt-lage' }),
    ]) {
      const { status, body } = await ask;
      const [field] = body.data.fields;
      expect([status, field.path]).to.deep.equal([400, 'model']);
      expect(field.message).to.include('"gpt-large"').and.not.include('gpt-lage"');
    }
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
        language: 'pt-BR',
        datasets: [],
      });
      const found = (await listed()).find(each => each['avatar_id'] === avatar_id);
      expect(found).to.include({ sub_slug: 'vestibular' });
    });

    it('inherit what is left out, the datasets too, and nothing that is given', async () => {
      const [{ datasets } = { datasets: undefined }] = await listed();
      const ids = (datasets as Fields[]).map(each => each['dataset_id']);
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
      const parent = await newAvatar({ ...given, dataset_ids: ids });
      const { avatar_id } = parent;
      expect(await newAvatar({ avatar_id })).to.deep.include({ ...given, datasets });
      const own = { avatar_picture: '', prompt_envelop: 'Olá', model: '', dataset_ids: [] };
      const { dataset_ids: _, ...ownFields } = own;
      expect(await newAvatar({ avatar_id, ...own })).to.deep.include({ ...ownFields, datasets: [] });
    });

    it('read the datasets that they are linked to, each once', async () => {
      const [{ datasets } = { datasets: undefined }] = await listed();
      const [first] = datasets as Fields[];
      const avatar = await newAvatar({ dataset_ids: [first?.['dataset_id'], first?.['dataset_id']] });
      expect(avatar['datasets']).to.deep.equal([first]);
      const { body } = await service.ask('Qual é o horário da secretaria?', {
        subSlug: avatar['sub_slug'],
        reasoningConfig: { svcCompleteLog: true },
      });
      expect(JSON.stringify(body.data.svcCompleteLog)).to.include('secretaria');
    });

    it('leave nothing where one of several datasets, or the avatar to inherit from, is not there', async () => {
      const [{ datasets } = { datasets: undefined }] = await listed();
      const [first] = datasets as Fields[];
      const { token, hostId } = acme;
      const theirs = { hostId, datasetName: 'Deles' };
      const foreign = (await demo.call('createDataset', theirs, { token })).body.data.id;
      const [avatar] = await listed(acme.slug, token);
      const before = await counts();
      for (const missing of [randomUUID(), foreign]) {
        const refused = await create({ sub_slug: 'none', dataset_ids: [first?.['dataset_id'], missing] });
        expect([refused.status, refused.body.message]).to.deep.equal([404, 'Dataset not found']);
      }
      for (const avatar_id of [randomUUID(), avatar?.['avatar_id']]) {
        const refused = await create({ sub_slug: 'none', avatar_id });
        expect([refused.status, refused.body.message]).to.deep.equal([404, 'Avatar not found']);
      }
      expect(await counts()).to.deep.equal(before);
    });

    it('are 409 where the sub_slug is taken in this host, by many at once too, and free in another', async () => {
      const at = { sub_slug: 'twice' };
      const statuses = (await Promise.all([create(at), create(at), create(at)])).map(({ status }) => status);
      expect(statuses).to.have.members([201, 409, 409]);
      const { hostId, token } = acme;
      expect((await create({ ...at, host_id: hostId }, token)).status).to.equal(201);
    });

    for (const sub_slug of ['', 'A', 'a', '-ab', 'a b', 'ab_', 'á1', `a${'b'.repeat(63)}`, 'ab\n']) {
      it(`take no ${JSON.stringify(sub_slug)} for a sub_slug`, async () => {
        const { status, body } = await create({ sub_slug });
        expect([status, body.data.fields[0].path]).to.deep.equal([400, 'sub_slug']);
      });
    }
  });
});
