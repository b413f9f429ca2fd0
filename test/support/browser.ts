import { type Browser, chromium, type Page } from 'playwright-core';

/* Needs a real browser, so these tests are skipped where there is none. */
const CHROMIUM = '/usr/bin/chromium';

/** A page that records its requests and its console errors. */
export interface WatchedPage {
  readonly page: Page;
  /** The requested addresses that are not below `baseURL`. */
  outside(baseURL: string): string[];
  readonly complaints: string[];
}

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

export async function openWatchedPage(
  browser: Browser,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<WatchedPage> {
  const page = await browser.newPage(options);
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', request => asked.push(request.url()));
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(error.message));
  const isOutside = (url: string, baseURL: string) =>
    !url.startsWith(`${baseURL}/`) && !/^(data|blob):/.test(url);
  return { page, complaints, outside: baseURL => asked.filter(url => isOutside(url, baseURL)) };
}
