import { auditedTable } from './audited-table.ts';
import { declareTriggerFunctions } from './declare-trigger-functions.ts';

/**
 * Who changed what in the configuration of a host. Triggers write it in the transaction of the change, so no statement can
 * change a row without it, and a change that is rolled back leaves none.
 */
export const audit = `
  create table audit_entries (
    -- No reference: the rows outlive their host.
    host_id uuid not null,
    id bigint not null generated always as identity,
    -- In milliseconds, as clients receive it and send it back.
    created_at timestamptz(3) not null default clock_timestamp(),
    actor_kind text not null check (actor_kind in ('token', 'command', 'database')),
    -- No reference, because a token may be deleted.
    token_id uuid,
    -- Of the token, the operating-system user of the command, or the database user.
    actor_name text not null,
    operation text not null,
    table_name text not null,
    row_id text not null,
    -- The changed columns; null before the row was inserted, and after it was deleted.
    before jsonb,
    after jsonb,
    primary key (host_id, created_at, id)
  );
  -- For the retention.
  create index on audit_entries (created_at);

  ${declareTriggerFunctions('note_change')}
  ${auditedTable('hosts', { omitted: 'open_minutes' })}
  ${auditedTable('contracts', { key: 'starts_on' })}
  ${auditedTable('crm_mappings', { key: 'kind,version' })}
  ${auditedTable('avatars', {})}
  ${auditedTable('agent_schemas', {})}
  ${auditedTable('agents', {})}
  ${auditedTable('flows', { omitted: 'created_by,updated_by' })}
  ${auditedTable('mcp_configs', { omitted: 'revision', masked: 'config,sealed_headers' })}
  ${auditedTable('datasets', {})}
  ${auditedTable('dataset_avatars', {})}
  ${auditedTable('chunks', { omitted: 'search,filter,body,written_by,written_by_name' })}

  -- The time of the last use is written by every request: only a changed right is a change.
  create trigger note_token after insert on tokens
    for each row execute function note_change('id', 'hash,last_used_at', '');
  create trigger note_changed_token after update of name, kind, scopes, expires_at, revoked_at on tokens
    for each row execute function note_change('id', 'hash,last_used_at', '');
`;
