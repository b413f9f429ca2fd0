/** Every operation has one tag; the API document has a section for each. */
export const tags = {
  conversations: 'Start conversations, ask the assistant, read and update the state of a conversation',
  avatars: 'Identities of the assistant: name, picture, prompt and model',
  knowledge: 'The knowledge base of the assistant: datasets, their chunks, and the avatars that read them',
  documents: 'Import documents as chunks of a dataset, list and delete them',
  flows: 'Ordered steps that steer the conversations of an avatar (decision chains)',
  evaluation: 'Questions with what their answers must have, which try a change out before it is saved',
  agents: 'Tasks that the assistant may run, and the forms of their arguments, which the model fills in',
  MCP: 'Model Context Protocol: servers whose tools the assistant may call, and Parley as such a server',
  OpenAI: 'The assistant for clients of OpenAI: avatars as models, turns as chat completions',
  models: 'The language models that avatars and flows may use',
  events: 'Tell receivers of a host what happened: webhooks and their deliveries',
  reports: 'Usage and cost of conversations, by day and by month',
  intake: 'Receive records from the CRM of a host: tickets, deals and objects',
  hosts: 'The settings of hosts, and who changed what in their configuration',
  people:
    'The people of a host who sign in to the console: their roles, links, sessions and prepared replies',
  search: 'Search conversations, leads and tickets',
  'search index': 'Monitor and repair the search index',
  jobs: 'Get the status of asynchronous requests (accepted with 202)',
  health: 'Liveness, readiness and progress of the service; no token needed',
  tests: 'Run the tests of this project; disabled in production',
} as const;

export type Tag = keyof typeof tags;
