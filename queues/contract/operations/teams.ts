import { operation } from '../operation.ts';
import {
  field,
  flag,
  idAlsoNamed,
  list,
  object,
  optional,
  optionalFields,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { HOST_ID, PERSON_ID, TEAM_ID } from './example-ids.ts';
import { createdAt, hostFields, hostOfObject } from './fields.ts';
import { attendanceSettings, exampleAttendance } from './host-shape.ts';
import { SVC } from './paths.ts';

const ofTeams = { tag: 'teams' } as const;

const MAX_MEMBERS = 1_000;

const name = field('Name of the team, unique in the host in whatever case.', text({ max: 60 }));
const description = field(
  'What the team is for: by it the model chooses where it hands a conversation over. Empty: by the name alone.',
  text({ min: 0, max: 300 }),
);
const personIds = field(
  'Ids of its members, as returned by peopleListHelper.',
  list(uuid(), { max: MAX_MEMBERS }),
);

const team = object({
  teamId: field('Id of the team, by which a conversation is passed to it.', uuid()),
  hostId: hostOfObject,
  name,
  description,
  personIds,
  createdAt,
  deleted: field('True when this request deleted it; absent otherwise.', optional(flag())),
});

const exampleTeam = {
  teamId: TEAM_ID,
  hostId: HOST_ID,
  name: 'Financeiro',
  description: 'Boletos, mensalidades e bolsas.',
  personIds: [PERSON_ID],
  createdAt: '2026-03-01T12:00:00.000Z',
};

export const listTeams = operation({
  ...ofTeams,
  scope: 'reason',
  effect: 'reads',
  summary: 'List the teams of a host',
  description: 'Sorted by name.',
  path: `${SVC}/teamsListHelper`,
  body: object(hostFields),
  data: responseList(team),
  example: { body: { hostId: HOST_ID }, data: [exampleTeam] },
});

export const saveTeam = operation({
  ...ofTeams,
  scope: 'manage',
  effect: 'changes',
  summary: 'Create, change or delete a team',
  description:
    'With `teamId` it is changed: omitted fields stay unchanged. A handover may name a team: a step of a flow, the model, or a staff member. ' +
    'What waits for a deleted team waits for everybody; closed conversations and figures keep it. At most 50 a host.',
  path: `${SVC}/saveTeamHelper`,
  body: object({
    teamId: field(
      'Id of the team to change. When absent: a new one is created.',
      optional(idAlsoNamed('id')),
    ),
    ...hostFields,
    name: field('Name, unique in the host; required for a new one.', optional(name)),
    description: field('What the team is for. When absent: empty for a new one.', optional(description)),
    personIds: field('Ids of its members. When absent: none for a new one.', optional(personIds)),
    deleted: field('True deletes it. When absent: false.', optional(flag())),
  }),
  data: team,
  example: {
    body: {
      teamId: TEAM_ID,
      hostId: HOST_ID,
      name: exampleTeam.name,
      description: exampleTeam.description,
      personIds: exampleTeam.personIds,
      deleted: false,
    },
    data: exampleTeam,
  },
  refusals: ['team-not-found', 'person-not-found', 'host-full'],
});

export const readAttendance = operation({
  ...ofTeams,
  scope: 'reason',
  effect: 'reads',
  summary: 'Read how the staff of a host attend',
  description:
    'The labels and reasons that staff choose from, and when a conversation goes back to its team.',
  path: `${SVC}/readAttendanceHelper`,
  body: object(hostFields),
  data: object(attendanceSettings),
  example: { body: { hostId: HOST_ID }, data: exampleAttendance },
});

export const saveAttendance = operation({
  ...ofTeams,
  scope: 'manage',
  effect: 'changes',
  summary: 'Change how the staff of a host attend',
  description:
    'Updates only the given fields. They are settings of the host, which saveHostHelper changes for operators.',
  path: `${SVC}/saveAttendanceHelper`,
  body: object({ ...hostFields, ...optionalFields(attendanceSettings) }),
  data: object(attendanceSettings),
  example: {
    body: { hostId: HOST_ID, ...exampleAttendance, reassign_after_minutes: 60 },
    data: { ...exampleAttendance, reassign_after_minutes: 60 },
  },
});
