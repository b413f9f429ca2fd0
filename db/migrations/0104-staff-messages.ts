/** For reports of the team: without it the few messages of staff members are looked for among all of a period. */
export const staffMessages = `
  create index messages_of_staff on messages (host_id, created_at) where author = 'human' and not rehearsal;
`;
