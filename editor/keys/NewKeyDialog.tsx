import { useState } from 'react';
import type { CreatedKey, KeyInfo } from '#shared/key.ts';
import type { KeyDraft } from './key-draft.ts';
import { KeyForm } from './KeyForm.tsx';
import { MadeKey } from './MadeKey.tsx';

interface NewKeyDialogProps {
  /** The existing keys. */
  all: readonly KeyInfo[];
  /** Initial values. */
  suggested?: KeyDraft;
  /** Uses the key where it is needed; this text offers that. */
  use?: { readonly label: string; take(key: string): void };
  onClose(): void;
}

const NOTHING = { name: '', scopes: [], days: 90 };

/** Creates a key and then shows it, this one time. */
export function NewKeyDialog({ all, suggested = NOTHING, use, onClose }: NewKeyDialogProps) {
  const [made, setMade] = useState<CreatedKey>();
  return made ? (
    <MadeKey made={made} use={use} onClose={onClose} />
  ) : (
    <KeyForm all={all} suggested={suggested} onMade={setMade} onClose={onClose} />
  );
}
