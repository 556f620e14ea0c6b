import type { CreatedKey } from '#shared/key.ts';
import { Button } from '../ui/Button.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { curlFor } from './scope-words.ts';

interface MadeKeyProps {
  made: CreatedKey;
  use: { readonly label: string; take(key: string): void } | undefined;
  onClose(): void;
}

/** A click outside does not close it: the key would be lost. */
export function MadeKey({ made: { name, key, scopes }, use, onClose }: MadeKeyProps) {
  const curl = curlFor(location.origin, key, scopes);
  const take = (): void => {
    use?.take(key);
    onClose();
  };
  return (
    <Dialog
      open
      mandatory
      onOpenChange={onClose}
      title={`The key “${name}”`}
      description="Copy it now: the server keeps only its hash, so nobody can see it again."
      footer={
        <>
          <Button variant={use ? 'ghost' : 'primary'} onClick={onClose}>
            Done
          </Button>
          {use && (
            <Button variant="primary" onClick={take}>
              {use.label}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Copied title="Key" text={key} label="Copy the key" />
        {curl !== undefined && <Copied title="A first call" text={curl} label="Copy the call" />}
      </div>
    </Dialog>
  );
}

function Copied({ title, text, label }: { title: string; text: string; label: string }) {
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className={sectionTitle}>{title}</h3>
      <div className="flex items-start gap-2 rounded-md border border-line bg-surface-2 py-1.5 pr-1.5 pl-2.5">
        <code className="min-w-0 flex-1 py-0.5 font-mono text-xs wrap-anywhere">{text}</code>
        <CopyButton text={text} label={label} />
      </div>
    </section>
  );
}
