import { useMemo } from 'preact/hooks';
import { type Part, reportParts, type SiteReport, splitAddress } from './report.ts';

/** The report as the page shows it: the same parts as the file. */
export function ReportView({ report }: { readonly report: SiteReport }) {
  const parts = useMemo(() => reportParts(report), [report]);
  return (
    <section class="card stack report" aria-labelledby="report-title">
      <h2 id="report-title">O que o assistente já responde</h2>
      {parts.map((part, at) => (
        <PartView key={at} part={part} />
      ))}
    </section>
  );
}

function PartView({ part }: { readonly part: Part }) {
  switch (part.kind) {
    case 'heading':
      return <h3>{part.text}</h3>;
    case 'question':
      return <h4>{part.text}</h4>;
    case 'strong':
      return (
        <p>
          <strong>{part.text}</strong>
        </p>
      );
    case 'said':
      return <p class="said">{part.text}</p>;
    case 'list':
      return (
        <ul>
          {part.items.map((item, at) => (
            <li key={at}>
              <Linked text={item} />
            </li>
          ))}
        </ul>
      );
    case 'card':
      return (
        <article class={`report-card is-${part.outcome}`}>
          {part.parts.map((each, at) => (
            <PartView key={at} part={each} />
          ))}
        </article>
      );
    case 'small':
      return (
        <p class="small">
          <Linked text={part.text} />
        </p>
      );
    case 'text':
      return (
        <p>
          <Linked text={part.text} />
        </p>
      );
  }
}

function Linked({ text }: { readonly text: string }) {
  const [before, url] = splitAddress(text);
  return (
    <>
      {before}
      {url !== undefined && (
        <a href={url} target="_blank" rel="noreferrer">
          {url}
        </a>
      )}
    </>
  );
}
