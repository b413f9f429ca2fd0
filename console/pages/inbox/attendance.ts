import { signal } from '@preact/signals';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { chooseOne } from '../../components/dialogs.tsx';
import { call } from '../../service.ts';

/* The teams of the host, and its lists of labels and reasons, are read each time the inbox opens. */

interface Attendance extends Pick<DataOf<'readAttendance'>, 'labels' | 'close_reasons'> {
  readonly teams: DataOf<'listTeams'>;
}

export const attendance = signal<Attendance>({ teams: [], labels: [], close_reasons: [] });

export async function readAttendance(hostId: string): Promise<void> {
  const [teams, lists] = await Promise.all([
    call('listTeams', { hostId }),
    call('readAttendance', { hostId }),
  ]);
  attendance.value = { teams, ...lists };
}

/** A team that is deleted has no name here. */
export const nameTeam = (id: string | null): string =>
  attendance.value.teams.find(({ teamId }) => teamId === id)?.name ?? '';

/** Ids of the teams of which the person is a member. */
export const listOwnTeams = (personId: string | null | undefined): string[] =>
  attendance.value.teams.flatMap(({ teamId, personIds }) =>
    personId && personIds.includes(personId) ? [teamId] : [],
  );

/** Asks why it is closed, where the host has reasons; undefined if the person did not choose, empty where there are none. */
export async function askReason(title: string): Promise<string | undefined> {
  const { close_reasons: reasons } = attendance.peek();
  if (reasons.length === 0) return '';
  const chosen = await chooseOne({
    title,
    text: 'Os relatórios contam as conversas por motivo.',
    label: 'Motivo',
    groups: [['Motivos', reasons.map(each => [each, each] as const)]],
    empty: '',
    action: 'Encerrar',
  });
  return chosen?.choice;
}
