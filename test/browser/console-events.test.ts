import { expect } from 'chai';
import { openService } from '../support/service.ts';
import { openPage } from './browser.ts';
import { controlsOf, enterConsole } from './console-page.ts';

describe('events on the page at /console', () => {
  const service = openService();
  const { demo } = service;
  const watched = openPage();
  const { page } = watched;
  before(() => enterConsole(page, service, 'webhooks'));

  const { button, choose } = controlsOf(page);
  const delivery = (text: string) =>
    page.getByRole('region', { name: 'Entregas' }).getByRole('listitem').filter({ hasText: text });
  const stored = () => service.db('webhooks').where({ host_id: demo.hostId }).first();

  it('say what a webhook is good for where there is none, and lead to the first', async () => {
    await page.getByText('Nenhum webhook ainda').waitFor();
    await page.getByText('Nenhuma entrega').waitFor();
    await button('Criar o primeiro webhook').click();
    await page.getByLabel('Nome', { exact: true }).fill('CRM <b>');
    await page.getByRole('textbox', { name: 'Endereço' }).fill('http://10.0.0.1/parley');
    await page.getByRole('checkbox', { name: 'Chamado aberto' }).check();
    await button('Criar webhook').click();
    await page.locator('.trouble', { hasText: 'Endereço' }).waitFor();
    expect(await page.getByLabel('Nome', { exact: true }).inputValue()).to.equal('CRM <b>');
    await page.getByRole('textbox', { name: 'Endereço' }).fill('https://crm.example.edu.br/parley');
    await button('Criar webhook').click();
    await page
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .waitFor();
    await button('Já guardei').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.content()).not.to.include('whsec_');
    expect(await stored()).to.include({ name: 'CRM <b>', url: 'https://crm.example.edu.br/parley' });
    expect((await stored()).events).to.deep.equal(['ticket.opened']);
  });

  it('change, pause and resume a webhook, and send it a test', async () => {
    await choose('CRM <b>', 'Editar');
    await page.getByRole('checkbox', { name: 'Conversa encerrada' }).check();
    await button('Salvar').click();
    await page.getByText('Conversa encerrada, Chamado aberto').waitFor();
    await choose('CRM <b>', 'Pausar');
    await page.getByText('Pausado').waitFor();
    expect(await button('Enviar teste').isDisabled()).to.equal(true);
    await choose('CRM <b>', 'Retomar');
    await page.getByText('Ativo', { exact: true }).waitFor();
    await button('Enviar teste').click();
    await delivery('Teste').waitFor();
  });

  it('show by themselves that what was just sent has been tried', async () => {
    // The address leads nowhere; without a further click its attempt is shown.
    await page
      .getByRole('region', { name: 'Entregas' })
      .getByText(/[1-9] tentativas?/)
      .waitFor();
  });

  it('show what did not arrive and why, and send it again', async () => {
    // A delivery that is sent again then waits: no attempt changes it meanwhile, nor does one that is under way.
    await service.db('webhooks').update({ enabled: false });
    await service.db('deliveries').update({
      state: 'dead',
      attempts: 11,
      last_status: 500,
      last_error: 'answered 500',
      is_claimed: false,
    });
    await button('Não chegaram').click();
    const row = delivery('Não chegou');
    await row.getByText('11 tentativas · o sistema respondeu 500').waitFor();
    await row.getByRole('button', { name: 'Enviar de novo' }).click();
    await page.getByText('Nenhuma entrega').waitFor();
    expect((await service.db('deliveries').first()).state).to.equal('pending');
    await service.db('deliveries').update({ state: 'dead' });
    await button('Atualizar').click();
    await button('Enviar todas de novo').click();
    await page.getByText('Nenhuma entrega').waitFor();
    expect((await service.db('deliveries').first()).state).to.equal('pending');
    await service.db('webhooks').update({ enabled: true });
  });

  it('ask before a webhook and its deliveries are deleted', async () => {
    await choose('CRM <b>', 'Excluir webhook');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await stored()).not.to.equal(undefined);
    await choose('CRM <b>', 'Excluir webhook');
    await page.getByRole('dialog').getByRole('button', { name: 'Excluir webhook' }).click();
    await page.getByText('Nenhum webhook ainda').waitFor();
    expect(watched.outside(service.baseURL)).to.deep.equal([]);
  });
});
