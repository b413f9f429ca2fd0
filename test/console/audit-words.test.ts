import { expect } from 'chai';
import { describeEntry } from '../../console/pages/settings/audit-words.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('the audit in words', () => {
  const database = openOnce(makeDatabase);

  it('has one for every table whose changes are noted', async () => {
    const audited = await rowsOf<{ table: string }>(database.db)`
      select distinct tgrelid::regclass::text as "table" from pg_trigger
      where tgfoid = 'note_change'::regproc and not tgisinternal order by 1`;
    expect(audited.length).to.be.greaterThan(10);
    const entry = { actorName: 'Bia', before: null, after: {} };
    const unnamed = audited.filter(({ table }) =>
      describeEntry({ ...entry, table } as never).includes(table),
    );
    expect(unnamed).to.deep.equal([]);
  });

  it('says of a call that it is one, and not that the tool was changed', () => {
    const last_try = { function: 'pagar' };
    const called = { actorName: 'WhatsApp', table: 'rest_tools', rowName: 'ERP', after: { last_try } };
    for (const before of [{ last_try: null }, { last_try }])
      expect(describeEntry({ ...called, before } as never)).to.equal(
        'WhatsApp chamou a ferramenta REST “ERP”',
      );
  });
});
