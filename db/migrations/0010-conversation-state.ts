import { belongsToHost } from './belongs-to-host.ts';

export const conversationState = `
  -- What is known of a conversation at a glance; filled in after its turns, never while somebody waits.
  alter table conversations
    add dialogue_summary text not null default '',
    add main_topic text not null default '',
    add tip text not null default '',
    add heat_score double precision not null default 0 check (heat_score between 0 and 100),
    add heat_score_description text not null default '',
    add sentiment_score double precision not null default 0 check (sentiment_score between -1 and 1),
    add sentiment_score_explanation text not null default '',
    add categories text[] not null default '{}';

  -- The first message after a closed conversation was opened again. What stands before it is no longer context.
  alter table messages add reopens boolean not null default false;

  -- What a flow does once in a conversation, and has done. Not a reference to the flow: a flow may go, its past stays.
  create table flow_steps_done (
    host_id uuid not null references hosts on delete cascade,
    conversation_id uuid not null,
    flow_id uuid not null,
    step_key text not null check (step_key <> ''),
    turn_id text not null,
    created_at timestamptz not null default now(),
    primary key (host_id, conversation_id, flow_id, step_key),
    foreign key (host_id, conversation_id) references conversations on delete cascade
  );
  ${belongsToHost('flow_steps_done')}
`;
