import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const ITERATIONS = 4_096;

/**
 * The SCRAM-SHA-256 verifier of a password: a plain password would appear in the log of a server that logs
 * statements.
 */
export function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const signLabel = (label: string) => createHmac('sha256', salted).update(label).digest();
  const stored = createHash('sha256').update(signLabel('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${signLabel('Server Key').toString('base64')}`;
}
