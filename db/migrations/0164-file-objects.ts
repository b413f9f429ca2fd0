import { declareTriggerFunctions } from './declare-trigger-functions.ts';

/** Files whose sealed bytes lie in an object store, and the objects that are to be deleted there. */
export const fileObjects = `
  -- Null: the bytes are in the column content.
  alter table files add column object_id uuid;
  -- An object that no file has, or that none has yet. It outlives its host, so that it is found.
  create table file_objects (
    host_id uuid not null,
    object_id uuid not null,
    due_at timestamptz not null,
    -- How often a process began to delete it.
    tries integer not null default 0,
    primary key (host_id, object_id)
  );
  create index on file_objects (due_at);
  ${declareTriggerFunctions('take_file_object', 'leave_file_object')}
  create trigger take_file_object after insert on files
    for each row when (new.object_id is not null) execute function take_file_object();
  create trigger leave_file_object after delete on files
    for each row when (old.object_id is not null) execute function leave_file_object();
`;
