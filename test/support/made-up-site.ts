import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Answer {
  readonly body?: string | Uint8Array;
  readonly status?: number;
  /** Nothing is answered, and nothing ends. */
  readonly hangs?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A site over HTTP whose pages name their versions, and whose sitemap lists them all. */
export async function openMadeUpSite() {
  const answers = new Map<string, Answer>();
  /** What was answered: `/a 200`. */
  const answered: string[] = [];
  const server = createServer(({ url = '', headers: sent }, response) => {
    const { body = '', status = 200, headers, hangs } = answers.get(url) ?? { status: 404 };
    if (hangs) return;
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    const isSame = status === 200 && sent['if-none-match'] === etag;
    const type = url === '/sitemap.xml' ? 'application/xml' : 'text/html; charset=utf-8';
    answered.push(`${url} ${isSame ? 304 : status}`);
    response.writeHead(isSame ? 304 : status, {
      'content-type': type,
      ...(status === 200 && { etag }),
      ...headers,
    });
    response.end(isSame ? undefined : body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const page = (name: string, ...texts: readonly string[]) =>
    answers.set(`/${name}`, {
      body: `<title>${name}</title>${texts.map(text => `<h2>${text}</h2><p>Texto de ${text}.</p>`).join('')}`,
    });
  return {
    origin,
    answered,
    page,
    answer: (name: string, answer: Answer) => answers.set(`/${name}`, answer),
    /** Lists these pages, each of one passage of its name. */
    publish(names: readonly string[]): void {
      answers.clear();
      answered.length = 0;
      const entries = names.map(name => `<url><loc>${origin}/${name}</loc></url>`).join('');
      answers.set('/sitemap.xml', { body: `<?xml version="1.0"?><urlset>${entries}</urlset>` });
      for (const name of names) page(name, name);
    },
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
    },
  };
}
