/**
 * A deleted avatar keeps its row, for its conversations, flows and reports, and leaves its slug to others. Processes of before
 * create no avatar from here on: they name the constraint.
 */
export const deletedAvatars = `
  alter table avatars add column deleted boolean not null default false;
  alter table avatars drop constraint avatars_host_id_sub_slug_key;
  create unique index avatars_by_slug on avatars (host_id, sub_slug) where not deleted;
`;
