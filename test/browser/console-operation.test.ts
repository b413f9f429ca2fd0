import { expect } from 'chai';
import { openService } from '../support/service.ts';
import { enterConsole, openConsole, signIn } from './console-page.ts';

describe('what operators do on the page at /console', () => {
  const service = openService();
  const { db, demo } = service;
  const panel = openConsole(service, async page => {
    await signIn(page, { ...service, token: service.operatorToken }, 'operacao');
    await page.getByLabel(/Qual\?$/).selectOption(demo.hostId);
    await button('Escolher').click();
    await page.locator('#views').waitFor();
  });
  const { watched, page, button, dialog, choose, check } = panel;
  afterEach(() => expect(watched.complaints.splice(0)).to.deep.equal([]));

  const enter = (part: string) => panel.enter(`operacao/${part}`);
  const said = (text: string) => page.getByText(text, { exact: true }).waitFor();

  it('makes a host, sets its limits, and suspends it, and no other', async () => {
    await enter('instituicoes');
    await button('Nova instituição').click();
    await dialog().getByLabel('Nome').fill('Faculdade Nova');
    await dialog().getByLabel('Identificador').fill('nova');
    await check();
    await button('Criar instituição').click();
    await choose('Faculdade Nova', 'Editar');
    await dialog().getByLabel('Peso').fill('3');
    expect(await dialog().getByLabel('Imagens, nas quais nada se esconde').count()).to.equal(0);
    await dialog().getByLabel('Esconder CPF, telefone e e-mail dos modelos').check();
    await dialog().getByLabel('Imagens, nas quais nada se esconde').selectOption('Enviar assim mesmo');
    const hint = await dialog().getByLabel('Esconder CPF').getAttribute('aria-describedby');
    expect(await page.locator(`[id="${hint}"]`).innerText()).to.match(/^Saem do Parley como \[CPF_1\]/);
    await check();
    await button('Salvar').click();
    await said('nova · peso 3 · até 10 passagens por resposta');
    await choose('Faculdade Nova', 'Suspender');
    await dialog().getByRole('button', { name: 'Suspender' }).click();
    await said('Suspensa');
    await check();
    const disabled = await db('hosts').where({ disabled: true });
    expect(disabled).to.have.length(1);
    expect(disabled[0]).to.include({ slug: 'nova', share: 3, mask: true, mask_images: 'allow' });
    await db('hosts').where({ slug: 'nova' }).delete();
  });

  it('shows a token of the host once, and revokes it', async () => {
    await enter('tokens');
    await button('Novo token').click();
    await dialog().getByLabel('Nome').fill('Loja');
    await dialog().getByLabel('Conversar e atender').uncheck();
    await dialog().getByLabel('Registros do CRM').check();
    await check();
    await button('Criar token').click();
    const token = await page.locator('code.card').innerText();
    const received = () => demo.call('listIntakeRecords', {}, { token });
    expect((await received()).status).to.equal(200);
    await check();
    await button('Já guardei').click();
    await check();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Loja' })
      .getByRole('button', { name: 'Revogar' })
      .click();
    await dialog().getByRole('button', { name: 'Revogar' }).click();
    await said('Revogado');
    expect((await received()).status).to.equal(401);
  });

  it('sets what the host pays from a day on', async () => {
    await enter('contratos');
    await button('Novo contrato').first().click();
    await dialog().getByLabel('Desde').fill('2026-03-01');
    await dialog().getByLabel('Preço de um serviço').fill('1.200,5');
    await dialog().getByLabel('Serviços por mês').fill('900');
    await check();
    await button('Salvar').click();
    await said('1.200,50 por serviço · 900 serviços por mês');
    await choose('Desde 01/03/2026', 'Editar');
    await dialog().getByLabel('Preço de um serviço').fill('2');
    await button('Salvar').click();
    await said('2,00 por serviço · 900 serviços por mês');
    await check();
  });

  it('begins a mapping with the preset of a CRM, changes it, tries it, and deletes it', async () => {
    await enter('mapeamentos');
    await choose('Objetos', 'Começar com o de HubSpot');
    await said('11 campos · versão 1');
    await choose('Objetos', 'Editar');
    const text = dialog().getByLabel('Mapeamento, em JSON');
    expect(JSON.parse(await text.inputValue()).fields).to.include({
      objectId: 'external_id',
      email: 'email',
    });
    await text.fill('{"target":');
    await button('Salvar').click();
    await dialog()
      .getByText(/^Mapeamento, em JSON: /)
      .waitFor();
    await text.fill(
      '{"target": "lead", "fields": {"id": "external_id", "mail": "email"}, "required": ["id"]}',
    );
    await button('Salvar').click();
    await said('2 campos · versão 2');
    await choose('Objetos', 'Editar');
    await dialog().getByLabel('Registro, em JSON').fill('{"mail": "ana@example.com", "turno": "noite"}');
    await button('Experimentar').click();
    await dialog().getByText('Seria recusado').waitFor();
    await dialog().getByText('turno → guardado à parte').waitFor();
    await check();
    await page.keyboard.press('Escape');
    await choose('Objetos', 'Excluir mapeamento');
    await dialog().getByRole('button', { name: 'Excluir' }).click();
    await said('Sem mapeamento: o que chega é recusado');
  });

  // Last: the page is theirs from then on.
  it('is offered to nobody else', async () => {
    await page.context().clearCookies();
    await page.evaluate('sessionStorage.clear(), localStorage.clear()');
    await enterConsole(page, service);
    expect(await page.locator('nav a[href$="#operacao"]').count()).to.equal(0);
    expect(await page.locator('nav a[href$="#configuracoes"]').count()).to.equal(1);
  });
});
