import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { NewThing, type NewWish } from '../form/new-thing.ts';
import { Proposed, type ProposedThing } from '../form/proposed.ts';

const NewThingDialog = lazy(() =>
  import('./NewThingDialog.tsx').then((file) => ({ default: file.NewThingDialog })),
);

interface MakesThingsProps {
  /** What a new thing begins with, besides its name. */
  propose?(): Omit<ProposedThing, 'name'>;
  children: ReactNode;
}

/** Lets the fields inside make what they name without leaving them; what was made is what they name then. */
export function MakesThings({ propose, children }: MakesThingsProps) {
  const [asked, setAsked] = useState<NewWish>();
  const wanted = asked?.wanted || undefined;
  const proposed = useMemo(
    () => (asked ? { ...propose?.(), name: asked.wanted || undefined } : {}),
    [propose, asked],
  );
  return (
    <NewThing value={setAsked}>
      {children}
      {asked && (
        <Suspense fallback={null}>
          <Proposed value={proposed}>
            {/* What it names in turn is made elsewhere. */}
            <NewThing value={undefined}>
              <NewThingDialog
                kind={asked.kind}
                wanted={wanted}
                within={asked.within}
                onMade={asked.use}
                onClose={() => setAsked(undefined)}
              />
            </NewThing>
          </Proposed>
        </Suspense>
      )}
    </NewThing>
  );
}
