import { useNodeTitle } from '../session/use-node-title.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';

interface WritesDialogProps {
  /** The ids of the nodes. */
  readonly nodes: readonly string[];
  onYes(): void;
  onClose(): void;
}

/** Asks before a partial run executes nodes that change something outside and that nobody requested. */
export function WritesDialog({ nodes, onYes, onClose }: WritesDialogProps) {
  const title = useNodeTitle();
  return (
    <ConfirmDialog
      title="Run nodes that change something outside?"
      description={
        <>
          The requested run needs the outputs of these nodes, and no earlier run has them. They change
          something outside each time they run:
          <ul className="mt-2 list-disc pl-5">
            {nodes.map((id) => (
              <li key={id}>
                <bdi>{title(id)}</bdi>
              </li>
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
