import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { CheckField } from '../../components/field.tsx';
import { SaveForm } from '../../components/save-form.tsx';
import { call } from '../../service.ts';
import { attendance } from './attendance.ts';
import type { Conversation } from './conversation.ts';
import { feed } from './feed.ts';

/** The labels of a conversation as chips, and an editor for them; nothing where the host has none. */
export function Labels({ conversation }: { readonly conversation: Conversation }) {
  const [isOpen, open] = useState(false);
  const { labels } = conversation;
  if (labels.length === 0 && attendance.value.labels.length === 0) return null;
  return (
    <section class="contact-part" aria-label="Etiquetas">
      <h3>Etiquetas</h3>
      {isOpen ? (
        <LabelForm conversation={conversation} onClose={() => open(false)} />
      ) : (
        <p class="contact-labels">
          {labels.map(each => (
            <Badge key={each}>{each}</Badge>
          ))}
          <button type="button" class="quiet slim" onClick={() => open(true)}>
            Mudar etiquetas
          </button>
        </p>
      )}
    </section>
  );
}

function LabelForm(props: { readonly conversation: Conversation; readonly onClose: () => void }) {
  const { conversation, onClose } = props;
  const [chosen, choose] = useState<readonly string[]>(conversation.labels);
  const { labels: listed } = attendance.value;
  const offered = [...listed, ...conversation.labels.filter(each => !listed.includes(each))];
  const save = async () => {
    const { hostId = '' } = feed.peek() ?? {};
    const labels = offered.filter(each => chosen.includes(each));
    const state = await call('updateConversation', { hostId, conversationId: conversation.id, labels });
    const known = feed.peek()?.find(conversation.id);
    if (known) feed.peek()?.show({ ...known, ...state });
    onClose();
  };
  return (
    <SaveForm save={save} onCancel={onClose}>
      <fieldset>
        <legend>Até dez</legend>
        {offered.map(each => (
          <CheckField
            key={each}
            label={each}
            isChecked={chosen.includes(each)}
            onChange={isOn => choose(isOn ? [...chosen, each] : chosen.filter(one => one !== each))}
          />
        ))}
      </fieldset>
    </SaveForm>
  );
}
