import { expect } from 'chai';
import { expectUsable } from './accessibility.ts';
import { makePageOpener } from './browser.ts';
import { controlsOf, enterConsole } from './console-page.ts';
import { groupOf, makeInboxStage, rowOf } from './inbox-stage.ts';

describe('teams on the page at /console', () => {
  const stage = makeInboxStage();
  const { service, done, begin, update, stateOf } = stage;
  const { opened, open } = makePageOpener();
  const lists = { labels: ['Boleto', 'Matrícula'], close_reasons: ['Resolvido', 'Sem retorno'] };
  afterEach(async () => {
    await service.db('teams').delete();
    await done('saveAttendance', { labels: [], close_reasons: [], reassign_after_minutes: null });
    const complaints = opened.flatMap(each => each.complaints);
    // A name that is taken is refused.
    expect(complaints.filter(text => !text.includes('Failed to load'))).to.deep.equal([]);
  });

  it('are made, changed and deleted, with the labels and reasons of the host', async () => {
    await done('savePerson', { name: 'Bia Souza', role: 'agent', email: 'bia@horizonte.example' });
    const page = await open();
    await enterConsole(page, service, 'equipes');
    const { button, dialog, dialogButton, choose } = controlsOf(page);
    await page.getByText('Ainda não há equipes').waitFor();
    await expectUsable(page);
    await button('Nova equipe').click();
    await dialog().getByLabel('Nome').fill('Financeiro');
    await dialog().getByLabel('O que faz').fill('Boletos e bolsas.');
    await dialog().getByLabel('Bia Souza').check();
    await expectUsable(page);
    await dialogButton('Criar equipe').click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Boletos e bolsas.' })
      .getByText('Bia Souza')
      .waitFor();
    await button('Nova equipe').click();
    await dialog().getByLabel('Nome').fill('financeiro');
    await dialogButton('Criar equipe').click();
    await dialog().getByText('Nome: já é de outra pessoa ou coisa').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Etiquetas', { exact: true }).fill('Boleto\n\n Matrícula ');
    await page.getByLabel('Motivos para encerrar').fill('Resolvido');
    await page.getByLabel('Devolver à equipe').fill('30');
    await button('Salvar').click();
    await page.getByText('Salvo', { exact: true }).waitFor();
    const saved = {
      labels: ['Boleto', 'Matrícula'],
      close_reasons: ['Resolvido'],
      reassign_after_minutes: 30,
    };
    expect(await done('readAttendance', {})).to.deep.equal(saved);
    await expectUsable(page);
    await choose('Financeiro', 'Excluir equipe');
    await dialogButton('Excluir equipe').click();
    await page.getByText('Ainda não há equipes').waitFor();
  });

  it('are passed conversations, which stand first for who is in them, and are labelled and closed for a reason', async () => {
    await done('saveAttendance', lists);
    const [first, second] = [await begin('Ana'), await begin('Davi')];
    for (const each of [first, second]) await update(each, { ask_human_help: true });
    const caio = await stage.enter('Caio Reis');
    const bia = await stage.enter('Bia Souza');
    const personIds = [await stage.personOf('Bia Souza')];
    const { teamId } = await done('saveTeam', { name: 'Financeiro', personIds });
    for (const page of [caio, bia]) await page.reload();
    await rowOf(caio, 'Davi').click();
    await caio.getByRole('button', { name: 'Passar', exact: true }).click();
    const dialog = caio.getByRole('dialog', { name: 'Passar a conversa' });
    await dialog.getByLabel('A quem').selectOption('Financeiro');
    await dialog.getByLabel('Nota para a equipe').fill('É sobre o boleto.');
    await dialog.getByRole('button', { name: 'Passar' }).click();
    await caio.getByText('Espera pela equipe Financeiro.').waitFor();
    expect(await stateOf(second)).to.include({ team_id: teamId, ask_human_help: true, assigned_to: null });

    await groupOf(bia, 'Esperam pela sua equipe').getByText('Davi', { exact: true }).click();
    await groupOf(bia, 'Esperam por uma pessoa').getByText('Ana', { exact: true }).waitFor();
    await bia.locator('.by-note', { hasText: 'É sobre o boleto.' }).waitFor();
    const about = bia.getByRole('complementary', { name: 'Sobre a pessoa' });
    await about.getByRole('button', { name: 'Mudar etiquetas' }).click();
    await about.getByLabel('Boleto').check();
    await about.getByRole('button', { name: 'Salvar' }).click();
    await about.locator('.badge', { hasText: 'Boleto' }).waitFor();
    await bia.getByRole('combobox', { name: 'Etiqueta', exact: true }).selectOption('Boleto');
    await rowOf(bia, 'Ana').waitFor({ state: 'detached' });
    await bia.getByRole('combobox', { name: 'Equipe', exact: true }).selectOption('Financeiro');
    await rowOf(bia, 'Davi').waitFor();
    await expectUsable(bia);

    await bia.getByRole('button', { name: 'Encerrar', exact: true }).click();
    const asked = bia.getByRole('dialog', { name: 'Encerrar a conversa' });
    await asked.getByLabel('Motivo').selectOption('Sem retorno');
    await expectUsable(bia);
    await asked.getByRole('button', { name: 'Encerrar' }).click();
    await bia.getByText('Encerrada (Sem retorno).').waitFor();
    expect(await stateOf(second)).to.include({ closed: true, close_reason: 'Sem retorno' });
  });

  it('close several conversations at once, for one reason, and what could not be closed stays selected', async () => {
    await done('saveAttendance', lists);
    const ids = [await begin('Elisa'), await begin('Fábio'), await begin('Gil')];
    const page = await stage.enter('Bia Souza');
    await rowOf(page, 'Elisa').waitFor();
    await page.getByRole('button', { name: 'Selecionar várias' }).click();
    for (const name of ['Elisa', 'Fábio']) await page.getByLabel(`Selecionar a conversa com ${name}`).check();
    await page.getByText('2 selecionadas').waitFor();
    await expectUsable(page);
    await page.route('**/updateConversationHelper', route => route.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Encerrar selecionadas' }).click();
    const asked = page.getByRole('dialog', { name: 'Encerrar 2 conversas?' });
    await asked.getByLabel('Motivo').selectOption('Resolvido');
    await asked.getByRole('button', { name: 'Encerrar' }).click();
    await page.getByText('1 selecionada', { exact: true }).waitFor();
    await page.getByText('1 conversa encerrada').waitFor();
    await page.getByRole('button', { name: 'Encerrar selecionadas' }).click();
    const again = page.getByRole('dialog', { name: 'Encerrar 1 conversa?' });
    await again.getByLabel('Motivo').selectOption('Resolvido');
    await again.getByRole('button', { name: 'Encerrar' }).click();
    await page.getByRole('button', { name: 'Selecionar várias' }).waitFor();
    const states = await Promise.all(ids.map(stateOf));
    expect(states.map(({ close_reason }) => close_reason)).to.deep.equal(['Resolvido', 'Resolvido', null]);
    await rowOf(page, 'Gil').waitFor();
  });
});
