import type { ComponentChildren } from 'preact';
import { describeError, isLost, isWorthRetrying } from '../errors.ts';
import { isReachable } from '../service.ts';
import type { Action } from '../use-action.ts';

/** The shape of what is being loaded. */
export function Skeleton({ rows = 4, label }: { readonly rows?: number; readonly label: string }) {
  return (
    <div class="skeleton waiting" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} class="skeleton-row" />
      ))}
    </div>
  );
}

/** What is shown where there is nothing, and what to do next. */
export function EmptyState({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      <p class="small">{text}</p>
      {children}
    </div>
  );
}

/** An error in plain words; its code and the request id, for those who read logs, are folded. */
export function ErrorNote({
  error,
  undone,
  onRetry,
  children,
}: {
  readonly error: unknown;
  /** What was not done: it stays so where there is a connection again. */
  readonly undone?: string | undefined;
  readonly onRetry?: () => void;
  /** What may help. */
  readonly children?: ComponentChildren;
}) {
  const { meaning, fields, code, requestId } = describeError(error);
  const isPast = isLost(error) && isReachable.value;
  return (
    <div class="trouble" role="alert">
      <strong>{undone ?? meaning}</strong>
      {undone && !isPast && <p>{meaning}</p>}
      {fields.length > 0 && (
        <ul>
          {fields.map(text => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {children}
      {onRetry && (
        <button type="button" class="quiet slim" onClick={onRetry}>
          Tentar de novo
        </button>
      )}
      {(code !== undefined || requestId) && (
        <details class="small">
          <summary>Detalhes</summary>
          {code !== undefined && <p>Código {code}</p>}
          {requestId && (
            <p>
              Pedido <code>{requestId}</code>
            </p>
          )}
        </details>
      )}
    </div>
  );
}

/** What went wrong with an action, if something did, and a way to try again where that may help. */
export function ActionNote({
  of: { error, retry },
  undone,
}: {
  readonly of: Action;
  readonly undone?: string;
}) {
  if (error === undefined) return null;
  return <ErrorNote error={error} undone={undone} {...(isWorthRetrying(error) ? { onRetry: retry } : {})} />;
}
