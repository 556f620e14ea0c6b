import { useState } from 'react';
import { loadText } from '../api/knowledge.ts';
import { useChange } from '../session/use-change.ts';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Input, TextArea } from '../ui/Input.tsx';
import { KNOWLEDGE_READS } from './queries.ts';

interface AddDialogProps {
  space: string;
  kind: 'url' | 'text';
  onClose(): void;
}

/** Adds a web page by its address, or a text that is typed here. */
export function AddDialog({ space, kind, onClose }: AddDialogProps) {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [text, setText] = useState('');
  const { busy, error, change } = useChange(KNOWLEDGE_READS, onClose);
  const address = url.trim();
  const isUrl = /^https?:\/\/./i.test(address) && URL.canParse(address);
  const fault = address === '' || isUrl ? undefined : 'An address begins with https:// or http://.';
  const named = name.trim();
  const body =
    kind === 'url' ? { url: address, ...(named !== '' && { name: named }) } : { name: named, text };
  const isReady = kind === 'url' ? isUrl : named !== '' && text.trim() !== '';
  return (
    <FormDialog
      title={kind === 'url' ? 'Add an address' : 'Write a text'}
      action="Load"
      isReady={isReady}
      busy={busy}
      error={error}
      onSubmit={() => void change(() => loadText(space, body))}
      onClose={onClose}
    >
      {kind === 'url' && (
        <Field
          label="Address"
          required
          error={fault}
          help="The server fetches it. An address inside its own network must be allowed by WEFT_OUTBOUND_ALLOW."
        >
          <Input
            autoFocus
            mono
            maxLength={4000}
            value={url}
            onValueChange={setUrl}
            placeholder="https://example.com/handbook.html"
          />
        </Field>
      )}
      <Field
        label="Name"
        required={kind === 'text'}
        help={`A document of the same name is replaced.${kind === 'url' ? ' Empty: the address.' : ''}`}
      >
        <Input autoFocus={kind === 'text'} maxLength={200} value={name} onValueChange={setName} />
      </Field>
      {kind === 'text' && (
        <Field
          label="Text"
          required
          help="Plain text or Markdown; headings are kept with what is below them."
        >
          <TextArea rows={12} value={text} onValueChange={setText} />
        </Field>
      )}
    </FormDialog>
  );
}
