import { useState } from 'preact/hooks';
import { copyText } from '../../clipboard.ts';
import { Drawer } from '../../components/drawer.tsx';
import type { Webhook } from './event-types.ts';

/** The secret of a webhook, which is shown once. */
export function SecretDialog({
  webhook: { name, secret },
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const [status, setStatus] = useState('');
  const copy = async () =>
    setStatus(
      (await copyText(secret)) ? 'Copiado' : 'O navegador não deixou copiar: selecione o segredo acima',
    );
  return (
    <Drawer title={`Segredo de “${name}”`} onClose={onClose}>
      <p>Com ele o seu sistema confere a assinatura. Guarde agora: ele não é mostrado de novo.</p>
      <code class="card">{secret}</code>
      <div class="buttons">
        <button type="button" onClick={() => void copy()}>
          Copiar segredo
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          Já guardei
        </button>
        <span class="small" role="status">
          {status}
        </span>
      </div>
    </Drawer>
  );
}
