import { createHash, timingSafeEqual } from 'node:crypto';
import { failure } from '../queues/failure.ts';
import type { Step } from './context.ts';
import { Refused } from './envelope.ts';

/** Lets operators through: HTTP Basic with any user and the installation's one password. */
export function opsGuard(password: string): Step {
  return (ctx, next) => {
    const [, encoded = ''] = /^Basic +(\S+)$/i.exec(ctx.get('authorization')) ?? [];
    const given = Buffer.from(encoded, 'base64').toString();
    if (!isEqual(given.slice(given.indexOf(':') + 1), password)) {
      ctx.set('WWW-Authenticate', 'Basic realm="Parley operations", charset="UTF-8"');
      throw new Refused(failure('unauthorized'));
    }
    return next();
  };
}

/** In a time that tells nothing of how much was right. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
