import type { CreatedKey } from '#shared/key.ts';
import { Button } from '../ui/Button.tsx';
import { CopyBlock } from '../ui/CopyBlock.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { curlFor } from './scope-labels.ts';

interface MadeKeyProps {
  made: CreatedKey;
  use: { readonly label: string; take(key: string): void } | undefined;
  onClose(): void;
}

/** A click outside does not close it, since the key would be lost. */
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
        <CopyBlock title="Key" text={key} label="Copy the key" />
        {curl !== undefined && <CopyBlock title="A first call" text={curl} label="Copy the call" />}
      </div>
    </Dialog>
  );
}
