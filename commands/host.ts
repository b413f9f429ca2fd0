import { runOldCommand } from './old-command.ts';

await runOldCommand('host', {
  create: { operation: 'createHost', lists: ['model-fallbacks'] },
  set: { operation: 'saveHost', names: { slug: 'host' }, lists: ['model-fallbacks'] },
  contract: { operation: 'saveContract', names: { from: 'startsOn' } },
  list: { operation: 'listHosts', adds: { limit: ['100'] } },
});
