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
  const titles = nodes.map(title);
  return (
    <ConfirmDialog
      title="Run nodes that change something outside?"
      description={
        <>
          The requested run needs the outputs of these nodes, and no earlier run has them. They change
          something outside each time they run:
          <ul className="mt-2 list-disc pl-5">
            {nodes.map((id, n) => (
              <li key={id}>
                <bdi>{titles[n]}</bdi>
                {/* Nodes without a name of their own share the title of their operator. */}
                {titles.filter((one) => one === titles[n]).length > 1 && (
                  <>
                    {' '}
                    <code>{id}</code>
                  </>
                )}
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
