/** What calls are about: every operation has one of these, and the API page has a section for each. */
export const tags = {
  conversations: 'Starting conversations, asking the assistant, and what is known of a conversation',
  avatars: 'The assistant’s identities: name, picture, prompt and model',
  knowledge:
    'What the assistant may answer from: datasets, the chunks in them, and the avatars that read them',
  flows: 'Ordered steps that steer the conversations of an avatar (decision chains)',
  agents: 'Structured tasks that the assistant may run, and the forms that they fill in',
  MCP: 'Servers of tools that the assistant may call by the Model Context Protocol',
  models: 'The language models that avatars and flows may name',
  reports: 'How much was talked and what it cost, by day and by month',
  intake: 'Records of a customer’s CRM, coming in: tickets, deals and objects',
  search: 'Searching conversations, leads and tickets',
  'search index': 'How complete and how fresh the search index is, and how to mend it',
  jobs: 'What became of work that was accepted with 202',
  health: 'Whether the service runs, can take work, and gets it done; needs no token',
  tests: 'Running the project’s own tests; never in production',
} as const;

export type Tag = keyof typeof tags;
