import { useState } from 'react';
import type { CreatedKey, KeyInfo, Scope } from '#shared/key.ts';
import { KeyForm } from './KeyForm.tsx';
import { MadeKey } from './MadeKey.tsx';

interface NewKeyDialogProps {
  /** The keys there are. */
  all: readonly KeyInfo[];
  /** What is filled in at first. */
  suggested?: { readonly name: string; readonly scopes: readonly Scope[]; readonly days: number };
  /** Takes the key over where it is needed; it is offered with these words. */
  use?: { readonly label: string; take(key: string): void };
  onClose(): void;
}

const NOTHING = { name: '', scopes: [], days: 90 };

/** Makes a key, and then shows it: this once. */
export function NewKeyDialog({ all, suggested = NOTHING, use, onClose }: NewKeyDialogProps) {
  const [made, setMade] = useState<CreatedKey>();
  return made ? (
    <MadeKey made={made} use={use} onClose={onClose} />
  ) : (
    <KeyForm all={all} suggested={suggested} onMade={setMade} onClose={onClose} />
  );
}
