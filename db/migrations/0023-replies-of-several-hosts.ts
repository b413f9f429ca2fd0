/**
 * The reply to a token of several hosts may hold what belongs to any of them: it is for those who have them all. Replies
 * that were stored before do not say whose they are beside their first host's; they go if they can be anybody else's.
 * The policy that demands all hosts is declared with the others, in db/access.
 */
export const repliesOfSeveralHosts = `
  alter table replies add also_hosts uuid[] not null default '{}';
  delete from replies where operation in ('searchFulltext', 'searchHybrid', 'searchUnified', 'searchPhone', 'searchStats',
    'searchHealth', 'searchEventsHealth', 'queueSearchEvents', 'reindex', 'listModels', 'listFlowTemplates');
`;
