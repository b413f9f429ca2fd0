import { randomInt, randomUUID } from 'node:crypto';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import {
  endPersonSessions,
  listColleagues as findColleagues,
  findPerson,
  isEmailTaken,
  LINK_HOURS,
  listPeople as listAll,
  lockPeople,
  type PersonSettings,
  setPersonLink,
  upsertPerson,
} from '../../db/hosts/people.ts';
import { makeToken } from '../../db/hosts/token-text.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { fieldError, missingErrorsOf } from '../../platform/field-error.ts';
import { type Failure, failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { type Handler, MASK, showOnce } from '../runtime/job.ts';

const MINUTE_MS = 60_000;

export const listPeople: Handler<'listPeople'> = ({ read }) =>
  read(async scope => ({ code: 200, data: await listAll(scope) }));

export const listColleagues: Handler<'listColleagues'> = ({ read }) =>
  read(async scope => ({ code: 200, data: await findColleagues(scope) }));

export const savePerson: Handler<'savePerson'> = ({ body, commit }) =>
  commit(async scope => {
    await lockPeople(scope);
    const earlier = body.id === undefined ? undefined : await findPerson(scope, body.id);
    if (body.id !== undefined && !earlier) return failure('person-not-found');
    const wanted = settingsOf(body, earlier);
    if (isFailure(wanted)) return wanted;
    const id = earlier?.personId ?? randomUUID();
    if (await isEmailTaken(scope, wanted.email, id)) return emailTaken;
    if (earlier && isAdmin(earlier) && !isAdmin(wanted) && !(await hasOtherAdmin(scope, id)))
      return failure('last-admin');
    const person = await upsertPerson(scope, { id, ...wanted });
    if (!earlier && !(await isWithinLimits(scope, 'people'))) return failure('host-full');
    return { code: 200, data: person };
  });

const emailTaken = failure('email-taken', {
  fields: [fieldError('email', 'taken', 'belongs to another person of the host')],
});

/** Returns the given fields over those that the person has. */
function settingsOf(
  body: BodyOf<'savePerson'>,
  earlier: PersonSettings | undefined,
): PersonSettings | Failure {
  const { name = earlier?.name, email = earlier?.email, role = earlier?.role } = body;
  if (name !== undefined && email !== undefined && role !== undefined)
    return { name, email, role, disabled: body.disabled ?? earlier?.disabled ?? false };
  return failure('body-invalid', { fields: missingErrorsOf({ name, email, role }) });
}

const isAdmin = ({ role, disabled }: PersonSettings) => role === 'admin' && !disabled;

async function hasOtherAdmin(scope: HostScope, id: string): Promise<boolean> {
  return (await listAll(scope)).some(person => person.personId !== id && isAdmin(person));
}

/** Each run has a millisecond of its own, at which the link ends: see `showOnce`. */
export const invitePerson: Handler<'invitePerson'> = async ({ body, commit, address }) => {
  const { text, hash } = makeToken('lnk');
  let own: Outcome<DataOf<'invitePerson'>> | undefined;
  const outcome = await commit(async scope => {
    await lockPeople(scope);
    const person = await findPerson(scope, body.personId);
    if (!person) return failure('person-not-found');
    if (person.disabled) return failure('person-disabled');
    const hours = LINK_HOURS + randomInt(MINUTE_MS) / (60 * MINUTE_MS);
    const expiresAt = await setPersonLink(scope, person.personId, { hash, hours });
    own = { code: 200, data: { link: MASK, expiresAt } };
    return own;
  });
  return showOnce(outcome, own, { link: `${address ?? ''}/console#entrar=${text}` });
};

export const endSessions: Handler<'endSessions'> = ({ body: { personId }, commit }) =>
  commit(async scope => {
    if (!(await findPerson(scope, personId))) return failure('person-not-found');
    await endPersonSessions(scope, personId);
    return { code: 200, data: { personId } };
  });
