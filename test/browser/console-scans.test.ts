import { expect } from 'chai';
import { makeScan } from '../support/scans.ts';
import { openOwnService } from '../support/service.ts';
import { findViolations } from './accessibility.ts';
import { openPage } from './browser.ts';
import { enterConsole } from './console-page.ts';

describe('scanned documents on the page at /console', () => {
  const service = openOwnService({ visionModels: ['scripted'] });
  const { page } = openPage();
  before(() => enterConsole(page, service, `conhecimento/${service.demo.datasetId}/documentos`));

  const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  const choose = (file: { name: string; mimeType: string; buffer: Buffer }) =>
    page.getByLabel('Arraste arquivos').setInputFiles(file);

  it('are read by a model where a person wants that, who sees the figures to compare', async () => {
    const buffer = makeScan([{ bars: 1 }, { text: 'A turma se inscreve no balcão. '.repeat(6) }]);
    const scan = { name: 'edital.pdf', mimeType: 'application/pdf', buffer };
    await choose(scan);
    await rowOf('edital.pdf').getByText('sem texto: página 1 (importe de novo com').waitFor();
    service.model.say('# Taxa\n\nA taxa é de R$ 137,50, até 20 de maio.');
    await page.getByText('Validade, atualização e leitura').click();
    await page.getByLabel('Ler páginas digitalizadas com um modelo').check();
    await choose(scan);
    await rowOf('edital.pdf').getByText('lidas por um modelo: página 1').waitFor();
    await page.getByRole('button', { name: 'Ações de edital.pdf' }).click();
    await page.getByRole('menuitem', { name: 'Validade e histórico' }).click();
    const read = page.getByRole('dialog').getByRole('region', { name: 'Páginas digitalizadas' });
    await read.getByText('edital.pdf, p. 1: R$ 137,50 · 20 de maio').waitFor();
    expect(await findViolations(page)).to.deep.equal([]);
    await read.getByRole('link').click();
    await page.getByRole('dialog').getByText('um modelo leu isto na imagem da página').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.list').getByText('Lida por um modelo').waitFor();
  });
});
