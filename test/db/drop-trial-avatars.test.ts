import { expect } from 'chai';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { insertFlow } from '../../db/assistants/flows.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { dropTrialAvatars } from '../../db/migrations/0056-drop-trial-avatars.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('the avatars that the console kept for rehearsals', () => {
  const { db } = openOnce(() => makeDatabase('seeded'));

  it('are dropped with their flows, and no other is: of another host, with a word, or with what only people give', async () => {
    const [host] = await db('hosts').where({ slug: 'demo' });
    const other = await createHost(db, { slug: 'other', name: 'Other' });
    const [first] = await db('avatars').where({ host_id: host.id });
    const add = (subSlug: string, hostId = host.id) =>
      withHost(
        db,
        hostId,
        async scope =>
          (await insertAvatar(scope, { sub_slug: subSlug, avatar_name: 'Lia' }))?.avatar_id ?? '',
      );
    const kept = [await add('ensaio-do-coral'), await add(`ensaio-${first.id}`, other?.id)];
    const judged = await add('vestibular');
    kept.push(judged, await add(`ensaio-${judged}`));
    await db('evaluation_cases').insert({ host_id: host.id, avatar_id: kept.at(-1), cases: '[{}]' });
    const dropped = await add(`ensaio-${first.id}`);
    const steps = [{ type: 'end', content: '', description: '' }];
    await withHost(db, host.id, scope =>
      insertFlow(scope, { avatarId: dropped, decisionName: 'Cópia', chainJson: steps, savedBy: null }),
    );
    const before: string[] = await db('avatars').pluck('id');
    await db.raw(dropTrialAvatars);
    expect(await db('avatars').pluck('id')).to.have.members(before.filter(id => id !== dropped));
    expect(await db('flows').where({ avatar_id: dropped })).to.deep.equal([]);
    expect(before).to.include.members([...kept, dropped]);
  });
});
