/** When a caller last had it sent again: a replay of all that is repeated until none is left must end. */
export const replayedDeliveries = `
  alter table deliveries add column replayed_at timestamptz;
`;
