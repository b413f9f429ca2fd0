/**
 * People with two valid CPFs are two, though they share an e-mail or a phone: that of a mother, or one that stands for none. So
 * neither is unique any more but among contacts without a valid CPF.
 */
export const contactsByCpf = `
  -- The digits of a CPF whose check digits are right; null for any other text.
  create function cpf_key(given text) returns text language sql immutable strict parallel safe
    return (
      select case when digits ~ '^[0-9]{11}$' and digits !~ '^(.)\\1*$' then (
        select digits
        from generate_series(1, 10) place
        having sum((11 - place) * substr(digits, place, 1)::integer) filter (where place < 10) * 10 % 11 % 10
            = substr(digits, 10, 1)::integer
          and sum((12 - place) * substr(digits, place, 1)::integer) * 10 % 11 % 10 = substr(digits, 11, 1)::integer)
      end
      from (select regexp_replace(given, '[^0-9]', '', 'g') as digits) cpf
    );

  alter table contacts add column cpf_key text generated always as (cpf_key(cpf)) stored;
  alter table contacts drop constraint contacts_host_id_email_folded_key;
  create unique index contacts_with_email on contacts (host_id, email_folded) where cpf_key is null;
  create index on contacts (host_id, email_folded);
  drop index contacts_without_email;
  create unique index contacts_without_email on contacts (host_id, phone_key)
    where email_folded is null and cpf_key is null;
`;
