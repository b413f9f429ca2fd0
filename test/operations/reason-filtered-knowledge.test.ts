import { expect } from 'chai';
import type { ChunkFilter } from '../../db/knowledge/chunks.ts';
import { makeAvatarWithKnowledge } from '../support/avatar-with-knowledge.ts';
import { importAndWait } from '../support/imports.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { withReceipt } from '../support/served-host.ts';
import { openService } from '../support/service.ts';

const subSlug = 'filtrada';

describe('filtered knowledge', () => {
  const service = openService();
  const { demo } = service;
  const passage = (mark: string, filter: ChunkFilter = {}) => ({
    content: `O zepelim parte às 9h. MARCA-${mark}`,
    filter,
  });
  const filtered = openOnce(() =>
    makeAvatarWithKnowledge(demo, subSlug, [
      passage('comum'),
      passage('direito', { curso: ['direito'] }),
      passage('letras', { curso: ['letras', 'musica'] }),
      passage('noite', { curso: ['direito'], turno: ['noite'] }),
      // Many equally relevant chunks must not displace the few readable ones.
      ...Array.from({ length: 120 }, (_, at) =>
        passage(`alheia zepelim zepelim ${at}`, { curso: ['alheio'] }),
      ),
    ]),
  );

  const ask = async (more: Fields) => {
    const { status, receipt } = await service.ask('Quando parte o zepelim?', {
      subSlug,
      ...withReceipt,
      ...more,
    });
    expect(status).to.equal(200);
    const read = JSON.stringify(service.model.requests.at(-1)?.messages);
    return { marks: read.match(/MARCA-[a-z]+/g)?.toSorted() ?? [], filter: receipt.retrieval.filter };
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
    const guide = { name: 'Guia', external_key: 'guia', content_type: 'text/plain' };
    const load = (content: string) =>
      importAndWait(service, { dataset_id: filtered.datasetId, ...guide, content });
    await load(`---\ncurso: Direito\n---\n${text}`);
    expect((await load(text)).data).to.include({ kept: 1, added: 0 });
    expect((await load(`${text}\n\nSobe às 10h. MARCA-nova`)).data?.reason).to.equal('filter-missing');
    expect((await load(`—\ncurso: Direito\n—\n${text}`)).data?.reason).to.equal('front-matter-invalid');
    expect((await ask({})).marks).to.deep.equal(['MARCA-comum']);
    expect((await ask({ globalData: { curso: 'letras' } })).marks).not.to.include('MARCA-guia');
    expect((await ask({ globalData: { curso: 'direito' } })).marks).to.include('MARCA-guia');
  });
});
