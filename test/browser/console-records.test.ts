import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { setContract } from '../../db/hosts/contracts.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { eventually } from '../support/eventually.ts';
import { fail } from '../support/scripted-model.ts';
import { insertIndexedRecord } from '../support/searched-records.ts';
import { openService } from '../support/service.ts';
import { openPage } from './browser.ts';
import { enterConsole, openView, sendQuestion } from './console-page.ts';

describe('records on the page at /console', () => {
  const service = openService();
  const { model } = service;
  const watched = openPage({ locale: 'pt-BR' });
  const { page } = watched;
  let visitor: string;
  before(async () => {
    const { db, demo } = service;
    await setContract(db, demo.hostId, { startsOn: '2020-01-01', price: '1.5', services: 700 });
    await insertIndexedRecord(db, demo.hostId, 'tickets', {
      subject: 'Matrícula trancada',
      campus: { campus_horizonte: 'Central' },
      content: 'Quero destrancar a matrícula <img src=x onerror="window.hit=1"> </mark><b>já</b>',
    });
    for (let at = 0; at < 55; at += 1) {
      await insertIndexedRecord(db, demo.hostId, 'tickets', {
        subject: `Estágio ${at}`,
        content: 'convênio',
      });
    }
    const lead = { firstname: 'Rosa', lastname: 'Quintanilha', cpf: '52998224725' };
    await insertIndexedRecord(db, demo.hostId, 'leads', lead);
    await insertIndexedRecord(db, demo.hostId, 'conversations', { user_name: 'Rosa Quintanilha' });
    const unnamed = { dialogue_summary: 'Perguntou pelo **valor da rematrícula** à noite.' };
    visitor = await insertIndexedRecord(db, demo.hostId, 'conversations', unnamed);
    await enterConsole(page, service);
  });

  const open = (view: string) => openView(page, view);
  const look = async (text: string, filter = 'Tudo') => {
    await page.keyboard.press('Control+k');
    await page.getByLabel('Buscar em').fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: filter }).click();
  };

  it('are found by words, with what was found marked and nothing of them run', async () => {
    await look('matrículas');
    const found = page.getByRole('link', { name: 'Matrícula trancada' });
    await found.waitFor();
    expect(await found.locator('mark').first().innerText()).to.match(/^matrícula$/i);
    expect(await found.innerText())
      .to.include('<img src=x')
      .and.not.match(/[0-9a-f]{8}-/);
    expect(await page.locator('main .list').locator('img, b').count()).to.equal(0);
    expect(await page.evaluate('window.hit')).to.equal(undefined);
  });

  it('have no marks of Markdown, and a name where nobody gave one', async () => {
    await look('rematrícula');
    const found = page.getByRole('link', { name: `Visitante ${visitor.slice(-4).toUpperCase()}` });
    await found.getByText('Perguntou pelo valor da rematrícula à noite.').waitFor();
  });

  it('open: a conversation where it is attended, a lead with its fields and its CPF masked', async () => {
    await page.getByRole('link', { name: 'Matrícula trancada' }).click();
    const drawer = page.getByRole('dialog', { name: 'Matrícula trancada' });
    await drawer.getByText('Quero destrancar a matrícula').waitFor();
    await drawer.getByText('Campus horizonte').waitFor();
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
    await look('Quintanilha', 'Leads');
    await page.getByRole('link', { name: 'Quintanilha' }).click();
    await page.getByRole('dialog').getByText('***.982.247-**').waitFor();
    expect(await page.locator('body').innerText()).not.to.match(/529\.?982/);
    await page.keyboard.press('Escape');
    await look('Quintanilha', 'Conversas');
    const href = await page.getByRole('link', { name: 'Quintanilha' }).getAttribute('href');
    expect(href).to.match(/^\/console#atendimento\/[0-9a-f-]{36}$/);
  });

  it('are listed without words, too, for who knows no name, and those of other kinds are offered', async () => {
    await open('atendimento');
    await open('busca');
    expect(await page.getByLabel('Buscar em').evaluate(field => field.matches(':focus'))).to.equal(true);
    await page.getByRole('button', { name: 'Leads' }).click();
    await page.getByText('Os leads mais novos').waitFor();
    await page.getByRole('link', { name: 'Rosa Quintanilha' }).click();
    await page.getByRole('dialog', { name: 'Rosa Quintanilha' }).getByText('***.982.247-**').waitFor();
    await page.keyboard.press('Escape');
    await look('Quintanilha', 'Chamados');
    await page.getByRole('button', { name: 'Ver 2 resultados em Tudo' }).click();
    await page.getByText('2 resultados', { exact: true }).waitFor();
  });

  it('are forgotten when the field is emptied', async () => {
    await look('Quintanilha');
    await page.getByRole('link', { name: 'Quintanilha' }).first().waitFor();
    await page.getByLabel('Buscar em').fill('');
    await page.getByRole('button', { name: 'Leads' }).click();
    await page.getByText('Os leads mais novos').waitFor();
  });

  it('come page by page', async () => {
    await look('convênio', 'Chamados');
    const rows = page.locator('main .list > li');
    await rows.nth(49).waitFor();
    await page.getByRole('button', { name: 'Mais resultados' }).click();
    await rows.nth(54).waitFor();
    expect(await rows.count()).to.equal(55);
    await page.getByRole('button', { name: 'Mais resultados' }).waitFor({ state: 'hidden' });
  });

  it('are not there when nothing is found, and a phone that is too short is refused plainly', async () => {
    await look('xilofone');
    await page.getByText('Nada foi encontrado.').waitFor();
    await look('12', 'Telefone');
    await page.locator('.trouble', { hasText: 'Telefone: precisa de pelo menos' }).waitFor();
    // The browser logs each error response.
    expect(watched.complaints.splice(0).every(line => line.includes('400'))).to.equal(true);
  });

  it('are counted in charts, by day and by month, with a table for each', async () => {
    model.say('Certo.');
    await service.ask('Oi', { globalData: { platform: 'whatsapp' } });
    // Questions of the console are rehearsals and count as no service.
    await open('testar');
    await sendQuestion(page, 'Oi');
    // What a model cost is counted a moment after its answer.
    const dayAt = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
    const period = { startDate: dayAt(-1), endDate: dayAt(2) };
    await eventually(async () => (await service.demo.call('getSpend', period)).body.data.calls, 2);
    await open('relatorios');
    await page.locator('.chart .stage').nth(3).waitFor();
    const chart = page.getByRole('figure').filter({ hasText: 'Conversas' });
    expect(await chart.locator('.stage').getAttribute('aria-label')).to.equal(
      'Conversas: 1 ao todo, em 30 barras',
    );
    expect(await chart.locator('rect').count()).to.equal(30);
    await chart.getByText('Ver em tabela').click();
    expect(await chart.getByRole('row').count()).to.equal(31);
    const download = page.waitForEvent('download');
    await chart.getByRole('button', { name: 'Baixar CSV: Conversas' }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).split('\r\n');
    expect([lines.length, lines[0], lines[30]?.endsWith(';1')]).to.deep.equal([
      31,
      '\ufeff"Dia";"Conversas"',
      true,
    ]);
    expect(await page.getByRole('figure').filter({ hasText: 'Custo' }).innerText()).to.match(/R\$\s1,50/);
    await page.getByText('Todos os números').click();
    expect(await page.getByRole('region', { name: 'Tabela: Números do período' }).innerText()).to.include(
      'Conversas contratadas por mês\t700',
    );
    expect(await page.getByRole('region', { name: 'Tabela: Conversas por canal' }).innerText())
      .to.include('whatsapp')
      .and.not.include('console');
    await page.getByRole('button', { name: '7 dias' }).click();
    await page.getByRole('img', { name: 'Conversas: 1 ao todo, em 7 barras' }).waitFor();
    const spend = page.getByRole('region', { name: 'Gasto com modelos', exact: true });
    await spend.getByText('na moeda em que os preços foram cadastrados').waitFor();
    await page.route('**/getSpendHelper', async call => {
      const response = await call.fetch();
      const json = await response.json();
      await call.fulfill({
        response,
        json: { ...json, data: { ...json.data, currency: 'BRL', cost: '1234.5' } },
      });
    });
    await page.getByRole('button', { name: 'Este mês' }).click();
    await spend
      .getByText(/^R\$\s1\.234,50$/)
      .first()
      .waitFor();
    expect(await spend.innerText()).to.not.include('na moeda');
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Duas datas' }).click();
    await page.getByLabel('De', { exact: true }).fill('2026-02-10');
    await page.getByLabel('Até', { exact: true }).fill('2026-02-12');
    await page.getByRole('img', { name: 'Conversas: 0 ao todo, em 3 barras' }).waitFor();
    expect(page.url()).to.include('periodo=datas&de=2026-02-10&ate=2026-02-12');
    await page.getByRole('button', { name: '7 dias' }).click();
    await page.getByRole('img', { name: 'Conversas: 1 ao todo, em 7 barras' }).waitFor();
  });

  it('lead from a figure to its conversations, and from a question without an answer to a passage', async () => {
    model.say('Não encontrei essa informação.');
    const { demo, call } = service;
    const asked = await service.ask('Posso levar meu cachorro?', { userData: { name: 'Rui Costa' } });
    const { conversationId } = asked.body.data;
    const body = { hostId: demo.hostId, conversationId };
    await call(`${SVC}/updateConversationHelper`, { ...body, ask_human_help: true });
    const reply = { ...body, author: 'human', content: 'Cães-guia podem entrar.' };
    await call(`${SVC}/appendMessageHelper`, reply);
    await call(`${SVC}/updateConversationHelper`, { ...body, closed: true });
    await page.reload();
    const main = page.getByRole('main');
    const figure = main.locator('.figure-card', { hasText: 'Até uma pessoa atender' });
    expect(await figure.innerText()).to.match(/\d+ s/);
    await main.getByRole('button', { name: 'Atendidas por uma pessoa da equipe' }).click();
    const drawer = page.getByRole('dialog');
    const href = await drawer.getByRole('link', { name: 'Rui Costa' }).getAttribute('href');
    expect(href).to.equal(`/console#atendimento/${conversationId}`);
    await page.keyboard.press('Escape');
    const gap = main.getByRole('listitem').filter({ hasText: 'Posso levar meu cachorro?' });
    await gap.getByRole('button', { name: 'Escrever passagem' }).click();
    expect(await drawer.getByLabel('Título').inputValue()).to.equal('Posso levar meu cachorro?');
    expect(await drawer.getByLabel('Texto').inputValue()).to.equal('Cães-guia podem entrar.');
    await page.keyboard.press('Escape');
    await gap.getByRole('button', { name: 'Criar caso' }).click();
    expect(await drawer.getByLabel('Pergunta').inputValue()).to.equal('Posso levar meu cachorro?');
    await drawer.getByText('Cães-guia podem entrar.').waitFor();
    await page.keyboard.press('Escape');
    await gap.getByRole('button', { name: 'Escrever passagem' }).click();
    await drawer.getByLabel('Título').fill('Animais');
    await page.keyboard.press('Escape');
    await gap.getByRole('button', { name: 'Escrever passagem' }).click();
    await drawer.getByRole('button', { name: 'Salvar passagem' }).click();
    await gap.getByText('Passagem escrita').waitFor();
    const chunk = await service.db('chunks').where('content', 'like', '%Cães-guia%').first('content');
    expect(chunk.content).to.equal('## Animais\n\nCães-guia podem entrar.');
  });

  it('lead from each figure at the top, and from what is asked most, to as many conversations as it counts', async () => {
    model.say('Custa R$ 43.210,98.');
    for (const name of ['Lia', 'Davi'])
      await service.ask('Quanto custa a segunda via do diploma?', { userData: { name } });
    await page.reload();
    const main = page.getByRole('main');
    const drawer = page.getByRole('dialog');
    const read = async (title: string, rows: number) => {
      await drawer
        .getByRole('listitem')
        .nth(rows - 1)
        .waitFor();
      expect(await drawer.getByRole('listitem').count(), title).to.equal(rows);
      expect(await drawer.getAttribute('aria-label')).to.equal(title);
      await page.keyboard.press('Escape');
    };
    const figure = async (label: string, rows: number, title = label) => {
      await main.locator('.figure-card').getByRole('button', { name: label }).click();
      await read(title, rows);
    };
    const total = await main.getByRole('img', { name: /^Conversas: \d+ ao todo/ }).getAttribute('aria-label');
    await figure('Custo pelo contrato', Number(total?.match(/\d+/)?.[0]));
    await figure('Até uma pessoa atender', 1);
    await figure('Perguntas sem resposta', 1);
    await figure('Respostas sustentadas', 2, 'Respostas com um número sem fonte');
    expect(await main.locator('.figure-card', { hasText: 'sustentadas' }).innerText()).to.include(
      '2 de 4 respostas com um número sem fonte',
    );
    // Nothing is resolved by the assistant alone until it is closed: that figure leads nowhere.
    expect(
      await main
        .locator('.figure-card', { hasText: 'Resolvidas sem uma pessoa' })
        .getByRole('button')
        .count(),
    ).to.equal(0);
    const asked = main.getByRole('region', { name: 'O que mais perguntam' });
    const row = asked.getByRole('listitem').filter({ hasText: 'segunda via do diploma' });
    expect(await row.innerText()).to.include('2 conversas');
    await row.getByRole('button', { name: 'Ver conversas' }).click();
    await read('Quanto custa a segunda via do diploma?', 2);
  });

  it('tell where the assistant failed and nobody has answered since', async () => {
    const main = page.getByRole('main');
    const failed = main.getByRole('listitem').filter({ hasText: 'porque o assistente falhou' });
    expect(await failed.count()).to.equal(0);
    model.script(fail(401));
    expect((await service.ask('Abre no sábado?', { userData: { name: 'Bia Lima' } })).status).to.equal(503);
    await page.reload();
    await failed.getByText('1 conversa agora').waitFor();
    await failed.getByRole('button', { name: 'Ver conversas' }).click();
    const link = page.getByRole('dialog', { name: 'Sem resposta' }).getByRole('link', { name: 'Bia Lima' });
    await link.click();
    await page.getByText('Abre no sábado?').first().waitFor();
    await page.goBack();
    await main.getByRole('heading', { name: 'Relatórios' }).waitFor();
  });

  it('show how complete their index is, to a token that may see it', async () => {
    await open('indice');
    await page.locator('.health').waitFor();
    expect(await page.locator('.health .badge').innerText()).to.be.oneOf(['Em ordem', 'Com atraso']);
    // The figures are read beside the health.
    const rows = page.locator('table:visible tbody tr');
    await rows.nth(2).waitFor();
    expect(await rows.count()).to.equal(3);
  });

  it('are asked of no other machine, and nothing complains', () => {
    expect([watched.outside(service.baseURL), watched.complaints]).to.deep.equal([[], []]);
  });
});
