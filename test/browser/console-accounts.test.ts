import { expect } from 'chai';
import { startAccounts } from '../support/accounts.ts';
import { openOnce } from '../support/opened.ts';
import { borrowService, type Service, startApiBeside } from '../support/service.ts';
import { openPage } from './browser.ts';
import { enterConsole } from './console-page.ts';

const EMAIL = 'bia@horizonte.example';

describe('signing in with an account on the page at /console', () => {
  // It lists its prompts, so that it is asked for the account anew.
  const accounts = openOnce(() => startAccounts({ prompts: ['none', 'login'] }));
  const service = openOnce(() => borrowService(accounts.settings));
  const { page } = openPage();

  const add = (host: Service['demo']) =>
    host.call('savePerson', { name: 'Bia', email: EMAIL, role: 'admin' });
  /** The provider asks for an account, also where it knows one. */
  const enterAs = async (email: string) => {
    await page.getByRole('button', { name: 'Entrar com a conta da instituição' }).click();
    await page.locator('input[name=login]').fill(email);
    await page.locator('input[name=password]').fill('any');
    await page.keyboard.press('Enter');
  };
  const leave = async () => {
    await page.getByRole('button', { name: 'Sair' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).to.include('Para voltar, entre com a conta da instituição');
    await dialog.getByRole('button', { name: 'Sair' }).click();
  };

  it('says why nobody is signed in, and then signs in with another account where one was, without another press', async () => {
    await page.goto(`${service.baseURL}/console#equipe`);
    await enterAs('caio@horizonte.example');
    await page.getByText('Ninguém que possa entrar tem o e-mail desta conta').waitFor();
    await add(service.demo);
    await enterAs(EMAIL);
    await page.locator('#views a[href$="#equipe"][aria-current=page]').waitFor();
    expect(page.url()).to.equal(`${service.baseURL}/console#equipe`);
    await leave();
    await page.getByRole('button', { name: 'Entrar com a conta da instituição' }).waitFor();
  });

  it('lets a person of several institutions choose one', async () => {
    await add(service.acme);
    await enterAs(EMAIL);
    const acme = await service.db('hosts').where({ id: service.acme.hostId }).first();
    const choice = page.getByLabel('A sua conta vale para várias instituições. Qual?');
    await choice.selectOption({ label: acme.name });
    await page.getByRole('button', { name: 'Entrar', exact: true }).click();
    await page.locator('#views').waitFor();
    expect(await page.locator('#host-name').innerText()).to.equal(acme.name);
    await leave();
  });

  it('says that the provider is away, and takes a token', async () => {
    await accounts.kill();
    // This one has not found it yet.
    const beside = await startApiBeside(service, accounts.settings);
    await page.goto(`${beside.baseURL}/console/oidc`);
    await page.getByText('não responde agora').waitFor();
    await enterConsole(page, beside);
    await page.goto('about:blank');
    await beside.close();
  });
});
