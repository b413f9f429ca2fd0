import { expect } from 'chai';
import { setMapping } from '../../db/intake/crm-mappings.ts';
import { openService } from '../support/service.ts';
import { leaveConsole, openConsole, signIn } from './console-page.ts';

describe('what an administrator sets on the page at /console', () => {
  const service = openService();
  const { demo } = service;
  const { watched, page, enter, button, dialogButton, choose, check } = openConsole(service);
  afterEach(() => expect(watched.complaints.splice(0)).to.deep.equal([]));

  describe('in the refused records', () => {
    before(async () => {
      await demo.call('receiveDeal', { external_id: 815, dealname: 'Ana' });
      await demo.call('receiveObject', { external_id: 'obj-7', email: 'ana@example.com' });
    });

    it('shows why each was refused, and says in words what became of it after a mend', async () => {
      await enter('integracoes/recusados');
      const row = page.getByRole('button', { name: /^Negócio 815/ });
      await row.getByText('É preciso preencher um destes: email, mobilephone').waitFor();
      await check();
      await row.click();
      await page.getByRole('dialog').getByText('Ana', { exact: true }).waitFor();
      await check();
      await dialogButton('Processar de novo').click();
      await page.getByText('1 registro processado de novo: 1 continua recusado.').waitFor();
      await demo.inHost(scope =>
        setMapping(scope, 'objects', {
          target: 'leads',
          fields: { external_id: { to: 'external_id' }, email: { to: 'email' } },
          required: [],
          solvedStages: [],
          campus: false,
        }),
      );
      await button('Objetos').click();
      await row.waitFor({ state: 'detached' });
      await button('Processar todos deste tipo de novo').click();
      await page.getByText('1 registro processado de novo: 1 entrou.').waitFor();
      await page.getByText('Nenhum registro aqui').waitFor();
    });
  });

  describe('in the chats on the site', () => {
    it('makes one, names a wrong address, and shows the tag for the pages', async () => {
      await enter('integracoes/site');
      await button('Novo chat').click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Sites').fill('www.exemplo.edu.br');
      await check();
      await dialogButton('Criar chat').click();
      await form.getByText(/precisa ser um endereço inteiro/).waitFor();
      // Browsers complain of the refusal.
      watched.forget();
      await form.getByLabel('Sites').fill('https://www.exemplo.edu.br/\nhttps://portal.exemplo.edu.br');
      await dialogButton('Criar chat').click();
      await page.getByText('https://www.exemplo.edu.br, https://portal.exemplo.edu.br').waitFor();
      await button('Ver e colocar no site').click();
      const [chat] = (await demo.call('listSiteChats')).body.data;
      const tag = `<script src="${service.baseURL}/site-chat/chat.js" data-key="${chat.publicKey}" async></script>`;
      await page.getByRole('dialog').getByText(tag, { exact: true }).waitFor();
      await check();
    });
  });

  describe('in the REST tools', () => {
    it('adds one, names the wrong field, and shows no secret', async () => {
      await enter('integracoes/rest');
      await button('Nova ferramenta').click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Nome', { exact: true }).fill('financeiro');
      await form.getByLabel('Endereço do sistema').fill('https://erp.invalid/api');
      await form.getByLabel('Como se entra nele').selectOption('bearer');
      await form.getByLabel('Segredo').fill('s3gr3d0');
      await form.getByLabel('Como se entra nele 2').selectOption('header');
      await form.getByLabel('Nome do cabeçalho ou do campo 2').fill('Authorization');
      await form.getByLabel('Segredo 2').fill('s3gr3d1');
      const functions = form.getByLabel('Funções, em JSON');
      const begun = await functions.inputValue();
      await functions.fill('{');
      await check();
      await dialogButton('Criar ferramenta').click();
      await form.getByText(/^Funções, em JSON: /).waitFor();
      await functions.fill(begun);
      await dialogButton('Criar ferramenta').click();
      await form.getByText(/^Nome do cabeçalho ou do campo 2: /).waitFor();
      await form.getByLabel('Nome do cabeçalho ou do campo 2').fill('X-Key');
      await dialogButton('Criar ferramenta').click();
      const row = page.getByRole('listitem').filter({ hasText: 'financeiro' });
      await row.getByText('https://erp.invalid/api').waitFor();
      await button('Ações de financeiro').click();
      await page.getByRole('menuitem', { name: 'Editar' }).click();
      for (const label of ['Segredo', 'Segredo 2'])
        expect(await form.getByLabel(label, { exact: true }).inputValue()).to.equal('***');
      for (const label of ['Como se entra nele', 'Como se entra nele 2'])
        await form.getByLabel(label, { exact: true }).selectOption('none');
      await form.getByLabel('Nome', { exact: true }).fill('tesouraria');
      await dialogButton('Salvar').click();
      await row.waitFor({ state: 'detached' });
      const [{ sealed_secrets: sealed }] = await service.db('rest_tools').where({ host_id: demo.hostId });
      expect(sealed).to.deep.equal({});
      // The browser logs each error response.
      expect(watched.complaints.splice(0).every(line => line.includes('400'))).to.equal(true);
    });

    it('makes one of an OpenAPI file, calls a function of it, and shows its last calls', async () => {
      await service.db('rest_tools').delete();
      await enter('integracoes/rest');
      await button('Nova ferramenta').click();
      const form = page.getByRole('dialog');
      const file = form.getByLabel('Arquivo OpenAPI', { exact: true });
      await file.fill('swagger: "2.0"');
      await dialogButton('Ler arquivo').click();
      await form.getByText(/^Arquivo OpenAPI: /).waitFor();
      const get = (operationId: string) => ({ get: { operationId, summary: 'Boletos em aberto' } });
      await file.fill(
        JSON.stringify({
          openapi: '3.1.0',
          servers: [{ url: 'https://erp.invalid/api' }],
          paths: {
            '/boletos/{cpf}': get('boletos'),
            '/notas': get('notas'),
            [`/${'x'.repeat(60)}`]: { $ref: '#/paths/~1none' },
            '/y': { post: { requestBody: { content: { 'text/xml': {} } } } },
          },
        }),
      );
      await dialogButton('Ler arquivo').click();
      await form.getByText('2 de 2 escolhidas; cabem 100.').waitFor();
      await form.getByText('2 operações ficaram de fora').click();
      await form.getByText(/^\/paths\/~1x*: não existe no arquivo$/).waitFor();
      await form.getByText(/^\/paths\/~1y.*: uma ferramenta não pode enviar isto$/).waitFor();
      expect(
        await form.evaluate<boolean, { scrollWidth: number; clientWidth: number }>(
          each => each.scrollWidth > each.clientWidth,
        ),
      ).to.equal(false);
      expect(await form.getByLabel('Endereço do sistema').inputValue()).to.equal('https://erp.invalid/api');
      await check();
      await form.getByLabel('Nome', { exact: true }).fill('financeiro');
      await form.getByRole('checkbox', { name: 'notas' }).uncheck();
      await dialogButton('Criar ferramenta').click();
      const row = page.getByRole('listitem').filter({ hasText: 'financeiro' });
      await row.getByText(': boletos', { exact: false }).waitFor();
      await row.getByRole('button', { name: 'Testar' }).click();
      await form.getByText('Nenhuma ainda.').waitFor();
      await form.getByLabel('cpf').fill('529.982.247-25');
      await dialogButton('Chamar').click();
      await form.getByRole('region', { name: 'Resultado' }).getByText('Sem resposta').waitFor();
      const last = form.getByRole('region', { name: 'Últimas chamadas' }).getByRole('listitem');
      await last.getByText('em um teste').waitFor();
      await check();
      // The browser logs each error response.
      expect(watched.complaints.splice(0).every(line => line.includes('400'))).to.equal(true);
    });
  });

  describe('in the MCP servers', () => {
    const stored = () => service.db('mcp_configs').where({ host_id: demo.hostId });

    it('adds one, names the wrong field, shows no secret, tests, pauses and deletes it', async () => {
      await enter('integracoes/servidores');
      await button('Novo servidor').click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Nome', { exact: true }).fill('acervo');
      await form.getByLabel('Endereço').fill('http://127.0.0.1/mcp');
      await form.getByLabel('Cabeçalhos').fill('Authorization: Bearer s3gr3d0');
      await check();
      await dialogButton('Criar servidor').click();
      await form.getByText(/^Endereço: leva a uma rede privada/).waitFor();
      await form.getByLabel('Endereço').fill('https://mcp.invalid/mcp');
      await form.getByLabel('Cabeçalhos').fill('Authorization: Bearer s3gr3d0\nAuthorization: outro');
      await dialogButton('Criar servidor').click();
      await form.getByText('Cabeçalho Authorization: está duas vezes').waitFor();
      await form.getByLabel('Cabeçalhos').fill('Authorization: Bearer s3gr3d0\nX-Key');
      await dialogButton('Criar servidor').click();
      await form.getByText('Cabeçalho X-Key: é preciso preencher').waitFor();
      await form.getByLabel('Cabeçalhos').fill('Authorization: Bearer s3gr3d0');
      await dialogButton('Criar servidor').click();
      const row = page.getByRole('listitem').filter({ hasText: 'acervo' });
      await row.getByText('https://mcp.invalid/mcp').waitFor();
      await check();
      await choose('acervo', 'Editar');
      expect(await form.getByLabel('Cabeçalhos').inputValue()).to.equal('Authorization: ***');
      await form.getByLabel('Nome', { exact: true }).fill('biblioteca');
      await dialogButton('Salvar').click();
      await row.waitFor({ state: 'detached' });
      await button('Testar').click();
      await dialogButton('Perguntar').click();
      await form.getByText('Sem ferramentas').waitFor();
      await form.getByText('sem conexão com o servidor').waitFor();
      await check();
      await page.keyboard.press('Escape');
      await choose('biblioteca', 'Pausar');
      await page.getByText('Pausado').waitFor();
      const [{ enabled, sealed_headers: sealed }] = await stored();
      expect([enabled, Object.keys(sealed)]).to.deep.equal([false, ['Authorization']]);
      await choose('biblioteca', 'Excluir servidor');
      await dialogButton('Excluir servidor').click();
      await page.getByText('Nenhum servidor MCP ainda').waitFor();
      expect(await stored()).to.deep.equal([]);
      // The browser logs each error response.
      expect(watched.complaints.splice(0).every(line => line.includes('400'))).to.equal(true);
    });
  });

  describe('in the audit', () => {
    it('says who changed what, by operation and period, and shows it before and after', async () => {
      const person = { name: 'Bia Souza', email: 'bia@horizonte.example', role: 'manager' };
      const { personId } = await demo.make('savePerson', person);
      await demo.call('savePerson', { id: personId, name: 'Bia Lima' });
      await enter('configuracoes/auditoria');
      const row = page.getByRole('button', { name: /mudou a pessoa “Bia Lima”/ });
      await row.waitFor();
      await check();
      await page.getByLabel('O que foi feito').selectOption('Mudar um assistente');
      await row.waitFor({ state: 'detached' });
      await page.getByLabel('O que foi feito').selectOption('Salvar uma pessoa');
      await row.click();
      await page.getByRole('region', { name: 'Nome' }).getByText('Bia Souza').waitFor();
      await check();
      await page.keyboard.press('Escape');
      await page.getByLabel('Até').fill('2020-01-01');
      await page.getByText('Nenhuma mudança').waitFor();
    });
  });

  describe('to operators', () => {
    const host = () => service.db('hosts').where({ id: demo.hostId }).first();
    const tab = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });

    // Last: the page is theirs from then on.
    it('shows budgets beside what is spent, and the opening hours, which nobody else may change', async () => {
      await enter('configuracoes/horario');
      await tab('Auditoria').waitFor();
      expect([await tab('Orçamentos').count(), await tab('Horário').count()]).to.deep.equal([0, 0]);
      await leaveConsole(page, service.baseURL);
      await page.context().clearCookies();
      await page.evaluate('sessionStorage.clear(), localStorage.clear()');
      await signIn(page, { ...service, token: service.operatorToken }, 'configuracoes/orcamentos');
      await page.getByLabel(/Qual\?$/).selectOption(demo.hostId);
      await button('Escolher').click();
      await page.getByLabel('Por dia').fill('1.000');
      await button('Salvar').click();
      await page.getByText('Hoje: 0,00 de 1.000,00, 0%').waitFor();
      // As it is stored.
      expect(await page.getByLabel('Por dia').inputValue()).to.equal('1000');
      await page.getByLabel('Por dia').fill('10,5');
      await page.getByLabel('Por mês').fill('1.5');
      await button('Salvar').click();
      const fault = await page.evaluate("document.querySelector('input:invalid').validationMessage");
      expect(fault).to.equal('Não está na forma pedida.');
      await page.getByLabel('Por mês').fill('');
      await button('Salvar').click();
      await page.getByText('Hoje: 0,00 de 10,50, 0%').waitFor();
      await page.getByText('Neste mês: 0,00 até agora').waitFor();
      await check();
      expect([(await host()).daily_budget, (await host()).monthly_budget]).to.deep.equal(['10.5', null]);
      await tab('Horário').click();
      await button('Adicionar horário').click();
      const added = page.getByRole('group').last();
      const days = await added.getByRole('checkbox').all();
      for (const day of days) await day.uncheck();
      await button('Salvar').click();
      await page.getByText(/^Horário \d: escolha ao menos um dia$/).waitFor();
      await check();
      await added.getByLabel('sáb').check();
      await added.getByLabel('Das').fill('20:00');
      await added.getByLabel('Até').fill('02:00');
      await added.getByText('No dia seguinte.').waitFor();
      await page.getByLabel('Fuso horário').selectOption('America/Manaus');
      await button('Salvar').click();
      await page.getByText('Horário salvo').waitFor();
      const { business_hours: hours, time_zone: zone } = await host();
      expect(hours.at(-1)).to.deep.equal({ days: [6], from: '20:00', to: '02:00' });
      expect(zone).to.equal('America/Manaus');
    });
  });
});
