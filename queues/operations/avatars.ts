import { operation } from '../operation.ts';
import { dateTime, integer, list, object, optional, text, uuid } from '../shape.ts';
import { AVATAR_ID, DATASET_ID, HOST_ID } from './example-ids.ts';
import { SVC } from './paths.ts';

const host = object({
  host_id: uuid(),
  host_slug: text(),
  host_name: text(),
  host_config: object({ max_chunks: integer(), chunk_size_limit: integer() }),
});

const avatar = object({
  hostPicture: text({ min: 0, max: 2_000 }),
  avatarPicture: text({ min: 0, max: 2_000 }),
  avatar_id: uuid(),
  sub_slug: text(),
  datasets: list(object({ dataset_name: text(), dataset_id: uuid(), expires: dateTime() })),
});

export const listAvatars = operation({
  summary: 'The avatars of a host, with the datasets that each reads',
  description: 'Also where a client learns the ids of its host and avatars.',
  queue: 'catalog',
  method: 'POST',
  path: `${SVC}/avatarsListHelper`,
  body: object({ host_slug: text(), choosenHostId: optional(uuid()) }),
  data: object({ avatarsAdminList: object({ host, avatars: list(avatar) }) }),
  example: {
    body: { host_slug: 'demo' },
    data: {
      avatarsAdminList: {
        host: {
          host_id: HOST_ID,
          host_slug: 'demo',
          host_name: 'Universidade Horizonte',
          host_config: { max_chunks: 10, chunk_size_limit: 8_000 },
        },
        avatars: [
          {
            hostPicture: '',
            avatarPicture: '',
            avatar_id: AVATAR_ID,
            sub_slug: 'principal',
            datasets: [
              { dataset_name: 'Guia do aluno', dataset_id: DATASET_ID, expires: '2100-01-01T00:00:00.000Z' },
            ],
          },
        ],
      },
    },
  },
  status: 200,
  refusals: [],
  scope: 'reason',
  hosts: 'one',
});
