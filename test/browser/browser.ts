import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { openOnce } from '../support/opened.ts';
import { provideFreshPages } from '../support/program.ts';
import { atRunEnd } from '../support/run-end.ts';

/* Chromium without the window of a browser, which costs two thirds of the time of a page, where it is installed. */
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync) ?? 'chromium';

/** The browser asks for Portuguese, which the tests read, unless they say otherwise. */
const READER = { viewport: { width: 1_280, height: 800 }, locale: 'pt-BR' };

/** A page that records its requests and its console errors. */
export interface WatchedPage {
  readonly page: Page;
  /** The requested addresses that are not below `baseURL`. */
  outside(baseURL: string): string[];
  readonly complaints: string[];
  /** Forgets both, between tests that share the page. */
  forget(): void;
}

let opened: Promise<Browser> | undefined;

/** The browser of this run, which its files use one after another: each closes its pages. */
export function openBrowser(): Promise<Browser> {
  opened ??= provideFreshPages().then(() =>
    chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] }),
  );
  return opened;
}

atRunEnd(async () => {
  const browser = await opened;
  opened = undefined;
  await browser?.close();
});

type PageOptions = Parameters<Browser['newPage']>[0];

/** A page for the tests of a suite, in a browser of its own. */
export function openPage(options?: PageOptions | (() => PageOptions)): WatchedPage {
  const open = async () =>
    openWatchedPage(await openBrowser(), typeof options === 'function' ? options() : options);
  return openOnce(open, ({ page }) => page.close());
}

/** Opens pages in tests, which are closed after the test. */
export function makePageOpener() {
  const opened: WatchedPage[] = [];
  beforeEach(() => void opened.splice(0));
  afterEach(async () => {
    for (const { page } of opened) await page.context().close();
  });
  const open = async (): Promise<Page> => {
    // With a context, which may open other tabs.
    const watched = await openWatchedPage(await (await openBrowser()).newContext(READER));
    opened.push(watched);
    return watched.page;
  };
  return { opened, open };
}

/** In a browser of its own, or beside the other tabs of one. */
export async function openWatchedPage(
  browser: Pick<Browser, 'newPage'> | Pick<BrowserContext, 'newPage'>,
  options: PageOptions = {},
): Promise<WatchedPage> {
  const page = await browser.newPage({ ...READER, ...options });
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', request => asked.push(request.url()));
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(error.message));
  const isOutside = (url: string, baseURL: string) =>
    !url.startsWith(`${baseURL}/`) && !/^(data|blob):/.test(url);
  return {
    page,
    complaints,
    outside: baseURL => asked.filter(url => isOutside(url, baseURL)),
    forget() {
      asked.length = 0;
      complaints.length = 0;
    },
  };
}
