import { expect } from 'chai';
import { type BeginReport, reportPage } from '../../commands/begin-report.ts';

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
const report: BeginReport = {
  address: 'https://site.example/',
  host: 'Exemplo',
  avatar: { name: 'Lia', subSlug: 'lia', isOnly: false },
  madeAt: new Date(0),
  leftOut: [],
  documents: [],
  passages: [
    { id: 'a', content: '## Taxa\n\nR$ 85', page: `site.example, ${URL_A}` },
    { id: 'b', content: '## Prova\n\nDia 5', page: 'site.example, https://site.example/b' },
  ],
  proposed: [
    { question: 'Qual é a taxa?', passageIds: ['a'] },
    { question: 'Quando é a prova?', passageIds: ['b'] },
  ],
  verdicts: [],
  contradictions: [],
};
const classesOf = (page: string) => [...page.matchAll(/<article class="(\w+)">/g)].map(([, name]) => name);

describe('the page of npm run begin', () => {
  it('tells answers of the passage that was asked from those of another one, of none, and of nothing', () => {
    const page = reportPage({
      ...report,
      verdicts: [
        verdict('qual e a taxa', 'R$ 85.'),
        verdict('Quando é a prova?', 'Dia 5.'),
        verdict('Quem é o reitor?', 'Ana.', { sources: [] }),
        verdict('Há vagas?', 'Não encontrei essa informação.'),
        verdict('Há bolsas?', '', { failed: ['answer'] }),
        verdict('Quanto custa?', 'R$ 7.', { failed: ['unsupported'] }),
      ],
    });
    expect(classesOf(page)).to.deep.equal(['answered', 'elsewhere', 'unsure', 'missing', 'silent', 'unsure']);
    expect(page).to.contain('De 6 perguntas: 1 com resposta do site, 3 para conferir, 2 sem resposta.');
    expect(page).to.contain('2 páginas, 2 trechos.');
  });

  it('names what could not be read and why, what contradicts itself, and what an only assistant means', () => {
    const document = {
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
      updated_at: '',
    } as const;
    const sentence = { from: 0, to: 6 };
    const page = reportPage({
      ...report,
      avatar: { ...report.avatar, isOnly: true },
      leftOut: ['javascript:alert(1)'],
      documents: [document],
      contradictions: [
        {
          contradictionId: 'c',
          kind: 'price',
          pairs: 1,
          passages: [
            { chunkId: 'a', datasetId: 's', content: 'R$ 85. <b>' },
            { chunkId: 'b', datasetId: 's', content: 'R$ 90. E mais.' },
          ],
          places: [
            { sentence, mark: sentence },
            { sentence, mark: sentence },
          ],
          foundAt: '',
        },
      ],
    });
    expect(page).to.contain('não foi lido: não foi possível acessar o endereço');
    expect(page).to.match(/“R\$ 85\.”[^]*site\.example\/a[^]*“R\$ 90\.”[^]*site\.example\/b/);
    expect(page).to.contain('único assistente');
    expect(page).to.contain('<li>javascript:alert(1)</li>');
    expect(page).not.to.match(/<script|href="(?!https?:)/);
  });
});
