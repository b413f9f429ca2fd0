import { expect } from 'chai';
import { makeSignatureCheck } from '../../api/signed-intake/signature-check.ts';
import type { SigningSource } from '../../db/intake/crm-sources.ts';
import { secretLabelOf } from '../../db/intake/crm-sources.ts';
import { makeSeal } from '../../platform/seal.ts';
import { STANDARD_SECRET, standardHeaders } from '../support/signed.ts';

const seal = makeSeal('the secret key of this test, made up', 'source secret');
const NOW = Date.now();

describe('the check of a signature', () => {
  const host = { host_id: 'h', host_slug: 'h', host_name: 'h', share: 1, disabled: false, time_zone: 'UTC' };
  const makeSource = async (): Promise<SigningSource> => {
    const settings = {
      id: 's',
      name: 's',
      kind: 'deals',
      scheme: 'standard',
      settings: {},
      ack: 'late',
    } as const;
    const sealedSecret = await seal.seal(STANDARD_SECRET, secretLabelOf('s'));
    return { ...settings, host, sealedSecret, sealedEarlierSecret: null };
  };
  const requestOf = (body: string, headers: Record<string, string>) => ({
    method: 'POST',
    url: '/',
    body: Buffer.from(body),
    header: (name: string) => headers[name] ?? '',
  });

  it('takes as long for an unknown address, and without headers, as for a wrong signature', async () => {
    const { check } = await makeSignatureCheck(seal);
    const source = await makeSource();
    const body = 'x'.repeat(1_000_000);
    const forged = { ...standardHeaders(body), 'webhook-signature': `v1,${'A'.repeat(43)}=` };
    const old = standardHeaders(body, { at: new Date(0) });
    const cases = [
      () => check(source, requestOf(body, forged), NOW),
      () => check(undefined, requestOf(body, forged), NOW),
      () => check(source, requestOf(body, {}), NOW),
      () => check(source, requestOf(body, old), NOW),
    ];
    const took = cases.map((): number[] => []);
    for (let round = 0; round < 30; round += 1)
      for (const [at, ask] of cases.entries()) {
        const startedAt = performance.now();
        expect(await ask()).to.have.property('refused');
        took[at]?.push(performance.now() - startedAt);
      }
    const quickest = took.map(each => Math.min(...each));
    // Where one of them skips the digest, the ratio is over ten.
    expect(Math.max(...quickest) / Math.min(...quickest), quickest.join(' ')).to.be.below(2);
  });

  it('names a message by what was signed, so that it stays the same under another secret', async () => {
    const { check } = await makeSignatureCheck(seal);
    const source = await makeSource();
    const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    const rotated = {
      ...source,
      sealedSecret: await seal.seal(other, secretLabelOf('s')),
      sealedEarlierSecret: source.sealedSecret,
    };
    const at = new Date(NOW);
    const messageOf = async (from: SigningSource, secret: string, id = 'one') => {
      const result = await check(from, requestOf('{}', standardHeaders('{}', { secret, id, at })), NOW);
      return 'message' in result ? result.message : undefined;
    };
    const first = await messageOf(source, STANDARD_SECRET);
    expect(first).to.be.a('string');
    expect(await messageOf(rotated, STANDARD_SECRET)).to.equal(first);
    expect(await messageOf(rotated, other)).to.equal(first);
    expect(await messageOf(rotated, other, 'two')).to.not.equal(first);
    expect(await messageOf(source, other)).to.equal(undefined);
  });
});
