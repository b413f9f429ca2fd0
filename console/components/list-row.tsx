import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** A row opens by a link, which can also be opened in another tab, or by a click; without either it only shows something. */
export function ListRow(props: {
  readonly icon?: IconNode;
  /** Stands in place of an icon. */
  readonly lead?: ComponentChildren;
  readonly title: ComponentChildren;
  readonly detail?: ComponentChildren;
  readonly aside?: ComponentChildren;
  /** Buttons beside the part that opens the row. */
  readonly action?: ComponentChildren;
  readonly href?: string;
  readonly onOpen?: () => void;
}) {
  const { icon, lead, title, detail, aside, action, href, onOpen } = props;
  const content = (
    <>
      <span class="list-row-lead">{icon ? <Icon of={icon} /> : lead}</span>
      <span class="list-row-text">
        <strong>{title}</strong>
        {detail && <span class="small">{detail}</span>}
      </span>
      {aside && <span class="list-row-aside small">{aside}</span>}
    </>
  );
  return (
    <li>
      {href && (
        <a class="list-row" href={href}>
          {content}
        </a>
      )}
      {onOpen && (
        <button type="button" class="list-row" onClick={onOpen}>
          {content}
        </button>
      )}
      {!href && !onOpen && <div class="list-row">{content}</div>}
      {action && <div class="list-row-action">{action}</div>}
    </li>
  );
}

const HUES = 6;

/** The initials of a person, in a colour that is theirs. */
export function Initials({ name }: { readonly name: string }) {
  const words = name.split(/\s+/).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(word =>
    word ? String.fromCodePoint(word.codePointAt(0) ?? 0) : '',
  );
  let sum = 0;
  for (const character of name) sum += character.codePointAt(0) ?? 0;
  return (
    <span class={`initials hue-${sum % HUES}`} aria-hidden="true">
      {letters.join('').toUpperCase() || '?'}
    </span>
  );
}

/** The picture of an assistant or institution; its initials where there is none, or where it cannot be loaded. */
export function Portrait({ name, url }: { readonly name: string; readonly url: string }) {
  const [isBroken, setBroken] = useState(false);
  useEffect(() => setBroken(false), [url]);
  if (isBroken || !/^(?:https?:\/\/|data:image\/)./.test(url)) return <Initials name={name} />;
  return (
    <img class="portrait" src={url} alt="" referrerpolicy="no-referrer" onError={() => setBroken(true)} />
  );
}
