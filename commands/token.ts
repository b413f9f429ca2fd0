import { runOldCommand } from './old-command.ts';
import { runTokenLink } from './token-link.ts';

const [word, ...args] = process.argv.slice(2);

if (word === 'link') await runTokenLink(args);
else
  await runOldCommand('token', {
    create: {
      operation: 'issueToken',
      names: { scope: 'scopes' },
      lists: ['scope'],
      print: ({ token }: { readonly token: string }) => token,
    },
    list: { operation: 'listTokens' },
    revoke: { operation: 'revokeToken', names: { '': 'tokenId' } },
  });
