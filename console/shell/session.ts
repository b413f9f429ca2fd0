import { signal } from '@preact/signals';
import type { TokenScope } from '../../queues/contract/operation.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { callHelper, getSession, isSessionOver, isSignedIn, readScopes, setSession } from '../service.ts';
import { waiting } from './waiting.ts';

type Listed = DataOf<'listAvatars'>['avatarsAdminList'];
export type Avatar = Listed['avatars'][number];
export type HostOfSession = Listed['host'];

/** What the session may do, and where. */
export interface SessionContext {
  /** Absent if the token may not list avatars. */
  readonly host?: HostOfSession;
  readonly avatars: Avatar[];
  readonly scopes: readonly TokenScope[];
}

/** Undefined while nobody is signed in. */
export const context = signal<SessionContext | undefined>(undefined);

/** Reads what the session may do, its host and its avatars, which also validates the token. */
export async function readSessionContext(): Promise<SessionContext> {
  const scopes = await readScopes();
  if (!scopes.includes('reason')) return { avatars: [], scopes };
  const { avatarsAdminList } = await callHelper('avatarsListHelper', { host_slug: getSession()?.slug });
  const { host, avatars } = avatarsAdminList;
  return { host, avatars, scopes };
}

export function openSession(next: SessionContext): void {
  isSessionOver.value = false;
  isSignedIn.value = true;
  context.value = next;
}

export function signOut(): void {
  isSessionOver.value = false;
  isSignedIn.value = false;
  context.value = undefined;
  waiting.value = 0;
  setSession(undefined);
}

/** After a change of the assistants. */
export async function readAvatarsAgain(): Promise<void> {
  const next = await readSessionContext().catch(() => undefined);
  if (next && context.value) context.value = next;
}
