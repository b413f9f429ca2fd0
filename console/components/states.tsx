import type { ComponentChildren } from 'preact';
import { describeError, isLost, isWorthRetrying } from '../errors.ts';
import { isReachable } from '../service.ts';
import type { Action } from '../use-action.ts';

/** Grey lines in the shape of the content that is loading. */
export function Skeleton({ rows = 4, label }: { readonly rows?: number; readonly label: string }) {
  return (
    <div class="skeleton waiting" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} class="skeleton-row" />
      ))}
    </div>
  );
}

/** Says that there is nothing yet, and what to do next. */
export function EmptyState(props: {
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}) {
  const { title, text, children } = props;
  return (
    <div class="empty">
      <strong>{title}</strong>
      <p class="small">{text}</p>
      {children}
    </div>
  );
}

/** An error in plain words; its code and the request id are folded, for people who read logs. */
export function ErrorNote(props: {
  readonly error: unknown;
  /** Names the action that failed: it stays undone even when the connection is back. */
  readonly undone?: string | undefined;
  readonly onRetry?: () => void;
  /** Advice that may help. */
  readonly children?: ComponentChildren;
}) {
  const { error, undone, onRetry, children } = props;
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

/** Shows the error of an action, if it failed, and offers to try again where that may help. */
export function ActionNote(props: { readonly of: Action; readonly undone?: string }) {
  const { undone } = props;
  const { error, retry } = props.of;
  if (error === undefined) return null;
  return <ErrorNote error={error} undone={undone} {...(isWorthRetrying(error) ? { onRetry: retry } : {})} />;
}

/** The name of the model that comes with the service. */
const DEMO_MODEL = 'offline-extractive';

/** Whoever compares instructions should know that this model does not read them. */
export function DemoModelNote({ used }: { readonly used: readonly { readonly model: string }[] }) {
  if (!used.some(({ model }) => model === DEMO_MODEL)) return null;
  return (
    <p class="small note">
      O modelo de demonstração responde só com frases do conhecimento: ele não segue instruções.
    </p>
  );
}
