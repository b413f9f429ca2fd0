import { belongsToHost } from './belongs-to-host.ts';

/** One canonical form of a phone, so that a unique index can tell that two spellings are one number. */
const phoneKeys = `
  -- The national digits of a Brazilian phone, with the ninth digit where it is a mobile's (its eight digits begin with
  -- 6 to 9); of a phone that says it is abroad, its digits as they are.
  create function phone_key(given text) returns text language sql immutable strict parallel safe
    return (
      select case
        when given ~ '^ *[+]' and digits !~ '^55' then digits
        else regexp_replace(
          regexp_replace(
            regexp_replace(digits, '^55([0-9]{10,11}|0[1-9][0-9]{9,10})$', '\\1'), '^0([1-9][0-9]{9,10})$', '\\1'),
          '^([1-9][0-9]){0,1}([6-9][0-9]{7})$', '\\19\\2')
      end
      from (select nullif(regexp_replace(given, '[^0-9]', '', 'g'), '') as digits) phone
    );

  alter table contacts
    add phone_e164 text check (phone_e164 <> ''),
    add phone_key text generated always as (phone_key(phone)) stored;

  -- Two spellings of one phone may have become two contacts: the older stays.
  with doubles as (
    select * from (
      select host_id, id,
        first_value(id) over (partition by host_id, phone_key order by created_at, id) as kept_id
      from contacts where email_folded is null and phone_key is not null
    ) phones where id <> kept_id
  ), moved as (
    update conversations set contact_id = kept_id from doubles
    where conversations.host_id = doubles.host_id and contact_id = doubles.id
  )
  delete from contacts using doubles where contacts.host_id = doubles.host_id and contacts.id = doubles.id;

  drop index contacts_host_id_phone_digits_idx, contacts_host_id_phone_digits_idx1;
  create unique index contacts_without_email on contacts (host_id, phone_key) where email_folded is null;
  create index on contacts (host_id, phone_key);
`;

const leads = `
  create table leads (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    kind text not null check (kind in ('deals', 'objects')),
    external_id text not null check (external_id <> ''),
    contact_id uuid,
    firstname text not null default '',
    lastname text not null default '',
    email text not null default '',
    -- As it was given, and E.164 where it is a number that can be called.
    mobilephone text not null default '',
    phone_e164 text not null default '',
    -- Eleven digits.
    cpf text not null default '',
    date_of_birth date,
    sexo text not null default '',
    nome_da_m_e text not null default '',
    cep text not null default '',
    rua text not null default '',
    numero_endereco text not null default '',
    complemento text not null default '',
    bairro text not null default '',
    cidade text not null default '',
    estado text not null default '',
    dealname text not null default '',
    stage text not null default '',
    unidade text not null default '',
    tipo_ingresso text not null default '',
    local_da_prova text not null default '',
    modalidade_de_ensino text not null default '',
    generalinstructions text not null default '',
    -- What the record brought beyond these: [{field, value}].
    inter_data jsonb not null default '[]' check (jsonb_typeof(inter_data) = 'array'),
    -- What could not be taken as it came: [{field, message}].
    warnings jsonb not null default '[]',
    -- Tells whether another arrival says the same.
    digest text not null default '',
    -- Of the arrival that is stored here, on the clock of the queue's store: an older one changes nothing.
    arrived_at timestamptz not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    unique (host_id, kind, external_id),
    foreign key (host_id, contact_id) references contacts on delete set null (contact_id)
  );
  create index on leads (host_id, contact_id);
  ${belongsToHost('leads')}

  update conversations set lead_id = null where lead_id is not null;
  alter table conversations
    add foreign key (host_id, lead_id) references leads on delete set null (lead_id);
  create index on conversations (host_id, lead_id) where lead_id is not null;
`;

const tickets = `
  create table tickets (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    kind text not null check (kind in ('tickets', 'objects', 'assistant')),
    -- None where the assistant opened it in a conversation.
    external_id text check (external_id <> ''),
    contact_id uuid,
    conversation_id uuid,
    subject text not null default '',
    content text not null default '',
    firstname text not null default '',
    lastname text not null default '',
    email text not null default '',
    mobilephone text not null default '',
    phone_e164 text not null default '',
    stage text not null default '',
    -- {"campus_<institution>": text}
    campus jsonb not null default '{}' check (jsonb_typeof(campus) = 'object'),
    inter_data jsonb not null default '[]' check (jsonb_typeof(inter_data) = 'array'),
    warnings jsonb not null default '[]',
    -- The record's own time of creation, else its arrival.
    opened_at timestamptz not null default now(),
    -- When its stage first was one of the mapping's solved ones.
    solved_at timestamptz,
    digest text not null default '',
    arrived_at timestamptz not null default now(),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    unique (host_id, kind, external_id),
    check ((external_id is null) = (kind = 'assistant')),
    foreign key (host_id, contact_id) references contacts on delete set null (contact_id),
    foreign key (host_id, conversation_id) references conversations on delete set null (conversation_id)
  );
  create index on tickets (host_id, contact_id);
  create index on tickets (host_id, conversation_id) where conversation_id is not null;
  create index on tickets (host_id, opened_at);
  create index on tickets (host_id, solved_at) where solved_at is not null;
  ${belongsToHost('tickets')}
`;

const intake = `
  -- Each change of a host's mapping is a version; a kind without one has the mapping of the specification.
  create table crm_mappings (
    host_id uuid not null references hosts on delete cascade,
    kind text not null check (kind in ('tickets', 'deals', 'objects')),
    version integer not null check (version > 0),
    mapping jsonb not null,
    created_at timestamptz not null default now(),
    primary key (host_id, kind, version)
  );
  ${belongsToHost('crm_mappings')}

  create table intake_records (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    kind text not null check (kind in ('tickets', 'deals', 'objects')),
    job_id text not null,
    arrived_at timestamptz not null,
    -- Not jsonb: the order of its fields and the spelling of its numbers stay.
    body json not null,
    state text not null default 'received' check (state in ('received', 'done', 'refused', 'failed')),
    -- Why it was refused or has failed: [{path, message}].
    reasons jsonb not null default '[]',
    warnings jsonb not null default '[]',
    -- Of one that is done.
    status text check (status in ('created', 'updated', 'unchanged')),
    record_table text check (record_table in ('leads', 'tickets')),
    record_id uuid,
    -- 0: the mapping of the specification.
    mapping_version integer,
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    primary key (host_id, id),
    -- A job that is run again finds its record; a key that is used again later brings another.
    unique (host_id, job_id, arrived_at)
  );
  create index on intake_records (host_id, state, arrived_at) where state <> 'done';
  create index on intake_records (created_at) where state = 'received';
  ${belongsToHost('intake_records')}
`;

export const crmRecords = `${phoneKeys}${leads}${tickets}${intake}`;
