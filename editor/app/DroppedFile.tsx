import { useQuery } from '@tanstack/react-query';
import { pasteClip } from '../commands/clipboard.ts';
import { isForeign } from '../api/imports.ts';
import { ForeignDialog } from '../flows/ForeignDialog.tsx';
import { importFiles } from '../flows/import-files.ts';
import { type FileText, type ReadFile, readFiles } from '../flows/read-files.ts';
import { RefusedDialog } from '../flows/RefusedDialog.tsx';
import { listFlows } from '../api/flows.ts';
import { copyNodes } from '../model/document/clipboard.ts';
import { placeMissing } from '../model/document/place-missing.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { countText } from '../ui/format.ts';
import { useSession } from '../session/session.tsx';

interface DroppedFileProps {
  file: FileText;
  onClose(): void;
}

/**
 * A file that was dropped on the canvas. A flow can be added to this one or imported as a new flow; for any other file it
 * says why not.
 */
export function DroppedFile(props: DroppedFileProps) {
  return isForeign(props.file) ? <ForeignDropped {...props} /> : <OwnDropped {...props} />;
}

/** A file of another product: what it becomes, then drafts. */
function ForeignDropped({ file, onClose }: DroppedFileProps) {
  const { actions } = useSession();
  const done = ([first]: readonly string[]): void => {
    onClose();
    if (first !== undefined) actions.goTo(`/flows/${first}`);
  };
  return <ForeignDialog files={[file]} onClose={onClose} onDone={done} />;
}

function OwnDropped({ file, onClose }: DroppedFileProps) {
  const read = useQuery({
    queryKey: ['dropped', file.name, file.text],
    queryFn: async () => (await readFiles([file]))[0] ?? null,
    gcTime: 0,
  });
  if (!read.data) return null;
  if ('flow' in read.data) return <FlowDropped file={file} read={read.data} onClose={onClose} />;
  const reasons = read.data.problems.map(({ line, message }) =>
    line === undefined ? message : `Line ${line}: ${message}`,
  );
  return (
    <RefusedDialog
      title="The file could not be imported"
      description="Fix it and drop it again."
      refused={[{ name: file.name, reasons: [...new Set(reasons)] }]}
      onClose={onClose}
    />
  );
}

type ReadFlow = Extract<ReadFile, { flow: unknown }>;

function FlowDropped({ file, read, onClose }: DroppedFileProps & { read: ReadFlow }) {
  const session = useSession();
  const { actions } = session;
  const { flow } = read;
  const count = Object.keys(flow.nodes).length;

  const addHere = (): void => {
    onClose();
    const doc = placeMissing(
      { flow, layout: read.layout ?? { format: 1, nodes: {} } },
      session.editor.getState().catalog,
    );
    void pasteClip(session, copyNodes(doc, new Set(Object.keys(flow.nodes))));
  };
  const importIt = async (): Promise<void> => {
    onClose();
    try {
      const { imported, refused } = await importFiles([file], await listFlows());
      for (const { reasons } of refused) actions.toast(reasons.join(' '), 'error');
      if (imported[0] !== undefined) actions.goTo(`/flows/${imported[0]}`);
    } catch (error) {
      actions.toast(error instanceof Error ? error.message : String(error), 'error');
    }
  };

  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title={`“${flow.name ?? flow.id}” was dropped here`}
      description={`${file.name} holds a flow of ${countText(count, 'node')}.`}
      footer={
        <>
          <Button onClick={() => void importIt()}>Import it as a flow of its own</Button>
          <Button variant="primary" onClick={addHere}>
            Add its nodes here
          </Button>
        </>
      }
    />
  );
}
