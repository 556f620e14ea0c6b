import { ID_PATTERN } from '#shared/flow.ts';
import { useState } from 'react';
import { RESERVED_IDS } from '#engine/check';
import { DraftInput } from '../form/DraftInput.tsx';
import { FieldView } from '../form/FieldView.tsx';
import { renameNodeId } from '../model/document/rename-node.ts';
import { useSession } from '../session/session.tsx';
import { cacheFields, nodeField } from './node-fields.ts';
import { Section } from './Section.tsx';
import { SwitchedFields } from './SwitchedFields.tsx';
import { nodeIn } from '../model/document/flat.ts';

export function GeneralSettings({ id }: { id: string }) {
  return (
    <Section title="Node">
      <IdField id={id} />
      <FieldView field={nodeField('description')} path={['description']} />
      <FieldView field={nodeField('disabled')} path={['disabled']} />
      <SwitchedFields
        path={CACHE}
        title="Reuse outputs for the same input"
        on="Reuse outputs"
        off="Do not reuse outputs"
        initial={{ ttlMs: HOUR_MS }}
        fields={cacheFields}
      />
    </Section>
  );
}

const CACHE = ['cache'];
const HOUR_MS = 3_600_000;

/** The id by which edges and expressions name the node; they follow when it changes. */
function IdField({ id }: { id: string }) {
  const { editor, ui } = useSession();
  const [refused, setRefused] = useState<string>();

  function rename(to: string): void {
    const { doc, commit, select } = editor.getState();
    const text = refusal(to, nodeIn(doc.flow, to) !== undefined);
    setRefused(text);
    if (text !== undefined) return;
    commit(`Rename ${id} to ${to}`, (draft) => renameNodeId(draft, id, to));
    // The panel is a new one after the rename.
    ui.setState(({ nodeView }) => ({ focusField: 'id', nodeView: nodeView && to }));
    select([to]);
  }

  return (
    <div data-field="id" className="flex flex-col gap-1">
      <label htmlFor="node-id" className="text-xs font-medium">
        Id
      </label>
      <DraftInput
        id="node-id"
        mono
        value={id}
        onCommit={rename}
        aria-describedby="node-id-help"
        aria-invalid={refused !== undefined || undefined}
        data-invalid={refused === undefined ? undefined : ''}
      />
      {refused && (
        <p role="alert" className="text-xs text-bad">
          {refused}
        </p>
      )}
      <p id="node-id-help" className="text-xs text-text-2">
        Expressions read it as <code className="font-mono">nodes.{id}</code>; edges and expressions follow a
        new one.
      </p>
    </div>
  );
}

function refusal(to: string, isTaken: boolean): string | undefined {
  if (isTaken) return `There is already a node ${to}.`;
  if (RESERVED_IDS.includes(to)) return `${to} cannot be an id; choose another.`;
  return ID_PATTERN.test(to)
    ? undefined
    : 'An id starts with a lower-case letter and has only a-z, 0-9 and _ (at most 64).';
}
