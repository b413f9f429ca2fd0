import { failure } from '../queues/failure.ts';
import type { Step } from './context.ts';
import { Refused } from './envelope.ts';
import { isSameSecret } from './same-secret.ts';

/** Lets operators through: HTTP Basic with any user and the installation's one password. */
export function opsGuard(password: string): Step {
  return (ctx, next) => {
    const [, encoded = ''] = /^Basic +(\S+)$/i.exec(ctx.get('authorization')) ?? [];
    const given = Buffer.from(encoded, 'base64').toString();
    if (!isSameSecret(given.slice(given.indexOf(':') + 1), password)) {
      ctx.set('WWW-Authenticate', 'Basic realm="Parley operations", charset="UTF-8"');
      throw new Refused(failure('unauthorized'));
    }
    return next();
  };
}
