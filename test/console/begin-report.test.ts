import { expect } from 'chai';
import type { SiteReport } from '../../console/pages/begin/report.ts';
import { reportFile } from '../../console/pages/begin/report-file.ts';

const URL_A = 'https://site.example/a';
const verdict = (question: string, answer: string, more: object = {}) => ({
  case: question,
  passed: true,
  failed: [],
  answer,
  sources: [{ chunkId: 'a', title: `site.example, ${URL_A}` }],
  durationMs: 1,
  ...more,
});
const report: SiteReport = {
  site: {
    address: 'https://site.example/',
    hostId: 'h',
    host: 'Exemplo',
    dataset: 's',
    avatar: { id: 'v', name: 'Lia', subSlug: 'lia', isOnly: false },
    left: [],
    documents: [],
    found: {
      avatarId: 'v',
      passages: 2,
      pages: 2,
      proposed: [
        { question: 'Qual é a taxa?', chunkIds: ['a'], stored: true },
        { question: 'Quando é a prova?', chunkIds: ['b'], stored: false },
      ],
    },
    cases: [],
  },
  madeAt: new Date(0),
  verdicts: [],
  contradictions: { pairs: [], more: 0, isPartial: false },
};
const unread = {
  id: 'd',
  dataset_id: 's',
  name: 'site.example',
  content_type: 'text/html',
  url: 'https://site.example/sitemap.xml',
  passages: 0,
  state: 'failed',
  reason: 'unreachable',
  job_id: '',
  created_at: '',
  updated_at: '2026-03-02T14:05:09.120Z',
} as const;
const classesOf = (page: string) => [...page.matchAll(/<article class="(\w+)">/g)].map(([, name]) => name);

describe('the report on a site', () => {
  it('tells answers of the passage that was asked from those of another one, of none, and of nothing', () => {
    const page = reportFile({
      ...report,
      verdicts: [
        verdict('Qual é a taxa?', 'R$ 85, pelo [portal](https://site.example/p).'),
        verdict('Quando é a prova?', '**Dia 5**.'),
        verdict('Quem é o reitor?', 'Ana.', { sources: [] }),
        verdict('Há vagas?', 'Não encontrei essa informação.'),
        verdict('Há bolsas?', '', { failed: ['answer'] }),
        verdict('Quanto custa?', 'R$ 7.', { failed: ['unsupported'] }),
      ],
    });
    expect(classesOf(page)).to.deep.equal(['answered', 'elsewhere', 'unsure', 'missing', 'silent', 'unsure']);
    expect(page).to.contain('De 6 perguntas: 1 com resposta do site, 3 para conferir, 2 sem resposta.');
    expect(page).to.contain('2 páginas, 2 trechos.').and.contain('>Dia 5.<');
    expect(page).to.contain('R$ 85, pelo portal.');
  });

  it('says when each part of the site was read, which may be long before', () => {
    const { reason: _reason, ...rest } = unread;
    const read = { ...rest, state: 'ready' } as const;
    const page = reportFile({ ...report, site: { ...report.site, documents: [read] } });
    expect(page).to.match(
      /Lido em 2 de março de 2026[^<]* de <a href="https:\/\/site\.example\/sitemap\.xml"/,
    );
  });

  it('says of a page of frames what it lacks, and nothing of questions where none was asked', () => {
    const reason = 'no-text' as const;
    const page = reportFile({ ...report, site: { ...report.site, documents: [{ ...unread, reason }] } });
    expect(page).to.contain('Não foi lido: a página não tem texto').and.contain('Nenhuma pergunta foi feita');
    expect(page).not.to.match(/O que falta|Perguntas e respostas|digitalizadas/);
  });

  it('says that nothing was read where that is so, and to begin with a part of what is too much', () => {
    for (const reason of ['too-large', 'too-many-passages', 'too-slow'] as const) {
      const documents = [{ ...unread, reason }];
      const found = { ...report.site.found, passages: 0, pages: 0, proposed: [] };
      const page = reportFile({ ...report, site: { ...report.site, documents, found } });
      expect(page).to.contain('Nada foi lido').and.contain('Comece pelo endereço de uma parte do site');
      expect(page).not.to.match(/PDFs|Divida/);
    }
  });

  it('names what could not be read and why, what contradicts itself, and what an only assistant means', () => {
    const page = reportFile({
      ...report,
      site: {
        ...report.site,
        avatar: { ...report.site.avatar, isOnly: true },
        left: ['javascript:alert(1)'],
        documents: [unread],
      },
      contradictions: {
        pairs: [
          [
            { text: 'R$ 85. <b>', page: `site.example, ${URL_A}` },
            { text: 'R$ 90.', page: 'site.example, https://site.example/b' },
          ],
        ],
        more: 2,
        isPartial: true,
      },
    });
    expect(page).to.contain('tente mais tarde. <a href="https://site.example/sitemap.xml"');
    expect(page).to.match(
      /“R\$ 85\. &#60;b&#62;”[^]*site\.example\/a[^]*“R\$ 90\.”[^]*site\.example\/b[^]*E mais 2/,
    );
    expect(page).to.contain('único assistente');
    expect(page).to.contain('<li>javascript:alert(1)</li>');
    expect(page).not.to.match(/<script|href="(?!https?:)/);
  });
});
