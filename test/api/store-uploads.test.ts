import { expect } from 'chai';
import { isAddress } from '../../api/documents/store-uploads.ts';

describe('the address of a document', () => {
  it('is one of http or https, without a user and without a password', () => {
    for (const url of ['http://a.br/x.pdf', 'https://a.br:8443/?q=a@b'])
      expect(isAddress(url), url).to.equal(true);
    for (const url of ['ftp://a.br/x', 'a.br/x', 'https://ana@a.br/', 'https://:segredo@a.br/', ''])
      expect(isAddress(url), url).to.equal(false);
  });
});
