import type { Db } from '../../db/connection.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { type SearchTable, searchTables, sourceOf } from '../../db/search/records.ts';

/*
 * Generated records of universities: a few hundred words of the field and a long tail of invented words, with
 * frequencies by Zipf's law. About a third of the records contain one of the most common words.
 */

export const fieldWords =
  `matrícula boleto curso aluno prova inscrição vestibular mensalidade segunda via desconto bolsa professor aula turma
  horário secretaria documento histórico diploma certificado campus polo presencial distância graduação engenharia direito
  medicina enfermagem administração pedagogia pagamento parcela acordo negociação transferência trancamento cancelamento
  disciplina nota frequência estágio biblioteca cartão senha portal acesso telefone contato dúvida informação resultado
  aprovação edital prazo data início término semestre calendário férias atividade trabalho conclusão orientador coordenador
  reitoria ouvidoria atendimento protocolo solicitação declaração comprovante vínculo carteirinha ônibus passe financiamento
  redação lista espera vaga ingresso candidato candidatura processo seletivo taxa isenção valor preço juros multa vencimento
  banco crédito débito reembolso devolução contrato assinatura responsável família endereço cidade estado bairro rua número
  nome nascimento aplicativo celular computador internet papel jovem animal fácil hotel nuvem`.split(/\s+/);

const TAIL = 20_000;

export async function makeRecords(db: Db, records: number, hosts: number): Promise<string[]> {
  const hostIds: string[] = [];
  for (let at = 0; at < hosts; at += 1) {
    const host = await createHost(db, { slug: `bench-${at}`, name: `Bench ${at}` });
    hostIds.push(host?.id ?? '');
  }
  await db.raw('set statement_timeout = 0');
  const syllables =
    'ba be bi ca co cu da de di fa fe ga go la le li lo ma me mi na ne no pa pe ra re ri ro sa ta te to va';
  await db.raw(
    `create table bench_words as
       select ordinality::integer as i, word from unnest(?::text[]) with ordinality as given (word)
       union all
       select ?::integer + g, string_agg(s[1 + floor(random() * cardinality(s))::integer], '')
       from generate_series(1, ?::integer) g cross join lateral generate_series(1, 2 + g % 3) part,
         (select string_to_array(?, ' ') as s) syllables
       group by g`,
    [fieldWords, fieldWords.length, TAIL, syllables],
  );
  await db.raw(
    `create unlogged table bench_texts as
       select g, string_agg(word, ' ' order by random()) as text, min(word) as w1, max(word) as w2
       from (
         select g, least(?::integer, floor(exp(random() * ln(?::integer)))::integer) as i
         from generate_series(1, ?::integer) g, generate_series(1, 8 + g % 60)
       ) drawn join bench_words using (i) group by g`,
    [TAIL, TAIL, records],
  );
  for (const table of searchTables) await db.raw(`alter table ${table} disable trigger user`);
  await insertRecords(db, hostIds);
  for (const table of searchTables) await db.raw(`alter table ${table} enable trigger user`);
  await db.raw('analyze leads, tickets, conversations');
  return hostIds;
}

/** Some hosts have many times the records of others. */
async function insertRecords(db: Db, hostIds: readonly string[]): Promise<void> {
  const host = `(?::uuid[])[1 + floor(${hostIds.length} * random() * random())::integer]`;
  const recently = `now() - random() * interval '300 days'`;
  await db.raw(
    `insert into leads (host_id, kind, external_id, firstname, lastname, email, mobilephone, cpf, dealname, arrived_at, updated_at)
     select ${host}, 'deals', g, initcap(w1), initcap(w2), g || '@exemplo.com.br',
       '+55 ' || 11 + floor(random() * 80)::integer || ' 9' || 60000000 + floor(random() * 39999999)::integer,
       lpad(g::text, 11, '0'), left(text, 80), now(), ${recently}
     from bench_texts where g % 10 < 4`,
    [[...hostIds]],
  );
  await db.raw(
    `insert into tickets (host_id, kind, external_id, subject, content, firstname, email, mobilephone, updated_at)
     select ${host}, 'tickets', g, left(text, 50), text, initcap(w1), g || '@exemplo.com.br',
       '11 9' || 60000000 + floor(random() * 39999999)::integer, ${recently}
     from bench_texts where g % 10 between 4 and 6`,
    [[...hostIds]],
  );
  await db.raw(
    `insert into conversations (host_id, user_name, main_topic, dialogue_summary, wpp_id, updated_at)
     select ${host}, initcap(w2), w1, text, '55119' || 60000000 + floor(random() * 39999999)::integer, ${recently}
     from bench_texts where g % 10 > 6`,
    [[...hostIds]],
  );
}

/** Builds the whole index in one statement per table; returns the milliseconds. */
export async function indexAtOnce(db: Db, where = 'true'): Promise<number> {
  const startedAt = performance.now();
  for (const table of searchTables) await db.raw(insertOf(table, where));
  const took = performance.now() - startedAt;
  await db.raw('vacuum analyze search_records');
  await db.raw('vacuum analyze search_host_words');
  return took;
}

function insertOf(table: SearchTable, where: string): string {
  return `
    insert into search_records (host_id, origin_table, origin_id, title, original, content, vector, phone, phone_key,
      updated_at, hash)
    select host_id, '${table}', origin_id, left(title, 200), original, content, search_vector(content),
      search_phone(phone_given), phone_key(phone_given), updated_at, hash
    from (
      select *, search_text(original) as content from ${sourceOf[table].texts[0]} where ${where} offset 0
    ) source`;
}

/** Scores of the best thirty by the formula in one statement, which compares every record with any of the words. */
export async function plainScores(db: Db, query: string, hostIds: readonly string[]): Promise<number[]> {
  const { rows } = await db.raw<{ rows: { score: number }[] }>(
    `select 0.7 * ts_rank('{1,1,1,1}', vector, words, 32) + 0.3 * word_similarity(asked, content) as score
     from search_records, (select search_text(:query) as asked, any_word_query(search_text(:query)) as words) query
     where host_id = any (:hostIds) and vector @@ words order by score desc limit 30`,
    { query, hostIds },
  );
  return rows.map(({ score }) => score);
}
