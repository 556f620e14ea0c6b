import { useState } from 'react';
import { useForm } from '../form/form-context.tsx';
import { curlSettings, type CurlSettings } from '../model/curl/curl-params.ts';
import { useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { TextArea } from '../ui/Input.tsx';
import { FoundSecret } from './FoundSecret.tsx';

/** Parses the command while it is typed or pasted, and shows the differences before it is applied. */
export function CurlDialog({ onClose }: { onClose(): void }) {
  const form = useForm();
  const { ui } = useSession();
  const [text, setText] = useState('');
  const read = text.trim() === '' ? undefined : curlSettings(text);
  const settings = typeof read === 'object' ? read : undefined;

  function take({ params }: CurlSettings): void {
    form.set(['params'], params, 'Paste curl', { merge: false });
    ui.setState({ announcement: 'Settings from the curl command applied' });
    onClose();
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Paste curl"
      description="The command replaces the node’s settings; undo restores them."
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" disabled={!settings} onClick={() => settings && take(settings)}>
            Use it
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Field label="Command" error={typeof read === 'string' ? read : undefined}>
          <TextArea
            mono
            rows={8}
            value={text}
            onValueChange={setText}
            placeholder={"curl https://api.example.com/items -H 'Accept: application/json'"}
          />
        </Field>
        {settings && settings.notes.length > 0 && (
          <ul aria-label="What is different" className="list-disc pl-5 text-xs text-text-2">
            {settings.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
        {settings?.secret && <FoundSecret secret={settings.secret} url={String(settings.params['url'])} />}
      </div>
    </Dialog>
  );
}
