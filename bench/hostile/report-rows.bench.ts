import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/connection.ts';

/** Adds rows that the reports of a host have to count, as many calls would have written them. */
export interface ReportRows {
  /** Adds ungrouped questions without an answer; the first call also makes 5,000 grouped gaps. */
  addQuestions(count: number): Promise<void>;
  /** Marks 250 conversations of 200 messages as changed, again and again while `work` runs. */
  changeConversations<T>(work: () => Promise<T>): Promise<T>;
}

const GAPS = 5_000;
const COMMON_WORDS = 300;
const LETTERS = 'bcdfghjklmnpqrtvwxzaeiouks';
const CHANGE_EVERY_MS = 300;

export function makeReportRows(db: Db, hostId: string): ReportRows {
  let hasGaps = false;
  let hasConversations = false;
  let made = 0;
  return {
    async addQuestions(count) {
      if (!hasGaps) {
        const rows = Array.from({ length: GAPS }, (_, at) => [at, questionAt(at).split(' ')] as const);
        await db.raw(
          `insert into gaps (host_id, id, words, last_asked_at)
           select ?, md5(given ->> 0)::uuid, array(select jsonb_array_elements_text(given -> 1)), now()
           from jsonb_array_elements(?::jsonb) given`,
          [hostId, JSON.stringify(rows)],
        );
        hasGaps = true;
      }
      const questions = Array.from({ length: count }, () => `${questionAt(GAPS + (made += 1))}?`);
      await db.raw(
        `with talk as (insert into conversations (host_id) values (?) returning host_id, id),
         said as (insert into messages (host_id, conversation_id, author, content)
           select host_id, id, 'user', content from talk, jsonb_array_elements_text(?::jsonb) content
           returning host_id, seq, conversation_id, created_at)
         insert into gap_questions (host_id, message_seq, conversation_id, reason, asked_at)
         select host_id, seq, conversation_id, 'not_found', created_at from said`,
        [hostId, JSON.stringify(questions)],
      );
    },
    async changeConversations(work) {
      if (!hasConversations)
        await db.raw(
          `with talk as (
             insert into conversations (host_id) select ?::uuid from generate_series(1, 250) returning host_id, id)
           insert into messages (host_id, conversation_id, author, content)
           select host_id, id, 'user', 'Oi' from talk, generate_series(1, 200)`,
          [hostId],
        );
      hasConversations = true;
      const worked = new AbortController();
      const change = async () => {
        while (!worked.signal.aborted) {
          await db.raw(
            `insert into service_changes (host_id, conversation_id)
             select host_id, conversation_id from messages where host_id = ? group by 1, 2 having count(*) = 200`,
            [hostId],
          );
          await delay(CHANGE_EVERY_MS);
        }
      };
      const changing = change();
      try {
        return await work();
      } finally {
        worked.abort();
        await changing;
      }
    },
  };
}

/** Two of three words are common, as if many people asked about the same few things. */
function questionAt(at: number): string {
  return Array.from({ length: 24 }, (_, nth) =>
    nth % 3 === 0 ? wordOf(1_000 + at * 8 + nth) : wordOf((at * (nth + 7) * 31) % COMMON_WORDS),
  ).join(' ');
}

/** Has only letters: figures are no topic. */
function wordOf(at: number): string {
  const letters = at.toString(26).replaceAll(/./g, digit => LETTERS.charAt(Number.parseInt(digit, 26)));
  return `k${letters}k`;
}
