import { useState } from 'react';
import { changesBetween } from '../model/document/changes.ts';
import type { Clash, Side } from '../model/document/merge-flow.ts';
import { mergeWith } from '../state/follow.ts';
import { docOf } from '../state/saved-doc.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { agoText } from '../ui/format.ts';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { ValueChange } from '../ui/ValueChange.tsx';
import { ChangeList } from './ChangeList.tsx';
import { SaveCopyDialog } from './SaveCopyDialog.tsx';
import { useEditor, useSession, useSync } from '../session/session.tsx';

/**
 * The server has another state than the one these edits are based on: shows the differences, the conflicts, and the ways to
 * resolve them.
 */
export function ConflictDialog({ onClose }: { onClose(): void }) {
  const { saver, actions, editor, sync } = useSession();
  const mine = useEditor((editor) => editor.doc);
  const theirs = useSync((sync) => sync.conflict ?? (sync.outside === 'removed' ? undefined : sync.outside));
  const [isCopy, setCopy] = useState(false);
  const [chosen, setChosen] = useState<ReadonlyMap<string, Side>>(new Map());
  if (!theirs) return null;
  if (isCopy) return <SaveCopyDialog id={theirs.id} onBack={() => setCopy(false)} onClose={onClose} />;

  const merged = mergeWith(editor, sync, theirs);
  const closing = (work: () => unknown) => (): void => {
    onClose();
    void work();
  };
  const merge = closing(() => saver.merge(({ place }) => chosen.get(place) ?? 'mine'));
  const keepMine = closing(() => saver.keepMine());
  const takeTheirs = (): void => {
    onClose();
    saver.takeTheirs();
    actions.toast('The server’s version was loaded. Undo brings yours back.');
  };

  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title="This flow was changed elsewhere"
      description={`The server has a version from ${agoText(theirs.updatedAt)} that your edits are not based on. ${merged ? 'Merge both, choosing where both changed the same, or keep one.' : 'Choose which one to use.'}`}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Decide later
          </Button>
          <Button onClick={() => setCopy(true)}>Save mine as a copy…</Button>
          <Button onClick={takeTheirs} disabled={!theirs.flow}>
            Take theirs
          </Button>
          <Button variant="danger" onClick={keepMine}>
            Keep mine, overwrite theirs
          </Button>
          {merged && (
            <Button variant="primary" onClick={merge}>
              Merge
            </Button>
          )}
        </>
      }
    >
      {merged && merged.clashes.length > 0 && (
        <Clashes
          clashes={merged.clashes}
          nodes={[mine.flow.nodes, theirs.flow?.nodes]}
          chosen={chosen}
          onChoose={setChosen}
        />
      )}
      <Changes theirs={theirs} />
    </Dialog>
  );
}

/** The changes of each side since both were the same. */
function Changes({ theirs }: { theirs: Parameters<typeof docOf>[0] }) {
  const mine = useEditor((editor) => editor.doc);
  const base = useEditor((editor) => editor.saved);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ChangeList
        title="What you changed"
        changes={changesBetween(base.flow, mine.flow)}
        none="Nothing but positions on the canvas."
      />
      <ChangeList
        title="What was changed elsewhere"
        changes={theirs.flow ? changesBetween(base.flow, docOf(theirs).flow) : []}
        none={
          theirs.flow
            ? 'No difference to what you see; your edits were made on an older state.'
            : 'The file is no longer a valid flow, so it cannot be used. Fix it on disk, or keep yours.'
        }
      />
    </div>
  );
}

type Nodes = Readonly<Record<string, { name?: string | undefined }>>;

function nameIn(id: string | undefined, ...sides: readonly (Nodes | undefined)[]): string {
  if (id === undefined) return 'The flow';
  const name = sides.find((nodes) => nodes?.[id]?.name !== undefined)?.[id]?.name;
  return name === undefined ? id : `${name} (${id})`;
}

interface ClashesProps {
  clashes: readonly Clash[];
  /** On both sides. */
  nodes: readonly (Nodes | undefined)[];
  chosen: ReadonlyMap<string, Side>;
  onChoose(chosen: ReadonlyMap<string, Side>): void;
}

/** Everything that both sides changed, with a choice for each. */
function Clashes({ clashes, nodes, chosen, onChoose }: ClashesProps) {
  return (
    <ul aria-label="Changed on both sides" className="mb-4 flex flex-col gap-3">
      {clashes.map((clash) => (
        <ClashChoice
          key={clash.place}
          clash={clash}
          name={nameIn(clash.node, ...nodes)}
          side={chosen.get(clash.place) ?? 'mine'}
          onChoose={(side) => onChoose(new Map(chosen).set(clash.place, side))}
        />
      ))}
    </ul>
  );
}

interface ClashChoiceProps {
  clash: Clash;
  name: string;
  side: Side;
  onChoose(side: Side): void;
}

/** One place that both sides changed: the value of each side, and which one the merge uses. */
function ClashChoice({ clash, name, side, onChoose }: ClashChoiceProps) {
  const { field, mine, theirs } = clash;
  const what =
    field ?? (theirs === undefined ? 'deleted there' : mine === undefined ? 'deleted here' : 'node');
  return (
    <li className="rounded-md border border-line p-2">
      <div className="mb-1 flex items-center gap-2">
        <strong className="min-w-0 flex-1 truncate font-medium">{name}</strong>
        <SegmentedControl
          label={`${name}, ${what}`}
          value={side}
          onValueChange={onChoose}
          options={[
            { value: 'mine', label: 'Mine' },
            { value: 'theirs', label: 'Theirs' },
          ]}
        />
      </div>
      <ValueChange place={what} before={theirs} after={mine} sides={['theirs', 'mine']} />
    </li>
  );
}
