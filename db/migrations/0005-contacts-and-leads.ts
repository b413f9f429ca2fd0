export const contactsAndLeads = `
  -- One canonical form of a phone, by which a unique index compares spellings: the national digits of a Brazilian phone,
  -- with the ninth digit of mobile phones (whose eight digits begin with 6 to 9); the digits of a foreign phone unchanged.
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

  create table contacts (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    name text not null default '',
    email text check (email <> ''),
    phone text check (phone <> ''),
    cpf text check (cpf <> ''),
    external_id text check (external_id <> ''),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    email_folded text generated always as (lower(btrim(email))) stored,
    phone_digits text generated always as (nullif(regexp_replace(phone, '[^0-9]', '', 'g'), '')) stored,
    phone_e164 text check (phone_e164 <> ''),
    phone_key text generated always as (phone_key(phone)) stored,
    primary key (host_id, id),
    unique (host_id, email_folded)
  );
  -- Families share phones, so a phone identifies a contact only if there is no e-mail.
  create unique index contacts_without_email on contacts (host_id, phone_key) where email_folded is null;
  create index on contacts (host_id, phone_key);

  create table leads (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    kind text not null check (kind in ('deals', 'objects')),
    external_id text not null check (external_id <> ''),
    contact_id uuid,
    firstname text not null default '',
    lastname text not null default '',
    email text not null default '',
    -- As given, and in E.164 if it is a valid number.
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
    -- Other fields of the record: [{field, value}].
    inter_data jsonb not null default '[]' check (jsonb_typeof(inter_data) = 'array'),
    -- Values that could not be stored as given: [{field, message}].
    warnings jsonb not null default '[]',
    -- By which an arrival with the same content is recognized.
    digest text not null default '',
    -- Of the arrival stored here, on the clock of the queue store: an older one changes nothing.
    arrived_at timestamptz not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    unique (host_id, kind, external_id),
    foreign key (host_id, contact_id) references contacts on delete set null (contact_id)
  );
  create index on leads (host_id, contact_id);
`;
