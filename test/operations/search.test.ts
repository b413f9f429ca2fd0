import { expect } from 'chai';
import { expectWrong } from '../support/contract.ts';
import { insertIndexedRecord } from '../support/searched-records.ts';
import { openService } from '../support/service.ts';

describe('a search', () => {
  const service = openService();
  const { db, demo, acme } = service;
  const ids: Record<string, string> = {};
  before(async () => {
    ids['often'] = await insertIndexedRecord(db, demo.hostId, 'tickets', {
      subject: 'Matrícula, matrícula e matrícula',
      content: 'Sobre a matrícula no curso de Direito',
      mobilephone: '+55 (11) 98765-4321',
    });
    ids['once'] = await insertIndexedRecord(db, demo.hostId, 'conversations', {
      user_name: 'Rui <script>alert(1)</script>',
      dialogue_summary: 'Perguntou pelas inscrições e pela matrícula & quis "desconto"',
      wpp_id: '551133334444',
    });
    ids['lead'] = await insertIndexedRecord(db, demo.hostId, 'leads', {
      firstname: 'Joana',
      lastname: 'Prado',
      email: 'joana@example.com',
      cpf: '52998224725',
      mobilephone: '11 8765-4321',
      unidade: 'Campus Central',
    });
    const foreign = { subject: 'Matrícula', mobilephone: '11987654321' };
    ids['foreign'] = await insertIndexedRecord(db, acme.hostId, 'tickets', foreign);
  });

  const search = async (type: string, body: object, options = {}) => {
    const answer = await service.call(`/search-index/search/${type}`, body, options);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  };
  const namesIn = ({ results }: { results: { origin_id: string }[] }) =>
    results.map(({ origin_id }) => Object.keys(ids).find(name => ids[name] === origin_id));

  it('by words finds what holds all of them, most often first, in both numbers and with no accents', async () => {
    expect(namesIn(await search('fts', { query: 'matricula' }))).to.deep.equal(['often', 'once']);
    expect(namesIn(await search('fts', { query: 'MATRÍCULAS inscrição' }))).to.deep.equal(['once']);
    expect(namesIn(await search('fts', { query: 'matrícula engenharia' }))).to.deep.equal([]);
    const one = { query: 'matricula', limit: 1 };
    expect(await search('fts', one)).to.include({ total: 2, total_is_estimate: false, offset: 0, ...one });
    expect(namesIn(await search('fts', { ...one, offset: 1 }))).to.deep.equal(['once']);
  });

  it('scores by the formula to the letter', async () => {
    const { results } = await search('hybrid', { query: 'matrícula desconto' });
    expect(results).to.have.length(2);
    for (const { score, scores, origin_id, matched_by } of results) {
      const { rows } = await db.raw<{ rows: { fts: number; content: number }[] }>(
        `select ts_rank('{1,1,1,1}', vector, any_word_query('matrícula desconto'), 32)::float8 as fts,
           word_similarity('matrícula desconto', content)::float8 as content
         from search_records where origin_id = ?`,
        [origin_id],
      );
      const [{ fts, content } = { fts: 0, content: 0 }] = rows;
      expect(scores.fts).to.be.closeTo(fts, 1e-6);
      expect(scores.content).to.be.closeTo(content, 1e-6);
      expect(score).to.be.closeTo(0.7 * fts + 0.3 * content, 1e-6);
      expect(matched_by).to.include('fts');
    }
  });

  it('that is hybrid finds what is misspelt, and phones by how they end, written as a number too', async () => {
    expect(namesIn(await search('hybrid', { query: 'matricla' }))).to.have.members(['often', 'once']);
    const byPhone = await search('hybrid', { query: 87654321 });
    expect(namesIn(byPhone)).to.have.members(['often', 'lead']);
    expect(byPhone.results[0].matched_by).to.include('phone');
    expect(byPhone.results[0].scores.phone).to.be.greaterThan(0);
    expect(byPhone.query).to.equal('87654321');
  });

  it('that is hybrid says that its total is an estimate where it counts what only has a word like one of the query', async () => {
    for (const content of ['Boleto vencido', ...Array.from({ length: 12 }, (_, at) => `Bolero, aula ${at}`)])
      await insertIndexedRecord(db, demo.hostId, 'tickets', { subject: 'Aluno', content });
    const query = 'segunda via do boleto vencido do semestre passado';
    const found = await search('hybrid', { query });
    expect([found.total, found.total_is_estimate, found.results.length]).to.deep.equal([13, true, 1]);
    const exact = await search('hybrid', { query, limit: 1 });
    expect([exact.total, exact.total_is_estimate, exact.results.length]).to.deep.equal([1, false, 1]);
  });

  it('by a CPF finds its digits, however it is written', async () => {
    for (const type of ['fts', 'hybrid']) {
      const written = ['529.982.247-25', '52998224725', '529982247-25', '529 982 247 25', 52_998_224_725];
      for (const query of written) expect(namesIn(await search(type, { query }))[0], type).to.equal('lead');
    }
  });

  it('by phone finds the variants of a mobile, and no mobile for a landline', async () => {
    const by = async (phone: string, search_type?: string) =>
      namesIn(await search('phone', { phone, ...(search_type ? { search_type } : {}) }));
    for (const phone of ['11987654321', '1187654321', '+55 11 98765-4321'])
      expect(await by(phone), phone).to.have.members(['often', 'lead']);
    expect(await by('1133334444')).to.deep.equal(['once']);
    expect(await by('11933334444')).to.deep.equal([]);
    expect(await by('987654321', 'suffix')).to.have.members(['often', 'lead']);
    expect(await by('4444', 'suffix')).to.deep.equal(['once']);
    expect(await by('8765', 'partial')).to.have.members(['often', 'lead']);
    expect(await by('8765', 'exact')).to.deep.equal([]);
    expectWrong(await demo.call('searchPhone', { phone: '(11) 9' }), 'phone');
  });

  it('that is unified gives each type and all of them merged', async () => {
    const { results, merged, errors } = await search('unified', {
      query: 'matrícula',
      types: ['fts', 'similarity'],
      options: { fts: { limit: 1 }, similarity: { threshold: 0.5 } },
    });
    expect(Object.keys(results)).to.have.members(['fts', 'similarity']);
    expect(results.fts.results).to.have.length(1);
    expect(namesIn({ results: merged })).to.have.members(['often', 'once']);
    expect(errors).to.deep.equal({});
    expect(Object.keys((await search('unified', { query: 'matrícula' })).results)).to.have.length(3);
  });

  it('that is unified gives each record its fused score, every score that was computed, and every way it was found', async () => {
    const { results, merged } = await search('unified', { query: 'matrícula' });
    const pages = [results.fts, results.hybrid, results.similarity].map(({ results: found }) => found);
    for (const { origin_id, score, scores, matched_by } of merged) {
      const ranks = pages.map(page =>
        page.findIndex((each: { origin_id: string }) => each.origin_id === origin_id),
      );
      const found = pages.flatMap((page, at) => page[ranks[at] as number] ?? []);
      const sum = ranks.reduce((total, rank) => total + (rank < 0 ? 0 : 1 / (61 + rank)), 0);
      expect(score).to.be.closeTo(sum, 1e-12);
      for (const name of ['fts', 'content', 'phone'])
        expect(scores[name], name).to.equal(Math.max(...found.map(each => each.scores[name])));
      expect(matched_by).to.have.members([...new Set(found.flatMap(each => each.matched_by))]);
    }
    expect(merged[0].scores.fts * merged[0].scores.content).to.be.greaterThan(0);
  });

  it('that is unified answers the same to the byte, in whatever order its types end or are named', async () => {
    const types = ['fts', 'hybrid', 'similarity'];
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        const named = n % 2 === 0 ? types : types.toReversed();
        return JSON.stringify(await search('unified', { query: 'matrícula desconto', types: named }));
      }),
    );
    const timeless = answers.map(answer => answer.replaceAll(/"took_ms":[0-9.]+/g, ''));
    expect(new Set(timeless)).to.have.property('size', 1);
  });

  it('that is unified answers with what is left of it, and fails where nothing is', async () => {
    await db.raw('alter function search_similar rename to search_similar_away');
    const { results, errors } = await search('unified', { query: 'matrícula' });
    expect(Object.keys(results)).to.have.members(['fts', 'hybrid']);
    expect(Object.keys(errors)).to.deep.equal(['similarity']);
    const alone = { query: 'matrícula', types: ['similarity'] };
    expect((await demo.call('searchUnified', alone)).status).to.equal(500);
    await db.raw('alter function search_similar_away rename to search_similar');
    await search('unified', alone);
  });

  it('shows where it was found in the original, and nothing of it is HTML but the marks', async () => {
    const { results } = await search('fts', { query: 'desconto inscricao' });
    expect(results[0].highlight)
      .to.include('pelas <mark>inscrições</mark>')
      .and.include('<mark>desconto</mark>');
    expect(results[0].highlight.replaceAll(/<\/?mark>/g, '')).to.not.match(/[<>"]/);
  });

  it('finds a word that something unseen stands in, and marks it whole', async () => {
    const subject = 'Segunda chama\u200bda do vesti\u00adbular';
    await insertIndexedRecord(db, demo.hostId, 'tickets', { subject });
    const { results } = await search('fts', { query: 'chamada vesti\u2060bular' });
    expect(results[0]?.highlight).to.include('<mark>chama\u200bda</mark> do <mark>vesti\u00adbular</mark>');
  });

  it('finds the token’s hosts alone: one, all, or the one that is chosen', async () => {
    const token = await service.makeToken({ hostIds: [demo.hostId, acme.hostId] });
    const all = namesIn(await search('fts', { query: 'matrícula' }, { token }));
    expect(all).to.have.members(['often', 'once', 'foreign']);
    const chosen = { query: 'matrícula', choosenHostId: acme.hostId };
    expect(namesIn(await search('fts', chosen, { token }))).to.deep.equal(['foreign']);
    const theirs = { token: acme.token };
    expect(namesIn(await search('phone', { phone: '11987654321' }, theirs))).to.deep.equal(['foreign']);
    expect(namesIn(await search('hybrid', { query: 'Joana' }, theirs))).to.deep.equal([]);
  });

  it('takes whatever is asked, in time', async () => {
    const hostile = [
      '%',
      '\\',
      '_',
      "a' | b & !c:* <-> (d",
      'a',
      'é',
      '\0matrícula\0',
      '🙂🙃',
      "'; drop table search_records; --",
      '(((',
      ':*',
      '!',
      '\ud800',
      'x'.repeat(256),
      'de a o que',
      'ab '.repeat(85),
      '{}[]"$1?',
      '-0',
    ];
    for (const query of hostile) {
      const types = ['fts', 'hybrid', 'unified'];
      const asked = types.map(type => service.call(`/search-index/search/${type}`, { query }));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(statuses, query).to.deep.equal([200, 200, 200]);
    }
    for (const query of ['', 'x'.repeat(10_240), null, true, ['a'], {}]) {
      const { status } = await demo.call('searchHybrid', { query });
      expect(status, JSON.stringify(query).slice(0, 20)).to.equal(400);
    }
    for (const wrong of [{ limit: 0 }, { limit: 101 }, { offset: -1 }, { offset: 10_001 }, { limit: '5' }]) {
      const { status } = await demo.call('searchFulltext', { query: 'a', ...wrong });
      expect(status, JSON.stringify(wrong)).to.equal(400);
    }
  });
});
