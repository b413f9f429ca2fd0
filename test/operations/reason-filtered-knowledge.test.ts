import { expect } from 'chai';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { type HostScope } from '../../db/with-hosts.ts';
import { importAndWait } from '../support/imports.ts';
import { openService } from '../support/service.ts';

const subSlug = 'filtrada';

describe('filtered knowledge', () => {
  const service = openService();
  const { demo } = service;
  let datasetId: string;
  const inDemo = <T>(work: (scope: HostScope) => Promise<T>) => demo.inHost(work);
  before(async () => {
    await inDemo(async scope => {
      const avatarId =
        (await insertAvatar(scope, { sub_slug: subSlug, avatar_name: 'Eva' }))?.avatar_id ?? '';
      const dataset = await insertDataset(scope, { name: 'Por curso', type: 'filtered_rag' });
      await linkDataset(scope, { datasetId: dataset.id, avatarId });
      datasetId = dataset.id;
      const teach = (mark: string, filter?: Record<string, string[]>) => {
        const content = `O zepelim parte às 9h. ${mark}`;
        return insertChunk(scope, {
          datasetId: dataset.id,
          content,
          ...(filter && { filter }),
          tokenCount: 9,
        });
      };
      await teach('MARCA-comum');
      await teach('MARCA-direito', { curso: ['direito'] });
      await teach('MARCA-letras', { curso: ['letras', 'musica'] });
      await teach('MARCA-noite', { curso: ['direito'], turno: ['noite'] });
      // Many equally relevant chunks must not displace the few readable ones.
      for (let at = 0; at < 120; at++)
        await teach(`MARCA-alheia zepelim zepelim ${at}`, { curso: ['alheio'] });
    });
  });

  const ask = async (more: Record<string, unknown>) => {
    const answer = await service.ask('Quando parte o zepelim?', {
      subSlug,
      reasoningConfig: { svcCompleteLog: true },
      ...more,
    });
    expect(answer.status).to.equal(200);
    const read = JSON.stringify(service.model.requests.at(-1)?.messages);
    const [receipt] = answer.body.data.svcCompleteLog;
    return { read, marks: read.match(/MARCA-[a-z]+/g)?.toSorted() ?? [], filter: receipt.retrieval.filter };
  };

  it('is closed to a turn without the values that it declares, and the receipt says why', async () => {
    const { marks, filter } = await ask({});
    expect(marks).to.deep.equal(['MARCA-comum']);
    const reason = 'neither globalData nor userData has a value for it';
    expect(filter).to.deep.equal([
      { key: 'curso', reason },
      { key: 'turno', reason },
    ]);
  });

  it('goes by what the conversation keeps, then by what the turn brings, then by the user’s own data', async () => {
    const { hostId } = demo;
    const conversationId = await service.newConversation();
    await service.ask('Oi, tudo bem por aí?', { conversationId, subSlug, globalData: { curso: 'direito' } });
    expect((await ask({ conversationId, hostId })).marks).to.include('MARCA-direito');
    const changed = await ask({ conversationId, globalData: { curso: 'letras' } });
    expect(changed.marks).to.deep.equal(['MARCA-comum', 'MARCA-letras']);
    const userData = { name: 'Rui', email: 'rui@uni.example', curso: 'direito' };
    expect((await ask({ userData })).marks).to.deep.equal(['MARCA-comum', 'MARCA-direito']);
    expect((await ask({ userData, globalData: { curso: 'letras' } })).marks).to.not.include('MARCA-direito');
  });

  it('stays closed when its document is imported again without a filter, with the same text or more', async () => {
    const text = 'O zepelim parte às 9h. MARCA-guia';
    const load = (content: string) =>
      importAndWait(service, {
        dataset_id: datasetId,
        name: 'Guia',
        external_key: 'guia',
        content_type: 'text/plain',
        content,
      });
    await load(`---\ncurso: Direito\n---\n${text}`);
    expect((await load(text)).data).to.include({ kept: 1, added: 0 });
    expect((await load(`${text}\n\nSobe às 10h. MARCA-nova`)).data?.reason).to.equal('filter-missing');
    expect((await load(`—\ncurso: Direito\n—\n${text}`)).data?.reason).to.equal('front-matter-invalid');
    expect((await ask({})).marks).to.deep.equal(['MARCA-comum']);
    expect((await ask({ globalData: { curso: 'letras' } })).marks).not.to.include('MARCA-guia');
    expect((await ask({ globalData: { curso: 'direito' } })).marks).to.include('MARCA-guia');
  });
});
