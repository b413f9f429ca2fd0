import { expect } from 'chai';
import { chooseSecret } from '../../commands/mapping-sources.ts';
import { settingsOf } from '../../commands/source-options.ts';
import type { SignatureScheme, SigningSettings } from '../../db/intake/crm-sources.ts';
import { openOnce } from '../support/opened.ts';
import { makeFolder } from '../support/temp-folder.ts';

describe('the settings of a source', () => {
  const settings = (scheme: SignatureScheme, given: SigningSettings, stored: SigningSettings = {}) =>
    settingsOf(scheme, stored, { host: 'demo', name: 'shop', ...given });

  it('are those that its scheme leaves open, and signing a time means checking it', () => {
    expect(settings('standard', {})).to.deep.equal({});
    const baseUrl = 'https://crm.example.com';
    expect(settings('hubspot', { baseUrl })).to.deep.equal({ baseUrl });
    const header = 'x-signature';
    expect(settings('hmac', { header })).to.deep.equal({ header, signed: '{body}' });
    const timed = { header, timestampHeader: 'x-time' };
    expect(settings('hmac', timed)).to.deep.equal({ ...timed, signed: '{timestamp}.{body}' });
    expect(settings('hmac', { prefix: 'v0=' }, settings('hmac', timed))).to.include({
      ...timed,
      prefix: 'v0=',
    });
  });

  it('are refused where they do not fit together', () => {
    const header = 'x-signature';
    const wrong: readonly (readonly [SignatureScheme, SigningSettings])[] = [
      ['hubspot', {}],
      ['hubspot', { baseUrl: 'https://crm.example.com', header }],
      ['standard', { encoding: 'hex' }],
      ['hmac', {}],
      ['hmac', { header, signed: 'body' }],
      ['hmac', { header, signed: '{body}{body}' }],
      ['hmac', { header, signed: '{timestamp}.{body}' }],
      ['hmac', { header, timestampHeader: 'x-time', signed: '{body}' }],
    ];
    for (const [scheme, given] of wrong)
      expect(() => settings(scheme, given), `${scheme} ${JSON.stringify(given)}`).to.throw(Error);
  });
});

describe('the secret of a source', () => {
  const folder = openOnce(makeFolder);

  const choose = async (scheme: SignatureScheme, text?: string) => {
    if (text === undefined) return chooseSecret(scheme, undefined);
    return chooseSecret(scheme, await folder.write('secret', text));
  };
  const isRefused = (scheme: SignatureScheme, text?: string) =>
    choose(scheme, text).then(
      () => false,
      () => true,
    );

  it('is a new one, or that of the file in the form of its scheme', async () => {
    const made = await choose('standard');
    expect(made.text).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made.isNew).to.equal(true);
    expect((await choose('hmac')).text).to.match(/^[0-9a-f]{64}$/);
    const own = 'the client secret of the app';
    expect(await choose('hubspot', ` ${own}\n`)).to.deep.equal({ text: own, isNew: false });
    expect(await choose('standard', made.text)).to.deep.equal({ text: made.text, isNew: false });
  });

  it('is refused where it is too short, has another form, or cannot be made here', async () => {
    expect(await isRefused('hubspot')).to.equal(true);
    expect(await isRefused('hmac', 'too short')).to.equal(true);
    for (const text of ['whsec_dG9vIHNob3J0', `${'A'.repeat(43)}=`, `whsec_${'*'.repeat(43)}=`])
      expect(await isRefused('standard', text), text).to.equal(true);
    expect(await chooseSecret('hmac', folder.pathOf('none')).catch(({ message }) => message)).to.include(
      'cannot be read',
    );
  });
});
