/**
 * Pages of a site that an import no longer found, as they are answered; null where there are none. And the filter of a document
 * is that of its passages where they all have one: the head of a text, which gave it, was not noted with the document.
 */
export const gonePages = `
  alter table document_imports add column gone jsonb;

  update documents document set filter = of_passages.filter
  from (
    select host_id, document_id, min(filter::text)::jsonb as filter from chunks
    where document_id is not null and not deleted
    group by host_id, document_id
    having count(*) = count(filter) and count(distinct filter) = 1
  ) of_passages
  where of_passages.host_id = document.host_id and of_passages.document_id = document.id
    and document.filter is distinct from of_passages.filter;
`;
