import { lazy, type ReactNode, useCallback } from 'react';
import { usableKinds } from '#engine/check';
import { Allow } from '../form/form-context.tsx';
import { infoOf } from '../model/document/edit.ts';
import { nodeIn } from '../model/document/flat.ts';
import { useSession } from '../session/session.tsx';
import { MakesThings } from './MakesThings.tsx';

const GrantButton = lazy(() =>
  import('../problems/GrantButton.tsx').then((file) => ({ default: file.GrantButton })),
);

/** Lets the fields of a node make what they name, for this node, and allow it what it lacks. */
export function NewThings({ id, children }: { id: string; children: ReactNode }) {
  const { editor } = useSession();
  const propose = useCallback(() => {
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
    return { grants, kinds };
  }, [editor, id]);
  return (
    <MakesThings propose={propose}>
      <Allow value={GrantButton}>{children}</Allow>
    </MakesThings>
  );
}
