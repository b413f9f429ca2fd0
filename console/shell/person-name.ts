import { askText } from '../components/dialogs.tsx';
import type { Attendant } from '../pages/inbox/conversation.ts';
import { getSession, setSession } from '../service.ts';

/** The name of the person at this page; undefined if it was never given. */
export const readPersonName = (): string | undefined => getSession()?.name;

/** The person at this page: of the host, or whoever uses a token under the name given. */
export function readPerson(): Attendant | undefined {
  const { id = null, name, role } = getSession() ?? {};
  return name ? { personId: role ? id : null, name } : undefined;
}

/** Asks for the name if it is not known; undefined if the person does not say. */
export async function ensurePersonName(): Promise<string | undefined> {
  const known = readPersonName();
  if (known) return known;
  const name = await askText({
    title: 'Como você se chama?',
    text: 'O nome aparece para a sua equipe e nas mensagens que você envia.',
    label: 'Seu nome',
    action: 'Continuar',
  });
  const session = getSession();
  if (name && session) setSession({ ...session, name });
  return name;
}
