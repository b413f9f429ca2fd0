import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { fail, type ModelRequest, say } from '../support/scripted-model.ts';
import { type ApiResponse, openOwnService } from '../support/service.ts';
import { readStoredRows } from '../support/stored-rows.ts';

const FEE = 'A taxa de inscrição do vestibular custa R$ 85,00.';

/** A change that is saved with `evaluate: true`; the model answers from what it is given. */
describe('a change with stored evaluation cases', () => {
  const service = openOwnService({ workerConcurrency: 3 });
  const { demo, model } = service;
  let avatarId: string;
  let chunk: { id: string; host_id: string; dataset_id: string };
  const ok = ({ status, body }: ApiResponse) => {
    expect(status, JSON.stringify(body)).to.be.oneOf([200, 201]);
    return body.data;
  };
  before(async () => {
    // Fewer slots than there are saves at once below.
    model.models = ['scripted', 'careless'];
  });
  /** Each test has an avatar of its own, which knows two things. */
  beforeEach(async () => {
    const { hostId: host_id } = demo;
    const avatar = { host_id, sub_slug: `a${randomUUID()}`, avatar_name: 'Ana' };
    ({ avatar_id: avatarId } = ok(await demo.call('createSubAvatar', avatar)));
    const dataset = { hostId: host_id, datasetName: 'Manual', avatarIds: [avatarId] };
    const { id: dataset_id } = ok(await demo.call('createDataset', dataset));
    const [id] = await Promise.all(
      [FEE, 'A biblioteca abre às 7h.'].map(
        async content => ok(await demo.call('createChunk', { host_id, dataset_id, content })).chunk_id,
      ),
    );
    chunk = { id, host_id, dataset_id };
    model.script((request, response) => {
      const given = request.messages.map(({ content }) => content).join('\n');
      if (request.model === 'careless') return say('A taxa custa R$ 99,00.')(request, response);
      if (given.includes('Nunca diga preços')) return say('Não posso dizer preços.')(request, response);
      return say(given.match(/A taxa de inscrição do vestibular custa[^\n<]*/)?.[0] ?? 'Não sei.')(
        request,
        response,
      );
    });
  });

  const fee = {
    name: 'taxa',
    question: 'Quanto custa a taxa de inscrição do vestibular?',
    expect: { contains: 'r$ 85,00', notContains: ['99'], unsupported: 0, askHumanHelp: false, item: 'text' },
  };
  const store = async (...cases: object[]) => ok(await demo.call('saveEvaluationCases', { avatarId, cases }));
  const editAvatar = (changes: Record<string, unknown>) =>
    demo.call('editAvatar', { avatar_id: avatarId, evaluate: true, ...changes });
  const editChunk = (changes: Record<string, unknown>) =>
    demo.call('editChunk', { ...chunk, evaluate: true, ...changes });
  const saveFlow = (content: string) =>
    demo.call('saveFlow', {
      avatarId,
      decisionName: 'Preços',
      evaluate: true,
      chainJson: [{ type: 'notification-conversation', content, description: '' }],
    });
  const expectBroken = ({ status, body }: ApiResponse, ...failed: string[]) => {
    expect(status, JSON.stringify(body)).to.equal(409);
    expect(body.data.cases).to.deep.equal([{ case: 'taxa', failed }]);
  };

  it('is refused by name where it breaks one, in prompt, flow, passage or model, and changes nothing', async () => {
    expect(await store({ ...fee, expect: { ...fee.expect, sources: [chunk.id] } })).to.deep.equal({
      avatarId,
      count: 1,
    });
    const before = await readStoredRows(service.db);
    expectBroken(await editAvatar({ prompt_envelop: 'Nunca diga preços.' }), 'contains', 'sources');
    expectBroken(await saveFlow('Nunca diga preços.'), 'contains', 'sources');
    expectBroken(
      await editChunk({ content: 'A taxa de inscrição do vestibular custa R$ 99,00.' }),
      'contains',
      'notContains',
    );
    expectBroken(await editChunk({ deleted: true }), 'contains', 'sources');
    expectBroken(await editAvatar({ model: 'careless' }), 'contains', 'notContains', 'unsupported');
    expect(await readStoredRows(service.db)).to.deep.equal(before);
  });

  it('is saved where all pass, where none is stored, and where it does not ask for it', async () => {
    ok(await editAvatar({ avatar_name: 'Lia' }));
    await store(fee);
    expect(ok(await editAvatar({ avatar_name: 'Bia' })).avatar_name).to.equal('Bia');
    expect(ok(await saveFlow('Seja breve.')).decisionName).to.equal('Preços');
    ok(await editChunk({ content: `${FEE} É paga até novembro.` }));
    ok(await editAvatar({ prompt_envelop: 'Nunca diga preços.', evaluate: false }));
    const { rows } = await service.db.raw('select count(*)::integer as n from messages');
    expect(rows[0].n).to.equal(0);
  });

  it('is not refused for a case that fails without it, too', async () => {
    await store({ name: 'outra', question: 'Quem fundou?', expect: { contains: 'Inês' } }, fee);
    ok(await editAvatar({ avatar_name: 'Lia' }));
    expectBroken(await editAvatar({ prompt_envelop: 'Nunca diga preços.' }), 'contains');
  });

  it('is no verdict where a case gets no answer, with the change or without it: nothing is saved', async () => {
    await store(fee, { name: 'outra', question: 'Quem fundou?', expect: { contains: 'Inês' } });
    const before = await readStoredRows(service.db);
    const expectUntried = async (code: number, message: string) => {
      const changed = await editAvatar({ prompt_envelop: 'Nunca diga preços.' });
      expect([changed.status, changed.body.message]).to.deep.equal([code, message]);
      expect(await readStoredRows(service.db)).to.deep.equal(before);
    };
    const unusable = 'The language model returned no usable answer';
    model.script(fail(400));
    await expectUntried(503, unusable);
    const isChanged = (request: ModelRequest) =>
      JSON.stringify(request.messages).includes('Nunca diga preços');
    const answering = (mayAnswer: (request: ModelRequest) => boolean) =>
      model.script((request, response) =>
        (mayAnswer(request) ? say('Não digo.') : fail(400))(request, response),
      );
    answering(request => !isChanged(request));
    await expectUntried(503, unusable);
    answering(isChanged);
    await expectUntried(503, unusable);
    answering(request => !JSON.stringify(request.messages).includes('Quem fundou?'));
    await expectUntried(503, unusable);
  });

  it('asks no model for a bad change, which is refused as ever', async () => {
    await store(fee);
    let asked = 0;
    model.script((request, response) => {
      asked += 1;
      return say(FEE)(request, response);
    });
    expect((await editChunk({ content: undefined })).status).to.equal(400);
    expect((await editChunk({ id: avatarId, content: FEE })).status).to.equal(404);
    expect(asked).to.equal(0);
  });

  it('is refused where the avatars that it affects have more cases than a save can rehearse', async () => {
    const many = Array.from({ length: 200 }, () => ({ question: 'Oi?', expect: {} }));
    const made = await demo.call('createSubAvatar', {
      sub_slug: `b${randomUUID()}`,
      avatar_name: 'Outra',
    });
    const { hostId } = demo;
    await store(...many);
    const other = ok(made).avatar_id;
    await demo.call('linkDatasetAvatar', { hostId, datasetId: chunk.dataset_id, avatarId: other });
    ok(await demo.call('saveEvaluationCases', { hostId, avatarId: other, cases: [fee] }));
    const { status, body } = await editChunk({ content: `${FEE} Até novembro.` });
    expect(status, JSON.stringify(body)).to.equal(400);
    expect(body.data.fields[0]).to.include({ path: 'evaluate' });
    expect(body.data.fields[0].message).to.include('201 cases');
  });

  /** Answers wait until they are released. */
  const holdAnswers = () => {
    const held: (() => void)[] = [];
    let isHeld = true;
    model.script((request, response) => {
      const answer = () => say(FEE)(request, response);
      if (!isHeld) return answer();
      held.push(() => void answer());
      return undefined;
    });
    const release = () => {
      isHeld = false;
      for (const answer of held.splice(0)) answer();
    };
    return { held, release };
  };

  it('waits for models without a slot or a connection, one save of a host at a time', async () => {
    await store(fee, { ...fee, name: 'outra' });
    const { held, release } = holdAnswers();
    const saves = Promise.all(Array.from({ length: 8 }, (_, at) => editAvatar({ avatar_name: `Lia ${at}` })));
    await eventually(
      () => held.length,
      count => count === 2,
    );
    const { slug, token } = service.acme;
    ok(await demo.call('listAvatars', { host_slug: slug }, { token }));
    const { rows } = await service.db.raw(
      "select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%' and usename <> current_user",
    );
    expect(rows).to.deep.equal([]);
    expect(held).to.have.length(2);
    release();
    for (const each of await saves) ok(each);
  });

  it('is refused where what it was rehearsed with is changed meanwhile, and not for what no case reads', async () => {
    await store(fee);
    const { hostId } = demo;
    const tryMeanwhile = async (meanwhile: () => Promise<unknown>) => {
      const { held, release } = holdAnswers();
      const saving = editAvatar({ avatar_name: 'Lia' });
      await eventually(
        () => held.length,
        count => count > 0,
      );
      await meanwhile();
      release();
      return saving;
    };
    const unevaluated = { host_id: hostId, avatar_id: avatarId };
    const changes: Record<string, () => Promise<unknown>> = {
      avatar: async () =>
        ok(await demo.call('editAvatar', { ...unevaluated, prompt_envelop: 'Seja breve.' })),
      case: () => store({ ...fee, name: 'mais uma' }),
      passage: async () => ok(await editChunk({ content: `${FEE} Até novembro.`, evaluate: false })),
      'deleted passage': async () => ok(await editChunk({ deleted: true, evaluate: false })),
      flow: async () =>
        ok(
          await demo.call('saveFlow', {
            hostId,
            avatarId,
            decisionName: 'Outro',
            chainJson: [{ type: 'notification-conversation', content: 'Oi.', description: '' }],
          }),
        ),
    };
    for (const [name, change] of Object.entries(changes)) {
      const { status, body } = await tryMeanwhile(change);
      expect([name, status, body.message]).to.deep.equal([
        name,
        409,
        'The configuration was changed while the cases were rehearsed: save again',
      ]);
    }
    const writeUnread = async () => {
      const { id: dataset_id } = ok(await demo.call('createDataset', { hostId, datasetName: 'Outra' }));
      ok(await demo.call('createChunk', { host_id: hostId, dataset_id, content: 'Oi.' }));
      const { avatar_id: other } = ok(
        await demo.call('createSubAvatar', {
          ...unevaluated,
          sub_slug: `b${randomUUID()}`,
          avatar_name: 'Outra',
        }),
      );
      ok(await demo.call('linkDatasetAvatar', { hostId, datasetId: dataset_id, avatarId: other }));
      ok(await demo.call('saveEvaluationCases', { hostId, avatarId: other, cases: [fee] }));
      const flow = { hostId, avatarId: other, decisionName: 'Outro' };
      const chainJson = [{ type: 'notification-conversation', content: 'Oi.', description: '' }];
      const { id } = ok(await demo.call('saveFlow', { ...flow, chainJson }));
      ok(await demo.call('saveFlow', { ...flow, id, chainJson, active: false }));
    };
    expect(ok(await tryMeanwhile(writeUnread)).avatar_name).to.equal('Lia');
  });

  it('reads its cases back in their order, and deletes them with an empty list', async () => {
    await store(fee, { question: 'Oi?', expect: {} });
    const list = async () => ok(await demo.call('listEvaluationCases', { avatarId })).cases;
    expect(await list()).to.deep.equal([fee, { question: 'Oi?', expect: {} }]);
    await store();
    expect(await list()).to.deep.equal([]);
  });
});
