import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import { usableKinds } from '#engine/check';
import { Proposed } from '../form/proposed.ts';
import { Allow, type NewKind, NewThing } from '../form/form-context.tsx';
import { infoOf } from '../model/document/edit.ts';
import { nodeIn } from '../model/document/flat.ts';
import { useSession } from '../session/session.tsx';

const GrantButton = lazy(() =>
  import('../problems/GrantButton.tsx').then((file) => ({ default: file.GrantButton })),
);
const NewThingDialog = lazy(() =>
  import('./NewThingDialog.tsx').then((file) => ({ default: file.NewThingDialog })),
);

interface Asked {
  readonly kind: NewKind;
  /** What there was before. */
  readonly names: ReadonlySet<string>;
  /** The name to propose. */
  readonly wanted: string | undefined;
  use(name: string): void;
}

/** How long the name of what was made may take to be known here. */
const PATIENCE_MS = 10_000;

/** Lets the fields of a node make what they name without leaving it; what was made is what they name then. */
export function NewThings({ id, children }: { id: string; children: ReactNode }) {
  const { editor } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const namesOf = useCallback(
    (kind: NewKind): readonly string[] => {
      const { secrets = [], connections = {} } = editor.getState().world;
      if (kind === 'secret') return secrets;
      return kind === 'connection' ? Object.keys(connections) : [];
    },
    [editor],
  );
  const make = useCallback(
    (kind: NewKind, use: (name: string) => void, wanted?: string) =>
      setAsked({ kind, names: new Set(namesOf(kind)), use, wanted: wanted || undefined }),
    [namesOf],
  );
  const made = (name: string): void => asked?.use(name);
  const close = (): void => {
    setAsked(undefined);
    if (!asked || (asked.kind !== 'secret' && asked.kind !== 'connection')) return;
    const look = (): void => {
      const found = namesOf(asked.kind).find((name) => !asked.names.has(name));
      if (found === undefined) return;
      end();
      asked.use(found);
    };
    const stop = editor.subscribe(look);
    const timer = setTimeout(() => end(), PATIENCE_MS);
    const end = (): void => {
      clearTimeout(timer);
      stop();
    };
    look();
  };
  const proposed = useMemo(() => {
    const { doc, catalog } = editor.getState();
    const { flow } = doc;
    const operator = nodeIn(flow, id)?.operator;
    const kinds = usableKinds(infoOf(catalog, nodeIn(flow, id))?.params);
    // Whoever makes it for a node wants to try the node.
    const grants = {
      flows: [flow.id],
      ...(operator !== undefined && { operators: [operator] }),
      drafts: true,
    };
    return { name: asked?.wanted, grants, kinds };
  }, [editor, id, asked]);
  return (
    <NewThing value={make}>
      <Allow value={GrantButton}>{children}</Allow>
      {asked && (
        <Suspense fallback={null}>
          <Proposed value={proposed}>
            <NewThingDialog kind={asked.kind} wanted={asked.wanted} onMade={made} onClose={close} />
          </Proposed>
        </Suspense>
      )}
    </NewThing>
  );
}
