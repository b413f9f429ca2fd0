import { operation } from '../operation.ts';
import { dateTime, integer, list, object, optional, text, uuid } from '../shape.ts';
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
  status: 200,
  refusals: [],
  scope: 'reason',
  hosts: 'one',
});
