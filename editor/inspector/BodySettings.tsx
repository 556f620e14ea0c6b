import { infoOf, setBody, setInNode } from '../model/document/edit.ts';
import { flatFlow, nodeIn } from '../model/document/flat.ts';
import { useEditor, useSession } from '../session/session.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';

/** The choice of a node between nodes of its own and another flow to run. */
export function BodySettings({ id }: { id: string }) {
  const { editor } = useSession();
  const isOffered = useEditor(({ doc, catalog }) => {
    const kind = infoOf(catalog, nodeIn(doc.flow, id))?.body;
    return kind === 'optional' || kind === 'usual';
  });
  const held = useEditor(({ doc }) => {
    const body = flatFlow(doc.flow).nodes[id]?.body;
    return body && Object.keys(body.nodes).length;
  });
  if (!isOffered) return null;
  const choose = (to: 'body' | 'flow') => {
    const { doc, catalog, commit } = editor.getState();
    const info = infoOf(catalog, nodeIn(doc.flow, id));
    if (!info || (to === 'body') === (held !== undefined)) return;
    commit(to === 'body' ? 'Run nodes in the frame' : 'Run another flow', (draft) => {
      for (const param of ['flow', 'trigger']) setInNode(draft, id, ['params', param], undefined);
      setBody(draft, id, to === 'body' ? info : undefined);
    });
  };
  return (
    <div className="flex flex-col gap-1 border-b border-line px-3 py-2.5" data-field="body">
      <SegmentedControl
        label="What it runs"
        value={held === undefined ? 'flow' : 'body'}
        onValueChange={choose}
        options={[
          { value: 'body', label: 'Nodes in the frame' },
          { value: 'flow', label: 'Another flow', disabled: held !== undefined && held > 0 },
        ]}
      />
      {held !== undefined && held > 0 && (
        <p className="text-xs text-text-2">
          To run them as another flow, extract them to a flow, or delete the nodes first.
        </p>
      )}
      {held === 0 && (
        <p className="text-xs text-text-2">
          The frame is empty. Double-click in it to add a node, or drag nodes into it.
        </p>
      )}
    </div>
  );
}
