import { join } from 'node:path';
import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { fail, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';
import { root } from '../support/source-files.ts';
import { openConsole } from './console-page.ts';

describe('teaching on the page at /console', () => {
  const service = openService();
  const { demo, model } = service;
  const { watched, page, enter, button, dialogButton } = openConsole(service);
  const avatar = () => service.db('avatars').where({ host_id: demo.hostId, sub_slug: 'principal' }).first();

  describe('Conhecimento', () => {
    const placeOfDataset = async () => {
      const dataset = await service.db('datasets').where({ host_id: demo.hostId }).first();
      return `conhecimento/${dataset.id}`;
    };
    const ask = async (question: string) => {
      await page.getByLabel('Pergunta', { exact: true }).fill(question);
      await page.keyboard.press('Enter');
    };

    it('answers a question as a person would ask it, and shows of which passages, with its words marked', async () => {
      model.say('A biblioteca central abre de segunda a sexta, das 7h30 às 22h.');
      await enter(`${await placeOfDataset()}/testar`);
      await ask('Qual é o horário das bibliotecas?');
      await page.getByRole('region', { name: 'Resposta' }).getByText('das 7h30 às 22h').waitFor();
      const used = page.getByRole('region', { name: 'Passagens usadas' });
      const first = used.getByRole('article').first();
      await first.waitFor();
      expect(await first.innerText())
        .to.include('biblioteca central')
        .and.not.include('##');
      const marked = await first.locator('mark').allInnerTexts();
      expect(new Set(marked.map(word => word.toLowerCase()))).to.deep.equal(new Set(['biblioteca']));
      expect(await service.db('report_deltas').where({ kind: 'service' })).to.deep.equal([]);
      expect(watched.complaints).to.deep.equal([]);
    });

    it('writes a passage in answer to a question that nothing answers, changes it and deletes it', async () => {
      model.say('Não encontrei essa informação.');
      await enter(`${await placeOfDataset()}/testar`);
      await ask('xilofone');
      await page.getByText('Nenhuma passagem sustenta a resposta').waitFor();
      await button('Escrever passagem').click();
      const drawer = page.getByRole('dialog');
      const title = drawer.getByLabel('Título');
      const text = drawer.getByLabel('Texto');
      expect(await title.inputValue()).to.equal('xilofone');
      await title.fill('Música');
      await text.fill('O xilofone fica na sala <b>12</b>.');
      await page.reload();
      await text.waitFor();
      expect(await title.inputValue()).to.equal('Música');
      expect(await text.inputValue()).to.equal('O xilofone fica na sala <b>12</b>.');
      await button('Salvar passagem').click();
      const row = page.getByRole('listitem').filter({ hasText: 'O xilofone fica na sala' });
      expect(await row.innerText()).to.include('<b>12</b>');
      expect(await row.getByText('Música', { exact: true }).innerText()).to.equal('Música');
      await row.getByRole('link').click();
      expect(await title.inputValue()).to.equal('Música');
      await text.fill('O xilofone fica na sala 14.');
      await button('Salvar passagem').click();
      const changed = page.getByRole('listitem').filter({ hasText: 'sala 14' });
      await changed.getByRole('link').click();
      const remove = async (answer: string) => {
        await page.getByRole('button', { name: 'Ações da passagem' }).click();
        await page.getByRole('menuitem', { name: 'Excluir passagem' }).click();
        await page
          .getByRole('dialog', { name: 'Excluir esta passagem?' })
          .getByRole('button', { name: answer })
          .click();
      };
      await remove('Cancelar');
      const stored = () =>
        service.db('chunks').where({ deleted: false }).where('content', 'like', '%xilofone%');
      expect((await stored()).map(({ content }) => content)).to.deep.equal([
        '## Música\n\nO xilofone fica na sala 14.',
      ]);
      await remove('Excluir passagem');
      await changed.waitFor({ state: 'detached' });
      expect(await stored()).to.deep.equal([]);
    });

    it('keeps a passage that the service refuses, and says which field is wrong', async () => {
      await enter(await placeOfDataset());
      await button('Escrever passagem').click();
      const drawer = page.getByRole('dialog');
      await drawer.getByLabel('Título').fill('Longa');
      const long = 'a'.repeat(8_001);
      await drawer.getByLabel('Texto').fill(long);
      await page.getByText('divida em duas passagens').waitFor();
      await button('Salvar passagem').click();
      await page.locator('.trouble', { hasText: 'Texto: só cabem 8.000 caracteres' }).waitFor();
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      await button('Escrever passagem').click();
      expect(await drawer.getByLabel('Texto').inputValue()).to.equal(long);
      await dialogButton('Cancelar').click();
      await drawer.waitFor({ state: 'detached' });
      await button('Escrever passagem').click();
      expect(await drawer.getByLabel('Texto').inputValue()).to.equal('');
    });

    it('makes a dataset, tells what to do where nobody reads it, links it, and deletes it', async () => {
      await enter('conhecimento');
      await button('Nova base').click();
      await page.getByLabel('Nome', { exact: true }).fill('Calendário');
      await page.getByRole('checkbox', { name: 'Lia' }).uncheck();
      await button('Criar base').click();
      await page.getByText('Nenhum assistente lê esta base').waitFor();
      await page.getByRole('link', { name: 'Escolher os assistentes' }).click();
      await page.getByRole('checkbox', { name: 'Lia' }).check();
      await page.getByText('Lida por Lia').waitFor();
      await page.locator('.tabs').getByRole('link', { name: 'Passagens' }).click();
      await page.getByText('Esta base ainda não tem passagens').waitFor();
      const [dataset] = await service.db('datasets').where({ name: 'Calendário' });
      const links = await service.db('dataset_avatars').where({ dataset_id: dataset.id, deleted: false });
      expect(links.map(({ avatar_id }) => avatar_id)).to.deep.equal([(await avatar()).id]);
      await button('Ações de Calendário').click();
      await page.getByRole('menuitem', { name: 'Excluir base' }).click();
      await dialogButton('Excluir base').click();
      await page.getByRole('heading', { name: 'Conhecimento' }).waitFor();
      await page.getByRole('listitem').filter({ hasText: 'Calendário' }).waitFor({ state: 'detached' });
    });
  });

  describe('Assistentes', () => {
    const enterAssistant = async (part = '') => {
      await enter(`assistentes/${(await avatar()).id}/${part}`);
      await page.locator('.assistant').waitFor();
    };
    const region = (name: string) => page.getByRole('region', { name, exact: true }).last();
    const ask = async (question: string) => {
      await page.getByLabel('Pergunta de ensaio').fill(question);
      await page.keyboard.press('Enter');
    };
    /** The page hears what the service answered to the first of these calls only when it may go on. */
    const holdFirst = async (name: string) => {
      const marks = { saving: () => {}, goOn: () => {}, done: () => {} };
      const mark = (each: keyof typeof marks) => new Promise<void>(resolve => (marks[each] = resolve));
      const [saving, goingOn, done] = [mark('saving'), mark('goOn'), mark('done')];
      const hold = async (route: Route) => {
        const response = await route.fetch();
        marks.saving();
        await goingOn;
        await route.fulfill({ response });
        // What the page does with it comes before what it is asked next.
        await page.evaluate('new Promise(done => setTimeout(done))');
        marks.done();
      };
      await page.route(`**/${name}`, hold, { times: 1 });
      return { saving, goOn: () => marks.goOn(), done };
    };
    const toast = () => page.getByText(/^Salvo\..*Vale a partir da próxima pergunta\.$/);

    it('rehearses changed instructions beside the saved ones, marks what differs, and counts nowhere', async () => {
      await enterAssistant();
      const prompt = page.getByLabel('Instruções', { exact: true });
      const saved = (await avatar()).prompt_envelop;
      model.script(
        say(({ messages }) =>
          JSON.stringify(messages).includes('em versos') ? 'Abre às **nove** horas.' : 'Abre às oito horas.',
        ),
      );
      await prompt.fill('Responda em versos.');
      await ask('Que horas abre?');
      await region('Com as suas mudanças').getByText('Abre às nove horas.').waitFor();
      await region('Como está salvo').getByText('Abre às oito horas.').waitFor();
      await page.getByText('O que difere está marcado.').waitFor();
      expect(await region('Com as suas mudanças').locator('mark').allInnerTexts()).to.deep.equal(['nove']);
      expect(await region('Como está salvo').locator('mark').allInnerTexts()).to.deep.equal(['oito']);
      expect((await avatar()).prompt_envelop).to.equal(saved);
      expect(await service.db('report_deltas').where({ kind: 'service' })).to.deep.equal([]);
      await page.reload();
      await prompt.waitFor();
      expect(await prompt.inputValue()).to.equal('Responda em versos.');
      await button('Salvar').click();
      await toast().waitFor();
      expect((await avatar()).prompt_envelop).to.equal('Responda em versos.');
      // No assistant was made for it.
      const { host_id } = await avatar();
      expect(await service.db('avatars').where({ host_id })).to.have.length(1);
      expect(watched.complaints).to.deep.equal([]);
    });

    it('rehearses changed steps of the flow, before they are saved', async () => {
      await enterAssistant('fluxo');
      const flow = async () => service.db('flows').where({ avatar_id: (await avatar()).id });
      const saved = await flow();
      model.script(
        say(({ messages }) =>
          JSON.stringify(messages).includes('Fale da lua.') ? 'A lua é cheia.' : 'Sem lua.',
        ),
      );
      await page.locator('.step summary').first().click();
      await page.locator('.step').first().getByLabel('Orientação').fill('Fale da lua.');
      await ask('Que horas abre?');
      await region('Com as suas mudanças').getByText('A lua é cheia.').waitFor();
      await region('Como está salvo').getByText('Sem lua.').waitFor();
      expect(await flow()).to.deep.equal(saved);
      await button('Descartar').click();
      await button('Descartar').waitFor({ state: 'detached' });
    });

    it('asks before it replaces what another person has saved meanwhile, and saves only what was changed', async () => {
      await enterAssistant();
      await page.getByLabel('Instruções', { exact: true }).fill('Seja breve.');
      await page.getByLabel('Responde em').selectOption('en');
      await service
        .db('avatars')
        .where({ id: (await avatar()).id })
        .update({ name: 'Lia Maria' });
      await button('Salvar').click();
      await dialogButton('Salvar mesmo assim').click();
      await toast().waitFor();
      expect(await avatar()).to.include({ prompt_envelop: 'Seja breve.', name: 'Lia Maria', language: 'en' });
      await page.getByRole('heading', { name: 'Lia Maria' }).waitFor();
    });

    it('moves the steps of a flow by keyboard and by dragging, keeps them over a reload, and restores a version', async () => {
      await enterAssistant('fluxo');
      const { id } = await avatar();
      const flow = () => service.db('flows').where({ avatar_id: id }).first();
      const before = (await flow()).steps;
      const steps = page.locator('.step');
      const grip = (at: number) => steps.nth(at).getByRole('button', { name: /^Mover o passo/ });
      await grip(1).focus();
      await page.keyboard.press('ArrowUp');
      // A step that is moved keeps the focus.
      expect(await grip(0).evaluate(each => each === each.ownerDocument.activeElement)).to.equal(true);
      const [from, to] = [await grip(0).boundingBox(), await grip(2).boundingBox()];
      await page.mouse.move((from?.x ?? 0) + 5, (from?.y ?? 0) + 5);
      await page.mouse.down();
      await page.mouse.move((to?.x ?? 0) + 5, (to?.y ?? 0) + 15, { steps: 12 });
      await page.mouse.up();
      await steps.nth(2).locator('summary').click();
      await steps.nth(2).getByLabel('Condição, em palavras').fill('A pessoa quer um curso.');
      await page.reload();
      await steps.nth(2).locator('summary').click();
      expect(await steps.nth(2).getByLabel('Condição, em palavras').inputValue()).to.equal(
        'A pessoa quer um curso.',
      );
      await button('Salvar').click();
      await toast().waitFor();
      const [first, second, third] = (await flow()).steps;
      expect([first, second]).to.deep.equal([before[0], before[2]]);
      expect(third).to.include({ content: 'A pessoa quer um curso.', canRepeat: false });
      expect(third.agents).to.deep.equal(before[1].agents);
      await page.getByText('Versões anteriores').click();
      await page.getByRole('button', { name: 'Restaurar' }).first().click();
      await dialogButton('Restaurar').click();
      await page.getByText('Versão restaurada').waitFor();
      expect((await flow()).steps).to.deep.equal(before);
      expect(await steps.first().locator('summary').innerText()).to.include(before[0].content);
    });

    it('keeps what is typed into a flow while it is being saved', async () => {
      await enterAssistant('fluxo');
      const { saving, goOn } = await holdFirst('saveDecisionChainHelper');
      await page.locator('.step summary').first().click();
      const text = page.locator('.step').first().getByLabel('Orientação');
      await text.fill('Fale da lua.');
      await button('Salvar').click();
      await saving;
      await text.fill('Fale do sol.');
      goOn();
      await toast().waitFor();
      expect(await text.inputValue()).to.equal('Fale do sol.');
    });

    it('shows the latest of two names, although the list with the former comes after it', async () => {
      await enterAssistant();
      const { saving, goOn, done } = await holdFirst('avatarsListHelper');
      const save = async (name: string) => {
        await page.getByLabel('Nome', { exact: true }).fill(name);
        await button('Salvar').click();
      };
      await save('Lia Um');
      await saving;
      await save('Lia Dois');
      await page.getByRole('heading', { name: 'Lia Dois' }).waitFor();
      goOn();
      await done;
      expect(await page.locator('h1').innerText()).to.equal('Lia Dois');
    });

    it('takes the picture from a file, so small that it is stored as an address, and no file that is none', async () => {
      await enterAssistant();
      const file = page.locator('.picture-field input[type=file]');
      await file.setInputFiles({ name: 'nota.png', mimeType: 'image/png', buffer: Buffer.from('none') });
      await page.getByText('“nota.png” não é uma imagem').waitFor();
      await file.setInputFiles(join(root, 'docs/images/console-inbox.png'));
      await page.locator('.face .portrait[src^="data:image/"]').waitFor();
      await button('Salvar').click();
      await toast().waitFor();
      const { id, picture } = await avatar();
      expect(picture).to.match(/^data:image\/\w+;base64,/);
      expect(picture.length).to.be.at.most(2_000);
      await page.reload();
      const shown = page.locator('.face img.portrait');
      const width = await shown.evaluate<number, { decode(): Promise<void>; naturalWidth: number }>(image =>
        image.decode().then(() => image.naturalWidth),
      );
      expect(width).to.be.at.least(32);
      await service.db('avatars').where({ id }).update({ picture: '' });
    });

    it('links and unlinks the datasets that the assistant reads', async () => {
      await enterAssistant('leitura');
      const { id } = await avatar();
      // The links of a deleted dataset stay.
      const { id: dataset_id } = await service.db('datasets').where({ name: 'Guia do aluno' }).first();
      const links = () => service.db('dataset_avatars').where({ avatar_id: id, dataset_id, deleted: false });
      const box = page.getByRole('checkbox', { name: 'Guia do aluno' });
      await box.uncheck();
      await page.getByText('O assistente não lê mais esta base').waitFor();
      expect(await links()).to.have.length(0);
      await box.check();
      await page.getByText('O assistente lê esta base').waitFor();
      expect(await links()).to.have.length(1);
    });

    it('stores a case, refuses a change that would make it fail, and names it', async () => {
      await enterAssistant('casos');
      await button('Novo caso').first().click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Pergunta').fill('Onde fica o xerox?');
      await form.getByLabel('A resposta precisa ter').fill('biblioteca');
      await form.getByRole('button', { name: 'Guardar caso' }).click();
      await page.getByText('tem “biblioteca” · nenhum número sem fonte').waitFor();
      model.script(
        say(({ messages }) =>
          JSON.stringify(messages).includes('em versos') ? 'Fica no pátio.' : 'Fica na biblioteca.',
        ),
      );
      await page.getByRole('link', { name: 'Instruções' }).click();
      const prompt = page.getByLabel('Instruções', { exact: true });
      const saved = (await avatar()).prompt_envelop;
      await prompt.fill('Responda em versos.');
      await button('Salvar').click();
      await page.locator('.trouble', { hasText: 'Onde fica o xerox?: falta um texto' }).waitFor();
      expect((await avatar()).prompt_envelop).to.equal(saved);
      await page.getByRole('link', { name: 'Casos' }).click();
      await page.getByText('Deixaria de passar: falta um texto').waitFor();
      await page.getByRole('link', { name: 'Instruções' }).click();
      await prompt.fill('Seja gentil.');
      await button('Salvar').click();
      await page.getByText('Salvo. 1 caso conferido. Vale a partir da próxima pergunta.').waitFor();
      expect((await avatar()).prompt_envelop).to.equal('Seja gentil.');
      await page.getByRole('link', { name: 'Casos' }).click();
      await button('Ações do caso Onde fica o xerox?').click();
      await page.getByRole('menuitem', { name: 'Excluir' }).click();
      await dialogButton('Excluir caso').click();
      await page.getByText('Nenhum caso guardado').waitFor();
    });

    it('says that an assistant could not be read, and reads it when told to', async () => {
      await enter('busca');
      // Not for want of a connection: then it would also be read unasked.
      await page.route('**/readAvatarHelper', route => route.fulfill({ status: 503 }));
      await page.goto(`${service.baseURL}/console#assistentes/${(await avatar()).id}`);
      const trouble = page.locator('.trouble', { hasText: 'sobrecarregado ou indisponível' });
      await trouble.waitFor();
      await page.unroute('**/readAvatarHelper');
      await trouble.getByRole('button', { name: 'Tentar de novo' }).click();
      await page.locator('.assistant').waitFor();
    });

    it('shows a failed rehearsal in its place, asks that side alone again, and leaves the question', async () => {
      await enterAssistant();
      const isChanged = ({ messages }: { messages: unknown }) =>
        JSON.stringify(messages).includes('em prosa');
      service.model.script((request, response) =>
        (isChanged(request) ? fail(400) : say('Às oito.'))(request, response),
      );
      await page.getByLabel('Instruções', { exact: true }).fill('Responda em prosa.');
      await ask('Oi?');
      const trouble = region('Com as suas mudanças').locator('.trouble');
      await region('Como está salvo').getByText('Às oito.').waitFor();
      await trouble.waitFor();
      service.model.script(say('Às nove.'));
      await trouble.getByRole('button', { name: 'Tentar de novo' }).click();
      await region('Com as suas mudanças').getByText('Às nove.').waitFor();
      await trouble.waitFor({ state: 'detached' });
      expect(await region('Como está salvo').innerText()).to.include('Às oito.');
      expect(isChanged(service.model.requests.at(-1) ?? { messages: [] })).to.equal(true);
      expect(await page.getByLabel('Pergunta de ensaio').inputValue()).to.equal('Oi?');
    });
  });
});
