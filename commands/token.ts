import { runOldCommand } from './old-command.ts';
import { runTokenLink } from './token-link.ts';

await runOldCommand('token', {
  create: {
    operation: 'issueToken',
    names: { scope: 'scopes' },
    lists: ['scope'],
    print: ({ token }: { readonly token: string }) => token,
  },
  list: { operation: 'listTokens' },
  revoke: { operation: 'revokeToken', names: { '': 'tokenId' } },
  link: runTokenLink,
});
