import { Plus } from 'lucide-react';
import { useContext } from 'react';
import { Button } from '../../ui/Button.tsx';
import { type NewKind, NewThing } from '../form-context.tsx';
import { ReadOnly } from '../read-only.ts';

/** Makes what the field names, in place; the field takes it. */
export function NewButton({ kind, onMade }: { kind: NewKind; onMade(name: string): void }) {
  const make = useContext(NewThing);
  const isLocked = useContext(ReadOnly);
  if (!make || isLocked) return null;
  return (
    <Button size="sm" icon={Plus} className="shrink-0 self-start" onClick={() => make(kind, onMade)}>
      New {kind}…
    </Button>
  );
}
