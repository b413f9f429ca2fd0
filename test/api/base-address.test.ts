import { expect } from 'chai';
import { baseAddressOf } from '../../api/base-address.ts';
import type { Ctx } from '../../api/context.ts';

describe('the address in links', () => {
  const reachedBy = (host: string) => ({ host, secure: false, get: () => '' }) as unknown as Ctx;
  const names = [
    'evil.example',
    'x@evil.example',
    'localhost@evil.example',
    'localhost:3000@evil.example',
    '',
  ];

  it('is the setting, whatever name a request has for the service', () => {
    for (const host of [...names, 'localhost:3000'])
      expect(baseAddressOf(reachedBy(host), 'https://parley.example/')).to.equal('https://parley.example');
  });

  it('is without a setting only that of the same machine', () => {
    for (const host of names) expect(baseAddressOf(reachedBy(host), undefined), host).to.equal(undefined);
    for (const host of ['localhost:3000', '127.0.0.1:80', '[::1]:3000', 'localhost'])
      expect(baseAddressOf(reachedBy(host), undefined)).to.equal(`http://${host}`);
  });
});
