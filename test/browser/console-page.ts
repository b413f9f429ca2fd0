import type { Page } from 'playwright-core';

export interface SignIn {
  readonly baseURL: string;
  readonly token: string;
  /** The view to begin with. */
  readonly view?: string;
}

/** Fills in and submits the form; the test checks the result. */
export async function signIn(page: Page, { baseURL, token, view = 'testar' }: SignIn): Promise<void> {
  await page.goto(`${baseURL}/console#${view}`);
  await page.getByLabel('Token de acesso').fill(token);
  await page.keyboard.press('Enter');
}

/** As somebody who has read what it takes to come back. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sair' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sair' }).click();
}

export async function enterConsole(page: Page, credentials: SignIn): Promise<void> {
  await signIn(page, credentials);
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
  const link = page.locator(`nav a[href$="#${view}"]`);
  if (!(await link.isVisible())) await page.getByRole('button', { name: 'Mais', exact: true }).click();
  await link.click();
  await page.locator(`nav a[href$="#${view}"][aria-current=page]`).waitFor({ state: 'attached' });
}

/** Writes a message and waits for the answer. */
export async function sendQuestion(page: Page, text: string): Promise<void> {
  const receipts = page.locator('.log .receipt');
  const before = await receipts.count();
  await page.getByLabel('Mensagem', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
  await receipts.nth(before).waitFor();
}
