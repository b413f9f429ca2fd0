import { runOldCommand } from './old-command.ts';

const print = ({ agents }: { readonly agents: readonly unknown[] }) => agents;

await runOldCommand('agent', {
  set: { operation: 'saveAgents', reads: { file: 'body' }, print },
  list: { operation: 'listAgents', print },
});
