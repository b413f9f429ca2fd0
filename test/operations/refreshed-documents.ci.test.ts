import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { chunksOf, importAndWait, makeDataset } from '../support/imports.ts';
import { openMadeUpSite } from '../support/made-up-site.ts';
import { openEach, openOnce } from '../support/opened.ts';
import { openOwnService } from '../support/service.ts';

describe('documents that are imported again by themselves', () => {
  const service = openOwnService({ egressAllowPrivate: true });
  const { demo, db } = service;
  const site = openOnce(openMadeUpSite);
  const document = openEach(async () => {
    await db('events').delete();
    await demo.call('saveWebhook', {
      name: 'CRM',
      url: 'https://crm.example/',
      events: ['document.changed'],
    });
    return { datasetId: await makeDataset(service) };
  });

  const load = async (names: readonly string[], path = 'sitemap.xml') => {
    site.publish(names);
    const url = `${site.origin}/${path}`;
    const order = {
      dataset_id: document.datasetId,
      name: 'Site',
      external_key: 'site',
      url,
      refresh_every_hours: 6,
    };
    return (await importAndWait(service, order)).data?.documentId ?? '';
  };
  /** Makes the document due, and waits for the end of its import; returns what the site answered. */
  const refresh = async (document_id: string): Promise<readonly string[]> => {
    site.answered.length = 0;
    await db('document_refreshes')
      .where({ document_id })
      .update({ due_at: db.raw("now() - interval '1 hour'") });
    const isEnded = () =>
      db('document_refreshes')
        .where({ document_id })
        .where('due_at', '>', db.fn.now())
        .whereNotExists(db('document_imports').where({ document_id, ended_at: null }))
        .first('document_id');
    await eventually(isEnded, row => row !== undefined, 60_000);
    return [...site.answered];
  };
  const titles = async () => {
    const stored = await chunksOf(service, document.datasetId);
    return stored.map(({ content }) => (content.split('\n')[0] ?? '').replace(/^## (.* > )?/, '')).toSorted();
  };
  const listed = async () =>
    (await demo.call('listDocuments', { dataset_id: document.datasetId })).body.data.items[0];
  const history = async (id: string) => (await demo.call('listDocumentChanges', { id })).body.data;
  const told = async () =>
    (await db('events').where({ type: 'document.changed' }).orderBy('created_at').select('data')).map(
      ({ data }) => data,
    );
  const addressesOf = (...names: readonly string[]) => names.map(name => `${site.origin}/${name}`);

  it('are asked only for what has changed, and say nothing until something has', async () => {
    const id = await load(['a', 'b', 'c']);
    const before = await chunksOf(service, document.datasetId);
    const all = ['/sitemap.xml 200', '/a 304', '/b 304', '/c 304'];
    expect(await refresh(id)).to.deep.equal(all);
    expect(await chunksOf(service, document.datasetId)).to.deep.equal(before);
    expect([await told(), (await history(id)).length]).to.deep.equal([[], 1]);
    site.page('b', 'novo');
    expect(await refresh(id)).to.deep.equal(all.with(2, '/b 200'));
    expect(await titles()).to.deep.equal(['a', 'c', 'novo']);
    const change = { added: 1, kept: 2, removed: 1 };
    expect((await told())[0]).to.deep.include({ documentId: id, reason: null, ...change });
    expect((await history(id))[0]).to.deep.include({ automatic: true, ...change });
    expect(await listed())
      .to.include({ state: 'ready', passages: 3, refresh_every_hours: 6 })
      .and.have.property('checked_at');
    expect(await refresh(id)).to.deep.equal(all);
  });

  it('are asked for frames whose page is as it was, and may lose them', async () => {
    site.publish(['inicio', 'quadro']);
    site.answer('', { status: 302, headers: { location: '/inicio' } });
    site.answer('inicio', { body: '<h2>Início</h2><p>Oi.</p><iframe src="/quadro"></iframe>' });
    const order = {
      dataset_id: document.datasetId,
      name: 'Site',
      external_key: 'site',
      refresh_every_hours: 6,
    };
    const url = `${site.origin}/`;
    const id = (await importAndWait(service, { ...order, url })).data?.documentId ?? '';
    expect(await titles()).to.deep.equal(['Início', 'quadro']);
    site.page('quadro', 'novo');
    expect(await refresh(id)).to.deep.equal(['/ 302', '/inicio 200', '/quadro 200']);
    expect(await titles()).to.deep.equal(['Início', 'novo']);
    site.answer('inicio', { body: '<h2>Início</h2><p>Oi.</p>' });
    // Half of it is gone: that is believed the second time.
    await refresh(id);
    await refresh(id);
    expect(await titles()).to.deep.equal(['Início']);
  });

  it('keep a passage of several pages where one of them, which was not read, still has it', async () => {
    const id = await load(['a', 'b', 'c']);
    const text = '<title>Campus</title><h2>Rua</h2><p>Das Flores, 10.</p>';
    for (const name of ['a', 'b']) site.answer(name, { body: `${text}<h2>${name}</h2><p>Texto.</p>` });
    await refresh(id);
    site.page('a', 'outro');
    expect(await refresh(id)).to.include('/b 304');
    expect(await titles()).to.deep.equal(['Rua', 'b', 'c', 'outro']);
    site.page('b', 'mais');
    await refresh(id);
    expect(await titles()).to.deep.equal(['c', 'mais', 'outro']);
  });

  it('lose pages that are gone, keep those that are out of reach, and tell each trouble once, and its end', async () => {
    const id = await load(['a', 'b', 'c', 'd', 'e']);
    site.answer('a', { status: 410 });
    site.answer('b', { status: 500 });
    const trouble = {
      gone: { count: 1, pages: addressesOf('a') },
      incomplete: { count: 1, pages: addressesOf('b') },
    };
    await refresh(id);
    await refresh(id);
    expect(await titles()).to.deep.equal(['b', 'c', 'd', 'e']);
    expect(await listed()).to.deep.include({ state: 'incomplete', ...trouble });
    const [only, ...others] = await told();
    expect([only, others.length]).to.deep.equal([{ ...only, removed: 1, ...trouble }, 0]);
    site.answer('sitemap.xml', { status: 503 });
    await refresh(id);
    await refresh(id);
    site.publish(['b', 'c', 'd', 'e']);
    await refresh(id);
    expect((await told()).map(({ reason }) => reason)).to.deep.equal([null, 'unreachable', null]);
    expect((await history(id)).map((change: { reason?: string }) => change.reason)).to.deep.equal([
      undefined,
      'unreachable',
      undefined,
      undefined,
    ]);
  });

  it('stay as they were where less than half is left, until that is so twice in a row', async () => {
    const id = await load(['a', 'b', 'c', 'd', 'e']);
    const whole = ['a', 'b', 'c', 'd', 'e'];
    const shrink = () => site.publish(['a', 'b']);
    shrink();
    await refresh(id);
    expect(await titles()).to.deep.equal(whole);
    expect(await listed()).to.include({ state: 'failed', reason: 'shrunk', passages: 5 });
    site.publish(whole);
    await refresh(id);
    shrink();
    await refresh(id);
    expect(await titles()).to.deep.equal(whole);
    await refresh(id);
    expect(await titles()).to.deep.equal(['a', 'b']);
    expect((await told()).map(({ reason, removed }) => [reason, removed])).to.deep.equal([
      ['shrunk', 0],
      [null, 0],
      ['shrunk', 0],
      [null, 3],
    ]);
  });

  it('take the word of a person that less than half is left, or nothing but a page of maintenance', async () => {
    const id = await load(['a'], 'a');
    site.answer('a', { body: `<title>a</title><p>${'Texto longo do edital. '.repeat(20)}</p>` });
    await refresh(id);
    site.answer('a', { body: '<title>a</title><p>Em manutenção.</p>' });
    await refresh(id);
    expect(await listed()).to.include({ reason: 'shrunk' });
    const { body } = await demo.call('editDocument', { id, refresh_now: true });
    await eventually(listed, ({ state, job_id }) => job_id === body.data.job_id && state === 'ready', 60_000);
    expect((await chunksOf(service, document.datasetId)).map(({ content }) => content)).to.deep.equal([
      '## Site\n\nEm manutenção.',
    ]);
    expect((await history(id)).map((change: { automatic: boolean }) => change.automatic)).to.deep.equal([
      false,
      true,
      true,
      false,
    ]);
  });

  it('have no passage any more where their address is gone twice in a row, and come back with it', async () => {
    const id = await load(['a'], 'a');
    site.answer('a', { status: 404 });
    await refresh(id);
    expect(await titles()).to.deep.equal(['a']);
    await refresh(id);
    expect(await titles()).to.deep.equal([]);
    expect(await listed()).to.deep.include({
      state: 'ready',
      passages: 0,
      gone: { count: 1, pages: addressesOf('a') },
    });
    site.page('a', 'a');
    await refresh(id);
    expect(await titles()).to.deep.equal(['a']);
    expect((await told()).map(({ reason, added, removed }) => [reason, added, removed])).to.deep.equal([
      ['gone', 0, 0],
      [null, 0, 1],
      [null, 1, 0],
    ]);
  });

  it('are left alone for as long as their server wants', async () => {
    const id = await load(['a'], 'a');
    site.answer('a', { status: 503, headers: { 'retry-after': '172800' } });
    expect(await refresh(id)).to.deep.equal(['/a 503']);
    const [row] = await db('document_refreshes')
      .where({ document_id: id })
      .select(db.raw("due_at > now() + interval '47 hours' as later"));
    expect(row).to.deep.equal({ later: true });
  });
});
