import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { makeFileSeal } from '../../platform/file-seal.ts';
import { readRecording } from '../support/recordings.ts';
import { findViolations } from './accessibility.ts';
import { makeInboxStage, rowOf } from './inbox-stage.ts';

/** One dot. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

describe('files of a conversation on the page at /console', () => {
  const stage = makeInboxStage();
  const { demo, db } = stage.service;

  const filesOf = (page: Page) => page.getByRole('list', { name: 'Arquivos da mensagem' });
  const give = (page: Page, how: 'drop' | 'paste', name: string) =>
    page.evaluate(`(() => {
      const given = new DataTransfer();
      given.items.add(new File(['Olá'], '${name}'));
      const about = { bubbles: true, cancelable: true, dataTransfer: given, clipboardData: given };
      const event = new ${how === 'drop' ? 'DragEvent' : 'ClipboardEvent'}('${how}', about);
      document.querySelector('.composer textarea').dispatchEvent(event);
    })()`);

  it('are chosen, dragged or pasted, sent again after a failure, and shown where they were sent', async () => {
    await stage.begin('Lia');
    const page = await stage.enter('Bia');
    await rowOf(page, 'Lia').click();
    await page
      .getByLabel('Arquivos para anexar')
      .setInputFiles({ name: 'foto.png', mimeType: 'image/png', buffer: PNG });
    await give(page, 'drop', 'edital.txt');
    await give(page, 'paste', 'nota.txt');
    await filesOf(page).getByText('nota.txt').waitFor();
    await page.getByRole('button', { name: 'Tirar nota.txt' }).click();
    await filesOf(page).getByText('nota.txt').waitFor({ state: 'detached' });
    expect(await filesOf(page).getByRole('listitem').allInnerTexts()).to.deep.equal([
      'foto.png\n1 KB',
      'edital.txt\n1 KB',
    ]);
    expect(await findViolations(page)).to.deep.equal([]);
    const sent = '**/appendMessageHelper';
    await page.route(sent, route => route.abort());
    await page.getByRole('button', { name: 'Enviar' }).click();
    await page.getByText('A resposta não foi enviada, e continua aqui').waitFor();
    await page.unroute(sent);
    await page.getByRole('button', { name: 'Tentar de novo' }).click();
    const log = page.getByRole('log');
    await log.getByRole('link', { name: /Baixar edital.txt/ }).waitFor();
    const picture = log.getByRole('img', { name: 'foto.png' });
    await picture.scrollIntoViewIfNeeded();
    await page.waitForFunction(`document.querySelector('.message-file img').naturalWidth === 1`);
    await filesOf(page).waitFor({ state: 'detached' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      log.getByRole('link', { name: /Baixar edital.txt/ }).click(),
    ]);
    expect(download.suggestedFilename()).to.equal('edital.txt');
    expect(await findViolations(page)).to.deep.equal([]);
  });

  it('that a person sent are heard beside their words', async () => {
    const conversationId = await stage.begin('Rui', '[áudio 0:02] Que horas abre?');
    const { turn_id: turnId } = await db('messages')
      .where({ conversation_id: conversationId, author: 'user' })
      .first();
    const id = '00000000-0000-4000-8000-0000000000aa';
    const { size, sealedKey, content } = await makeFileSeal(stage.service.settings).seal(
      readRecording('tone.ogg'),
      id,
    );
    const kept = {
      size,
      sealed_key: sealedKey,
      content,
      media_type: 'audio/ogg',
      transcript: 'Que horas abre?',
    };
    await db('files').insert({
      host_id: demo.hostId,
      id,
      conversation_id: conversationId,
      turn_id: turnId,
      place: 0,
      ...kept,
    });
    const page = await stage.enter('Bia');
    await rowOf(page, 'Rui').click();
    const log = page.getByRole('log');
    await log.getByText('Que horas abre?').waitFor();
    const seconds = await page.evaluate(`new Promise(resolve => {
      const sound = document.querySelector('.message-file audio');
      sound.addEventListener('loadedmetadata', () => resolve(Math.round(sound.duration)));
      sound.addEventListener('error', () => resolve(sound.error.message));
      sound.preload = 'metadata';
      sound.load();
    })`);
    expect(seconds).to.equal(2);
    expect(await findViolations(page)).to.deep.equal([]);
  });
});
