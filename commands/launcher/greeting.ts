import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Demo, openDemo } from './demo-token.ts';
import { composeUsage, type UsageInput } from './demo-usage.ts';

const POLL_EVERY_MS = 100;

export interface GreetingInput extends UsageInput {
  readonly opsPassword: string | undefined;
  readonly model: string;
  /** Set for the embedded database, which has a demonstration host. */
  readonly embedded: { readonly databaseUrl: string } | undefined;
}

/** Waits until the service is ready; returns what a person needs to use it. */
export async function composeGreeting(input: GreetingInput, stop: AbortSignal): Promise<string> {
  const { base, dataDir, embedded, model } = input;
  while (!(await isReady(base, stop))) await delay(POLL_EVERY_MS, undefined, { signal: stop });
  const demo = embedded && (await openDemo(embedded.databaseUrl, dataDir));
  const addresses = [
    `  address      ${base}`,
    `  API page     ${base}/docs`,
    ...consoleOf(input, demo),
    ...boardOf(input),
    `  model        ${model}`,
    `  data         ${resolve(dataDir)}`,
  ];
  const use = demo
    ? await composeUsage(input, demo, stop)
    : ['A token: npm run token -- create --host <slug>'];
  return ['', 'Parley is ready. Ctrl-C stops it.', '', ...addresses, '', ...use, ''].join('\n');
}

function consoleOf({ base, showsSecrets }: GreetingInput, demo: Demo | undefined): string[] {
  const address = `${base}/console`;
  if (!demo) return [`  console      ${address}`];
  const { signIn } = demo;
  if (!signIn || !showsSecrets) return [`  console      ${address} (institution demo, with the demo token)`];
  return [
    `  console      ${address}${signIn.fragment}`,
    `               (signs in once, as ${signIn.name}; each start prints another)`,
  ];
}

function boardOf({ base, opsPassword, dataDir, showsSecrets, embedded }: GreetingInput): string[] {
  if (opsPassword === undefined) return [];
  const location = embedded
    ? `unless OPS_PASSWORD is set, in ${join(dataDir, 'ops-password')}`
    : 'OPS_PASSWORD';
  const password = showsSecrets ? opsPassword : location;
  return [`  queue board  ${base}/admin/queues (user ops, password ${password})`];
}

async function isReady(base: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(`${base}/health/ready`, { signal }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}
