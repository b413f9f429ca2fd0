import { belongsToHost } from './belongs-to-host.ts';

export const insights = `
  alter table conversations
    -- Who wrote what is known at a glance: nobody yet, rules, or a model.
    add insight_by text not null default 'none' check (insight_by in ('none', 'rules', 'model')),
    -- The last message that a model has read for it.
    add insight_seq bigint not null default 0,
    -- What the model adds to the heat that the rules give.
    add heat_adjustment double precision not null default 0 check (heat_adjustment between -20 and 20);

  -- The conversations that have been answered since they were last looked at. A table of its own: taking one in hand
  -- is no write to the conversation, so that neither the search index nor a cached reply has to follow it.
  create table insights_due (
    host_id uuid not null references hosts on delete cascade,
    conversation_id uuid not null,
    due_at timestamptz not null,
    -- Who has it in hand, and for how long nobody else may take it.
    run_id uuid,
    lease_until timestamptz,
    -- Another turn was answered since it was taken in hand.
    again boolean not null default false,
    tries smallint not null default 0,
    primary key (host_id, conversation_id),
    foreign key (host_id, conversation_id) references conversations on delete cascade
  );
  create index on insights_due (due_at);
  ${belongsToHost('insights_due')}
`;
