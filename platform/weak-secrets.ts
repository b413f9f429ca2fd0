import { WRONG_SETTING_CODE } from './field-error.ts';

interface Secrets {
  readonly appEnv: string;
  readonly secretKey: string | undefined;
  readonly opsPassword: string | undefined;
}

const MIN_DISTINCT_LETTERS = { SECRET_KEY: 10, OPS_PASSWORD: 5 };
/** Words from examples and lists of common passwords. */
const commonplace =
  /change.?(me|it)|example|exemplo|placeholder|p[a4]ssw[o0]rd|senha|admin|qwerty|letmein|0123456789|12345678/i;

/** Returns a line for each weak secret. Checked in production only. */
export function findWeakSecrets({ appEnv, secretKey, opsPassword }: Secrets): string[] {
  if (appEnv !== 'production') return [];
  const secrets = { SECRET_KEY: secretKey, OPS_PASSWORD: opsPassword };
  return Object.entries(secrets).flatMap(([name, secret]) =>
    secret !== undefined && isWeak(secret, MIN_DISTINCT_LETTERS[name as keyof typeof secrets])
      ? [`setting "${name}" is too weak: generate another, for example with openssl rand -hex 24`]
      : [],
  );
}

function isWeak(secret: string, minDistinctLetters: number): boolean {
  return commonplace.test(secret) || new Set(secret).size < minDistinctLetters;
}

/** Ends the process with a line for each weak secret, if there is one. */
export function exitOnWeakSecrets(secrets: Secrets): void {
  const lines = findWeakSecrets(secrets);
  if (lines.length === 0) return;
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(WRONG_SETTING_CODE);
}
