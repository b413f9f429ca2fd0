import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { copyText } from '../clipboard.ts';
import { Drawer } from './drawer.tsx';

/** Shows a secret, only once. */
export function SecretDrawer(props: {
  readonly title: string;
  /** What the button copies. */
  readonly noun: string;
  readonly secret: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const [status, setStatus] = useState('');
  const copy = async () =>
    setStatus(
      (await copyText(props.secret))
        ? 'Copiado'
        : `O navegador não deixou copiar: selecione o ${props.noun} acima`,
    );
  return (
    <Drawer title={props.title} onClose={props.onClose}>
      <p>{props.children} Guarde agora: ele não é mostrado de novo.</p>
      <code class="card">{props.secret}</code>
      <div class="buttons">
        <button type="button" onClick={() => void copy()}>
          Copiar {props.noun}
        </button>
        <button type="button" class="quiet" onClick={props.onClose}>
          Já guardei
        </button>
        <span class="small" role="status">
          {status}
        </span>
      </div>
    </Drawer>
  );
}
