import { Workflow } from 'lucide-react';
import { addOperator, openPickerCommand, writeFirst } from '../commands/palette.ts';
import { nodeCount } from '../model/document/flat.ts';
import { useEditor, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { byUse } from '../model/by-use.ts';
import { operatorIcon } from '../ui/operator-icon.ts';
import { Kbd } from '../ui/Kbd.tsx';

/** How many triggers stand on the empty canvas; the picker has the others. */
const SHOWN = 5;

/** What to do with an empty canvas. */
export function EmptyHint() {
  const session = useSession();
  const isEmpty = useEditor((s) => nodeCount(s.doc.flow) === 0 && !s.doc.layout.notes?.length);
  const catalog = useEditor((s) => s.catalog);
  if (!isEmpty) return null;
  const triggers = byUse(Object.values(catalog.operators).filter((info) => info.trigger)).slice(0, SHOWN);
  return (
    <div className="pointer-events-none absolute inset-0 z-5 flex">
      <div className="pointer-events-auto m-auto rounded-xl border border-line bg-surface">
        <EmptyState
          icon={Workflow}
          title="Start with a trigger"
          action={
            <>
              {triggers.map((info) => (
                <Button
                  key={info.type}
                  icon={operatorIcon(info)}
                  onClick={(event) => {
                    addOperator(session, info.type);
                    if (event.detail > 0) writeFirst(session, info.type);
                  }}
                >
                  {info.title}
                </Button>
              ))}
              <Button variant="ghost" onClick={() => void openPickerCommand.run(session)}>
                All nodes
              </Button>
            </>
          }
        >
          Then press <Kbd keys="N" /> to add nodes, or pull a wire from a port to nothing.
        </EmptyState>
      </div>
    </div>
  );
}
