import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { findViolations } from '../support/accessibility.ts';
import { openBrowser, openWatchedPage, type WatchedPage } from '../support/browser.ts';
import { enterConsole } from '../support/console-page.ts';
import { makePdfOf } from '../support/pdf.ts';
import { type Service, startService } from '../support/service.ts';

const PAGES = 60;
/** Long enough that a page is a passage of its own, and on no two pages the same, which a header or footer would be. */
const fillerOf = (at: number) =>
  Array.from(
    { length: 25 },
    (_, line) => `A turma ${at * 25 + line} se inscreve no balcão, com um documento e uma fotografia.`,
  ).join(' ');

describe('documents on the page at /console', () => {
  let service: Service;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    service = await startService();
    browser = await openBrowser();
    watched = await openWatchedPage(browser, { viewport: { width: 1_280, height: 800 } });
    page = watched.page;
    await enterConsole(page, { baseURL: service.baseURL, token: service.demo.token, view: 'conhecimento' });
  });
  after(async () => {
    await browser.close();
    await service.close();
  });

  const rowOf = (name: string) => page.locator('.documents > li', { hasText: name });
  const choose = async (name: string, buffer: Buffer, mimeType = 'application/pdf') => {
    await page.getByLabel('Arquivo').setInputFiles({ name, mimeType, buffer });
    await page.getByRole('button', { name: 'Importar', exact: true }).click();
  };
  const manual = () => {
    const about = Array.from({ length: PAGES }, (_, at) => ({
      heading: `Oficina ${at + 1}`,
      paragraphs: [
        `A oficina de ${at === 41 ? 'xilogravura' : 'cerâmica'} fica na sala ${100 + at}.`,
        fillerOf(at),
      ],
    }));
    return makePdfOf('Manual das oficinas', about);
  };

  it('are asked for by name, and one that is too large is not sent', async () => {
    await page.getByText('Nenhum documento importado ainda.').waitFor();
    await page.getByRole('button', { name: 'Importar', exact: true }).click();
    await page.getByText('Escolha um arquivo, ou dê um endereço.').waitFor();
    await choose('grande.txt', Buffer.alloc(16 * 1_048_576 + 1, 'a'), 'text/plain');
    await page.getByText('O arquivo tem mais de 16 MB: divida-o.').waitFor();
  });

  it('show how far an import is, and then which of their passages answer a question', async () => {
    const seen = page.locator('progress').waitFor();
    await choose('oficinas.pdf', await manual());
    await seen;
    await rowOf('oficinas.pdf').getByText('passagens ·').waitFor();
    expect(await page.locator('progress').count()).to.equal(0);
    await page.getByLabel('Pergunta', { exact: true }).fill('Onde fica a oficina de xilogravuras?');
    await page.keyboard.press('Enter');
    const found = page.locator('.found', { hasText: 'sala 141' });
    await found.waitFor();
    expect(await found.locator('mark').allInnerTexts()).to.include.members(['oficina', 'xilogravura']);
    expect(await findViolations(page)).to.deep.equal([]);
  });

  it('go on being imported when a person does not want to wait', async () => {
    await page.route('**/jobs/*', route => route.abort());
    const waiting = page.getByRole('button', { name: 'Não esperar' });
    const seen = waiting.click();
    await choose('outras.pdf', await manual());
    await seen;
    await rowOf('outras.pdf').getByText('A importação continua').waitFor();
    await page.unroute('**/jobs/*');
    await page.reload();
    await rowOf('outras.pdf').getByText('passagens ·').waitFor();
  });

  it('say why one was not imported, and what to do', async () => {
    await choose('falso.pdf', Buffer.from('Eu não sou um PDF.'));
    await rowOf('falso.pdf')
      .getByText('Não foi importado: o arquivo não é do tipo que o nome diz.')
      .waitFor();
  });

  it('are deleted with their passages', async () => {
    await rowOf('oficinas.pdf').getByRole('button', { name: 'Excluir' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Excluir documento' }).click();
    await rowOf('oficinas.pdf').waitFor({ state: 'detached' });
    await rowOf('outras.pdf').waitFor();
    expect(watched.outside(service.baseURL)).to.deep.equal([]);
  });
});
