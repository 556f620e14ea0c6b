import { useMemo, useState } from 'react';
import { formatPath } from '#engine/check';
import { type FindTexts, type NewText, replaced, textsOf, withTexts } from '#engine/edit';
import type { Catalog } from '#shared/catalog.ts';
import type { TextWish } from '#shared/find-text.ts';
import type { Doc } from '../model/document/document.ts';
import { nodeIn } from '../model/document/flat.ts';
import { infoOf } from '../model/document/edit.ts';
import { titleOf } from '../model/document/geometry.ts';
import { settingName } from '../model/document/setting-name.ts';
import { useEditor, useIsPast, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { countText } from '../ui/format.ts';
import { type Hit, HitList, turned } from './HitList.tsx';
import { useFinder } from './use-finder.ts';
import { EMPTY_WISH, WishForm } from './WishForm.tsx';

const NOTE = 'note:';

/** Finds and replaces texts in the open flow, as one step that can be undone. */
export function ReplaceDialog({ onClose }: { onClose(): void }) {
  const { editor, ui } = useSession();
  const doc = useEditor((state) => state.doc);
  const catalog = useEditor((state) => state.catalog);
  const isPast = useIsPast();
  const [wish, setWish] = useState<TextWish>(EMPTY_WISH);
  const [by, setBy] = useState('');
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const finder = useFinder(wish);
  const hits = useMemo(
    () => (typeof finder === 'function' ? hitsIn(doc, catalog, { wish, by, find: finder }) : []),
    [doc, catalog, wish, by, finder],
  );
  const chosen = hits.filter(({ key }) => !left.has(key));
  const replace = (): void => {
    const { doc: now, commit, refreshProblems } = editor.getState();
    const next = withNotes(now, chosen);
    commit(`Replace ${wish.find}`, (draft) => Object.assign(draft, next));
    refreshProblems();
    ui.setState({ announcement: `Replaced in ${countText(chosen.length, 'text')}` });
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      focusField
      title="Find and replace in this flow"
      footer={
        <>
          <span role="status" className="mr-auto self-center text-xs text-text-2">
            {finder === undefined ? '' : `Found in ${countText(hits.length, 'text')}.`}
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={chosen.length === 0 || isPast} onClick={replace}>
            Replace in {countText(chosen.length, 'text')}
          </Button>
        </>
      }
    >
      <WishForm
        wish={wish}
        by={by}
        onWish={setWish}
        onBy={setBy}
        error={typeof finder === 'string' ? finder : undefined}
      />
      <HitList label="Found" hits={hits} left={left} onTurn={(key) => setLeft(turned(left, key))} />
    </Dialog>
  );
}

interface Looked {
  readonly wish: TextWish;
  readonly by: string;
  readonly find: FindTexts;
}

function hitsIn(doc: Doc, catalog: Catalog, { wish, by, find }: Looked): Hit[] {
  const kinds = new Set<string>(wish.kinds);
  const hitOf = (place: Pick<Hit, 'key' | 'title' | 'place'>, before: string): Hit[] => {
    const matches = find(before, by);
    return matches.length === 0 ? [] : [{ ...place, before, after: replaced(before, matches) }];
  };
  const ofFlow = [...textsOf(doc.flow, catalog)].flatMap(({ path, node, kind, text }) => {
    if (!kinds.has(kind)) return [];
    const found = node === undefined ? undefined : nodeIn(doc.flow, node);
    const title = found ? titleOf(found, catalog) : 'The flow';
    const key = formatPath(path);
    const inNode = node === undefined ? -1 : path.lastIndexOf(node);
    const place = settingName(formatPath(path.slice(inNode + 1)), infoOf(catalog, found));
    return hitOf({ key, title, place }, text);
  });
  if (!kinds.has('notes')) return ofFlow;
  const notes = (doc.layout.notes ?? []).flatMap(({ id, text }) =>
    hitOf({ key: `${NOTE}${id}`, title: 'Note', place: id }, text),
  );
  return [...ofFlow, ...notes];
}

function withNotes(doc: Doc, hits: readonly Hit[]): Doc {
  const texts: NewText[] = hits.map(({ key, before, after }) => ({ path: key, before, after }));
  const { flow } = withTexts(
    doc.flow,
    texts.filter(({ path }) => !path.startsWith(NOTE)),
  );
  const after = new Map(texts.map((text) => [text.path, text.after]));
  const notes = doc.layout.notes?.map((note) => ({
    ...note,
    text: after.get(`${NOTE}${note.id}`) ?? note.text,
  }));
  return { flow, layout: notes ? { ...doc.layout, notes } : doc.layout };
}
