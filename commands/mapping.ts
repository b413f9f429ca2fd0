import { runOldCommand } from './old-command.ts';

const show = (items: readonly unknown[]) => items.map(each => JSON.stringify(each, null, 2)).join('\n');
const secret = { reads: { 'secret-file': 'text' }, names: { 'secret-file': 'secret' } } as const;

await runOldCommand('mapping', {
  set: { operation: 'saveMapping', reads: { file: 'body' } },
  show: { operation: 'listMappings', print: show },
  check: { operation: 'tryMapping', reads: { file: 'body', record: 'json' }, print: show },
  'set-source': { operation: 'saveSource', ...secret },
  'show-source': { operation: 'listSources', print: show },
  'rotate-source': { operation: 'saveSource', ...secret, adds: { rotateSecret: [] } },
  'delete-source': { operation: 'saveSource', adds: { deleted: [] } },
  'list-sources': { operation: 'listSources' },
});
