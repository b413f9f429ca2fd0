import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectWrong, ok } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import type { Fields } from '../support/operation-calls.ts';
import { fail, say } from '../support/scripted-model.ts';
import { type ApiResponse, openOwnService } from '../support/service.ts';
import { readStoredRows } from '../support/stored-rows.ts';

const FEE = 'A taxa de inscrição do vestibular custa R$ 85,00.';

/** A change that is saved with `evaluate: true`; the model answers from what it is given. */
describe('a change with stored evaluation cases', () => {
  // Fewer slots than there are saves at once below.
  const service = openOwnService({ workerConcurrency: 3 });
  const { demo, model, db } = service;
  let avatarId: string;
  let chunk: { id: string; dataset_id: string };
  const addAvatar = async (): Promise<string> =>
    ok(await demo.call('createSubAvatar', { sub_slug: `a${randomUUID()}`, avatar_name: 'Ana' })).avatar_id;
  before(() => {
    model.models = ['scripted', 'careless'];
  });
  /** Each test has an avatar of its own, which knows two things. */
  beforeEach(async () => {
    avatarId = await addAvatar();
    const dataset = { datasetName: 'Manual', avatarIds: [avatarId] };
    const { id: dataset_id } = ok(await demo.call('createDataset', dataset));
    const add = async (content: string) =>
      ok(await demo.call('createChunk', { dataset_id, content })).chunk_id;
    const [id] = await Promise.all([add(FEE), add('A biblioteca abre às 7h.')]);
    chunk = { id, dataset_id };
    model.script((request, response) => {
      const given = request.messages.map(({ content }) => content).join('\n');
      const [known = 'Não sei.'] = /A taxa de inscrição do vestibular custa[^\n<]*/.exec(given) ?? [];
      if (request.model === 'careless') return say('A taxa custa R$ 99,00.')(request, response);
      return say(given.includes('Nunca diga preços') ? 'Não posso dizer preços.' : known)(request, response);
    });
  });

  const fee = {
    name: 'taxa',
    question: 'Quanto custa a taxa de inscrição do vestibular?',
    expect: { contains: 'r$ 85,00', notContains: ['99'], unsupported: 0, askHumanHelp: false, item: 'text' },
  };
  const store = async (...cases: object[]) => ok(await demo.call('saveEvaluationCases', { avatarId, cases }));
  const editAvatar = (changes: Fields) =>
    demo.call('editAvatar', { avatar_id: avatarId, evaluate: true, ...changes });
  const editChunk = (changes: Fields) => demo.call('editChunk', { ...chunk, evaluate: true, ...changes });
  const saveFlow = (content: string, more: Fields = {}) => {
    const chainJson = [{ type: 'notification-conversation', content, description: '' }];
    return demo.call('saveFlow', { avatarId, decisionName: 'Preços', evaluate: true, chainJson, ...more });
  };
  const expectBroken = ({ status, body }: ApiResponse, ...failed: string[]) => {
    expect(status, JSON.stringify(body)).to.equal(409);
    expect(body.data.cases).to.deep.equal([{ case: 'taxa', failed }]);
  };

  it('is refused by name where it breaks one, in prompt, flow, passage or model, and changes nothing', async () => {
    const stored = await store({ ...fee, expect: { ...fee.expect, sources: [chunk.id] } });
    expect(stored).to.deep.equal({ avatarId, count: 1 });
    const before = await readStoredRows(db);
    expectBroken(await editAvatar({ prompt_envelop: 'Nunca diga preços.' }), 'contains', 'sources');
    expectBroken(await saveFlow('Nunca diga preços.'), 'contains', 'sources');
    const content = 'A taxa de inscrição do vestibular custa R$ 99,00.';
    expectBroken(await editChunk({ content }), 'contains', 'notContains');
    expectBroken(await editChunk({ deleted: true }), 'contains', 'sources');
    expectBroken(await editAvatar({ model: 'careless' }), 'contains', 'notContains', 'unsupported');
    expect(await readStoredRows(db)).to.deep.equal(before);
  });

  it('is saved where all pass, where none is stored, and where it does not ask for it', async () => {
    ok(await editAvatar({ avatar_name: 'Lia' }));
    await store(fee);
    expect(ok(await editAvatar({ avatar_name: 'Bia' })).avatar_name).to.equal('Bia');
    expect(ok(await saveFlow('Seja breve.')).decisionName).to.equal('Preços');
    ok(await editChunk({ content: `${FEE} É paga até novembro.` }));
    ok(await editAvatar({ prompt_envelop: 'Nunca diga preços.', evaluate: false }));
    expect((await db.raw('select count(*)::integer as n from messages')).rows[0].n).to.equal(0);
  });

  it('is not refused for a case that fails without it, too', async () => {
    await store({ name: 'outra', question: 'Quem fundou?', expect: { contains: 'Inês' } }, fee);
    ok(await editAvatar({ avatar_name: 'Lia' }));
    expectBroken(await editAvatar({ prompt_envelop: 'Nunca diga preços.' }), 'contains');
  });

  it('is no verdict where a case gets no answer, with the change or without it: nothing is saved', async () => {
    await store(fee, { name: 'outra', question: 'Quem fundou?', expect: { contains: 'Inês' } });
    const before = await readStoredRows(db);
    const isChanged = (asked: string) => asked.includes('Nunca diga preços');
    for (const mayAnswer of [
      () => false,
      (asked: string) => !isChanged(asked),
      isChanged,
      (asked: string) => !asked.includes('Quem fundou?'),
    ]) {
      model.script((request, response) =>
        (mayAnswer(JSON.stringify(request.messages)) ? say('Não digo.') : fail(400))(request, response),
      );
      const { status, body } = await editAvatar({ prompt_envelop: 'Nunca diga preços.' });
      expect([status, body.message]).to.deep.equal([503, 'The language model returned no usable answer']);
      expect(await readStoredRows(db)).to.deep.equal(before);
    }
  });

  it('asks no model for a bad change, which is refused as ever', async () => {
    await store(fee);
    model.requests.length = 0;
    expect((await editChunk({ content: undefined })).status).to.equal(400);
    expect((await editChunk({ id: avatarId, content: FEE })).status).to.equal(404);
    expect(model.requests).to.deep.equal([]);
  });

  it('is refused where the avatars that it affects have more cases than a save can rehearse', async () => {
    const many = Array.from({ length: 200 }, () => ({ question: 'Oi?', expect: {} }));
    await store(...many);
    const other = await addAvatar();
    await demo.call('linkDatasetAvatar', { datasetId: chunk.dataset_id, avatarId: other });
    ok(await demo.call('saveEvaluationCases', { avatarId: other, cases: [fee] }));
    expectWrong(await editChunk({ content: `${FEE} Até novembro.` }), 'evaluate', '201 cases');
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
    await eventually(() => held.length, 2);
    ok(await service.acme.call('listAvatars'));
    const { rows } = await db.raw(
      "select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%' and usename <> current_user",
    );
    expect(rows).to.deep.equal([]);
    expect(held).to.have.length(2);
    release();
    for (const each of await saves) ok(each);
  });

  it('is refused where what it was rehearsed with is changed meanwhile, and not for what no case reads', async () => {
    await store(fee);
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
    const evaluate = false;
    const changes: Record<string, () => Promise<unknown>> = {
      avatar: async () => ok(await editAvatar({ prompt_envelop: 'Seja breve.', evaluate })),
      case: () => store({ ...fee, name: 'mais uma' }),
      passage: async () => ok(await editChunk({ content: `${FEE} Até novembro.`, evaluate })),
      'deleted passage': async () => ok(await editChunk({ deleted: true, evaluate })),
      flow: async () => ok(await saveFlow('Oi.', { decisionName: 'Outro', evaluate })),
    };
    const why = 'The configuration was changed while the cases were rehearsed: save again';
    for (const [name, change] of Object.entries(changes)) {
      const { status, body } = await tryMeanwhile(change);
      expect([name, status, body.message]).to.deep.equal([name, 409, why]);
    }
    const writeUnread = async () => {
      const { id: dataset_id } = ok(await demo.call('createDataset', { datasetName: 'Outra' }));
      ok(await demo.call('createChunk', { dataset_id, content: 'Oi.' }));
      const other = await addAvatar();
      ok(await demo.call('linkDatasetAvatar', { datasetId: dataset_id, avatarId: other }));
      ok(await demo.call('saveEvaluationCases', { avatarId: other, cases: [fee] }));
      const flow = { avatarId: other, decisionName: 'Outro', evaluate };
      const { id } = ok(await saveFlow('Oi.', flow));
      ok(await saveFlow('Oi.', { ...flow, id, active: false }));
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
