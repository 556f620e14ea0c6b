import { useEffect, useMemo, useState } from 'react';
import { operatorsFor } from '../model/document/fits.ts';
import { nodeIn } from '../model/document/flat.ts';
import { frameAt } from '../model/document/frames.ts';
import { type Offer, offersOf, type Wish } from '../model/offers.ts';
import type { SearchPlace } from '../model/search.ts';
import { whenLoaded } from '../model/when-loaded.ts';
import { useEditor, useSession, useUi } from '../session/session.tsx';
import type { PickerRequest } from '../state/ui-store.ts';
import { portsOfNode } from '../model/document/geometry.ts';
import type { EditorState } from '../state/editor-store.ts';

/** The operators that the picker lists for a wish; only those that fit where the node must be connected. */
export function useOffers(
  request: PickerRequest,
  { query, purpose }: Pick<Wish, 'query' | 'purpose'>,
): readonly Offer[] {
  const doc = useEditor((s) => s.doc);
  const catalog = useEditor((s) => s.catalog);
  const recent = useUi((s) => s.recentOperators);
  const place = usePlace(request);
  const { at, wire, edge, swaps } = request;
  const possible = useMemo(() => {
    const holder = frameAt(doc, catalog, at);
    const spot = { ...(wire && { wire }), ...(edge !== undefined && { edge }), holder };
    const types = new Set(operatorsFor(doc, catalog, spot).map((fit) => fit.type));
    if (swaps !== undefined) types.delete(nodeIn(doc.flow, swaps)?.operator ?? '');
    return types;
  }, [doc, catalog, at, wire, edge, swaps]);
  return useMemo(
    () => offersOf(catalog, { query, purpose, possible, recent, place }),
    [catalog, query, purpose, possible, recent, place],
  );
}

/** Operators that take the type of the wire come first; the code that knows types is loaded meanwhile. */
function usePlace({ wire, isBeside }: PickerRequest): SearchPlace {
  const { editor } = useSession();
  const [place, setPlace] = useState<SearchPlace>(() => searchPlace(editor.getState(), isBeside));
  const from = wire?.from;
  useEffect(() => {
    if (from === undefined) return;
    let gone = false;
    whenLoaded(import('../model/document/port-types.ts'), ({ takersOf }) => {
      const { doc, catalog, world } = editor.getState();
      const fitting = takersOf({ flow: doc.flow, catalog, world }, from);
      if (!gone && fitting) setPlace({ fitting });
    });
    return () => {
      gone = true;
    };
  }, [editor, from]);
  return place;
}

/** Where a found node will go: onto an empty canvas, or behind the one that is selected. */
function searchPlace({ doc, catalog, selectedNodes }: EditorState, isBeside = false): SearchPlace {
  const isEmpty = Object.keys(doc.flow.nodes).length === 0;
  const [selected] = selectedNodes;
  if (selected === undefined || !isBeside) return { isEmpty };
  const [port] = portsOfNode(doc, catalog, selected).outputs;
  if (!port) return { isEmpty };
  const fits = operatorsFor(doc, catalog, { wire: { from: `${selected}.${port.name}` } });
  return { isEmpty, fitting: new Set(fits.map((fit) => fit.type)) };
}
