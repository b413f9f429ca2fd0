import { expect } from 'chai';
import { openOnce } from '../support/opened.ts';
import { runCommand, settingsOf } from '../support/run-command.ts';
import { openService } from '../support/service.ts';
import { makeFolder } from '../support/temp-folder.ts';

describe('the command agent', () => {
  const service = openService();
  const folder = openOnce(makeFolder);

  const run = (...args: string[]) => runCommand('agent', args, settingsOf(service, folder.path));
  const set = async (content: object, host = service.acme.slug) =>
    run('set', '--host', host, '--file', await folder.write('agents.json', content));

  it('sets what a file holds, lists it, and says in one line what is wrong', async () => {
    const schema = { type: 'object', properties: { mes: { type: 'integer' } } };
    const agents = [{ agentName: 'pagar', schemaName: 'conta', frontName: 'Pagar' }];
    const told = await set({ schemas: [{ schemaName: 'conta', schema }], agents });
    expect(told.out, told.err).to.match(/^id\t.*\tagentName\t.*\n.*\tpagar\t.*\n$/);
    expect((await run('list', '--host', service.acme.slug)).out).to.equal(told.out);
    expect((await set({ agents: [{ agentName: 'x', schemaName: 'none' }] })).err).to.match(
      /^body-invalid: .*\n {2}agents\[0\]\.schemaName is the name of no schema\n$/,
    );
    expect((await set({}, 'nobody')).err).to.equal('There is no host "nobody".\n');
    const none = await run('set', '--host', service.acme.slug, '--file', folder.pathOf('none.json'));
    expect([none.code, none.err.trimEnd().split('\n').length]).to.deep.equal([1, 1]);
  });
});
