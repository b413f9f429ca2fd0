/** A recording is a question of a burst. The release creates the function anew: one of its parameters has another name. */
export const spokenQuestions = `
  -- What is stored of the question as the message of the person, where that is more than the question.
  alter table turns add column message text;
  drop function if exists claim_turn(uuid, text, uuid, text, text, timestamptz, double precision, double precision, text,
    boolean, text, text, text, boolean, boolean);
`;
