import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { setContract } from '../../db/intake/contracts.ts';
import { openBrowser, openWatchedPage, type WatchedPage } from '../support/browser.ts';
import { enterConsole, openView, sendQuestion } from '../support/console-page.ts';
import { say } from '../support/scripted-model.ts';
import { insertIndexedRecord } from '../support/searched-records.ts';
import { type Service, startService } from '../support/service.ts';

describe('records on the page at /console', () => {
  let service: Service;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    service = await startService();
    const { db, demo } = service;
    await setContract(db, 'demo', { startsOn: '2020-01-01', price: '1.5', services: 700 });
    await insertIndexedRecord(db, demo.hostId, 'tickets', {
      subject: 'Matrícula trancada',
      content: 'Quero destrancar a matrícula <img src=x onerror="window.hit=1"> </mark><b>já</b>',
    });
    for (let at = 0; at < 25; at += 1) {
      await insertIndexedRecord(db, demo.hostId, 'tickets', {
        subject: `Estágio ${at}`,
        content: 'convênio',
      });
    }
    browser = await openBrowser();
    watched = await openWatchedPage(browser, { locale: 'pt-BR' });
    page = watched.page;
    await enterConsole(page, { baseURL: service.baseURL, token: demo.token });
  });
  after(async () => {
    await browser.close();
    await service.close();
  });

  const open = (view: string) => openView(page, view);
  const look = async (text: string, how: string) => {
    await open('busca');
    await page.getByLabel('Como').selectOption(how);
    await page.getByLabel('Buscar em').fill(text);
    await page.keyboard.press('Enter');
  };

  it('are found by words, in every way of searching, with what was found marked and nothing of them run', async () => {
    for (const how of ['unified', 'hybrid', 'fts']) {
      await look('matrículas', how);
      const found = page.locator('.result', { hasText: 'trancada' });
      await found.waitFor();
      expect(await found.locator('mark').first().innerText()).to.match(/^matrícula$/i);
      expect(await found.innerText()).to.include('<img src=x');
      expect(await page.locator('.results img, .results b').count()).to.equal(0);
      await page.locator('.results').evaluate(list => list.replaceChildren());
    }
    expect(await page.evaluate('window.hit')).to.equal(undefined);
  });

  it('come page by page', async () => {
    await look('convênio', 'fts');
    await page.getByRole('button', { name: 'Mais resultados' }).click();
    await page.locator('.result').nth(24).waitFor();
    expect(await page.locator('.result').count()).to.equal(25);
    await page.getByRole('button', { name: 'Mais resultados' }).waitFor({ state: 'hidden' });
  });

  it('are not there when nothing is found, and a phone that is too short is refused plainly', async () => {
    await look('xilofone', 'fts');
    await page.getByText('Nada foi encontrado.').waitFor();
    await look('12', 'phone');
    await page.locator('.trouble', { hasText: 'Telefone: precisa de pelo menos' }).waitFor();
    // The browser logs each error response.
    expect(watched.complaints.splice(0).every(line => line.includes('400'))).to.equal(true);
  });

  it('are counted in charts, by day and by month, with a table for each', async () => {
    service.model.script(say('Certo.'));
    await service.ask('Oi', { globalData: { platform: 'whatsapp' } });
    // Questions of the console are rehearsals and count as no service.
    await open('testar');
    await sendQuestion(page, 'Oi');
    await open('relatorios');
    await page.locator('.chart svg').nth(3).waitFor();
    const total = (label: string) =>
      page.locator('.total', { hasText: label }).locator('dd').first().innerText();
    expect(await total('Atendimentos')).to.equal('1');
    expect(await total('Contratados por mês')).to.equal('700');
    const chart = page.locator('.chart', { hasText: 'Conversas' }).first();
    expect(await chart.locator('svg').getAttribute('aria-label')).to.equal(
      'Conversas: 1 ao todo, em 30 barras',
    );
    expect(await chart.locator('rect').count()).to.equal(30);
    expect(await chart.locator('tbody tr').count()).to.equal(30);
    expect(await page.locator('.chart', { hasText: 'Custo' }).innerText()).to.match(/R\$\s1,50/);
    expect(await page.locator('.rows').innerText())
      .to.include('whatsapp')
      .and.not.include('console');
    await page.getByLabel('Agrupar por').selectOption('months');
    expect(await chart.locator('tbody tr').count()).to.be.within(1, 2);
  });

  it('show how complete their index is, to a token that may see it', async () => {
    await open('indice');
    await page.locator('.health').waitFor();
    expect(await page.locator('.state').innerText()).to.be.oneOf(['Em ordem', 'Com atraso']);
    expect(await page.locator('table:visible tbody tr').count()).to.equal(3);
  });

  it('are asked of no other machine, and nothing complains', () => {
    expect(watched.outside(service.baseURL)).to.deep.equal([]);
    expect(watched.complaints).to.deep.equal([]);
  });
});
