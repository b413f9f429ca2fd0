import { FileText, Image, Mic } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { copyText } from '../clipboard.ts';
import { readSentParts } from '../sent-parts.ts';
import { Icon } from './icon.tsx';
import { WhatsappText } from './whatsapp-text.tsx';

export type Item = DataOf<'listMessages'>['items'][number]['wppParsed'][number];

/** One message of the assistant, as the person sees it. */
export function MessageItem({ item }: { readonly item: Item }) {
  const { type, content, url = '', description = '' } = item;
  if (type === 'boleto')
    return (
      <Payment
        type={type}
        title="Boleto"
        action="Copiar linha digitável"
        code={content}
        readable={formatBoletoCode(content)}
      />
    );
  if (type === 'pix')
    return (
      <Payment
        type={type}
        title="Pix copia e cola"
        action="Copiar código Pix"
        code={content}
        readable={content}
      />
    );
  const isShown = type !== 'text' && isWebAddress(url);
  if (isShown && type === 'image') return <Picture url={url} description={description} />;
  if (isShown && type === 'site') return <Site url={url} description={description} />;
  if (isShown && type === 'audio') return <Sound url={url} name={description || 'Áudio'} />;
  return (
    <div class="item item-text">
      <WhatsappText text={content} />
    </div>
  );
}

/** A message of a person: with the length of what was spoken, and the names of what was sent. */
export function SentText({ text }: { readonly text: string }) {
  return (
    <>
      {readSentParts(text).map((part, at) => (
        <div key={at}>
          {part.kind !== 'text' && (
            <div class="small">
              <Icon of={sentIcons[part.kind]} size={14} /> {sentNames[part.kind]} {part.label}
            </div>
          )}
          {part.text !== '' && <WhatsappText text={part.text} />}
        </div>
      ))}
    </>
  );
}

const sentIcons = { áudio: Mic, imagem: Image, arquivo: FileText } as const;
const sentNames = { áudio: 'Áudio', imagem: 'Imagem', arquivo: 'Arquivo' } as const;

/** Images are on other hosts, so they are loaded only on request. */
function Picture({ url, description }: { readonly url: string; readonly description: string }) {
  const [state, setState] = useState<'hidden' | 'shown' | 'broken'>('hidden');
  return (
    <figure class="item item-image">
      {state === 'hidden' && (
        <button type="button" class="show-image" onClick={() => setState('shown')}>
          Mostrar imagem
        </button>
      )}
      {state === 'shown' && (
        <OutsideLink url={url}>
          <img alt={description} referrerpolicy="no-referrer" src={url} onError={() => setState('broken')} />
        </OutsideLink>
      )}
      {state === 'broken' && <p class="small">A imagem não pôde ser carregada.</p>}
      <figcaption>
        {description || 'Imagem'}
        <span class="small">{readHost(url)}</span>
      </figcaption>
    </figure>
  );
}

function Site({ url, description }: { readonly url: string; readonly description: string }) {
  return (
    <div class="item item-site">
      <OutsideLink url={url}>
        <strong>{description || readHost(url)}</strong>
        <span class="small">{readHost(url)}</span>
      </OutsideLink>
    </div>
  );
}

function Sound({ url, name }: { readonly url: string; readonly name: string }) {
  return (
    <div class="item item-audio">
      <span>{name}</span>
      <audio controls preload="none" src={url} aria-label={name} />
      <OutsideLink url={url}>
        <span class="small">{readHost(url)}</span>
      </OutsideLink>
    </div>
  );
}

function Payment(props: {
  readonly type: string;
  readonly title: string;
  readonly action: string;
  readonly code: string;
  readonly readable: string;
}) {
  const { type, title, action, code, readable } = props;
  const [status, setStatus] = useState('');
  const copy = async () =>
    setStatus((await copyText(code)) ? 'Copiado' : 'O navegador não deixou copiar: selecione o código acima');
  return (
    <div class={`item item-${type}`}>
      <strong>{title}</strong>
      <code>{readable}</code>
      <button type="button" onClick={() => void copy()}>
        {action}
      </button>
      <span class="small" role="status">
        {status}
      </span>
    </div>
  );
}

/** Groups the digits as a printed boleto does. */
function formatBoletoCode(digits: string): string {
  const form =
    digits.length === 48
      ? /^(.{12})(.{12})(.{12})(.{12})$/
      : /^(.{5})(.{5})(.{5})(.{6})(.{5})(.{6})(.)(.{14})$/;
  return form.exec(digits)?.slice(1).join(' ') ?? digits;
}

function OutsideLink({ url, children }: { readonly url: string; readonly children: ComponentChildren }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

const readHost = (url: string) => new URL(url).host;

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
