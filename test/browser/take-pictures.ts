import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { enterConsole, giveName, openView, sendQuestion } from './console-page.ts';

/*
 * Takes the pictures of docs/console.md and the README of a demonstration that has just begun: start Parley with an empty
 * DATA_DIR, then `npm run pictures -- '<the link to sign in that it printed>' '<the password of its queue board>' '<its demo
 * token>'`. Pictures are committed in 256 colours (`pngquant --ext .png --force docs/images/*.png`).
 */

const FOLDER = join('docs', 'images');
const WIDE = { width: 1_280, height: 800 };
const PHONE = { width: 390, height: 844 };

const [link = '', password = '', token = ''] = process.argv.slice(2);
const { origin } = new URL(link);
const browser = await openBrowser();
const context = await browser.newContext({
  viewport: WIDE,
  locale: 'pt-BR',
  timezoneId: 'America/Sao_Paulo',
  reducedMotion: 'reduce',
  httpCredentials: { username: 'ops', password, origin },
});
const page = await context.newPage();
try {
  await takeEntrance(page);
  await takeInbox(page);
  await takeTyping(page);
  await takeKnowledge(page);
  await takeAssistants(page);
  await takeChat(page);
  await takeWatching(page);
  await page.goto(`${origin}/admin/queues`);
  await page.getByText('turns').first().waitFor();
  await save('queue-board');
} finally {
  await browser.close();
}

/** Waits for whatever is being loaded. */
async function save(name: string): Promise<void> {
  await page.locator('[aria-busy=true], .skeleton').first().waitFor({ state: 'detached' });
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled', caret: 'hide' });
}

async function takeEntrance(page: Page): Promise<void> {
  await page.goto(link);
  const enter = page.getByRole('button', { name: 'Entrar no painel' });
  await page.getByText('Universidade Horizonte').waitFor();
  await save('console-entrance');
  await enter.click();
  await page.locator('nav a').first().waitFor();
}

async function takeInbox(page: Page): Promise<void> {
  await openView(page, 'atendimento');
  await page.locator('.inbox-row', { hasText: 'Helena Vidal' }).click();
  await page.getByText('ok, estou esperando').last().waitFor();
  await page.getByText('Desconto que não apareceu').first().waitFor();
  await save('console-inbox');
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: 'dark' });
  // It opens with the last message in sight.
  await page.reload();
  await page.getByText('ok, estou esperando').last().waitFor();
  await save('console-inbox-phone');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(WIDE);
}

/** A colleague, who signs in with the token, writes to the conversation that is open. */
async function takeTyping(page: Page): Promise<void> {
  const elsewhere = await browser.newContext({ locale: 'pt-BR' });
  const colleague = await elsewhere.newPage();
  await enterConsole(colleague, { baseURL: origin, token }, 'atendimento');
  await giveName(colleague, 'Bia');
  await colleague.locator('.inbox-row', { hasText: 'Helena Vidal' }).click();
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: 'dark' });
  // It is told at most every three seconds, and shown for six.
  const answer = 'Oi, Helena! Já encontrei o desconto no seu cadastro.';
  const writing = colleague.getByLabel('Sua resposta').pressSequentially(answer, { delay: 100 });
  await page.getByText('Bia está escrevendo…').waitFor();
  await save('console-typing-phone');
  await writing;
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(WIDE);
  await elsewhere.close();
}

async function takeKnowledge(page: Page): Promise<void> {
  await openView(page, 'conhecimento');
  await page.getByRole('link', { name: 'Guia do aluno' }).first().click();
  await page.locator('.tabs').getByRole('link', { name: 'Testar' }).click();
  await page.getByLabel('Pergunta', { exact: true }).fill('Que horas a biblioteca fecha no sábado?');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Passagens usadas' }).getByRole('article').first().waitFor();
  await save('console-knowledge');
}

async function takeAssistants(page: Page): Promise<void> {
  await openView(page, 'assistentes');
  await page.locator('.assistant').first().waitFor();
  await page
    .getByLabel('Instruções', { exact: true })
    .fill('Você é a Lia. Responda em uma frase, com simpatia.');
  await page.getByLabel('Pergunta de ensaio').fill('Qual é o horário da secretaria?');
  await page.keyboard.press('Enter');
  for (const name of ['Como está salvo', 'Com as suas mudanças'])
    await page.getByRole('region', { name }).getByText('às 12h.').waitFor();
  await save('console-assistants');
  await page.getByRole('button', { name: 'Descartar' }).click();
}

async function takeChat(page: Page): Promise<void> {
  await openView(page, 'testar');
  await sendQuestion(page, 'Como faço para pagar a mensalidade por Pix?');
  await sendQuestion(page, 'Quero me inscrever no vestibular');
  await save('console-chat');
}

async function takeWatching(page: Page): Promise<void> {
  await openView(page, 'relatorios');
  await page.locator('.chart .stage').first().waitFor();
  await save('console-reports');
  await page.keyboard.press('Control+k');
  await page.getByLabel('Buscar em').fill('mensalidade');
  await page.keyboard.press('Enter');
  await page.locator('main .list mark').first().waitFor();
  await save('console-search');
}
