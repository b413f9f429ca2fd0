import { expect } from 'chai';
import { addSecret, makeWebhookSeal, openSecrets } from '../../workers/tools/webhook-secrets.ts';

const seal = makeWebhookSeal('the secret key of these tests');
const formerSeal = makeWebhookSeal('the secret key before it was changed');

describe('the secrets of a webhook', () => {
  const open = async (secrets: Awaited<ReturnType<typeof addSecret>>) =>
    openSecrets(seal, 'w', secrets, Date.now());

  it('sign one beside the other for a day after a rotation, the new one first', async () => {
    const now = Date.now();
    const secrets = await addSecret(seal, 'w', 'new', await addSecret(seal, 'w', 'old', []), now);
    expect(await openSecrets(seal, 'w', secrets, now)).to.deep.equal(['new', 'old']);
    expect(await openSecrets(seal, 'w', secrets, now + 25 * 3_600_000)).to.deep.equal(['new']);
  });

  it('sign without the one of a former SECRET_KEY once there is a new one', async () => {
    const former = await addSecret(formerSeal, 'w', 'lost', []);
    expect(await open(await addSecret(seal, 'w', 'new', former))).to.deep.equal(['new']);
  });

  it('sign nothing where the current one is of a former SECRET_KEY', async () => {
    const former = await addSecret(formerSeal, 'w', 'lost', await addSecret(seal, 'w', 'old', []));
    expect(await open(former).catch(() => 'refused')).to.equal('refused');
  });
});
