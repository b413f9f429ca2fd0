import { composeGreeting } from './greeting.ts';
import { printLine } from './print-line.ts';
import type { RunningParts } from './running-parts.ts';
import { OWN_MACHINE } from './start-parts.ts';

/** Secrets are printed on a terminal only, never into a log. */
export async function printGreeting(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  { database }: RunningParts,
  stop: AbortSignal,
): Promise<void> {
  const embedded = database && { databaseUrl: String(env.DATABASE_URL) };
  const input = {
    base: `http://${addressOf(env.HOST)}:${env.PORT}`,
    opsPassword: env.OPS_PASSWORD,
    model: env.OPENAI_MODEL ?? '',
    dataDir,
    embedded,
    showsSecrets: process.stdout.isTTY,
  };
  try {
    process.stdout.write(await composeGreeting(input, stop));
  } catch (error) {
    if (!stop.aborted)
      printLine(`ready at ${input.base}, but the demonstration cannot be read: ${String(error)}`);
  }
}

/** The address at which this machine reaches the service. */
function addressOf(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0') return OWN_MACHINE;
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
