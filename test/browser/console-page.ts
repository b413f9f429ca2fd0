import type { Page } from 'playwright-core';
import type { Service } from '../support/service.ts';
import { expectUsable } from './accessibility.ts';
import { openPage } from './browser.ts';

/** Where to sign in, and as whom: as the demo host, unless there is a token. */
interface SignIn {
  readonly baseURL: string;
  readonly demo?: { readonly token: string };
  readonly token?: string | undefined;
}

/** Fills in and submits the form; the test checks the result. */
export async function signIn(page: Page, { baseURL, demo, token }: SignIn, view = 'testar'): Promise<void> {
  await page.goto(`${baseURL}/console#${view}`);
  await page.getByLabel('Token de acesso').fill(token ?? demo?.token ?? '');
  await page.keyboard.press('Enter');
}

/** As somebody who has read what it takes to come back. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sair' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sair' }).click();
}

export async function enterConsole(page: Page, who: SignIn, view?: string): Promise<void> {
  await signIn(page, who, view);
  await page.locator('#views').waitFor();
}

/** As if they had said it before: who enters with a token is asked for a name at the first answer. */
export async function giveName(page: Page, name: string): Promise<void> {
  await page.evaluate(`sessionStorage['parley-session'] = ${sessionNamed(name)}`);
  await page.reload();
}

const sessionNamed = (name: string | undefined) =>
  `JSON.stringify({ ...JSON.parse(sessionStorage['parley-session']), name: ${JSON.stringify(name)} })`;

/** Leaves the console for the page beside it: what was open or typed is forgotten, but not who is signed in. */
export async function leaveConsole(page: Page, baseURL: string): Promise<void> {
  await page.unrouteAll();
  await page.goto(`${baseURL}/`);
  await page.evaluate(`(() => {
    const session = ${sessionNamed(undefined)};
    sessionStorage.clear();
    sessionStorage['parley-session'] = session;
  })()`);
}

/** Enters again who has left it, as a person of this name: a page costs a browser much more than an address. */
export async function enterAgain(page: Page, view: string, name?: string): Promise<void> {
  if (name !== undefined) await page.evaluate(`sessionStorage['parley-session'] = ${sessionNamed(name)}`);
  await page.goto(new URL(`/console#${view}`, page.url()).href);
  await page.locator('#views').waitFor();
}

/** Opens a view by its link; on a phone it may be behind “Mais”. */
export async function openView(page: Page, view: string): Promise<void> {
  await page.locator('#views').waitFor();
  const link = page.locator(`nav a[href$="#${view}"]`);
  if (!(await link.isVisible())) await page.getByRole('button', { name: 'Mais', exact: true }).click();
  await link.click();
  await page.locator(`nav a[href$="#${view}"][aria-current=page]`).waitFor({ state: 'attached' });
}

export async function sendQuestion(page: Page, text: string): Promise<void> {
  const receipts = page.locator('.log .receipt');
  const before = await receipts.count();
  await page.getByLabel('Mensagem', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
  await receipts.nth(before).waitFor();
}

/** The console on a page for the tests of a suite, each of which enters it anew; `start` signs in. */
export function openConsole(
  service: Service,
  start: (page: Page) => Promise<unknown> = page => enterConsole(page, service),
) {
  const watched = openPage();
  const { page } = watched;
  before(() => start(page));
  beforeEach(async () => {
    await leaveConsole(page, service.baseURL);
    watched.forget();
  });
  return { watched, page, enter: (view: string) => enterAgain(page, view), ...controlsOf(page) };
}

/** What is pressed and looked at on the page, by its name. */
export function controlsOf(page: Page) {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  return {
    button,
    dialog,
    dialogButton: (name: string) => dialog().getByRole('button', { name, exact: true }),
    /** An action behind the menu of a row. */
    async choose(row: string, action: string): Promise<void> {
      await button(`Ações de ${row}`).click();
      await page.getByRole('menuitem', { name: action }).click();
    },
    check: () => expectUsable(page),
  };
}
