/** By which rehearsals of more than a day ago are found, and those that an erasure compares. */
export const oldRehearsals = `
  create index old_rehearsals on conversations ((coalesce(last_message_at, created_at))) where platform = 'ensaio';
`;
