import { failure } from '../queues/contract/failure.ts';
import type { Step } from './context.ts';
import { Refused } from './envelope.ts';
import { makeGuess } from './guess-limit.ts';

/** Lets operators through: HTTP Basic with any user and the installation's one password. */
export function opsGuard(password: string): Step {
  const guess = makeGuess();
  return async (ctx, next) => {
    const [, encoded] = /^Basic +(\S+)$/i.exec(ctx.get('authorization')) ?? [];
    const given = Buffer.from(encoded ?? '', 'base64').toString();
    // A browser asks without a password first: that is no guess.
    const isRight =
      encoded !== undefined && (await guess(ctx, given.slice(given.indexOf(':') + 1), password));
    if (!isRight) {
      ctx.set('WWW-Authenticate', 'Basic realm="Parley operations", charset="UTF-8"');
      throw new Refused(failure('unauthorized'));
    }
    return next();
  };
}
