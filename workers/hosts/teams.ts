import { randomUUID } from 'node:crypto';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import { changeHost, findHost, type Host } from '../../db/hosts/hosts.ts';
import { hasPeople } from '../../db/hosts/people.ts';
import { deleteTeam, findTeamForUpdate, listTeams as listAll, upsertTeam } from '../../db/hosts/teams.ts';
import { fieldError, missingErrorsOf } from '../../platform/field-error.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { Handler } from '../runtime/job.ts';

export const listTeams: Handler<'listTeams'> = ({ read }) =>
  read(async scope => ({ code: 200, data: await listAll(scope) }));

export const saveTeam: Handler<'saveTeam'> = ({ body, commit }) =>
  commit(async scope => {
    const earlier = body.teamId === undefined ? undefined : await findTeamForUpdate(scope, body.teamId);
    if (body.teamId !== undefined && !earlier) return failure('team-not-found');
    if (body.deleted && earlier) {
      await deleteTeam(scope, earlier.teamId);
      return { code: 200, data: { ...earlier, deleted: true } };
    }
    const { name = earlier?.name, description = earlier?.description ?? '' } = body;
    if (name === undefined) return failure('body-invalid', { fields: missingErrorsOf({ name }) });
    const given = body.personIds?.map(id => id.toLowerCase());
    if (given && !(await hasPeople(scope, given))) return failure('person-not-found');
    const personIds = [...new Set(given ?? earlier?.personIds)];
    const team = await upsertTeam(scope, earlier?.teamId ?? randomUUID(), { name, description, personIds });
    if (!team) return failure('body-invalid', { fields: [fieldError('name', 'taken')] });
    if (!earlier && !(await isWithinLimits(scope, 'teams'))) return failure('host-full');
    return { code: 200, data: team };
  });

export const readAttendance: Handler<'readAttendance'> = ({ read }) =>
  read(async scope => {
    const host = await findHost(scope);
    if (!host) throw new Error('The host of a job is gone.');
    return { code: 200, data: attendanceOf(host) };
  });

export const saveAttendance: Handler<'saveAttendance'> = ({ body, commit }) =>
  commit(async scope => {
    const { labels, close_reasons, reassign_after_minutes } = body;
    const host = await changeHost(scope, {
      ...(labels ? { labels: [...new Set(labels)] } : {}),
      ...(close_reasons ? { close_reasons: [...new Set(close_reasons)] } : {}),
      ...(reassign_after_minutes === undefined ? {} : { reassign_after_minutes }),
    });
    if (!host) throw new Error('A host could not change how its staff attend.');
    return { code: 200, data: attendanceOf(host) };
  });

function attendanceOf({ labels, close_reasons, reassign_after_minutes }: Host): DataOf<'readAttendance'> {
  return { labels, close_reasons, reassign_after_minutes };
}
