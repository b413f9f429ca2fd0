import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { openService } from '../support/service.ts';

describe('what is answered to one', () => {
  const service = openService();

  it('is stored by nobody at any other address, but files of the pages', async () => {
    const get = async (path: string) =>
      (await service.call(path, undefined, { token: undefined })).headers.get('cache-control');
    for (const path of [
      '/nowhere',
      '/jobs/none',
      '/health/ready',
      '/openapi.json',
      '/metrics',
      '/api/tests/run',
    ])
      expect(await get(path), path).to.equal('no-store');
    expect(await get('/docs/swagger-ui.css')).to.equal('public, max-age=3600');
    expect(await get('/console')).to.equal('no-cache');
  });

  it('is stored by nobody where it is not even a request', async () => {
    const { hostname, port } = new URL(service.baseURL);
    const socket = connect(Number(port), hostname);
    socket.end('nonsense\r\n\r\n');
    const chunks: Buffer[] = [];
    socket.on('data', chunk => chunks.push(chunk));
    await once(socket, 'close');
    expect(String(Buffer.concat(chunks)))
      .to.include('400')
      .and.to.include('Cache-Control: no-store');
  });
});
