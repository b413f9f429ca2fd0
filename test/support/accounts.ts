import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** A provider of accounts that runs beside the tests (`oidc-provider.mjs`). */
export interface Accounts {
  readonly settings: {
    readonly oidcIssuer: string;
    readonly oidcClientId: string;
    readonly oidcClientSecret: string;
  };
  kill(): Promise<void>;
}

interface AccountsOptions {
  readonly clockOffsetMs?: number;
  /** Otherwise the provider tells the e-mail address when it is asked for the person. */
  readonly isEmailInToken?: boolean;
  /** The prompts that the provider says it knows; by default it says nothing. */
  readonly prompts?: readonly string[];
}

export async function startAccounts({
  clockOffsetMs = 0,
  isEmailInToken = false,
  prompts = [],
}: AccountsOptions = {}): Promise<Accounts> {
  const clock =
    clockOffsetMs === 0 ? [] : ['--import', `./test/support/shifted-clock.mjs?ms=${clockOffsetMs}`];
  const program = join(import.meta.dirname, 'oidc-provider.mjs');
  const child = spawn(process.execPath, [...clock, program], {
    env: {
      ...process.env,
      OIDC_EMAIL_IN: isEmailInToken ? 'token' : 'person',
      OIDC_PROMPTS: prompts.join(' '),
    },
    // The package warns of what is right for tests alone.
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  const port = await readPort(child);
  return {
    settings: {
      oidcIssuer: `http://127.0.0.1:${port}`,
      oidcClientId: 'parley',
      oidcClientSecret: 'the secret of the client',
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

function readPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('exit', code => reject(new Error(`the provider of accounts ended: ${code}`)));
    createInterface({ input: child.stdout as Readable }).on('line', line => {
      if (/^\d+$/.test(line)) resolve(Number(line));
    });
  });
}

/** Does what a browser does on its way through the pages of the provider, up to where it is sent to the console. */
export interface Browsing {
  /** Where the console is opened: `#entrar=…` or `#conta=…`. */
  readonly hash: string;
  readonly visited: readonly URL[];
}

interface BrowsingOptions {
  readonly email: string;
  /** Changes the address, or a cookie, of the way back. */
  readonly onBack?: (address: URL, cookies: Map<string, string>) => void;
}

const MAX_PAGES = 20;

/** Signs in at the provider with this e-mail address, and follows to the end. */
export async function browseWithAccount(
  baseURL: string,
  { email, onBack }: BrowsingOptions,
): Promise<Browsing> {
  const cookies = new Map<string, string>();
  const visited: URL[] = [];
  let next = { address: new URL('/console/oidc', baseURL), form: undefined as URLSearchParams | undefined };
  while (visited.length < MAX_PAGES) {
    visited.push(next.address);
    const response = await request(next.address, cookies, next.form);
    const location = response.headers.get('location');
    if (location === null) {
      const page = await response.text();
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
      if (!action) throw new Error(`${next.address.pathname} ${response.status}: ${page.slice(0, 2_000)}`);
      next = {
        address: new URL(action, next.address),
        form: new URLSearchParams({ prompt: 'login', login: email }),
      };
      continue;
    }
    await response.body?.cancel();
    const address = new URL(location, next.address);
    if (address.pathname === '/console') return { hash: address.hash, visited };
    if (address.pathname === '/console/oidc/callback') onBack?.(address, cookies);
    next = { address, form: undefined };
  }
  throw new Error(`never sent back: ${visited.map(({ href }) => href).join(' ')}`);
}

async function request(address: URL, cookies: Map<string, string>, form: URLSearchParams | undefined) {
  const cookie = [...cookies].map(pair => pair.join('=')).join('; ');
  const response = await fetch(address, {
    method: form ? 'POST' : 'GET',
    ...(form ? { body: form } : {}),
    headers: { cookie },
    redirect: 'manual',
  });
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
  return response;
}
