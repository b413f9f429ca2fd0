import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { makePdfOf } from '../support/pdf.ts';
import { openService } from '../support/service.ts';
import { findViolations } from './accessibility.ts';
import { openPage } from './browser.ts';
import { enterConsole } from './console-page.ts';

const PAGES = 60;
/** Long enough that a page is a passage of its own, and on no two pages the same, which a header or footer would be. */
const fillerOf = (at: number) =>
  Array.from(
    { length: 25 },
    (_, line) => `A turma ${at * 25 + line} se inscreve no balcão, com um documento e uma fotografia.`,
  ).join(' ');

describe('documents on the page at /console', () => {
  const service = openService();
  const { demo } = service;
  const watched = openPage();
  const { page } = watched;
  before(() => enterConsole(page, service, `conhecimento/${demo.datasetId}/documentos`));

  const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  const choose = (file: { name: string; mimeType: string; buffer: Buffer }) =>
    page.getByLabel('Arraste arquivos').setInputFiles(file);
  const pdf = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/pdf', buffer });
  const openTab = async (name: string) => {
    const tab = page.locator('.tabs').getByRole('link', { name, exact: true });
    await tab.click();
    // Two in a row are two views, and the second reads anew.
    await tab.and(page.locator('[aria-current=page]')).waitFor();
  };
  /** An import that begins meanwhile ends after it. */
  const whileNoneEnds = (look: () => Promise<void>) =>
    service.db.transaction(async tx => {
      await tx.raw('lock table chunks in exclusive mode');
      await look();
    });
  const manual = (pages: number) => {
    const about = Array.from({ length: pages }, (_, at) => ({
      heading: `Oficina ${at + 1}`,
      paragraphs: [
        `A oficina de ${at === 41 ? 'xilogravura' : 'cerâmica'} fica na sala ${100 + at}.`,
        fillerOf(at),
      ],
    }));
    return makePdfOf('Manual das oficinas', about);
  };

  it('are dropped several at a time, and those that cannot be imported are named and not sent', async () => {
    await page.getByText('Nenhum documento importado ainda').waitFor();
    await dropFiles(page, [
      { name: 'grande.txt', size: 16 * 1_048_576 + 1 },
      { name: 'foto.png', size: 1 },
      { name: 'avisos.pptx', size: 1 },
      { name: 'bar.txt', size: 100 },
    ]);
    await rowOf('bar.txt').getByText('Importado', { exact: true }).waitFor();
    const refused = page.getByRole('alert');
    await refused.getByText('3 arquivos não foram enviados').waitFor();
    await refused.getByText('grande.txt: O arquivo tem mais de 16 MB: divida-o.').waitFor();
    await refused
      .getByText('foto.png: Não é PDF, Word, Excel (.xlsx), Markdown, texto, HTML nem CSV.')
      .waitFor();
    await refused.getByText('avisos.pptx: Salve como PDF e importe de novo.').waitFor();
    expect(await service.db('documents').pluck('name')).to.deep.equal(['bar.txt']);
  });

  it('show how far their import is, and lead to their passages and back', async () => {
    const file = pdf('oficinas.pdf', await manual(PAGES));
    await whileNoneEnds(async () => {
      await choose(file);
      await page.getByRole('progressbar', { name: 'Importação de oficinas.pdf' }).waitFor();
    });
    await rowOf('oficinas.pdf').getByText('Importado', { exact: true }).waitFor();
    expect(await page.getByRole('progressbar').count()).to.equal(0);
    await rowOf('oficinas.pdf').getByRole('link').click();
    await page.getByText('De oficinas.pdf').waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^\d+ passagens$/ })
      .waitFor();
    await page.getByLabel('Buscar nas passagens').fill('XILOGRAVURA');
    await page.getByRole('status').filter({ hasText: '1 passagem' }).waitFor();
    const passage = page.locator('.list').getByRole('link');
    expect(await passage.innerText())
      .to.include('sala 141')
      .and.to.include('oficinas.pdf');
    expect(await findViolations(page)).to.deep.equal([]);
    await passage.click();
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /^oficinas\.pdf/ })
      .click();
    await rowOf('oficinas.pdf').waitFor();
  });

  it('answer a question, whose words are marked in the passage that the answer is of', async () => {
    service.model.say('A oficina de xilogravura fica na sala 141.');
    await openTab('Testar');
    await page.getByLabel('Pergunta', { exact: true }).fill('Onde fica a oficina de xilogravuras?');
    await page.keyboard.press('Enter');
    const used = page.getByRole('region', { name: 'Passagens usadas' });
    const found = used.getByRole('article').filter({ hasText: 'sala 141' }).first();
    await found.waitFor();
    await page.getByRole('region', { name: 'Resposta' }).getByText('fica na sala 141').waitFor();
    expect(await found.locator('mark').allInnerTexts()).to.include.members(['oficina', 'xilogravura']);
    expect(await findViolations(page)).to.deep.equal([]);
  });

  it('go on being imported when a person leaves, or the service cannot be reached', async () => {
    await openTab('Documentos');
    await page.route('**/jobs/*', route => route.abort());
    const file = pdf('outras.pdf', await manual(2));
    await whileNoneEnds(async () => {
      await choose(file);
      await rowOf('outras.pdf').getByText('Sem conexão: tentando de novo').waitFor();
    });
    await openTab('Passagens');
    await page.unroute('**/jobs/*');
    await openTab('Documentos');
    await rowOf('outras.pdf').getByText('Importado', { exact: true }).waitFor();
  });

  it('say why one was not imported, and what to do', async () => {
    await choose(pdf('falso.pdf', Buffer.from('Eu não sou um PDF.')));
    await rowOf('falso.pdf').getByText('Falhou', { exact: true }).waitFor();
    await rowOf('falso.pdf')
      .getByText('Não foi importado: o arquivo não é do tipo que o nome diz.')
      .waitFor();
  });

  it('name the pages of a site that could not be read', async () => {
    const bar = service.db('documents').where({ name: 'bar.txt' }).select('id');
    const incomplete = { count: 12, pages: ['https://site.example/a', 'https://site.example/b'] };
    await service.db('document_imports').whereIn('document_id', bar).update({ incomplete });
    await openTab('Passagens');
    await openTab('Documentos');
    await rowOf('bar.txt').getByText('Incompleto', { exact: true }).waitFor();
    await rowOf('bar.txt').getByText('12 páginas não foram lidas: https://site.example/a, ').waitFor();
    await rowOf('bar.txt').getByText('e mais 10 páginas').waitFor();
    expect(await findViolations(page)).to.deep.equal([]);
  });

  it('are valid until the end of a day, are read again when a person says how often, and have a history', async () => {
    await service.db('documents').where({ name: 'bar.txt' }).update({ url: 'https://site.example/' });
    await openTab('Passagens');
    await openTab('Documentos');
    await page.getByRole('button', { name: 'Ações de bar.txt' }).click();
    await page.getByRole('menuitem', { name: 'Validade e histórico' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('A pedido: 1 passagem nova').waitFor();
    await drawer.getByLabel('Vale até').fill('2020-12-31');
    await drawer.getByLabel('Atualizar a cada (horas)').fill('6');
    expect(await findViolations(page)).to.deep.equal([]);
    await drawer.getByRole('button', { name: 'Salvar' }).click();
    await rowOf('bar.txt').getByText('Fora da validade').waitFor();
    const [stored] = await service
      .db('documents')
      .where({ name: 'bar.txt' })
      .select('valid_from', 'valid_until', 'refresh_every_hours');
    expect(stored).to.deep.equal({
      valid_from: null,
      valid_until: new Date('2021-01-01T03:00Z'),
      refresh_every_hours: 6,
    });
    await openTab('Passagens');
    await page.getByLabel('Buscar nas passagens').fill('a'.repeat(50));
    await page.getByRole('status').filter({ hasText: '1 passagem' }).waitFor();
    await page.locator('.list').getByText('Fora da validade').waitFor();
    await openTab('Documentos');
    await page.getByText('Validade, atualização e leitura').click();
    await page.getByRole('region', { name: 'Importar' }).getByLabel('Vale a partir de').fill('2999-01-01');
    await choose({ name: 'futuro.txt', mimeType: 'text/plain', buffer: Buffer.from('Ainda não vale.') });
    await rowOf('futuro.txt').getByText('Fora da validade').waitFor();
    expect(await findViolations(page)).to.deep.equal([]);
  });

  it('are deleted with their passages', async () => {
    await page.getByRole('button', { name: 'Ações de oficinas.pdf' }).click();
    await page.getByRole('menuitem', { name: 'Excluir documento' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Excluir documento' }).click();
    await rowOf('oficinas.pdf').waitFor({ state: 'detached' });
    await rowOf('outras.pdf').waitFor();
    expect(watched.outside(service.baseURL)).to.deep.equal([]);
  });
});

/** They are made in the page: all of their letters are `a`. */
async function dropFiles(
  page: Page,
  files: readonly { readonly name: string; readonly size: number }[],
): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const held = new DataTransfer();
    for (const { name, size } of ${JSON.stringify(files)}) held.items.add(new File(['a'.repeat(size)], name));
    return held;
  })()`);
  await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer });
}
