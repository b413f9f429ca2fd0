import { signal } from '@preact/signals';
import type { TokenScope } from '../../queues/contract/operation.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { confirmAction } from '../components/dialogs.tsx';
import { showToast } from '../components/toast.tsx';
import {
  callHelper,
  endSession,
  getSession,
  isSessionOver,
  isSignedIn,
  mayUseAccount,
  readSignedIn,
  type SessionHost,
  type SignedIn,
  setSession,
} from '../service.ts';
import { waiting } from './waiting.ts';

type Listed = DataOf<'listAvatars'>['avatarsAdminList'];
export type Avatar = Listed['avatars'][number];
export type HostOfSession = Listed['host'];

export interface SessionContext {
  /** Absent if the session may not list avatars. */
  readonly host?: HostOfSession;
  readonly avatars: Avatar[];
  readonly scopes: readonly TokenScope[];
  /** Whether it belongs to operators, who decide over the hosts. */
  readonly isOperator: boolean;
}

/** Undefined while nobody is signed in. */
export const context = signal<SessionContext | undefined>(undefined);
/** The person signed in, who still has to choose one of several hosts. */
export const choosing = signal<SignedIn | undefined>(undefined);

/** The name of a token whose link was made without one. */
export const UNNAMED = 'console';

/** Opens the session in the host that this tab showed, or in the only one; otherwise asks the person for one. */
export async function enter(signedIn: SignedIn, linkName?: string): Promise<void> {
  const before = getSession();
  const { hosts } = signedIn;
  const shown = hosts.find(({ host_id }) => before?.id === signedIn.id && host_id === before.host.host_id);
  const host = shown ?? (hosts.length === 1 ? hosts[0] : undefined);
  if (host) await enterHost(signedIn, host, linkName);
  else choosing.value = signedIn;
}

export async function enterHost(signedIn: SignedIn, host: SessionHost, linkName?: string): Promise<void> {
  const { id, role } = signedIn;
  const before = getSession();
  const isKnown = before?.id === id || isSessionOver.value;
  const given = linkName === UNNAMED ? undefined : linkName;
  const name = role ? signedIn.name : (given ?? (isKnown ? before?.name : undefined));
  setSession({ id, host, ...(name ? { name } : {}), ...(role ? { role } : {}) });
  openSession(await readContextOf(signedIn));
}

/** Reads the rights of the session, and its avatars. */
async function readSessionContext(): Promise<SessionContext> {
  return readContextOf(await readSignedIn());
}

async function readContextOf({ scopes, operator }: SignedIn): Promise<SessionContext> {
  const rights = { scopes, isOperator: operator === true };
  if (!scopes.includes('reason')) return { avatars: [], ...rights };
  const { avatarsAdminList } = await callHelper('avatarsListHelper', {
    host_slug: getSession()?.host.host_slug,
  });
  const { host, avatars } = avatarsAdminList;
  return { host, avatars, ...rights };
}

function openSession(next: SessionContext): void {
  choosing.value = undefined;
  isSessionOver.value = false;
  isSignedIn.value = true;
  context.value = next;
}

/** Shows the sign-in in this tab; drafts stay for the same person. */
export function leave(): void {
  choosing.value = undefined;
  isSessionOver.value = false;
  isSignedIn.value = false;
  context.value = undefined;
  waiting.value = 0;
}

/**
 * Signs out all tabs of this browser, if the person knows how to come back. Without a connection the session cannot be ended, so
 * it stays.
 */
export async function signOut(): Promise<void> {
  const agreed = await confirmAction({
    title: 'Sair do painel?',
    text: sayWayBack(await mayUseAccount().catch(() => false)),
    action: 'Sair',
  });
  if (!agreed) return;
  try {
    await endSession();
  } catch {
    return showToast('Sem conexão: não foi possível sair.', 'bad');
  }
  leave();
  setSession(undefined);
}

function sayWayBack(mayUseAccount: boolean): string {
  const role = getSession()?.role;
  if (role !== undefined && mayUseAccount)
    return 'Para voltar, entre com a conta da instituição, ou por um link novo de quem administra a equipe.';
  const way =
    role === undefined
      ? 'Para voltar, você precisa do token de acesso ou de um link novo.'
      : `Para voltar, você precisa de um link novo, que ${role === 'admin' ? 'outra pessoa que administra' : 'quem administra'} cria em “Equipe”.`;
  const alone = role === 'admin' ? ' Se você administra sozinho, peça a quem instalou o Parley.' : '';
  return `${way}${alone} Sem sair, você continua conectado enquanto usar o painel.`;
}

let readings = 0;

/** Reads the context again after a change of the assistants. The latest call wins, however long the others take. */
export async function readAvatarsAgain(): Promise<void> {
  const reading = (readings += 1);
  const next = await readSessionContext().catch(() => undefined);
  if (next && context.value && reading === readings) context.value = next;
}
