import { useEditor } from '../session/session.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { flatFlow } from '../model/document/flat.ts';

interface WritesDialogProps {
  /** The ids of the nodes. */
  readonly nodes: readonly string[];
  onYes(): void;
  onClose(): void;
}

/** Asks before a partial run executes nodes that change something outside and that nobody requested. */
export function WritesDialog({ nodes, onYes, onClose }: WritesDialogProps) {
  const known = useEditor(({ doc }) => flatFlow(doc.flow).nodes);
  const nameOf = (id: string): string => known[id]?.name ?? id;
  return (
    <ConfirmDialog
      title="Run nodes that change something outside?"
      description={
        <>
          The requested run needs the outputs of these nodes, and no earlier run has them. They change
          something outside each time they run:
          <ul className="mt-2 list-disc pl-5">
            {nodes.map((id) => (
              <li key={id}>{nameOf(id)}</li>
            ))}
          </ul>
        </>
      }
      action={nodes.length === 1 ? 'Run it too' : 'Run them too'}
      busy={false}
      error={undefined}
      onConfirm={() => {
        onClose();
        onYes();
      }}
      onClose={onClose}
    />
  );
}
