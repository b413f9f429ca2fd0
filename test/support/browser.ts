import { type Browser, chromium, type Page } from 'playwright-core';

/* In a real browser, so these run where there is one, beside the tests that run everywhere. */
const CHROMIUM = '/usr/bin/chromium';

/** A page that remembers whom it asked, and what it complained of. */
export interface WatchedPage {
  readonly page: Page;
  /** The addresses asked for that are not below `baseURL`. */
  outside(baseURL: string): string[];
  readonly complaints: string[];
}

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

export async function watchedPage(
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
